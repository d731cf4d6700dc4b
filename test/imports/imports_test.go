// Package imports holds the test of who may import whom.
package imports

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/svc-games/svc/"

// rules say for a folder which folders of ours it may import, at any depth.
// A folder without a rule may import all.
var rules = map[string][]string{
	"api":          {"api"},
	"policy":       {"api", "policy"},
	"engine":       {"api", "engine"},
	"client":       {"api", "client"},
	"block":        {"block"},
	"engine-proxy": {"api", "block", "engine-proxy", "peer"},
	"peer":         {"api", "peer"},
	"sidecar":      {"api", "peer", "policy", "sidecar"},
	"test/fake":    {"api", "engine-proxy", "test/fake"},
}

// rooms say for a folder which packages of ours it may import itself, besides
// those below it. A folder without a rule, and below none, may import what rules say.
var rooms = map[string][]string{
	"engine-proxy/lifecycle": {"api/contract"},
	"engine-proxy/admission": {"engine-proxy", "engine-proxy/internal/clock"},
	"engine-proxy/state":     {"api", "api/contract", "engine-proxy/driver", "engine-proxy/internal/durable", "peer"},
	"engine-proxy/settle": {
		"api", "api/contract", "engine-proxy", "engine-proxy/archive", "engine-proxy/engineclient", "engine-proxy/internal/clock",
	},
	"engine-proxy/fleet": {
		"api", "api/contract", "api/mint", "api/sse", "peer", "peer/disk", "peer/metric", "engine-proxy", "engine-proxy/admission", "engine-proxy/archive", "engine-proxy/authority",
		"engine-proxy/driver", "engine-proxy/engineclient", "engine-proxy/internal/clock", "engine-proxy/internal/durable",
		"engine-proxy/internal/sampled", "engine-proxy/lifecycle", "engine-proxy/remote", "engine-proxy/settle", "engine-proxy/state",
	},
	"engine-proxy/remote": {
		"api", "api/answers", "api/contract", "api/sse", "peer", "peer/rpc", "engine-proxy", "engine-proxy/driver", "engine-proxy/engineclient",
		"engine-proxy/internal/clock", "engine-proxy/state",
	},
	"engine-proxy/driver": {
		"api/mint", "engine-proxy/internal/calls", "engine-proxy/internal/clock", "engine-proxy/internal/durable",
		"test/fake/engine", "test/fake/engine/orders", // drivertest
	},
	"engine-proxy/archive": {"api", "api/contract", "api/gamezip", "api/mint", "api/sse", "engine-proxy/internal/bounded", "engine-proxy/internal/durable"},
	"engine-proxy/egress": {
		"api", "api/contract", "api/exact", "api/sse", "peer/metric", "engine-proxy/internal/bounded", "engine-proxy/internal/clock",
		"engine-proxy/internal/durable", "engine-proxy/internal/sampled",
	},
	"test/fake/engine":   {"api", "api/answers", "api/contract", "api/gamezip", "api/requests", "api/sse", "engine-proxy/driver/process/shim"},
	"test/fake/driver":   {"engine-proxy/driver", "test/fake/engine"},
	"test/fake/provider": {},
}

// ofService are the packages of what the service alone needs of /v1, which users of the Go
// client don't see.
var ofService = []string{"api/answers", "api/mint", "api/requests"}

// serviceImporters are the folders that may import those themselves: the service, and the
// command line, which checks what it is to send as the service does and says what is wrong
// in the same words.
var serviceImporters = []string{"api", "caddymodule", "cmd/svc/commands", "engine", "engine-proxy", "peer", "sidecar", "test"}

// pure are packages that do no I/O.
var pure = []string{"engine-proxy/lifecycle", "engine-proxy/admission"}

// inputOutput are packages that a pure one does not import itself.
var inputOutput = []string{"io/fs", "net", "net/http", "os", "os/exec", "syscall"}

// leaves are helpers of tests that import nothing of ours but each other; anyone may
// import them.
var leaves = []string{"test/authority", "test/child", "test/collector", "test/freeport", "test/keep", "test/long", "test/need", "test/programs", "test/wait"}

// fakeImporters are the folders that may import fakes outside of _test.go files:
// what only tests import.
var fakeImporters = []string{"engine-proxy/driver/drivertest", "test"}

// caddyImporters are the folders that may import Caddy.
var caddyImporters = []string{"caddymodule", "cmd/caddy", "test/rig/gateway", "test/ways/gateway"}

// clusterImporters are the folders that may import Kubernetes' libraries: the
// driver, and the programs that have it in them.
var clusterImporters = []string{
	"engine-proxy/driver/kubernetes", "engine-proxy/host", "engine-proxy/daemon", "cmd/svc-engine-proxy",
	"caddymodule/embedded", "cmd/caddy", "test/rig/gateway", "test/rig/engineproxy",
}

