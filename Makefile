# The commands of the project. "make help" lists them.

GO       ?= go
BIN      := bin
COMMANDS := caddy svc svc-engine svc-engine-proxy svc-shim svc-sidecar
LDFLAGS  := -s -w
SHELL    := /bin/sh

# Everything compiles in one of two ways: this one, and that of -race. Neither
# depends on where the checkout is, so that another finds all of it in Go's cache.
export GOFLAGS     := -trimpath
export CGO_ENABLED := 0

.DEFAULT_GOAL := help

.PHONY: help
help: ## List the targets
	@grep -hE '^[a-z][a-z-]*:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16

.PHONY: run
run: build ## Build and run everything in one process, in the foreground (STOP_ENGINES=1: Ctrl-C stops working engines too)
	@scripts/run $(if $(STOP_ENGINES),--stop-engines)

.PHONY: demo
demo: ## Against a running "make run": a brief in, a published and unpacked game out; again: a change to it
	@scripts/demo

.PHONY: build
build: frameworks studio $(BIN) ## Build the programs, the game frameworks and the studio's editor into bin/
	$(GO) build -ldflags '$(LDFLAGS)' -o $(BIN)/ $(COMMANDS:%=./cmd/%)

.PHONY: FORCE
FORCE:

$(BIN):
	@mkdir -p $@

$(BIN)/%: FORCE | $(BIN)
	$(GO) build -ldflags '$(LDFLAGS)' -o $@ ./cmd/$*

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

# The studio's editor comes from npm too, pinned by its own package-lock.json.
STUDIO := caddymodule/gateway/studio/web
EDITOR := $(BIN)/studio/codemirror.js

.PHONY: studio
studio: $(EDITOR)

$(EDITOR): $(STUDIO)/package.json $(STUDIO)/package-lock.json $(STUDIO)/editor.js $(STUDIO)/collect/main.go
	@scripts/npm-install $(STUDIO)
	$(GO) run ./$(STUDIO)/collect $(STUDIO) $(BIN)/studio

.PHONY: deps
deps: ## Install what the tests need from Debian: Chromium, Redis, PostgreSQL, Docker, systemd, promtool
	@scripts/deps $(MORE)

.PHONY: stock-opa
stock-opa: ## Build OPA's own program that a test runs on policy/; takes half a minute once, then it is in Go's cache
	@cd test/opa && $(GO) tool -n opa >/dev/null

CONTROL_PLANE := go.etcd.io/etcd/server/v3 k8s.io/kubernetes/cmd/kube-apiserver sigs.k8s.io/kustomize/kustomize/v5

.PHONY: control-plane
control-plane: ## Build the Kubernetes API server, and Kustomize, that tests run; takes minutes once, then it is in Go's cache
	@cd test/kubernetes && for tool in $(CONTROL_PLANE); do $(GO) tool -n $$tool >/dev/null || exit 1; done

.PHONY: engine-image
engine-image: frameworks ## Build svc-engine:slim and svc-engine:full for the driver docker (IMAGES=slim: only that; FRESH=1: a new Debian)
	@GO=$(GO) scripts/engine-image $(IMAGES)

.PHONY: service-images
service-images: build ## Build svc-gateway, svc-sidecar and svc-engine-proxy for deploy/kubernetes
	@scripts/service-images

# Where goroutines meet, tests run under -race: all but those whose work is done by
# other programs, those that interpret JavaScript or Rego, which takes five to
# ten times as long under it, and those without a goroutine. NO_RACE says which,
# the longest first; of the tests in RACE_OF the goroutines of a package among
# them meet.
NO_RACE := test/e2e engine/gen test/bench test/egress engine/contract test/cluster test/chaos test/games test/puppets test/project policy/verify policy/parity engine/kit cmd/svc/commands test/report test/ways \
	api/gamezip caddymodule/embedded cmd/svc-engine deploy/compose deploy/kubernetes engine-proxy/daemon engine-proxy/host policy/bundle test/attack test/foreign test/openapi
