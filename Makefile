# Tollgate. `make up` runs everything on this machine; `make` lists the targets.
# Needed: make, Node.js and npm. The Node.js that Tollgate itself runs on is installed with its packages.
# FILES names the test files that a target runs, by default all: make test FILES=services/ledger

MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help

# The machine's own tools install the packages: the pinned Node.js lies in the folder that an install removes first.
OWN_PATH := $(PATH)
ARCH := $(patsubst aarch64,arm64,$(patsubst x86_64,x64,$(shell uname -m)))
export PATH := $(CURDIR)/node_modules/node-linux-$(ARCH)/bin:$(CURDIR)/node_modules/.bin:$(PATH)
# Node.js keeps here what it has compiled: a process of ours then starts in little more than half the time.
export NODE_COMPILE_CACHE ?= $(CURDIR)/.cache/compile

INSTALLED := node_modules/.tollgate-installed
GENERATED := proto/generated/.tollgate-generated
PROTOS := $(wildcard proto/tollgate/*/*/*.proto) proto/buf.yaml proto/buf.gen.yaml

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

.PHONY: up
up: $(GENERATED) ## Run everything on this machine and print a base URL and a key; Ctrl-C stops it
	@deploy/node deploy/local/src/main.ts

.PHONY: test
test: $(GENERATED) ## Unit, integration and end-to-end tests, on a real Postgres and Redis
	@vitest run $(FILES)

.PHONY: sdk-test
sdk-test: $(GENERATED) ## The official SDKs, in JavaScript and Python, through the gateway to all kinds of upstreams
	@vitest run --config test/sdk/vitest.config.ts $(FILES)

.PHONY: crash-test
crash-test: $(GENERATED) ## Processes killed under load: every answer charged once, no balance below zero; LONG=1 kills 200
	@vitest run --config test/faults/vitest.config.ts $(FILES)

.PHONY: ledger-test
ledger-test: $(GENERATED) ## Random histories against a model of the ledger, faults they must notice, and the plans of all queries
	@vitest run --config test/ledger/vitest.config.ts $(FILES)

.PHONY: revocation-test
revocation-test: $(GENERATED) ## Keys deleted, changed and suspended under load while processes, connections and clocks fail; LONG=1 sends 100,000 requests
	@vitest run --config test/revocation/vitest.config.ts $(FILES)

.PHONY: fuzz
fuzz: $(GENERATED) ## Mutated requests to a hostile upstream, each answer and charge judged; LONG=1 sends 1,000,000
	@vitest run --config test/fuzz/vitest.config.ts $(FILES)

.PHONY: memory-test
memory-test: $(GENERATED) ## Bodies that expand or drip, and clients that read nothing: the memory of an ingress stays within its bounds
	@vitest run --config test/load/vitest.config.ts $(or $(FILES),test/load/memory-)

.PHONY: key-flood
key-flood: $(GENERATED) ## Made-up keys beside good ones: what reaches the stores, what good keys wait; LONG=1 presents 1,000,000
	@vitest run --config test/load/vitest.config.ts key-flood

.PHONY: limits-flood
limits-flood: $(GENERATED) ## Ten times a limit at three ingresses for 90 s: what is accepted a minute; LONG=1: for five minutes
	@vitest run --config test/load/vitest.config.ts limits-flood

.PHONY: images
images: ## Build the container images of all services and print their sizes; needs Docker
	@deploy/images/build

.PHONY: chart-test
chart-test: $(GENERATED) ## The Helm chart: lint, bad values, what it renders, against the schema of Kubernetes; gets helm where it is not there
	@vitest run --config helm/test/vitest.config.ts $(FILES)

.PHONY: kind-up
kind-up: ## A kind cluster with the images of all services; KIND_NODE_IMAGE names another node than kind's own
	@deploy/kind/up

.PHONY: kind-test
kind-test: $(GENERATED) ## Install, call, trace, revoke, roll and fence Tollgate in that cluster; LONG=1 adds upgrades, failures, scaling
	@vitest run --config test/kind/vitest.config.ts $(FILES)

.PHONY: kind-down
kind-down: ## Remove the cluster
	@deploy/kind/down

.PHONY: chart-docs
chart-docs: $(INSTALLED) ## Write the README of the Helm chart from its values.yaml
	@deploy/node helm/docs.ts

.PHONY: check
check: $(GENERATED) ## Format, lint, types, generated code and lock file
	@deploy/steps \
	  'format and lint' 'biome check --error-on-warnings .' \
	  'types' 'tsc --noEmit' \
	  'proto files compile' 'npm run generate --silent' \
	  'nothing generated is committed' '! git ls-files | grep -E "(^|/)(generated|node_modules)/"' \
	  'package-lock.json agrees with every package.json' 'PATH="$(OWN_PATH)" npm ci --dry-run --ignore-scripts --no-audit --no-fund'

.PHONY: bench
bench: $(GENERATED) ## Measure the whole path against a bare proxy and the upstream itself
	@deploy/node bench/src/main.ts

.PHONY: format
format: $(INSTALLED) ## Format all files and apply safe fixes
	@biome check --write .

.PHONY: install
install: $(INSTALLED) ## Install the packages that the lock file names

.PHONY: generate
generate: ## Compile the proto files
	@rm -f $(GENERATED)
	@$(MAKE) $(GENERATED)

.PHONY: clean
clean: ## Remove what was installed and generated; the data of make up stays
	rm -rf node_modules services/*/node_modules deploy/*/node_modules helm/node_modules proto/node_modules test/node_modules test/*/node_modules bench/node_modules proto/generated .cache

$(INSTALLED): package-lock.json
	@echo 'Installing packages (npm ci)'
	@PATH="$(OWN_PATH)" npm ci --no-audit --no-fund --loglevel=error
	@touch $@

$(GENERATED): $(PROTOS) $(INSTALLED)
	@echo 'Compiling proto files'
	@npm run generate --silent
	@touch $@
