package sim

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine/gen/compile"
)

// pageless is a game that says so how a run is played again.
func pageless(play string) compile.Files {
	return compile.Files{compile.Entry: []byte("window.__svc_replay(" + play + ", true);")}
}

// counting plays a run of as many steps as that says.
const counting = "(run) => { let steps = 0; while (steps < run.steps) steps++; return { over: true, outcome: 'win', score: run.score, steps }; }"

func TestReplayInAnotherProcessIsTheSame(t *testing.T) {
	runs := []string{`{"steps":60,"score":7}`, `{"steps":1,"score":-0.5}`, `{`}
	here, err := Here{}.Replay(t.Context(), pageless(counting), runs)
	if err != nil {
		t.Fatal(err)
	}
	there, err := apart(t).Replay(t.Context(), pageless(counting), runs)
	if err != nil || len(here) != 3 || len(there) != 3 {
		t.Fatalf("%+v and %+v (%v)", here, there, err)
	}
	for i := range here {
		if here[i] != there[i] {
			t.Errorf("run %d comes to %+v and %+v", i, here[i], there[i])
		}
	}
	if want := (contract.ReplayEnding{Over: true, Outcome: "win", Score: 7, Steps: 60, Sure: true}); here[0] != want || here[1].Score != -0.5 || here[2].Failed == "" {
		t.Errorf("got %+v", here)
	}
}

// TestHostileRunEndsWithItsProcess: neither a player's run nor a game's code has more time
// than is given, nor the memory of who waits.
func TestHostileRunEndsWithItsProcess(t *testing.T) {
	judge := apart(t)
	for name, c := range map[string]struct{ play, run string }{
		"a run without an end":   {counting, `{"steps":1e300}`},
		"a game without an end":  {"() => { while (true) { /* on */ } }", "{}"},
		"no end before its page": {"0); while (true) { /* on */ } (0", "{}"},
		"memory without an end":  {"() => { const hog = []; while (true) hog.push(new Array(1e6).fill(1)); }", "{}"},
		"one large buffer":       {"() => new Float64Array(2e9).fill(1)", "{}"},
		"a search without an end": {
			"(run) => ({ score: /^(a+)+\\1c$/.test(run.text) })", `{"text":"` + strings.Repeat("a", 40) + `b"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			defer cancel()
			endings, err := judge.Replay(ctx, pageless(c.play), []string{c.run})
			if err == nil && endings[0].Failed == "" {
				t.Fatalf("it comes to %+v", endings)
			}
			if err != nil && !errors.Is(err, context.DeadlineExceeded) && err.Error() != errTooLarge.Error() && !errors.Is(err, errKilled) {
				t.Errorf("it fails by %v", err)
			}
			if deadline, _ := ctx.Deadline(); time.Since(deadline) > 20*time.Second {
				t.Errorf("it took %v longer than it had", time.Since(deadline))
			}
			var memory runtime.MemStats
			if runtime.ReadMemStats(&memory); memory.HeapSys > maxHeap {
				t.Errorf("this process came to hold %d MB", memory.HeapSys>>20)
			}
		})
	}
}

// TestGameThatSaysMuchOfARunIsCutShort: what it says goes through two processes more.
func TestGameThatSaysMuchOfARunIsCutShort(t *testing.T) {
	for name, play := range map[string]string{
		"of its outcome": "() => ({ over: true, outcome: 'x'.repeat(1e6), steps: 1 })",
		"of a failure":   "() => { throw new Error('x'.repeat(1e6)); }",
	} {
		endings, err := apart(t).Replay(t.Context(), pageless(play), []string{"{}"})
		if err != nil || len(endings[0].Outcome)+len(endings[0].Failed) != maxSaid {
			t.Errorf("%s: %d and %d bytes, %v", name, len(endings[0].Outcome), len(endings[0].Failed), err)
		}
	}
}
