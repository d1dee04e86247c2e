# Two commands matter: `make demo` (see it work) and `make test` (trust it).
# Needs Python >= 3.11 and make; everything else goes into .venv through pip.
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do \
  command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
STAMPS := $(VENV)/.stamps
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: demo test check lint format typecheck bench eval-check goldens clean

demo: $(STAMPS)/demo
	@$(BIN)/tj demo

test: $(STAMPS)/dev
	$(BIN)/python -m pytest $(ARGS)

check: lint typecheck test

lint: $(STAMPS)/dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

typecheck: $(STAMPS)/dev
	$(BIN)/mypy

format: $(STAMPS)/dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

goldens: $(STAMPS)/dev
	$(BIN)/python -m pytest tests/rules --update-goldens

bench: $(STAMPS)/dev
	$(BIN)/python -m eval.bench $(ARGS)

eval-check: $(STAMPS)/dev
	$(BIN)/python -m eval check

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "make: Python >= 3.11 is needed (set PYTHON=/path/to/python3.11)"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@mkdir -p $(STAMPS)

# The demo shows the saliency model too, so it brings the [ml] extra.
$(STAMPS)/demo: pyproject.toml hatch_build.py | $(VENV)/bin/python
	@echo "setting up $(VENV) (first time only) ..."
	$(PIP) install -e '.[ml]'
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/dev: pyproject.toml hatch_build.py | $(VENV)/bin/python
	$(PIP) install -e '.[dev,eval,ml,serve,redis,tokens,langchain,openai-agents]'
	@mkdir -p $(STAMPS) && touch $@ $(STAMPS)/demo

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache
