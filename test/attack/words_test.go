package attack

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/test/fake/engine/orders"
)

// once are the attempts that strangers got through with before there were these
// walls, and what came of them.
var once = []struct{ attempt, before string }{
	{"change its access at", "modes of all files of the service's user, its database among them"},
	{"change its times", "times of the same files"},
	{"make shared memory", "256 MiB that outlived the engine and its project"},
	{"find shared memory", "another owner's memory read"},
	{"connect to a socket", "any socket that everyone may connect to"},
	{"send a datagram", "any Unix socket for datagrams"},
	{"read the sockets of others", "ids of other projects, in `/proc/self/net/unix`"},
	{"read the connections of others", "addresses of peers, in `/proc/self/net/tcp`"},
	{"run from memory", "any program"},
	{"rewrite the log", "the engine's own log, changed and emptied"},
}

// The machines in the table of answers, which all are of this process, and where
// it stands.
var shown = []string{"root", "root without namespaces", "root without namespaces and users"}

const (
	answersBegun = "<!-- answers: made by go test ./test/attack -update, as root -->\n"
	answersEnded = "<!-- end of answers -->\n"
)

// folders are those of a run of the tests.
var folders = regexp.MustCompile(` /tmp/\S*/`)

// answers are what was said to attempts, by machine and attempt.
var answers = make(map[string]map[string]string)

// note remembers what an engine was told.
func note(machine, attempt, said string) {
	machine = strings.ReplaceAll(machine, "_", " ") // as a test's name has it
	if answers[machine] == nil {
		answers[machine] = make(map[string]string)
	}
	if answers[machine][attempt] == "" {
		answers[machine][attempt] = said
	}
}

// TestPageShowsTheAnswersOfNow: the words are those of one kernel, so that
// only the attempts are compared.
func TestPageShowsTheAnswersOfNow(t *testing.T) {
	raw, err := os.ReadFile(page)
	must(t, err)
	before, rest, found := strings.Cut(string(raw), answersBegun)
	listed, after, closed := strings.Cut(rest, answersEnded)
	if !found || !closed {
		t.Fatalf("%s has no place for the answers", page)
	}
	if *update {
		must(t, os.WriteFile(page, []byte(before+answersBegun+answersTable(t)+answersEnded+after), 0o644))
		return
	}
	for _, o := range once {
		if !strings.Contains(listed, "| "+o.attempt+" |") {
			t.Errorf("%s does not show what is said to %q", page, o.attempt)
		}
	}
}

func answersTable(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("| attempt | what it got before | " + strings.Join(shown, " | ") + " |\n|---|---|" + strings.Repeat("---|", len(shown)) + "\n")
	for _, o := range once {
		fmt.Fprintf(&b, "| %s | %s |", o.attempt, o.before)
		for _, machine := range shown {
			said := answers[machine][o.attempt]
			if through[machine][o.attempt] != "" {
				said = through[machine][o.attempt]
			} else if said == "" {
				t.Fatalf("nobody tried to %s as %s: run all tests of the package as root", o.attempt, machine)
			}
			said, _, _ = strings.Cut(said, "\n") // the other ways to the same are told the same
			fmt.Fprintf(&b, " %s |", folders.ReplaceAllString(said, " …/"))
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestAttemptsOfStrangersAreMade(t *testing.T) {
	var x targets
	for _, o := range once {
		if !slices.ContainsFunc(x.attempts(), func(p orders.Probe) bool { return p.What == o.attempt }) {
			t.Errorf("nobody tries to %s", o.attempt)
		}
	}
}
