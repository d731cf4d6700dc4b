package sim

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine/gen/brief"
	"github.com/svc-games/svc/engine/gen/compile"
)

// pageless is a game that says so how a run is played again.
func pageless(play string) compile.Files {
	return compile.Files{compile.Entry: []byte("window.__svc_replay(" + play + ");")}
}

// counting plays a run of as many steps as that says.
const counting = "(run) => { let steps = 0; while (steps < run.steps) steps++; return { over: true, outcome: 'win', score: run.score, steps }; }"

func TestReplayInAnotherProcessIsTheSame(t *testing.T) {
	runs := []contract.Replay{{Log: `{"steps":60,"score":7}`}, {Log: `{"steps":1,"score":-0.5}`}, {Log: `{`}}
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
	if want := (contract.ReplayEnding{Over: true, Outcome: "win", Score: 7, Steps: 60}); here[0] != want || here[1].Score != -0.5 || here[2].Failed == "" {
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
			endings, err := judge.Replay(ctx, pageless(c.play), []contract.Replay{{Log: c.run}})
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
		endings, err := apart(t).Replay(t.Context(), pageless(play), []contract.Replay{{Log: "{}"}})
		if err != nil || len(endings[0].Outcome)+len(endings[0].Failed) != maxSaid {
			t.Errorf("%s: %d and %d bytes, %v", name, len(endings[0].Outcome), len(endings[0].Failed), err)
		}
	}
}

// kitGame is a game of the kit, as it was made.
func kitGame(t *testing.T, prompt string) compile.Files {
	t.Helper()
	files, err := compile.Compile(brief.Read(prompt).Write(brief.Order{ProjectID: "p", Seed: 3}), nil)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

const pongPrompt = "A game of pong"

// playedAgain is what one run comes to.
func playedAgain(t *testing.T, files compile.Files, run contract.Replay) contract.ReplayEnding {
	t.Helper()
	endings, err := Here{}.Replay(t.Context(), files, []contract.Replay{run})
	if err != nil {
		t.Fatal(err)
	}
	return endings[0]
}

// TestRunThatItsPageCanNotHavePlayedIsNotVerified, and is no run that lost either: an
// honest one over two sessions, or whose experiment changed meanwhile, may look so.
func TestRunThatItsPageCanNotHavePlayedIsNotVerified(t *testing.T) {
	game := kitGame(t, pongPrompt)
	good := `{"v":1,"run":1,"steps":60,"tall":false,"given":{"speed":"1.5"},"changes":";X100Y100B1;B0"}`
	with := func(old, now string) string {
		t.Helper()
		if !strings.Contains(good, old) {
			t.Fatalf("the run has no %s", old)
		}
		return strings.Replace(good, old, now, 1)
	}
	known := contract.Replay{Run: 2, Steps: 100, Given: map[string]string{"speed": "1.5", "other": "x", "palette": "night"}}
	for name, c := range map[string]struct{ log, failed string }{
		"an honest one":              {good, ""},
		"other parameters":           {with("1.5", "0.5"), "other parameters"},
		"none":                       {with(`{"speed":"1.5"}`, "{}"), "other parameters"},
		"parameters of another case": {with(`,"changes"`, `,"Given":null,"changes"`), ""}, // they are nothing
		"parameters twice":           {with(`,"changes"`, `,"given":{"speed":"0.5"},"changes"`), "other parameters"},
		"parameters by prototype":    {with(`"given"`, `"__proto__":{"given":{"speed":"0.5"}},"given_"`), "other parameters"},
		"a lucky run":                {with(`"run":1`, `"run":3141592653`), "its page did not have"},
		"a run that comes later":     {with(`"run":1`, `"run":2`), "its page did not have"},
		"half a run":                 {with(`"run":1`, `"run":0.5`), "its page did not have"},
		"more steps than time":       {with(`"steps":60`, `"steps":1e300`), "longer than its time"},
		"a place out of the field":   {with("X100", "X"+"zzzz"), "nobody gives"},
		"a place before it":          {with("X100", "X-1"), "nobody gives"},
		"an endless place":           {with("X100", "X"+strings.Repeat("z", 200)), "nobody gives"},
		"no number":                  {with("X100Y100", "X"+strings.Repeat("z", 200)+";X-"+strings.Repeat("z", 200)), "nobody gives"},
		"a button that is none":      {with("B1", "Bzzzz"), "nobody gives"},
		"no buttons":                 {with("B1", "B~"), "nobody gives"},
		"a direction that is none":   {with("B1", "M5"), "nobody gives"},
		"a key that is none":         {with("B1", "Kzzzz"), "nobody gives"},
		"no changes":                 {with(";X100", "?;X?100"), "null"},
	} {
		run := known
		run.Log = c.log
		e := playedAgain(t, game, run)
		if (e.Failed == "") != (c.failed == "") || !strings.Contains(e.Failed, c.failed) || !e.Sure {
			t.Errorf("%s: %+v, want %q", name, e, c.failed)
		}
	}
}

// TestOnlyOfTheKitsOwnSourcesIsTheEngineSure: what a person or a model wrote may come to
// another end in each page, and then no honest player loses a place.
func TestOnlyOfTheKitsOwnSourcesIsTheEngineSure(t *testing.T) {
	run := contract.Replay{Run: 1, Steps: 100, Log: `{"v":1,"run":0,"steps":9,"given":{},"changes":""}`}
	sure := func(name, add string) contract.ReplayEnding {
		game := kitGame(t, pongPrompt)
		game[name] = append([]byte(add), game[name]...)
		return playedAgain(t, game, run)
	}
	if e := sure(compile.Entry, ""); !e.Sure || e.Failed != "" || e.Foreign != "" {
		t.Fatalf("the kit's game comes to %+v", e)
	}
	if e := sure(compile.DataFile, " "); !e.Sure {
		t.Errorf("with other data it comes to %+v", e)
	}
	for name, add := range map[string]string{
		"src/mechanics/pong.js": "let level = 0;\n", "src/core/math.js": "const WIDE = window.innerWidth;\n", "src/new.js": "1",
		compile.Entry: "import './new.js';\n", "src/core/field.js": " ", compile.Page: "<script>1</script>", compile.Library: ";",
	} {
		game := kitGame(t, pongPrompt)
		game["src/new.js"] = []byte("1")
		if name != "src/new.js" && name != compile.Entry {
			delete(game, "src/new.js")
		}
		game[name] = append([]byte(add), game[name]...)
		if e := playedAgain(t, game, run); e.Sure {
			t.Errorf("with another %s it is sure: %+v", name, e)
		}
	}
	for what, add := range map[string]string{
		"Math.random": "const K = Math.random();\n", "Math.sin": "const T = [1].map(Math.sin);\n", "Date": "const daily = new Date().getDay();\n",
	} {
		if e := sure("src/mechanics/pong.js", add+"globalThis.kept = () => "+strings.Fields(add)[1]+";\n"); e.Foreign != what || e.Sure {
			t.Errorf("%s before the run: %+v", what, e)
		}
	}
	lying := pageless("() => ({ over: true, outcome: 'win', score: 1, steps: 1, sure: true })")
	if e := playedAgain(t, lying, run); e.Sure {
		t.Error("a game says of itself that it is sure")
	}
}