RACE_OF := ./policy/verify:TestEachDefectFailsInItsOwnStep/mistake

# What runs the tests finds in bin/ what it starts. With -race, a process that
# ends would wait a second for reports.
PARTS := SVC_BIN=$(CURDIR)/$(BIN) SVC_FRAMEWORKS=$(CURDIR)/$(BIN)/frameworks GORACE=atexit_sleep_ms=0

.PHONY: test
test: ## Install what is needed and run every test (docs/testing.md)
	@scripts/test

.PHONY: test-long
test-long: ## Run the long forms of tests, which "make test" leaves out
	@SVC_LONG=1 scripts/test -long

# Packages come over the network while programs compile.
.PHONY: setup setup-long
setup: ## Install and build what a new machine lacks for the tests
	@scripts/timed packages scripts/deps $(MORE) & packages=$$!; \
		scripts/timed modules $(GO) mod download && \
		scripts/timed programs $(MAKE) --no-print-directory build && \
		scripts/timed control-plane $(MAKE) --no-print-directory control-plane && \
		scripts/timed stock-opa $(MAKE) --no-print-directory stock-opa && \
		scripts/timed runner scripts/gotest && \
		scripts/timed npm $(MAKE) --no-print-directory npm MORE=$(MORE); \
		built=$$?; wait $$packages && exit $$built
	@scripts/timed images scripts/engine-image slim $(MORE:long=full) || [ "$(CI)" != true ]
setup: export GOGC := 400
setup-long: MORE := long
setup-long: setup

