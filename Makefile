# Everything from a bare machine with Python 3.11+, its venv module and make: each target sets up what it needs.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test test-all lint bench clean help

help:
	@echo "make demo      a walk is checked, edited for a slope, exported, and performed in physics; look into demo/"
	@echo "make test      the fast suite, lint and types"
	@echo "make test-all  also the slow reproductions and outside oracles (Blender, Khronos validator, fuzzing)"
	@echo "make bench     speed beside yardsticks"

$(READY): pyproject.toml constraints.txt
	@echo "Setting up $(VENV) (once, about a minute) ..."
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "poise needs Python 3.11 or newer: make PYTHON=python3.12 ..."; exit 1; }
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $(READY)

demo: $(READY)
	@$(BIN)/python examples/01_house.py
	@echo
	@echo "And in physics, pushed at half a second, with joint servos alone and with mcsim:"
	@$(BIN)/python examples/04_it_falls.py

test: $(READY) lint
	@$(BIN)/python -m pytest -m "not slow" -n 2

test-all: $(READY) lint
	@$(BIN)/python -m pytest -n 2

lint: $(READY)
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/basedpyright --pythonpath $(BIN)/python

bench: $(READY)
	@$(BIN)/poise bench

clean:
	rm -rf $(VENV) .venv-bpy demo dist build .pytest_cache .ruff_cache .hypothesis
