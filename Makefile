# `make up` runs Tollgate on this machine; `make` lists the targets.
# Requires make, Node.js and npm. deploy/node-path chooses the Node.js that Tollgate itself runs on.
# FILES selects test files; by default a target runs all of them: make test FILES=services/ledger

MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help

# Packages are installed with the machine's own npm: npm ci removes node_modules, where the pinned Node.js is.
OWN_PATH := $(PATH)
NODE_FOLDER = $(shell path=$$(PATH="$(OWN_PATH)" deploy/node-path 2>/dev/null) && printf '%s:' "$$(dirname "$$path")")
export PATH = $(NODE_FOLDER)$(CURDIR)/node_modules/.bin:$(OWN_PATH)
# Node.js caches compiled code here, which nearly halves the start time of a process.
export NODE_COMPILE_CACHE ?= $(CURDIR)/.cache/compile

INSTALLED := node_modules/.tollgate-installed
GENERATED := proto/generated/.tollgate-generated
WEB := services/console/web/dist/index.html
WEB_SOURCES := $(shell find services/console/web services/console/src/api -name dist -prune -o -type f -print)
PROTOS := $(wildcard proto/*/*/v1/*.proto) proto/buf.yaml proto/buf.gen.yaml proto/generate.ts services/console/build/api-types.ts \
	$(wildcard services/common/src/descriptors/*.ts services/console/src/openapi/*.ts)

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' Makefile

.PHONY: up
up: $(GENERATED) $(WEB) ## Run everything on this machine and print a base URL and a key (Ctrl-C stops it)
	@deploy/node deploy/local/src/main.ts

.PHONY: test
test: $(GENERATED) $(WEB) ## Unit, integration and end-to-end tests with a real Postgres and Redis
	@vitest run $(FILES)

.PHONY: test-changed
test-changed: $(GENERATED) $(WEB) ## The tests of make test that your changes can affect; SINCE=commit, by default where main branched off
	@deploy/node test/support/changed/main.ts

.PHONY: protocol-test
protocol-test: $(GENERATED) ## Unit tests of the protocols, with planted faults that they must notice
	@vitest run --config test/protocols/vitest.config.ts

.PHONY: stripe-shapes-test
stripe-shapes-test: $(GENERATED) ## The simulated Stripe against stripe-mock, field by field (needs Go, with which it builds stripe-mock)
	@test/stripe-shapes/install .cache/stripe-mock
	@vitest run --config test/stripe-shapes/vitest.config.ts $(FILES)

.PHONY: sdk-test
sdk-test: $(GENERATED) ## Official SDKs and frameworks, JavaScript and Python, through the gateway to every upstream protocol
	@vitest run --config test/sdk/vitest.config.ts $(FILES)

.PHONY: servers-test
servers-test: $(GENERATED) ## llama.cpp as a provider: each client protocol to each protocol of its server (downloads it on first use)
	@vitest run --config test/servers/vitest.config.ts $(FILES)

.PHONY: agents-test
agents-test: $(GENERATED) ## Claude Code and other coding agents, run through the gateway to every upstream protocol; LONG=1: all cells
	@PATH="$(OWN_PATH)" test/agents/clients/install .cache/agents-test/clients
	@vitest run --config test/agents/vitest.config.ts $(FILES)

.PHONY: crash-test
crash-test: $(GENERATED) ## Kill processes under load: each response charged once, no negative balance; LONG=1: 200 kills
	@vitest run --config test/faults/vitest.config.ts $(FILES)

.PHONY: ledger-test
ledger-test: $(GENERATED) ## Random histories against a model of the ledger, planted bugs in it and in payments, and query plans
	@vitest run --config test/ledger/vitest.config.ts $(FILES)

.PHONY: revocation-test
revocation-test: $(GENERATED) ## Delete, change and suspend keys under load while processes, connections and clocks fail; LONG=1: 100,000 requests
	@vitest run --config test/revocation/vitest.config.ts $(FILES)

.PHONY: console-test
console-test: $(GENERATED) $(WEB) ## The console in a real browser (Chromium); LONG=1 adds 10,000,000 charges
	@vitest run --config test/console/vitest.config.ts $(FILES)

.PHONY: fuzz
fuzz: $(GENERATED) ## Mutated requests against a hostile upstream, every response and charge checked; LONG=1: 1,000,000 requests
	@vitest run --config test/fuzz/vitest.config.ts $(FILES)

.PHONY: memory-test
memory-test: $(GENERATED) ## Memory limits of an ingress: decompression bombs, slow bodies, clients that do not read
	@vitest run --config test/load/vitest.config.ts $(or $(FILES),test/load/memory-)

.PHONY: key-flood
key-flood: $(GENERATED) ## Flood of unknown keys: lookups in the stores, latency of valid keys; LONG=1: 1,000,000 keys
	@vitest run --config test/load/vitest.config.ts key-flood

.PHONY: limits-flood
limits-flood: $(GENERATED) ## Ten times a rate limit on three ingresses for 90 s; LONG=1: five minutes
	@vitest run --config test/load/vitest.config.ts limits-flood

.PHONY: images
images: ## Build the container images of all services and print their sizes (requires Docker)
	@deploy/images/build

.PHONY: release
release: $(INSTALLED) ## Set the version, commit, tag, build images and package the chart: VERSION=1.2.0; SKIP_IMAGES=1: no images. Pushes nothing
	@VERSION='$(VERSION)' deploy/node deploy/release/main.ts

.PHONY: chart-test
chart-test: $(GENERATED) ## Lint and render the Helm chart, with good and bad values, against the Kubernetes schema (downloads helm if needed)
	@vitest run --config helm/test/vitest.config.ts $(FILES)

.PHONY: kind-up
kind-up: ## Create a kind cluster with the images of all services; KIND_NODE_IMAGE overrides the node image
	@deploy/kind/up

.PHONY: kind-test
kind-test: $(GENERATED) ## Install, call, trace, revoke and roll Tollgate in that cluster; LONG=1 adds upgrades, failures, scaling
	@vitest run --config test/kind/vitest.config.ts $(FILES)

.PHONY: kind-down
kind-down: ## Delete the kind cluster
	@deploy/kind/down

.PHONY: docs
docs: $(GENERATED) ## Generate docs/configuration.md, the console's API, the figures of the benchmark and the chart's README from their sources
	@deploy/node docs/generate/main.ts
	@deploy/node helm/docs.ts

.PHONY: catalogue-prices
catalogue-prices: $(GENERATED) ## Compare the prices of the starter catalogues, or of FILES, with those of genai-prices
	@deploy/node deploy/catalogue/tools/compare-prices.ts $(FILES)

.PHONY: check
check: $(GENERATED) ## Check format, lint, types, generated code and lock file
	@deploy/steps \
	  'format and lint' 'biome check --error-on-warnings .' \
	  'types' 'npm run types --silent' \
	  'proto files compile' 'npm run generate --silent' \
	  'nothing generated is committed' '! git ls-files | grep -E "(^|/)(generated|node_modules)/"' \
	  'package-lock.json agrees with every package.json' 'PATH="$(OWN_PATH)" npm ci --dry-run --ignore-scripts --no-audit --no-fund'

.PHONY: bench
bench: $(GENERATED) ## Compare the gateway with a bare proxy in ten minutes; LONG=1: more; GATEWAY=, GATEWAY_KEY=: another gateway
	@for service in auth ingress ledger router; do deploy/node deploy/images/bundle.ts $$service && deploy/node deploy/images/compile.ts $$service || exit; done
	@deploy/node bench/src/main.ts

.PHONY: format
format: $(INSTALLED) ## Format all files and apply safe fixes
	@biome check --write .

.PHONY: install
install: $(GENERATED) ## Install the packages in the lock file, and what the command line needs

.PHONY: generate
generate: ## Compile the proto files
	@rm -f $(GENERATED)
	@$(MAKE) $(GENERATED)

.PHONY: clean
clean: ## Remove installed and generated files; keeps the data of make up
	rm -rf node_modules services/*/node_modules deploy/*/node_modules helm/node_modules proto/node_modules test/node_modules test/*/node_modules test/sdk/frameworks/javascript/node_modules bench/node_modules proto/generated services/*/dist services/console/web/dist .cache

$(INSTALLED): package-lock.json
	@echo 'Installing packages (npm ci)'
	@PATH="$(OWN_PATH)" npm ci --no-audit --no-fund --loglevel=error
	@PATH="$(OWN_PATH)" deploy/node-path >/dev/null
	@touch $@

$(WEB): $(WEB_SOURCES) $(INSTALLED)
	@echo 'Building the web app of the console'
	@npm run build --silent --workspace @tollgate/console
	@touch $@

$(GENERATED): $(PROTOS) $(INSTALLED)
	@echo 'Compiling proto files'
	@npm run generate --silent
	@touch $@
