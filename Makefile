# make help lists the targets. Everything is installed into .venv, with the versions of constraints.txt.

PYTHON ?= python3
QUICK ?=
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/installed
PY := $(BIN)/python
FLOORS := .venv-floors
FLOORS_STAMP := $(FLOORS)/installed
DATA := .venv-data
DATA_STAMP := $(DATA)/installed
VIDEO := .venv-video
VIDEO_STAMP := $(VIDEO)/installed
SITE := .venv-docs
SITE_STAMP := $(SITE)/installed
# frameworks with an environment of their own, by the names of their extras
FRAMEWORKS := rllib torchrl
FRAMEWORK_STAMPS := $(FRAMEWORKS:%=.venv-%/installed)

# where `make train` trains, and what it passes on
ifeq ($(QUICK),)
RUN ?= runs/classic
TRAIN ?=
MATCH ?= --pairs 4000
else
RUN ?= runs/quick
TRAIN ?= --deals 2000 --num-games 256 --eval-every 1000 --eval-decks 64
MATCH ?= --pairs 200
endif

# A run with a checkpoint is continued. A folder without one is left alone: the run takes the next
# free name.
RUN_DIR = $(shell run='$(RUN)'; n=1; \
	while [ -e "$$run" ] && [ ! -e "$$run/last/checkpoint.json" ]; do \
		n=$$((n + 1)); run='$(RUN)'-$$n; done; echo "$$run")
START = $(if $(wildcard $(RUN_DIR)/last/checkpoint.json),--resume,--run)

.DEFAULT_GOAL := help
.PHONY: help install train test test-floors test-rllib test-torchrl test-data test-video test-wheel check-long coverage lint format docs golden perft clean FORCE

help:
	@echo "make train       train an agent for classic Canasta, then play it against the others"
	@echo "                 QUICK=1: only to see that it works; RUN=runs/name: another run"
	@echo "make test        the tests; make check-long: those too that take minutes"
	@echo "make test-floors the tests of the environments with the oldest versions that are allowed,"
	@echo "                 which it installs into $(FLOORS)"
	@echo "make test-rllib, make test-torchrl"
	@echo "                 the tests of RLlib and TorchRL, each in an environment of its own, .venv-*"
	@echo "make test-data   the tests of data sets with the extras data and minari alone, which it"
	@echo "                 installs into $(DATA)"
	@echo "make test-video  the tests of videos, with moviepy, in $(VIDEO)"
	@echo "make test-wheel  build the wheel, install it into an empty environment, and play there"
	@echo "make coverage    the share of lines and branches that tests reach, the compiler off"
	@echo "make lint        ruff and mypy; make format: what ruff can mend"
	@echo "make docs        write again the tables in docs/ that are printed from the code, and build"
	@echo "                 the site, build/site/index.html; its tools go into $(SITE)"
	@echo "make golden      play the deals of tests/golden again, after a change of the rules"
	@echo "make perft       count the rows of actions of tests/perft again, after a change of the rules"
	@echo "make clean       remove $(VENV), .venv-* and what tools left; runs/ stays"
	@echo "PYTHON=python3.x chooses the Python that .venv is made with"

install: $(STAMP)

# A .venv that was only half made, or whose Python has gone, has no stamp or doesn't run: it's made
# again from nothing. After a change of the two files the packages are brought up to date in place.
ifneq ($(shell "$(PY)" -c 'print("runs")' 2>/dev/null),runs)
$(STAMP): FORCE
endif

$(STAMP): pyproject.toml constraints.txt
	@echo "installing into $(VENV), which takes minutes the first time ..."
	@if [ ! -e "$@" ] || ! "$(PY)" -c '' 2>/dev/null; then \
		rm -rf "$(VENV)" && "$(PYTHON)" -m venv "$(VENV)"; fi
	@rm -f "$@"
	@"$(PY)" -m pip install -qq --disable-pip-version-check \
		-c constraints.txt -e '.[train,render,data,minari,dev]'
	@touch "$@"

