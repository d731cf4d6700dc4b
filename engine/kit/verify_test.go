package kit_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/gen/sim"
)

// hosted is a page that hosts the game, gives it values of an experiment, and notes what it
// reports.
const hosted = `
window.__SVC__ = { gameId: '0123456789abcdef01234567', key: 'pk-x', endpoint: 'https://ingest.example/g/v1', variants: { speed: '300', gravity: '9', none: '1' } };
window.said = [];
window.fetch = (url, init) => {
  window.said.push({ url, body: init.body });
  return Promise.resolve(new Response('{"ok":true,"top":[],"rewards":[]}'));
};
`

// reports is what a game reported of its first run.
type reports struct {
	Score   float64 `json:"score"`
	Outcome string  `json:"outcome"`
	Log     string  `json:"log"`
}

// endingGame is pureGame with an end, and what its page reports of a run.
func endingGame(t *testing.T) (map[string][]byte, reports) {
	t.Helper()
	files, s := pureGame(t)
	files["src/game.js"] = []byte(strings.Replace(pure, "s.t++;", "s.t++; if (s.t === 500) s.outcome = 'win';", 1))
	page := maps.Clone(files)
	page["lib/svc.js"] = append([]byte(hosted), page["lib/svc.js"]...)
	p := open(t, page, s)
	said := eval[string](t, p, "await (async () => {"+fmt.Sprintf(played, 60)+"})(); return window.said.find((one) => one.url.endsWith('/s')).body;")
	var run reports
	if err := json.Unmarshal([]byte(said), &run); err != nil || run.Log == "" {
		t.Fatalf("it reports %s, %v", said, err)
	}
	return files, run
}

func again(t *testing.T, files map[string][]byte, log string) contract.ReplayEnding {
	t.Helper()
	endings, err := sim.Here{}.Replay(t.Context(), compile.Files(files), []string{log})
	if err != nil {
		t.Fatal(err)
	}
	return endings[0]
}

// TestReportedRunComesToTheSameEndWithTheValuesOfAnExperiment: the run that a page reports
// proves its score, and says which values of tunables the player had.
func TestReportedRunComesToTheSameEndWithTheValuesOfAnExperiment(t *testing.T) {
	files, run := endingGame(t)
	if got := again(t, files, run.Log); got != (contract.ReplayEnding{Over: true, Outcome: run.Outcome, Score: run.Score, Steps: 500}) || run.Outcome != "win" || run.Score == 0 {
		t.Errorf("it comes to %+v, and was reported as %s %v", got, run.Outcome, run.Score)
	}
	var said struct {
		Given map[string]float64 `json:"given"`
	}
	if err := json.Unmarshal([]byte(run.Log), &said); err != nil || len(said.Given) != 1 || said.Given["speed"] != 300 {
		t.Errorf("it was given %v, %v", said.Given, err)
	}
	for name, forged := range map[string]string{
		"cut short":    strings.Replace(run.Log, `"steps":500`, `"steps":499`, 1),
		"other inputs": strings.ReplaceAll(run.Log, `"tapped":true`, `"tapped":false`),
	} {
		if got := again(t, files, forged); forged == run.Log || got.Over && got.Score == run.Score {
			t.Errorf("%s it comes to %+v", name, got)
		}
	}
	for name, broken := range map[string]string{"no JSON": "{", "of another version": strings.Replace(run.Log, `"v":1`, `"v":2`, 1), "empty": `{"v":1}`} {
		if got := again(t, files, broken); got.Failed == "" {
			t.Errorf("%s it comes to %+v", name, got)
		}
	}
}

// TestRunThatIsNotTheSameInEveryEngineSaysSo: then nobody is refused by it.
func TestRunThatIsNotTheSameInEveryEngineSaysSo(t *testing.T) {
	for call, more := range map[string]string{
		"Math.sin": "s.w = Math.sin(s.t);", "Math.random": "s.w = Math.random();", "Date.now": "s.w = Date.now();", "Date": "s.w = new Date(0).getTime();",
	} {
		files, _ := pureGame(t)
		files["src/game.js"] = []byte(strings.Replace(pure, "s.t++;", "s.t++; if (s.t === 3) s.outcome = 'win';"+more, 1))
		log := `{"v":1,"seed":1,"steps":3,"given":{},"changes":[[1,{"pressed":[],"x":0,"y":0}]]}`
		if got := again(t, files, log); got.Foreign != call || got.Failed != "" || !got.Over {
			t.Errorf("%s: %+v", call, got)
		}
	}
}

func TestGameThatNeedsAPageIsNotPlayedAgain(t *testing.T) {
	for name, main := range map[string]string{"an element at its start": "document.createElement('canvas');", "no kit": "window.mine = 1;"} {
		files, _ := pureGame(t)
		files["src/main.js"] = []byte(main)
		if got := again(t, files, `{"v":1}`); got.Failed == "" {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
