# The commands of the project. "make help" lists them.

GO       ?= go
BIN      := bin
COMMANDS := caddy svc svc-engine svc-engine-proxy svc-shim svc-sidecar
LDFLAGS  := -s -w
SHELL    := /bin/sh

.DEFAULT_GOAL := help

.PHONY: help
help: ## List the targets
	@grep -hE '^[a-z][a-z-]*:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16

.PHONY: run
run: build ## Build and run everything in one process, in the foreground (STOP_ENGINES=1: Ctrl-C stops working engines too)
	@scripts/run $(if $(STOP_ENGINES),--stop-engines)

.PHONY: demo
demo: ## Against a running "make run": a brief in, an unpacked game out; again: a change to it
	@scripts/demo

.PHONY: build
build: frameworks $(COMMANDS:%=$(BIN)/%) ## Build the programs and the game frameworks into bin/

.PHONY: FORCE
FORCE:

$(BIN)/%: FORCE
	@mkdir -p $(BIN)
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o $@ ./cmd/$*

# The frameworks come from npm, pinned by engine/web/package-lock.json. Each is
# one script with its licence; the engine puts both into each game.
FRAMEWORKS := $(BIN)/frameworks/.stamp

.PHONY: frameworks
frameworks: $(FRAMEWORKS)

$(FRAMEWORKS): engine/web/package.json engine/web/package-lock.json engine/web/collect/main.go
	@command -v npm >/dev/null || { echo "make: npm is missing; install Node.js 20 or newer" >&2; exit 1; }
	cd engine/web && npm ci --no-audit --no-fund --loglevel=error
	@rm -rf $(BIN)/frameworks
	$(GO) run ./engine/web/collect engine/web/node_modules $(BIN)/frameworks
	@touch $@

.PHONY: deps
deps: ## Install what the tests need from Debian: Chromium, Redis, PostgreSQL, Docker, User Mode Linux
	@scripts/deps

CONTROL_PLANE := go.etcd.io/etcd/server/v3 k8s.io/kubernetes/cmd/kube-apiserver

.PHONY: control-plane
control-plane: ## Build the Kubernetes API server that tests run; takes minutes once, then it is in Go's cache
	@cd test/kubernetes && for tool in $(CONTROL_PLANE); do $(GO) tool -n $$tool >/dev/null || exit 1; done

.PHONY: engine-image
engine-image: frameworks ## Build svc-engine:slim and svc-engine:full for the driver docker (IMAGES=slim: only that; FRESH=1: a new Debian)
	@GO=$(GO) scripts/engine-image $(IMAGES)

.PHONY: service-images
service-images: build ## Build svc-gateway, svc-sidecar and svc-engine-proxy for deploy/kubernetes
	@scripts/service-images

# Of the end-to-end tests these ask nothing of the sidecar that others don't;
# "make test" runs them in the embedded form only, "make test-split" in both.
SAME_IN_SPLIT := Container|Daemon|MissingImage|Browser|Newcomer|Modules|Document|ConsoleIsAccessible|PageAsks|KeyboardAlone|WithoutJavaScript

.PHONY: test-split
test-split: deps build ## Run the whole end-to-end suite in the split form
	SVC_FORM=split SVC_BIN=$(CURDIR)/$(BIN) SVC_FRAMEWORKS=$(CURDIR)/$(BIN)/frameworks $(GO) test -race -count=1 -timeout 30m ./test/e2e

# What plays games interprets JavaScript, which takes ten times as long under
# -race, and shares next to nothing between goroutines.
PLAYS := /engine/gen|/test/games|/test/egress

.PHONY: test
test: deps build control-plane ## Install what is needed and run every test
	$(GO) vet ./...
	@scripts/check-format
	@scripts/lint-openapi
	@scripts/npm-install test/console
	@$(MAKE) --no-print-directory -j2 test-fuzz test-image
	@$(MAKE) --no-print-directory test-packages
	@$(MAKE) --no-print-directory --output-sync=target -j3 test-play test-embedded test-remote
	@scripts/gotest --reruns

# Parts of "make test" that wait more than they compute run side by side, and so
# do three packages. The last parts print what they have to say when they end.
PARTS := SVC_BIN=$(CURDIR)/$(BIN) SVC_FRAMEWORKS=$(CURDIR)/$(BIN)/frameworks

.PHONY: test-fuzz test-image test-packages test-play test-embedded test-remote
test-fuzz:
	@FUZZTIME=$${FUZZTIME:-10s} scripts/fuzz
test-image:
	@GO=$(GO) scripts/engine-image full || [ "$(CI)" != true ]
test-packages:
	SVC_FRAMEWORKS=$(CURDIR)/$(BIN)/frameworks scripts/gotest packages "$$($(GO) list ./... | grep -Ev '/test/e2e|$(PLAYS)')" -p 3 -race -count=1 -timeout 20m
test-play:
	$(PARTS) scripts/gotest play "$$($(GO) list ./... | grep -E '$(PLAYS)')" -count=1 -timeout 20m
test-embedded:
	$(PARTS) scripts/gotest embedded ./test/e2e -race -count=1 -timeout 20m
test-remote:
	$(PARTS) SVC_FORM=split scripts/gotest remote ./test/e2e -race -count=1 -timeout 20m -skip '$(SAME_IN_SPLIT)'

.PHONY: games
games: deps build ## Make a game of each of sixty briefs, play them all, write test/games/RESULTS.md
	SVC_GAMES=all SVC_FRAMEWORKS=$(CURDIR)/$(BIN)/frameworks $(GO) test -count=1 -timeout 60m -run TestBriefsBecomeGamesThatPlay ./test/games

.PHONY: fuzz
fuzz: ## Fuzz the readers of keys, bodies and paths, FUZZTIME (30s) each
	@scripts/fuzz

.PHONY: chaos
chaos: deps build ## Kill the service, and ledger clients on each store, a thousand times and check the books
	SVC_CHAOS_KILLS=1000 SVC_CHAOS_RESULTS=$(CURDIR)/test/chaos/RESULTS.md $(GO) test -race -count=1 -timeout 100m ./test/chaos

.PHONY: bench
bench: deps build ## Measure what the design promises and write bench/RESULTS.md
	$(GO) test -count=1 -timeout 20m -run TestBudgets ./test/bench -write $(CURDIR)/bench/RESULTS.md

.PHONY: xcaddy
xcaddy: ## Build bin/caddy with xcaddy from xcaddy.json, when xcaddy is installed
	@scripts/xcaddy

.PHONY: fmt
fmt: ## Format the Go code and the Caddyfile
	gofmt -w $$(git ls-files '*.go')
	$(BIN)/caddy fmt --overwrite Caddyfile

.PHONY: clean
clean: ## Remove what was built; the data stay
	rm -rf $(BIN) engine/web/node_modules test/openapi/node_modules
