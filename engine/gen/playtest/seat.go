package playtest

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/svc-games/svc/engine/gen/build"
	"github.com/svc-games/svc/engine/gen/kit"
)

//go:embed page
var pageFiles embed.FS

// judgeScript is the judge's part in the page.
var judgeScript = sync.OnceValues(func() (string, error) {
	out, err := build.Bundle(context.Background(), build.Options{Entry: "judge.js", Read: func(name string) ([]byte, error) {
		if name == "policies.js" {
			return kit.Source("sim/policies.js")
		}
		return pageFiles.ReadFile(path.Join("page", name))
	}})
	if err != nil {
		return "", fmt.Errorf("bundling the judge: %w", err)
	}
	return string(out.Script), nil
})

// playerFile is a game's own player, which sees what the game exposes.
const playerFile = "test/player.js"

// playerOf bundles a game's player, which is __svc_acts then; "" where there is
// none.
func playerOf(ctx context.Context, read func(name string) ([]byte, error)) (string, error) {
	if _, err := read(playerFile); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	out, err := build.Bundle(ctx, build.Options{Entry: playerFile, GlobalName: "__svc_acts", Read: read})
	return string(out.Script), err
}

// reader reads files of a game that is in memory.
func reader(files map[string][]byte) func(name string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		data, ok := files[name]
		if !ok {
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		}
		return data, nil
	}
}

// run is one run of a game, as the judge wrote it down.
type run struct {
	At        int        `json:"at"`    // frame of its start
	Ended     int        `json:"ended"` // frame, -1 while it runs
	Ends      int        `json:"ends"`  // how often its end was told
	Score     float64    `json:"score"` // told last
	First     *float64   `json:"first"` // told first
	Best      float64    `json:"best"`
	Half      float64    `json:"half"` // the best of its first thirty seconds
	Line      []*float64 `json:"line"` // the best by seconds; those without a score are nil
	Told      int        `json:"told"` // scores, without that of the end
	Outcome   string     `json:"outcome"`
	Listeners int        `json:"listeners"` // soon after its start
}

// upTo is the best score of the first seconds.
func (r run) upTo(seconds int) float64 {
	best := 0.0
	for i, score := range r.Line {
		if i <= seconds && score != nil {
			best = max(best, *score)
		}
	}
	return best
}

// tale is what happened on a page so far.
type tale struct {
	Frame       int      `json:"frame"`
	Ready       int      `json:"ready"` // frame, -1 not yet
	Starts      int      `json:"starts"`
	Runs        []run    `json:"runs"`
	Exposed     bool     `json:"exposed"` // the game exposes a state
	Score       *float64 `json:"score"`   // in that state
	Bad         string   `json:"bad"`     // a number that is none
	Alike       int      `json:"alike"`
	Unlike      int      `json:"unlike"` // scores told that are not those of the state
	UnlikeNote  string   `json:"unlikeNote"`
	Shown       int      `json:"shown"` // scores told that came to be seen
	Missing     int      `json:"missing"`
	Heap        float64  `json:"heap"`
	Spent       float64  `json:"spent"` // ms of all steps
	PlayerFault string   `json:"playerFault"`
	Faults      []fault  `json:"faults"`
}

type fault struct {
	Frame int    `json:"frame"`
	Text  string `json:"text"`
}

// last is the newest run; there is none before the first start.
func (t tale) last() run {
	if len(t.Runs) == 0 {
		return run{Ended: -1}
	}
	return t.Runs[len(t.Runs)-1]
}

// over reports whether the newest run has ended.
func (t tale) over() bool { return len(t.Runs) > 0 && t.last().Ended >= 0 }

// seat is a tab in which a game is opened and played, again and again.
type seat struct {
	*Page
	b       *Browser
	game    *Game
	script  string // the judge and the game's player
	added   page.ScriptIdentifier
	control string  // that starts a run
	beside  bool    // what is tapped is the middle, not a button
	faults  []fault // of pages that were left
	loads   atomic.Int32
	frames  int // of pages that were left
	spent   float64
}

// newSeat opens a tab for a game.
func (b *Browser) newSeat(ctx context.Context, g *Game, script string) (*seat, error) {
	tab, closeTab := chromedp.NewContext(b.ctx)
	end := context.AfterFunc(ctx, closeTab)
	p := &Page{ctx: tab, cancel: func() { end(); closeTab() }, boot: b.boot}
	s := &seat{Page: p, b: b, game: g, script: script}
	messages := chromedp.Console(p.ctx)
	go p.listen(messages)
	requests := chromedp.Events(p.ctx, fetch.RequestPaused)
	if _, err := chromedp.Call(p.ctx, fetch.Enable, fetch.EnableParams{}); err != nil {
		p.Close()
		return nil, fmt.Errorf("taking over requests: %w", err)
	}
	go p.answer(g.Files, requests)
	if err := chromedp.Do(p.ctx, chromedp.EmulateViewport(int64(g.Width), int64(g.Height))); err != nil {
		p.Close()
		return nil, err
	}
	return s, nil
}