.PHONY: npm
npm:
	@scripts/npm-install test/console
	@scripts/npm-install test/experiment
	@scripts/npm-install test/foreign/stoplight
	@scripts/npm-install test/foreign/streams
	@scripts/npm-install test/foreign/typescript
	@scripts/npm-install test/openapi
	@scripts/npm-install test/project
	@scripts/npm-install test/webhooks
	@[ "$(MORE)" != long ] || for tools in test/foreign/*/package.json; do scripts/npm-install "$${tools%/*}" || exit; done

# The parts of a run; each leaves what it took in test/output/times. Of the long
# run are the packages that have long forms.
EVERY  := $(GO) list ./...
LONGER := git grep -l svc/test/long -- '*_test.go' | xargs -n 1 dirname | sort -u | sed 's|^|./|' | xargs $(GO) list
space  := $(subst ,, )
NOT    := grep -Ev '/($(subst $(space),|,$(NO_RACE)))(/|$$)'
# Of a list of packages those of NO_RACE, in its order.
ONLY    = all=$$(cat); for p in $(NO_RACE); do echo "$$all" | grep -E "/$$p(/|$$)"; done

.PHONY: check-static test-race test-plain test-fuzz test-race-long test-plain-long test-split-long test-fuzz-long
check-static:
	@scripts/timed vet $(GO) vet ./...
	@scripts/timed format scripts/check-format
	@scripts/timed openapi scripts/lint-openapi
test-race:
	@CGO_ENABLED=1 $(PARTS) scripts/timed race scripts/gotest race "$$($(EVERY) | $(NOT))" -p 2 -race -timeout 40m
	@for p in $(RACE_OF); do \
		CGO_ENABLED=1 $(PARTS) scripts/timed race-of scripts/gotest "race-$$(basename $${p%:*})" $${p%:*} -race -run "$${p#*:}" -timeout 40m || exit 1; \
	done
test-plain:
	@$(PARTS) scripts/timed plain scripts/gotest plain "$$($(EVERY) | { $(ONLY); })" -p 2 -parallel 4 -timeout 40m
test-fuzz:
	@FUZZTIME=$${FUZZTIME:-2s} scripts/timed fuzz scripts/fuzz
test-race-long:
	@CGO_ENABLED=1 $(PARTS) scripts/timed race scripts/gotest race "$$($(LONGER) | $(NOT))" -p 2 -race -timeout 60m
test-plain-long:
	@$(PARTS) scripts/timed plain scripts/gotest plain "$$($(LONGER) | { $(ONLY); })" -p 1 -parallel 4 -timeout 90m
test-split-long: # of the end-to-end tests those that run in one form also in the other
	@SVC_FORM=split $(PARTS) scripts/timed split scripts/gotest split ./test/e2e -parallel 4 -timeout 90m
test-fuzz-long:
	@FUZZTIME=$${FUZZTIME:-30s} scripts/timed fuzz scripts/fuzz

.PHONY: testing-page
testing-page: test ## Run every test and write docs/testing.md
	@$(GO) run ./test/report page >docs/testing.md

.PHONY: flakes
flakes: ## Run every test TIMES (3) times beside BUSY (1) busy loops and count what failed
	@scripts/flakes

.PHONY: repeat
repeat: build ## Run each test that ever failed without cause TIMES (30) times beside BUSY (1) busy loops
	@scripts/repeat

.PHONY: check
check: ## After an edit, within a minute: format, vet, import rules, tests of what changed and of what imports it
	@scripts/check

.PHONY: audit
audit: build ## Look for known faults (govulncheck, npm audit) and licences that are not allowed in all that is built in
	@GO=$(GO) scripts/audit

.PHONY: games
games: deps build ## Make and play a game of every brief and follow-up of the corpus (SVC_GAMES=pattern: of some, the rest as kept; =rest: of those not kept), write test/games/RESULTS.md
	SVC_GAMES="$(or $(SVC_GAMES),all)" SVC_FRAMEWORKS=$(CURDIR)/$(BIN)/frameworks $(GO) test -count=1 -timeout 240m -run TestBriefsBecomeGamesThatPlay ./test/games

.PHONY: judge
judge: deps build ## Judge good games, broken ones and the same ones again (SVC_JUDGE=rest: those of which no verdict is kept), write test/games/JUDGE.md
	SVC_JUDGE="$(or $(SVC_JUDGE),all)" SVC_FRAMEWORKS=$(CURDIR)/$(BIN)/frameworks $(GO) test -count=1 -timeout 240m -run TestBoundsOfTheJudge ./test/games

.PHONY: fuzz
fuzz: ## Fuzz the readers of keys, bodies and paths, FUZZTIME (30s) each
	@scripts/fuzz

.PHONY: chaos
chaos: deps build ## Kill the service, and ledger clients on each store, a thousand times and check the books
	SVC_CHAOS_KILLS=1000 SVC_CHAOS_RESULTS=$(CURDIR)/test/chaos/RESULTS.md CGO_ENABLED=1 $(GO) test -race -count=1 -timeout 100m ./test/chaos

.PHONY: bench
bench: MORE := bench
bench: deps build ## Measure what the design promises and write bench/RESULTS.md
	$(GO) test -count=1 -timeout 60m -run TestBudgets ./test/bench -write $(CURDIR)/bench/RESULTS.md

.PHONY: bench-play
bench-play: deps ## Measure what is kept of players, what submissions lose by it and how long views take, and write bench/PLAY.md
	$(GO) test -count=1 -timeout 40m -run TestPlayKeepsItsBudgets ./test/bench -write $(CURDIR)/bench/PLAY.md

.PHONY: bench-models
bench-models: deps build ## Have eight scripted authors make their games, and write what they took to bench/MODELS.md
	$(GO) test -count=1 -timeout 30m -run TestWhatPuppetsTake ./test/egress -write $(CURDIR)/bench/MODELS.md

.PHONY: xcaddy
xcaddy: ## Build bin/caddy with xcaddy from xcaddy.json, when xcaddy is installed
	@scripts/xcaddy

.PHONY: fmt
fmt: ## Format the Go code and the Caddyfile
	gofmt -w $$(git ls-files '*.go')
	$(BIN)/caddy fmt --overwrite Caddyfile

.PHONY: clean
clean: ## Remove what was built; the data stay
	rm -rf $(BIN) engine/web/node_modules test/openapi/node_modules test/project/node_modules test/foreign/*/node_modules
