package attack

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// Why an attempt that gets through does no harm.
const (
	looks      = "Landlock does not keep names, sizes and times of files secret; whose they are does, where engines have users"
	seems      = "it seems to work and changes nothing"
	kernelOnly = "a container's /proc and /sys tell of the kernel, and of nobody's processes but its own"
)

// through is what gets through on a kind of machine, and why it does no harm.
var through = map[string]map[string]string{
	"root":                    {},
	"root without namespaces": {"look at it": looks},
	"root without namespaces and users": {
		"look at it": looks, "change its mode": seems, "change its owner": seems, "change its times": seems,
	},
	"user with namespaces": {},
	"user without namespaces": {
		"look at it": looks, "change its mode": seems, "change its owner": seems, "change its times": seems,
	},
	container: {"read a kernel's file": kernelOnly},
}

// container is what TestTakenOverContainerGetsNowhere attacks.
const container = "anyone, engines in Docker"

var update = flag.Bool("update", false, "write the table of machines into docs/engine-safety.md")

// Where the table stands.
const (
	page  = "../../docs/engine-safety.md"
	begun = "<!-- machines: made by go test ./test/attack -update -->\n"
	ended = "<!-- end of machines -->\n"
)

// TestPageSaysWhatGetsThroughOnWhichMachine holds the table against what
// TestTakenOverEngineGetsNowhere proves.
func TestPageSaysWhatGetsThroughOnWhichMachine(t *testing.T) {
	raw, err := os.ReadFile(page)
	must(t, err)
	before, rest, found := strings.Cut(string(raw), begun)
	_, after, closed := strings.Cut(rest, ended)
	if !found || !closed {
		t.Fatalf("%s has no place for the table", page)
	}
	want := before + begun + table() + ended + after
	if *update {
		must(t, os.WriteFile(page, []byte(want), 0o644))
		return
	}
	if want != string(raw) {
		t.Errorf("the table in %s is out of date; it should be:\n%s", page, table())
	}
}

func table() string {
	var b strings.Builder
	b.WriteString("| the service runs as | root and namespaces of its own | user of its own | Landlock | listed system calls | what gets through |\n|---|---|---|---|---|---|\n")
	yes := map[bool]string{true: "yes", false: "–"}
	row := func(name string, own, user, landlock bool) {
		var names []string
		for _, order := range slices.Sorted(maps.Keys(through[name])) {
			names = append(names, fmt.Sprintf("%s: %s", order, through[name][order]))
		}
		if names == nil {
			names = []string{"nothing"}
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | yes | %s |\n", name, yes[own], yes[user], yes[landlock], strings.Join(names, "; "))
	}
	for _, m := range machines {
		row(m.name, !strings.Contains(m.name, "without namespaces"), !m.user && !strings.Contains(m.name, "users"), true)
	}
	row(container, true, true, false)
	return b.String()
}