// withoutStore are folders that use the sidecar by its interfaces, wherever it runs:
// neither its store nor its console may be linked into them.
var withoutStore = []string{
	"caddymodule", "caddymodule/gateway", "caddymodule/remote", "cmd/svc-engine-proxy",
	"sidecar/wire", "sidecar/wire/ledger",
}

// withoutPolicy are folders that decide nothing: the policy's evaluator may not be
// linked into them.
var withoutPolicy = []string{"cmd/svc-engine-proxy", "sidecar/wire/ledger"}

func TestDependenciesPointOneWay(t *testing.T) {
	out, err := exec.Command("go", "list", "-test=false", "-f", `{{.ImportPath}} {{join .Imports " "}} | {{join .Deps " "}}`, module+"...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		pkg := strings.TrimPrefix(fields[0], module)
		between := slices.Index(fields, "|")
		for _, imported := range fields[1:between] {
			checkRoom(t, pkg, imported)
		}
		for _, dep := range fields[between+1:] {
			checkOurs(t, pkg, dep)
			checkCaddy(t, pkg, dep)
			checkCluster(t, pkg, dep)
		}
	}
}

func checkOurs(t *testing.T, pkg, dep string) {
	allowed, ruled := rules[top(pkg)]
	ours, isOurs := strings.CutPrefix(dep, module)
	if slices.Contains(withoutStore, pkg) && (ours == "sidecar/store" || ours == "sidecar/console") {
		t.Errorf("%s depends on %s; it may use the sidecar's interfaces only", pkg, ours)
	}
	if slices.Contains(withoutPolicy, pkg) && ours == "policy" {
		t.Errorf("%s depends on %s", pkg, ours)
	}
	if top(pkg) == "client" && slices.Contains(ofService, ours) {
		t.Errorf("%s depends on %s; users of the client see no helper of the service", pkg, ours)
	}
	if isOurs && slices.Contains(leaves, pkg) && !slices.Contains(leaves, ours) {
		t.Errorf("%s depends on %s; it may use helpers of tests only", pkg, ours)
	}
	if isOurs && top(ours) == "test/fake" && top(pkg) != "test/fake" {
		if !within(fakeImporters, pkg) {
			t.Errorf("%s depends on %s; only tests use fakes", pkg, ours)
		}
		return
	}
	if ruled && isOurs && !slices.Contains(leaves, ours) && !slices.Contains(allowed, top(ours)) {
		t.Errorf("%s depends on %s; %s may only use %v", pkg, ours, top(pkg), allowed)
	}
}

func checkRoom(t *testing.T, pkg, imported string) {
	if slices.Contains(pure, pkg) && slices.Contains(inputOutput, imported) {
		t.Errorf("%s imports %s; it does no I/O", pkg, imported)
	}
	if pkg == "api" && imported == "net/http" {
		t.Errorf("%s imports %s; it has types of the wire, and %v what answers", pkg, imported, ofService)
	}
	ours, isOurs := strings.CutPrefix(imported, module)
	if !isOurs || slices.Contains(leaves, ours) {
		return
	}
	if slices.Contains(ofService, ours) && (!within(serviceImporters, pkg) || ours == "api/mint" && inside("cmd", pkg)) {
		t.Errorf("%s imports %s, which has helpers of the service", pkg, ours)
	}
	for room, allowed := range rooms {
		if inside(room, pkg) && !inside(room, ours) && !slices.Contains(allowed, ours) {
			t.Errorf("%s imports %s; %s may only import %v", pkg, ours, room, allowed)
		}
	}
}

func checkCaddy(t *testing.T, pkg, dep string) {
	if !strings.HasPrefix(dep, "github.com/caddyserver/caddy/") {
		return
	}
	if pkg == "caddymodule/gateway" || !within(caddyImporters, pkg) {
		t.Errorf("%s depends on Caddy", pkg)
	}
}

func checkCluster(t *testing.T, pkg, dep string) {
	if !strings.HasPrefix(dep, "k8s.io/client-go/") && !strings.HasPrefix(dep, "k8s.io/api/") {
		return
	}
	if !within(clusterImporters, pkg) {
		t.Errorf("%s depends on %s", pkg, dep)
	}
}

// within reports whether a package is in one of the folders.
func within(folders []string, pkg string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool { return inside(folder, pkg) })
}

func inside(folder, pkg string) bool { return pkg == folder || strings.HasPrefix(pkg, folder+"/") }

// top is the folder that the rules are about.
func top(pkg string) string {
	if inside("test/fake", pkg) {
		return "test/fake"
	}
	first, _, _ := strings.Cut(pkg, "/")
	return first
}
