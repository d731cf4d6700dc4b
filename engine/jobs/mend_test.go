package jobs_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine/gen"
	"github.com/svc-games/svc/engine/jobs"
	"github.com/svc-games/svc/test/wait"
)

func TestWhatLeavesNoChoiceIsMendedWithoutAModel(t *testing.T) {
	e := start(t, t.TempDir(), script(write))
	text := "const turn = Phaser.Math.PI2;\ndebugger;\n"
	before, err := e.Edit(t.Context(), jobs.Edit{Path: "src/a.js", Data: []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.SetLock("src/a.js", true); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Mend(t.Context()); !errors.Is(err, jobs.ErrLocked) {
		t.Errorf("a locked file: %v", err)
	}
	if err := e.SetLock("src/a.js", false); err != nil {
		t.Fatal(err)
	}
	saved, err := e.Mend(t.Context())
	if err != nil || saved.Head != before.Head+1 || len(saved.Mended) == 0 {
		t.Fatalf("%+v, %v", saved, err)
	}
	if now, err := e.File("src/a.js", 0); err != nil || strings.Contains(string(now), "PI2") || strings.Contains(string(now), "debugger") {
		t.Errorf("%q, %v", now, err)
	}
	if again, err := e.Mend(t.Context()); err != nil || again.Head != saved.Head || len(again.Mended) != 0 {
		t.Errorf("again: %+v, %v", again, err)
	}
}

func TestNothingIsMendedUnderAJob(t *testing.T) {
	entered, release := make(chan string, 1), make(chan struct{})
	e := start(t, t.TempDir(), until(entered, release))
	id := e.submit("a game")
	e.ack(e.until(contract.FeedStarted))
	wait.For(t, "the job", entered)
	if _, err := e.Mend(t.Context()); !errors.Is(err, jobs.ErrWorking) {
		t.Error(err)
	}
	close(release)
	e.finish(id)
}

// TestAScriptThatIsMadeOfSourcesIsNotMended: its sources are.
func TestAScriptThatIsMadeOfSourcesIsNotMended(t *testing.T) {
	const bad = "debugger;\n"
	game := map[string][]byte{"game.js": []byte(bad), "src/main.js": []byte("a();\n")}
	if did := gen.Mend(game); len(did) != 0 || string(game["game.js"]) != bad {
		t.Errorf("%q, %q", did, game["game.js"])
	}
	delete(game, "src/main.js")
	if did := gen.Mend(game); len(did) == 0 || string(game["game.js"]) == bad {
		t.Errorf("%q, %q", did, game["game.js"])
	}
}
