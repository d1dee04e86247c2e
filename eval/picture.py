"""`python -m eval.picture REPORT.html PICTURE.png [HEIGHT]`: the top of a report page as a picture, by Chromium."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

WIDTH, HEIGHT = 1240, 680
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
OFF = (
    "gpu", "quic", "background-networking", "component-update", "sync", "extensions",
)  # fmt: skip


def picture(page: Path, target: Path, height: int = HEIGHT) -> None:
    """Writes a PNG of the page's first `height` pixels.

    Raises:
        FileNotFoundError: no Chromium is installed.
        subprocess.CalledProcessError: it could not show the page.
    """
    browser = next(filter(None, map(shutil.which, NAMES)), None)
    if browser is None:
        raise FileNotFoundError(f"needs one of {', '.join(NAMES)}")
    with tempfile.TemporaryDirectory() as profile:
        command = [browser, "--headless", "--no-sandbox", "--no-first-run", "--hide-scrollbars"]
        command += [f"--disable-{what}" for what in OFF]
        command += [f"--user-data-dir={profile}", f"--window-size={WIDTH},{height}"]
        command += [f"--screenshot={target.resolve()}", page.resolve().as_uri()]
        subprocess.run(command, check=True, capture_output=True, timeout=120)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    picture(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else HEIGHT)
