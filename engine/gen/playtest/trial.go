package playtest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// Bounds of a trial.
const (
	MaxTrial   = 60 // seconds of the game's time
	trialWall  = time.Minute
	trialHang  = 20 * time.Second
	trialPiece = second // frames between two looks
	maxScenes  = 7      // five moments, the title, and the first end
	shotSide   = 768    // pixels of a shot's longer side
	maxEvents  = 100
	maxState   = 4000 // bytes of an exposed state
	maxMurmurs = 6    // messages of a console that are neither error nor warning
)

// Policies are the ways of playing that a trial may name. "player" is the game's own.
var Policies = []string{"idle", "mash", "periodic", "hold", "pointer", "arrows", "type", "probe", "player"}

// Trial is a way in which an author has a game played.
type Trial struct {
	Policy string            // one of Policies; "" for inputs
	Inputs []json.RawMessage // of a check
	Frames int               // at most MaxTrial seconds
	Seed   uint32
}

// Event is something that a game said of a run.
type Event struct {
	Frame   int     `json:"frame"`
	Kind    string  `json:"kind"` // start, score or end
	Score   float64 `json:"score"`
	Outcome string  `json:"outcome"`
}

// Left are the events of a trial that were not kept: neither the first nor the last.
type Left struct {
	Score int `json:"score"`
	End   int `json:"end"`
}

// Scene is a moment of a trial. What the game says in it is not to be trusted.
type Scene struct {
	picture
	Frame int     `json:"frame"`
	Rolls int     `json:"played"` // frames that were played so far
	State string  `json:"state"`  // as JSON, perhaps cut off; "" when none is exposed
	Spent float64 `json:"spent"`  // ms of the frames so far
	JPEG  []byte  `json:"-"`
}

// Showing is what a trial showed.
type Showing struct {
	Ready   bool
	Whole   bool   // what it said of its runs is known
	Control string // that started the game; "" for inputs, or when none did
	Events  []Event
	Left    Left
	Scenes  []Scene
	Console []string
	Frames  int
	Still   int     // the frame since which nothing changed on the screen
	Millis  float64 // that a frame takes
	Trouble string  // why it was not played to its end
}

// trial is one under way.
type trial struct {
	*seat
	Trial
	out    Showing
	print  string
	end    time.Time
	played int  // frames since the opening
	over   bool // a scene of the end is kept
}

// Try plays a game as its author asks, and says what was seen. Its error is ctx's, or
// means that nothing can be said about the game.
func (b *Browser) Try(ctx context.Context, g Game, t Trial) (Showing, error) {
	t.Frames = max(1, min(t.Frames, MaxTrial*second))
	s, err := b.sit(ctx, g)
	if err != nil {
		return Showing{}, err
	}
	defer s.Close()
	one := &trial{seat: s, Trial: t, end: time.Now().Add(trialWall)}
	err = one.play()
	one.out.Console = append(complaints(one.seat.faults, s.errors()), s.murmurs()...)
	if err != nil {
		if one.out.Trouble, err = s.trouble(ctx, err); err != nil {
			return Showing{}, err
		}
	}
	return one.out, nil
}

// sit opens a seat for an author's game.
func (b *Browser) sit(ctx context.Context, g Game) (*seat, error) {
	g = described(g)
	script, err := judgeScript()
	if err != nil {
		return nil, err
	}
	player, broken := playerOf(ctx, reader(g.Files))
	if broken != nil {
		player = ""
	}
	s, err := b.newSeat(ctx, &g, player+";\n"+script)
	if err != nil {
		return nil, err
	}
	if broken != nil {
		s.note(&s.said, maxSaid, playerFile+" can't be built: "+broken.Error())
	}
	s.verbose.Store(true)
	go s.watch(min(b.hang, trialHang))
	return s, nil
}

// trouble says why a game could not be played on; an error is ctx's or the browser's.
func (s *seat) trouble(ctx context.Context, err error) (string, error) {
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case s.hung.Load():
		return "The game hangs: its code does not come to an end, as in an endless loop.", nil
	case strings.Contains(err.Error(), "exception \""):
		return "The page is broken: " + clip(err.Error(), maxWord), nil
	}
	return "", fmt.Errorf("the play broke off: %w", err)
}

// play opens the game and plays it.
func (t *trial) play() error {
	opened, err := t.load(max(1, t.Seed))
	if err != nil {
		return err
	}
	if t.out.Ready = opened.Ready >= 0; !t.out.Ready {
		t.out.Trouble = fmt.Sprintf("It is not ready: svc.ready is not called within %d frames.", min(t.boot, opened.Frame))
		return t.close()
	}
	if t.Policy != "" && opened.Starts == 0 {
		title, err := Eval[Scene](t.Page, "window.__judge.film(1, 'never', '', [])")
		if err != nil {
			return err
		}
		if err := t.keep(title); err != nil {
			return err
		}
		if t.out.Control, err = t.begin(2); err != nil {
			return err
		}
	}
	if err := t.roll(); err != nil {
		return err
	}
	return t.close()
}

