"""What importing costs and exports."""

from __future__ import annotations

import subprocess
import sys

import pytest

import tokenjuice_ml

HEAVY = (
    "numpy onnxruntime torch transformers fastapi pydantic httpx trafilatura resiliparse lxml tree_sitter "
    "regex sqlite3 tiktoken bpe_openai asyncio"
).split()


def loaded_after(code: str) -> set[str]:
    """The top-level modules a fresh interpreter has after running `code`."""
    script = f"{code}\nimport sys\nprint(' '.join(sorted({{name.split('.')[0] for name in sys.modules}})))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split("\n")[-2].split())


def test_all_names_exist_and_are_the_documented_ones():
    for name in tokenjuice_ml.__all__:
        assert getattr(tokenjuice_ml, name) is not None
    assert sorted(tokenjuice_ml.__all__) == tokenjuice_ml.__all__
    with pytest.raises(AttributeError, match="no_such"):
        tokenjuice_ml.no_such  # noqa: B018


@pytest.mark.parametrize(
    "code",
    [
        "import tokenjuice_ml.cli",
        "import tokenjuice_ml.pipeline, tokenjuice_ml.api",
        "from tokenjuice_ml import TokenJuice, Settings\n"
        "TokenJuice(Settings(savings_enabled=False)).compress('x = 1\\nerror: no\\n' * 400, command='make', exit_code=1)",
    ],
)
def test_the_core_never_imports_anything_heavy(code):
    assert not loaded_after(code).intersection(HEAVY)
