package engine

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/gen/sim"
)

// patient plays a run for as long as it says.
type patient struct{ sim.Judge }

func (patient) Replay(ctx context.Context, files compile.Files, runs []contract.Replay) ([]contract.ReplayEnding, error) {
	takes, err := time.ParseDuration(runs[0].Log)
	if err != nil {
		return nil, err
	}
	select {
	case <-time.After(takes):
		return []contract.ReplayEnding{{Over: true, Steps: int64(len(files))}}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// zipOf is a game's ZIP.
func zipOf(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for name, content := range files {
		f, err := w.Create(name)
		if err == nil {
			_, err = f.Write([]byte(content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// replayOf is a request to play runs with these texts again.
func replayOf(t *testing.T, game []byte, logs ...string) *http.Request {
	t.Helper()
	var runs []contract.Replay
	for i, log := range logs {
		runs = append(runs, contract.Replay{Stream: "a", Run: int64(i + 1), Log: log, Steps: 3600 * 60})
	}
	line, err := json.Marshal(runs)
	if err != nil {
		t.Fatal(err)
	}
	return httptest.NewRequest("POST", contract.PathReplay, bytes.NewReader(append(append(line, '\n'), game...)))
}

// TestRunWithoutAnEndCostsNoOtherItsVerdict: a player who forges one would else keep those
// of honest ones from being verified.
func TestRunWithoutAnEndCostsNoOtherItsVerdict(t *testing.T) {
	game := zipOf(t, map[string]string{"src/main.js": "1", "src/a.js": "2", "index.html": "3"})
	synctest.Test(t, func(t *testing.T) {
		logs := make([]string, contract.MaxReplays)
		for i := range logs {
			logs[i] = "1000h"
		}
		logs[contract.MaxReplays-1], logs[2] = "5s", "broken"
		began := time.Now()
		endings, err := replay(httptest.NewRecorder(), replayOf(t, game, logs...), patient{})
		if err != nil || len(endings) != contract.MaxReplays {
			t.Fatalf("%d runs, %v", len(endings), err)
		}
		if took := time.Since(began); took > replayTimeout {
			t.Errorf("it took %v", took)
		}
		for i, e := range endings {
			played := i == contract.MaxReplays-1
			if e.Stream != "a" || e.Run != int64(i+1) || e.Over != played || (e.Failed == "") != played {
				t.Errorf("run %d is %+v", i+1, e)
			}
		}
		if steps := endings[contract.MaxReplays-1].Steps; steps != 3 {
			t.Errorf("the game has %d sources", steps)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := replay(httptest.NewRecorder(), replayOf(t, game, "1000h").WithContext(ctx), patient{}); err == nil {
			t.Error("who no longer waits is answered")
		}
	})
}

// TestRunHasAReplayAsLongAsItself: tapes of a moment that never end cost a moment.
func TestRunHasAReplayAsLongAsItself(t *testing.T) {
	for steps, want := range map[int64]time.Duration{
		-1: 2 * time.Second, 35 * 60: 3750 * time.Millisecond, 600 * 60: replayTimeout / 8, 1 << 62: replayTimeout / 8,
	} {
		if got := shareOf(contract.Replay{Steps: steps}, 8); got != want {
			t.Errorf("%d steps have %v, want %v", steps, got, want)
		}
	}
}

func TestReplayThatIsNoneIsRefused(t *testing.T) {
	good := zipOf(t, map[string]string{"src/main.js": "1"})
	large := zipOf(t, map[string]string{"src/main.js": strings.Repeat("x", maxSources+1)})
	for name, c := range map[string]struct {
		request *http.Request
		status  int
	}{
		"no runs":           {replayOf(t, good), http.StatusBadRequest},
		"too many runs":     {replayOf(t, good, make([]string, contract.MaxReplays+1)...), http.StatusBadRequest},
		"no line":           {httptest.NewRequest("POST", contract.PathReplay, strings.NewReader("[")), http.StatusBadRequest},
		"no ZIP":            {replayOf(t, []byte("x"), "1s"), http.StatusBadRequest},
		"a path out of it":  {replayOf(t, zipOf(t, map[string]string{"../src/main.js": "1"}), "1s"), http.StatusBadRequest},
		"too large sources": {replayOf(t, large, "1s"), http.StatusRequestEntityTooLarge},
	} {
		if _, err := replay(httptest.NewRecorder(), c.request, patient{}); err == nil {
			t.Errorf("%s is taken", name)
		} else if refused, ok := errors.AsType[*answers.Error](err); !ok || refused.Status != c.status {
			t.Errorf("%s: %v, want a %d", name, err, c.status)
		}
	}
}
