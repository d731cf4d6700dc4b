// Package ways holds the test of how many files of the code a request goes through.
package ways_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	root   = "../.."
	module = "github.com/svc-games/svc/"
)

// most is how many files of ours a request touches before the sidecar at most.
var most = map[string]int{
	"submission": 28, // POST /v1/generate, for which an engine is ready
	"status":     22, // GET …/status
	"events":     28, // GET …/events of a job that runs
}

// counted are the packages whose files count: the gateway, and what it uses of ours
// before it asks the sidecar. Files of sidecar, policy, engine-proxy and engine stand
// behind the gateway's interfaces and do not count.
var counted = []string{"api", "block", "caddymodule", "peer"}

// program is what serves the requests. Only where it is instrumented itself can it
// clear counters.
const program = "./test/ways/gateway"

// TestRequestTouchesFewFiles counts the files of which one statement or more runs while
// test/ways/gateway serves one request, from Caddy's router to the last byte of the
// answer: the whole way, back included, and what a submission does after it has asked
// the sidecar. Key, decision and job are remembered from requests before, as they are
// for all but the first of a key, of a job; the submission asks anew each time.
//
// What runs beside a request, like the reading of the revocation log four times a
// second, may run during one: a file counts when each of several requests touched it.
func TestRequestTouchesFewFiles(t *testing.T) {
	built, out := filepath.Join(t.TempDir(), "gateway"), t.TempDir()
	instrumented := program
	for _, folder := range counted {
		instrumented += ",./" + folder + "/..."
	}
	run(t, "go", "build", "-cover", "-covermode=atomic", "-coverpkg="+instrumented, "-ldflags=-s -w", "-o", built, program)
	run(t, built, out)
	covdata := strings.TrimSpace(run(t, "go", "tool", "-n", "covdata"))
	for way, bound := range most {
		repetitions, err := filepath.Glob(filepath.Join(out, way, "*"))
		if err != nil || len(repetitions) < 2 {
			t.Fatalf("%s has %d repetitions: %v", way, len(repetitions), err)
		}
		var files map[string]bool
		for _, dir := range repetitions {
			profile := filepath.Join(dir, "profile")
			run(t, covdata, "textfmt", "-i="+dir, "-o="+profile)
			touched := covered(t, profile)
			if files == nil {
				files = touched
			}
			maps.DeleteFunc(files, func(file string, _ bool) bool { return !touched[file] })
		}
		names := slices.Sorted(maps.Keys(files))
		t.Logf("%s: %d files\n%s", way, len(names), strings.Join(names, "\n"))
		if len(names) > bound || len(names) < bound/2 {
			t.Errorf("%s touches %d files, want at most %d, and most of them", way, len(names), bound)
		}
	}
}

// covered returns the files that count of which a profile has a covered statement.
func covered(t *testing.T, profile string) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(profile)
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string]bool)
	for line := range strings.Lines(string(text)) {
		// name.go:line.column,line.column statements count
		name, rest, ok := strings.Cut(strings.TrimSpace(line), ":")
		ours := strings.TrimPrefix(name, module)
		folder, _, _ := strings.Cut(ours, "/")
		if ok && slices.Contains(counted, folder) && !strings.HasSuffix(rest, " 0") {
			files[ours] = true
		}
	}
	return files
}

// run runs a command in the repository's folder and returns what it says.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0", "GOCOVERDIR="+t.TempDir())
	var problems strings.Builder
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s%s", name, args, err, out, problems.String())
	}
	return string(out)
}