train: $(STAMP)
	@"$(PY)" -m train.ppo $(START) "$(RUN_DIR)" $(TRAIN)
	@"$(PY)" -m experiments.match "$(RUN_DIR)" random greedy basic $(MATCH) \
		--json "$(RUN_DIR)/match.json" --force
	@echo "the agent: $(RUN_DIR)/last    the results: $(RUN_DIR)/match.json"
	@echo "the curves: $(BIN)/tensorboard --logdir $(RUN_DIR)"

test: $(STAMP)
	@"$(PY)" -m pytest -n auto --dist worksteal

$(FLOORS_STAMP): pyproject.toml constraints-floors.txt
	@rm -rf "$(FLOORS)"
	@"$(PYTHON)" -m venv "$(FLOORS)"
	@"$(FLOORS)/bin/python" -m pip install -qq --disable-pip-version-check \
		-c constraints-floors.txt -e . pytest hypothesis pyyaml
	@touch "$@"

test-floors: $(FLOORS_STAMP)
	@"$(FLOORS)/bin/python" -m pytest tests/test_aec.py tests/test_single.py tests/test_vector.py

$(FRAMEWORK_STAMPS): .venv-%/installed: pyproject.toml constraints-%.txt
	@echo "installing into .venv-$*, which takes minutes the first time ..."
	@rm -rf ".venv-$*"
	@"$(PYTHON)" -m venv ".venv-$*"
	@".venv-$*/bin/python" -m pip install -qq --disable-pip-version-check \
		-c "constraints-$*.txt" -e '.[$*]' pytest hypothesis pyyaml
	@touch "$@"

test-rllib test-torchrl: test-%: .venv-%/installed
	@".venv-$*/bin/python" -m pytest --long "tests/test_$*.py" tests/test_network_run.py

$(DATA_STAMP): pyproject.toml constraints.txt
	@rm -rf "$(DATA)"
	@"$(PYTHON)" -m venv "$(DATA)"
	@"$(DATA)/bin/python" -m pip install -qq --disable-pip-version-check \
		-c constraints.txt -e '.[data,minari]' pytest hypothesis pyyaml rich
	@touch "$@"

test-data: $(DATA_STAMP)
	@"$(DATA)/bin/python" -m pytest tests/test_data.py tests/test_data_minari.py

# moviepy asks for an older Pillow than the other packages have, so it's in no extra
$(VIDEO_STAMP): pyproject.toml
	@rm -rf "$(VIDEO)"
	@"$(PYTHON)" -m venv "$(VIDEO)"
	@"$(VIDEO)/bin/python" -m pip install -qq --disable-pip-version-check \
		-e '.[render]' 'moviepy>=2.2' pytest hypothesis pyyaml
	@touch "$@"

test-video: $(VIDEO_STAMP)
	@"$(VIDEO)/bin/python" -m pytest tests/test_render.py tests/test_examples.py -k 'video or rendering'

test-wheel: $(STAMP)
	@"$(PY)" -m pytest --long tests/test_wheel.py

check-long: $(STAMP)
	@"$(PY)" -m pytest --long

coverage: $(STAMP)
	@"$(PY)" -m tests.uncompiled

lint: $(STAMP)
	@"$(PY)" -m ruff check .
	@"$(PY)" -m ruff format --check .
	@"$(PY)" -m mypy

format: $(STAMP)
	@"$(PY)" -m ruff check --fix .
	@"$(PY)" -m ruff format .

$(SITE_STAMP): pyproject.toml constraints.txt
	@rm -rf "$(SITE)"
	@"$(PYTHON)" -m venv "$(SITE)"
	@"$(SITE)/bin/python" -m pip install -qq --disable-pip-version-check \
		-c constraints.txt -e '.[docs]'
	@touch "$@"

docs: $(STAMP) $(SITE_STAMP)
	@"$(PY)" -m canasta_env docs
	@"$(SITE)/bin/python" -m sphinx -q -E -W --keep-going -b html docs build/site
	@echo "the site: build/site/index.html"

golden: $(STAMP)
	@"$(PY)" -m tests.golden --write

perft: $(STAMP)
	@"$(PY)" -m tests.perft --write

clean:
	@rm -rf "$(VENV)" .venv-* build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage
	@find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +
