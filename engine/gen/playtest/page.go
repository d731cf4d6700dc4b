package playtest

import (
	"context"
	_ "embed"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/svc-games/svc/engine/gen/build"
	"github.com/svc-games/svc/engine/gen/kit"
)

//go:embed clock.js
var clockScript string

//go:embed player.js
var playerModule string

// playerScript is the player with its policies, which the simulation has too.
var playerScript = sync.OnceValues(func() (string, error) {
	out, err := build.Bundle(context.Background(), build.Options{Entry: "player.js", Read: func(name string) ([]byte, error) {
		switch name {
		case "player.js":
			return []byte(playerModule), nil
		case "policies.js":
			return kit.Source("sim/policies.js")
		}
		return nil, fs.ErrNotExist
	}})
	if err != nil {
		return "", fmt.Errorf("bundling the player: %w", err)
	}
	return string(out.Script), nil
})

// A game must be ready within bootFrames of its own frames, which come slowly
// on a busy machine, and within bootTime on any.
const (
	bootFrames = 600
	bootTime   = 45 * time.Second
)

// driverRemark is part of a warning about speed, which Chromium itself causes:
// without a graphics card it reads each frame back.
const driverRemark = "GL Driver Message (OpenGL, Performance"

// Page is one open game.
type Page struct {
	ctx    context.Context
	cancel context.CancelFunc
	// Ready is how long the game took from its opening until it was ready.
	Ready time.Duration
	hung  atomic.Bool // it was closed because its code did not come to an end
	boot  int         // frames in which it must be ready

	verbose atomic.Bool // what is neither error nor warning is kept as well

	mu     sync.Mutex // guards the following fields
	said   []string
	murmur []string
}

// Box is a text on the screen, in the field's units.
type Box struct {
	Role string  `json:"role"`
	Text string  `json:"text"`
	Size float64 `json:"size"`
	X    float64 `json:"x"`
	Y    float64 `json:"y"`
	W    float64 `json:"w"`
	H    float64 `json:"h"`
}

// Sprite is a figure on the screen; X and Y are its middle.
type Sprite struct {
	Name string  `json:"name"`
	X    float64 `json:"x"`
	Y    float64 `json:"y"`
	Size float64 `json:"size"`
}

// State is what window.__svc_state() returns.
type State struct {
	Phase    string                 `json:"phase"` // ready, play, next (the second player's turn) or over
	Field    struct{ W, H float64 } `json:"field"`
	Score    float64                `json:"score"`
	Lives    int                    `json:"lives"`
	Level    int                    `json:"level"`
	Turn     int                    `json:"turn"`
	T        float64                `json:"t"` // seconds into the run
	Seed     uint32                 `json:"seed"`
	Outcome  string                 `json:"outcome"`
	Best     float64                `json:"best"`
	Restarts int                    `json:"restarts"`
	Paused   bool                   `json:"paused"` // the player holds it
	HUD      []Box                  `json:"hud"`
	Sprites  []Sprite               `json:"sprites"`
}

// Open opens a game in a tab of its own, waits until it is ready and hands
// its clock to Run: from then on no time passes by itself. The page lives until
// ctx ends or it is closed.
func (b *Browser) Open(ctx context.Context, url string, width, height int) (*Page, error) {
	player, err := playerScript()
	if err != nil {
		return nil, err
	}
	own, err := playerBeside(ctx, url)
	if err != nil {
		return nil, err
	}
	tab, closeTab := chromedp.NewContext(b.ctx)
	stop := context.AfterFunc(ctx, closeTab)
	p := &Page{ctx: tab, cancel: func() { stop(); closeTab() }, boot: b.boot}
	if err := p.open(url, width, height, own+"\n"+player); err != nil {
		p.cancel()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("opening the game: %w; console: %s", err, strings.Join(p.Console(), " | "))
	}
	return p, nil
}

// playerBeside is the player of a game that is in a folder.
func playerBeside(ctx context.Context, url string) (string, error) {
	file, ok := strings.CutPrefix(url, "file://")
	if !ok {
		return "", nil
	}
	root, err := os.OpenRoot(filepath.Dir(filepath.FromSlash(file)))
	if err != nil {
		return "", err
	}
	defer func() { _ = root.Close() }() // nothing was written
	return playerOf(ctx, root.ReadFile)
}

