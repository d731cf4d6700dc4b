package studio

import (
	"strings"
	"testing"
)

func TestBridgeComesBeforeTheScriptsOfAGame(t *testing.T) {
	page := `<!doctype html><title>x</title><script>const a = 1;</script><SCRIPT defer src="lib/a.js"></SCRIPT><script src='game.js'></script>`
	got := string(watched([]byte(page)))
	want := `<!doctype html><title>x</title><script>const a = 1;</script><script crossorigin src="../bridge.js"></script>` + "\n" +
		`<script crossorigin defer src="lib/a.js"></SCRIPT><script crossorigin src='game.js'></script>`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if again := string(watched([]byte("no scripts"))); again != "no scripts" || len(bridge) == 0 || strings.Contains(string(bridge), "eval(") {
		t.Errorf("%q", again)
	}
}