// roll plays in pieces, and looks after each.
func (t *trial) roll() error {
	if err := t.film(1, true); err != nil { // the first frame belongs to the trial
		return err
	}
	for left := t.Frames - 1; left > 0; {
		quarter := t.Frames / 4
		piece := min(left, trialPiece)
		if quarter > 0 {
			piece = min(piece, quarter-t.played%quarter)
		}
		before := t.played
		if err := t.film(piece, false); err != nil {
			return err
		}
		left -= t.played - before
		if time.Now().After(t.end) {
			t.out.Trouble = fmt.Sprintf("It was stopped after %s of the machine's time: its frames take too long.", trialWall)
			return nil
		}
	}
	return nil
}

// film plays on for some frames, and keeps what is seen then if it is one of the
// moments. One who plays by a policy begins again after an end.
func (t *trial) film(frames int, opening bool) error {
	ways := ""
	if opening {
		inputs, err := json.Marshal(slices.Concat([]json.RawMessage{}, t.Inputs))
		if err != nil {
			return err
		}
		policy, err := json.Marshal(t.Policy)
		if err != nil {
			return err
		}
		ways = fmt.Sprintf(", %s, %s", policy, inputs)
	}
	until := "never"
	if t.Policy != "" && !t.over {
		until = "ended" // to see it before someone begins again
	}
	scene, err := Eval[Scene](t.Page, fmt.Sprintf("window.__judge.film(%d, %q%s)", frames, until, ways))
	if err != nil {
		return err
	}
	if scene.Rolls <= t.played {
		return fmt.Errorf("exception \"no frame passed\"") // a game that meddles with the judge
	}
	t.played = scene.Rolls
	if scene.Print != t.print {
		t.print, t.out.Still = scene.Print, scene.Frame
	}
	t.out.Frames = scene.Frame
	t.out.Millis = scene.Spent / float64(max(1, scene.Frame))
	ended := scene.Phase == "over" && !t.over
	quarter := max(1, t.Frames/4)
	moment := t.played%quarter == 0 && t.played <= 3*quarter || t.played == t.Frames
	if opening || ended || moment {
		t.over = t.over || ended
		if err := t.keep(scene); err != nil {
			return err
		}
	}
	if t.Policy != "" && t.Policy != "idle" && scene.Phase == "over" {
		if _, err := t.begin(2); err != nil {
			return err
		}
	}
	return nil
}

// keep keeps a scene with its picture.
func (t *trial) keep(s Scene) error {
	if len(t.out.Scenes) >= maxScenes {
		return nil
	}
	s.bound()
	var err error
	if s.JPEG, err = t.shot(); err != nil {
		return err
	}
	t.out.Scenes = append(t.out.Scenes, s)
	return nil
}

// bound keeps what a game says of itself within bounds: the page may not have.
func (s *Scene) bound() {
	s.State, s.Phase, s.Print, s.Unseen = clip(s.State, maxState), clip(s.Phase, 20), clip(s.Print, 20), ""
	if s.Screen == nil {
		return
	}
	s.Screen.HUD = s.Screen.HUD[:min(len(s.Screen.HUD), maxTexts)]
	for i, b := range s.Screen.HUD {
		s.Screen.HUD[i].Role, s.Screen.HUD[i].Text = clip(b.Role, 40), clip(b.Text, 200)
	}
	s.Screen.Sprites = s.Screen.Sprites[:min(len(s.Screen.Sprites), maxTexts)]
	for i, sp := range s.Screen.Sprites {
		s.Screen.Sprites[i].Name = clip(sp.Name, 40)
	}
}

// shot is a picture of the viewport, no larger than a model needs it.
func (t *trial) shot() ([]byte, error) {
	w, h := float64(t.game.Width), float64(t.game.Height)
	quality := int64(70)
	clip := &page.Viewport{Width: w, Height: h, Scale: min(1, shotSide/max(w, h))}
	taken, err := chromedp.Call(t.ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatJpeg, Quality: &quality, Clip: clip})
	if err != nil {
		return nil, fmt.Errorf("taking a picture: %w", err)
	}
	return taken.Data, nil
}

// close takes in what the game said in all.
func (t *trial) close() error {
	said, err := Eval[struct {
		Events []Event `json:"events"`
		Left   Left    `json:"left"`
	}](t.Page, "window.__judge.happened()")
	if err != nil {
		return err
	}
	t.out.Events, t.out.Left, t.out.Whole = said.Events[:min(len(said.Events), maxEvents)], said.Left, t.out.Ready
	end, err := t.tell()
	if err != nil {
		return err
	}
	t.seat.faults = append(t.seat.faults, end.Faults...)
	if end.PlayerFault != "" {
		t.seat.faults = append(t.seat.faults, fault{end.Frame, playerFile + ": " + end.PlayerFault})
	}
	return nil
}