func (p *Page) open(url string, width, height int, player string) error {
	messages := chromedp.Console(p.ctx)
	go p.listen(messages)
	_, err := chromedp.Call(p.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: clockScript + player})
	if err != nil {
		return fmt.Errorf("adding the player: %w", err)
	}
	timed, cancel := context.WithTimeout(p.ctx, bootTime)
	defer cancel()
	start := time.Now()
	if err := chromedp.Do(timed, chromedp.EmulateViewport(int64(width), int64(height)), chromedp.Navigate(url)); err != nil {
		return err
	}
	ready, err := chromedp.Run(timed, chromedp.Evaluate[bool](fmt.Sprintf("window.__clock.take(%d)", p.boot), chromedp.EvalAwaitPromise))
	if err != nil {
		return fmt.Errorf("waiting until it is ready: %w", err)
	}
	if !ready {
		return fmt.Errorf("it shows no state within %d frames", p.boot)
	}
	p.Ready = time.Since(start)
	return nil
}

func (p *Page) listen(messages iter.Seq2[chromedp.ConsoleMessage, error]) {
	for m, err := range messages {
		if err != nil {
			return
		}
		if m.Type == chromedp.ConsoleWarning && !m.IsException() && (strings.Contains(m.Text, driverRemark) || m.Text == sandboxRemark) {
			continue
		}
		if m.IsException() || m.Type == chromedp.ConsoleError || m.Type == chromedp.ConsoleWarning {
			p.note(&p.said, maxSaid, string(m.Type)+": "+m.Text)
		} else if p.verbose.Load() {
			p.note(&p.murmur, maxMurmurs, string(m.Type)+": "+m.Text)
		}
	}
}

// Bounds of what is kept of a console. A game may fill it without end.
const (
	maxSaid = 20  // messages
	maxWord = 500 // bytes of one
)

func (p *Page) note(list *[]string, most int, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(*list) < most {
		*list = append(*list, clip(strings.TrimSpace(text), maxWord))
	}
}

// clip shortens a text of a page. What is left is a copy: a part would hold the whole.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(strings.Clone(text[:most]), "") + "…"
}

// watch closes the page when it gives no sign of life for so long. Nothing that
// is asked of it would ever be answered.
func (p *Page) watch(limit time.Duration) {
	const pause = 2 * time.Second
	for {
		timed, cancel := context.WithTimeout(p.ctx, limit)
		_, err := chromedp.Run(timed, chromedp.Evaluate[int]("0"))
		late := err != nil && timed.Err() != nil
		cancel()
		if late && p.ctx.Err() == nil {
			p.hung.Store(true)
			p.Close()
		}
		select {
		case <-p.ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// Close closes the tab.
func (p *Page) Close() { p.cancel() }

// Console returns the errors, warnings and exceptions so far, the first of them
// if there are many.
func (p *Page) Console() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.said...)
}

// murmurs are what the console said beside, if the page is verbose.
func (p *Page) murmurs() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.murmur...)
}

// Tap is one trusted tap at a place of the viewport, and two frames.
func (p *Page) Tap(x, y float64) error {
	if err := chromedp.Do(p.ctx, chromedp.MouseClickXY(x, y)); err != nil {
		return fmt.Errorf("tapping: %w", err)
	}
	_, err := Eval[State](p, "window.__player.pass('idle', 2)")
	return err
}

// Run lets the given number of frames of 1/60 second pass while a policy plays
// ("idle", "rest", "hold", "mash", "periodic" or "skilled"), or fewer when the
// phase changes, and shows one more. One who is idle lets six frames pass at a
// time, all others two.
func (p *Page) Run(policy string, frames int) (State, error) {
	s, err := Eval[State](p, fmt.Sprintf("window.__player.run(%q, %d)", policy, frames))
	if err != nil {
		return State{}, fmt.Errorf("playing %s: %w", policy, err)
	}
	return s, nil
}

// Screenshot returns the viewport as a JPEG.
func (p *Page) Screenshot() ([]byte, error) {
	quality := int64(82)
	shot, err := chromedp.Call(p.ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatJpeg, Quality: &quality, OptimizeForSpeed: new(bool)})
	if err != nil {
		return nil, fmt.Errorf("taking a screenshot: %w", err)
	}
	return shot.Data, nil
}

// Eval evaluates an expression, waiting for a promise, into T.
func Eval[T any](p *Page, expression string) (T, error) {
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		return v, fmt.Errorf("evaluating in the page: %w", err)
	}
	return v, nil
}
