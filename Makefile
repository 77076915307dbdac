# Everything from a bare machine with Python 3.11+, its venv module and make: each target sets up what it needs.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test test-all fuzz lint bench matrix golden clean help

help:
	@echo "make demo      a walk is checked, edited, exported, pushed in physics; says what to try next; look into demo/"
	@echo "make test      the fast suite, lint and types"
	@echo "make test-all  also the slow reproductions and outside oracles (Blender, Khronos validator, fuzzing)"
	@echo "make fuzz      mutated files for POISE_FUZZ_MINUTES (10): none may crash, hang or fill the memory"
	@echo "make bench     speed beside yardsticks"
	@echo "make matrix    the wheel on each Python that is installed: core only, no home, nothing writable, another user"
	@echo "make golden    write the table of digests anew for this kind of machine, after a change that is meant"

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
	@echo
	@echo "What to try next ($(BIN)/poise --help lists all verbs):"
	@echo "  $(BIN)/poise check my_walk.bvh                       what is in a recording of yours"
	@echo "  $(BIN)/poise convert recordings/ repaired/ --physical   a folder made physical, with a table"
	@echo "  $(BIN)/poise perform my_walk.bvh --try --save best.html  which method suits it, and how it looks"
	@echo "  $(BIN)/poise perform walk --ground stairs:0.12x0.4 --save stairs.html"
	@echo "  $(BIN)/poise perform my_kick.bvh --method auto         rehearsed where no method follows it"
	@echo "  $(BIN)/poise hands pickup-1 -n 5 -o fingers            fingers for a hand that was recorded without"
	@echo "  $(BIN)/poise design runner --character my_walk.bvh -o run.toml   your own body runs, by its natural vibrations"
	@echo "  docs/recipes.md, docs/which_method.md                Blender, Unity, your own character, your own ground"

test: $(READY) lint
	@$(BIN)/python -m pytest -m "not slow" -n 2

test-all: $(READY) lint
	@$(BIN)/python -m pytest -n 2

fuzz: $(READY)
	@$(BIN)/python -m pytest -s tests/test_hostile_fuzz.py

lint: $(READY)
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/basedpyright --pythonpath $(BIN)/python

bench: $(READY)
	@$(BIN)/poise bench

matrix:
	@$(PYTHON) tools/matrix.py

golden: $(READY)
	@PYTHONPATH=src $(BIN)/python tests/golden.py --write

clean:
	rm -rf $(VENV) .venv-bpy demo dist build .pytest_cache .ruff_cache .hypothesis