// load opens the game anew, under a seed of its chance, and waits until it is ready.
func (s *seat) load(seed uint32) (tale, error) {
	if s.loads.Add(1) > 1 {
		t, err := s.tell()
		if err != nil {
			return t, err
		}
		s.faults, s.frames, s.spent = append(s.faults, t.Faults...), s.frames+t.Frame, s.spent+t.Spent
		if _, err := chromedp.Call(s.ctx, page.RemoveScriptToEvaluateOnNewDocument, page.RemoveScriptToEvaluateOnNewDocumentParams{Identifier: s.added}); err != nil {
			return t, err
		}
	}
	stride := 1
	if s.game.Trusted { // of the kit, which makes up for frames that are left out
		stride = 2
	}
	settings := fmt.Sprintf("window.__judge_settings = {seed: %d, w: %d, h: %d, stride: %d};\n", seed, s.game.Width, s.game.Height, stride)
	added, err := chromedp.Call(s.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: settings + s.script})
	if err != nil {
		return tale{}, fmt.Errorf("adding the judge: %w", err)
	}
	s.added = added.Identifier
	timed, cancel := context.WithTimeout(s.ctx, bootTime)
	defer cancel()
	start := time.Now()
	if err := chromedp.Do(timed, chromedp.Navigate(origin+"index.html")); err != nil {
		return tale{}, err
	}
	t, err := chromedp.Run(timed, chromedp.Evaluate[tale](fmt.Sprintf("window.__judge.boot(%d)", s.boot), chromedp.EvalAwaitPromise))
	s.Ready = time.Since(start)
	return t, err
}

// play lets frames pass under a policy, "" for none, until "ended", "started" or
// "scored" is so, or "never".
func (s *seat) play(policy string, frames int, until string) (tale, error) {
	return Eval[tale](s.Page, fmt.Sprintf("window.__judge.play(%q, %d, %q)", policy, frames, until))
}

// replay plays the inputs of a check.
func (s *seat) replay(inputs []json.RawMessage, frames int) (tale, error) {
	list, err := json.Marshal(inputs)
	if err != nil {
		return tale{}, err
	}
	return Eval[tale](s.Page, fmt.Sprintf("window.__judge.play('', %d, 'never', %s)", frames, list))
}

func (s *seat) tell() (tale, error) { return Eval[tale](s.Page, "window.__judge.tell()") }

// draw turns the drawing on or off while frames pass.
func (s *seat) draw(on bool) error {
	_, err := Eval[any](s.Page, fmt.Sprintf("window.__judge.draw(%t)", on))
	return err
}

// picture is what a frame looks like.
type picture struct {
	Print   string `json:"print"`
	Colours *struct {
		Count int     `json:"count"`
		Share float64 `json:"share"`
	} `json:"colours"`
	Screen *screen `json:"screen"` // nil where the game says nothing of it
	Unseen string  `json:"unseen"` // a score that it says is there, and nobody has drawn
	Phase  string  `json:"phase"`  // ready, play or over
	Score  float64 `json:"score"`
}

// screen is what a game says of its screen.
type screen struct {
	HUD     []Box                  `json:"hud"`
	Sprites []Sprite               `json:"sprites"`
	Field   struct{ W, H float64 } `json:"field"`
}

// show draws one more frame.
func (s *seat) show() (picture, error) { return Eval[picture](s.Page, "window.__judge.show()") }

// begin starts a run by one of the game's controls: by that which did so before,
// else by each in turn; "" when none does.
func (s *seat) begin(tries int) (string, error) {
	controls := s.game.controls()
	if s.control != "" {
		controls = []string{s.control}
	}
	t, err := s.tell()
	if err != nil {
		return "", err
	}
	was := t.Starts
	for range tries {
		for _, control := range controls {
			if err := s.use(control); err != nil {
				return "", err
			}
			if t, err = s.play("", 12, "started"); err != nil {
				return "", err
			}
			if t.Starts > was {
				s.control = control
				return control, nil
			}
		}
		s.beside = !s.beside
	}
	return "", nil
}

// use does what a player does with a control; a tap is one of the browser's own, at the
// first button or, if that starts nothing, beside it.
func (s *seat) use(control string) error {
	if key, isKey := keys[control]; isKey {
		_, err := Eval[any](s.Page, fmt.Sprintf("window.__judge.press(%q)", key))
		return err
	}
	places, err := Eval[[]struct{ X, Y float64 }](s.Page, "window.__judge.buttons().slice(0, 1)")
	if err != nil {
		return err
	}
	x, y := float64(s.game.Width)/2, float64(s.game.Height)*0.45
	if len(places) > 0 && !s.beside {
		x, y = places[0].X, places[0].Y
	}
	if err := chromedp.Do(s.ctx, chromedp.MouseClickXY(x, y)); err != nil {
		return fmt.Errorf("tapping: %w", err)
	}
	return nil
}

// keys are those that stand for a control.
var keys = map[string]string{"space": " ", "enter": "Enter", "arrows": "ArrowRight", "pad": "ArrowRight", "keys": "d", "type": "a"}

// weigh returns how many bytes the page holds that are no garbage.
func (s *seat) weigh() (float64, error) {
	if _, err := chromedp.Call(s.ctx, heapprofiler.CollectGarbage, cdp.Empty{}); err != nil {
		return 0, fmt.Errorf("collecting garbage: %w", err)
	}
	heap, err := chromedp.Call(s.ctx, runtime.GetHeapUsage, cdp.Empty{})
	if err != nil {
		return 0, fmt.Errorf("weighing the page: %w", err)
	}
	return heap.UsedSize + heap.EmbedderHeapUsedSize + heap.BackingStorageSize, nil
}

// alive reports whether the page answers: the machine may be slow.
func (s *seat) alive() bool {
	timed, cancel := context.WithTimeout(s.ctx, s.b.hang/4)
	defer cancel()
	_, err := chromedp.Run(timed, chromedp.Evaluate[int]("0"))
	return err == nil
}

// errors are what the console says, but for warnings.
func (s *seat) errors() []string {
	var out []string
	for _, said := range s.Console() {
		if !strings.HasPrefix(said, "warning") {
			out = append(out, said)
		}
	}
	return out
}
