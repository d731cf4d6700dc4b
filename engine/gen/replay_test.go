package gen

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine/gen/build"
	"github.com/svc-games/svc/engine/gen/catalog"
	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/gen/kit"
	"github.com/svc-games/svc/engine/gen/playtest"
	"github.com/svc-games/svc/engine/gen/sim"
	"github.com/svc-games/svc/test/long"
)

// playedRuns has automatic players play runs of a game as its page does, without showing
// them, and returns what the page would report of each.
const playedRuns = `
import game from './src/game.json';
import * as mechanic from './src/mechanics/%s.js';
import * as player from './test/player.js';
import { session } from './src/core/session.js';
import { tuned } from './src/core/tune.js';
import { input } from './sim/sim.js';
import { blind, skilled } from './sim/policies.js';
import { W, H, STRIP } from './src/core/world.js';

const MOST = 60 * 100; // steps of a run

// device is input as one gives it: its places are in the field.
function device(act, was) {
  const i = input(act, was);
  const within = (v, most) => (typeof v === 'number' ? Math.max(0, Math.min(most, v)) : v);
  return Object.assign({}, i, { x: within(i.x, W), y: within(i.y, H + STRIP) });
}

export function played(n, policy, variants) {
  let ended = null;
  const none = () => {};
  const ss = session(tuned(game, variants), mechanic, {
    started: none, event: none, paused: none, resumed: none,
    ended(s) { ended = ended || { outcome: s.state.outcome, score: s.state.score, text: s.run() }; },
  });
  ss.restarts = n;
  if (n > 0) ss.restarts--, ss.phase = 'over', ss.since = 99;
  ss.tick(input({ tap: true }, {}));
  const memory = { last: -99 };
  let was = {};
  for (let i = 0; i < MOST && !ended; i++) {
    const act = policy === 'skilled' ? skilled(i, player.act(ss.state), memory) : blind[policy](i);
    if (i %% 997 === 500) { ss.pause(); ss.tick(input(null, was)); ss.resume(); }
    ss.tick(device(act, was));
    was = act || {};
  }
  return JSON.stringify(ended || { outcome: ss.state.outcome, score: ss.state.score, text: ss.run() });
}
`

// reported is what a page says of a run.
type reported struct {
	Outcome string  `json:"outcome"`
	Score   float64 `json:"score"`
	Text    string  `json:"text"`
}

// TestRunsOfEveryKindComeToTheSameEndWhenPlayedAgain plays each kind in Chromium, and each
// run again in goja, as a leaderboard's is. 20 runs of each in a long run.
func TestRunsOfEveryKindComeToTheSameEndWhenPlayedAgain(t *testing.T) {
	runs := 2
	wanted := make(map[string]Request)
	for mechanic, req := range eachRequest() {
		wanted[mechanic] = req
	}
	for mechanic, m := range catalog.Mechanics {
		if m.Example == "" {
			continue
		}
		wanted[mechanic] = Request{Prompt: m.Example}
		if long.Asked() {
			wanted[mechanic+"_wide"] = Request{Prompt: m.Example, Settings: api.Settings{GameType: api.GamePlatform}}
		}
	}
	if long.Asked() {
		runs = 20
	}
	games := make(map[string]compile.Files)
	dir := t.TempDir()
	page := `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><body><script>window.__svc_state = () => ({ phase: 'ready', hud: [{}] });</script>`
	for name, req := range wanted {
		games[name] = kindFor(t, dir, name, req)
		page += `<script src="` + name + `.js"></script>`
	}
	if len(games) < len(catalog.Mechanics) {
		t.Fatalf("%d kinds are played of %d", len(games), len(catalog.Mechanics))
	}
	if err := os.WriteFile(filepath.Join(dir, "index.html"), []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
	shown := open(t, browser(t), "file://"+filepath.ToSlash(filepath.Join(dir, "index.html")), 480, 720)
	for name, files := range games {
		t.Run(name, func(t *testing.T) {
			said := make([]reported, runs)
			for n := range said {
				policy, variants := sim.Skilled, "{}"
				if n%3 == 2 {
					policy = sim.Policies[n%4]
				}
				if n%5 == 1 {
					variants = `{ speed: '1.25', lives: '2', palette: 'night', other: 'x' }`
				}
				text, err := playtest.Eval[string](shown, fmt.Sprintf("kind_%s.played(%d, %q, %s)", name, n, policy, variants))
				if err == nil {
					err = json.Unmarshal([]byte(text), &said[n])
				}
				if err != nil || said[n].Text == "" {
					t.Fatalf("run %d says %q, %v", n, text, err)
				}
			}
			wantAlike(t, files, said)
		})
	}
}

// kindFor makes a game of a kind, and writes the script that plays it into a folder.
func kindFor(t *testing.T, dir, name string, req Request) compile.Files {
	t.Helper()
	mechanic := strings.TrimSuffix(name, "_wide")
	req.ProjectID, req.Workspace = "p", newProject(t, nil).root
	d, err := decide(t.Context(), req, nil)
	if err != nil || d.spec.Mechanic != mechanic {
		t.Fatalf("%q makes %s, want %s (%v)", req.Prompt, d.spec.Mechanic, mechanic, err)
	}
	files, err := compile.Compile(d.spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	out, err := build.Bundle(t.Context(), build.Options{Entry: "played.js", GlobalName: "kind_" + name, Target: build.Game, Read: func(path string) ([]byte, error) {
		switch {
		case path == "played.js":
			return fmt.Appendf(nil, playedRuns, mechanic), nil
		case strings.HasPrefix(path, "sim/"):
			return kit.Source(path)
		}
		return files.Read(path)
	}})
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".js"), out.Script, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// wantAlike plays runs again.
func wantAlike(t *testing.T, files compile.Files, said []reported) {
	t.Helper()
	runs, longest, over := make([]contract.Replay, len(said)), 0, 0
	for i, one := range said {
		runs[i] = contract.Replay{Log: one.Text, Run: int64(i + 1), Steps: 60 * 200}
		if i%5 == 1 {
			runs[i].Given = map[string]string{"speed": "1.25", "lives": "2", "palette": "night", "other": "x"}
		}
		longest = max(longest, len(one.Text))
	}
	endings, err := sim.Here{}.Replay(t.Context(), files, runs)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range endings {
		if e.Failed != "" || e.Foreign != "" || !e.Sure {
			t.Errorf("run %d fails by %q, calls %q", i, e.Failed, e.Foreign)
		}
		if e.Outcome != said[i].Outcome || e.Score != said[i].Score {
			t.Errorf("run %d comes to %s %v, the page to %s %v", i, e.Outcome, e.Score, said[i].Outcome, said[i].Score)
		}
		if e.Over {
			over++
		}
	}
	t.Logf("%d of %d runs ended; the longest has %d characters", over, len(said), longest)
}
