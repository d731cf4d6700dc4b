package playtest

import (
	"fmt"

	"github.com/chromedp/chromedp"
)

// The smallest screen that a game must fit.
const (
	narrow = 360
	tall   = 640
)

// box is where a game lies on its page, and how large the page is.
type box struct{ X, Y, W, H, Wide, High float64 }

// bear sees whether a game bears to be hidden, and a small screen.
func (j *judge) bear(s *seat) error {
	if err := j.hide(s); err != nil {
		return err
	}
	return j.fit(s)
}

// fit sees whether the game has its size, and is whole on a small screen.
func (j *judge) fit(s *seat) error {
	b, err := Eval[box](s.Page, "window.__judge.box()")
	if err != nil {
		return err
	}
	if w, h := float64(j.game.Width), float64(j.game.Height); j.game.Short {
		ratio := (b.W / max(1, b.H)) / (w / h)
		j.report.check("G10", true, ratio > 0.95 && ratio < 1.05, fmt.Sprintf("the game is %.0f by %.0f, not %d by %d", b.W, b.H, j.game.Width, j.game.Height))
	}
	if err := chromedp.Do(s.ctx, chromedp.EmulateViewport(narrow, tall)); err != nil {
		return err
	}
	if b, err = Eval[box](s.Page, "window.__judge.resized()"); err != nil {
		return err
	}
	const slack = 4
	fits := b.X > -slack && b.Y > -slack && b.X+b.W < narrow+slack && b.Y+b.H < tall+slack && b.Wide < narrow+slack
	j.report.check("G10", true, fits && b.W > narrow/2, fmt.Sprintf("on a screen of %d by %d it is %.0f by %.0f at %.0f, %.0f", narrow, tall, b.W, b.H, b.X, b.Y))
	return chromedp.Do(s.ctx, chromedp.EmulateViewport(int64(j.game.Width), int64(j.game.Height)))
}

// hide hides the page for two seconds in the middle of a run.
func (j *judge) hide(s *seat) error {
	if t, err := s.tell(); err != nil {
		return err
	} else if t.over() || len(t.Runs) == 0 {
		if _, err := s.begin(5); err != nil {
			return err
		}
	}
	if _, err := s.play("", 20, "never"); err != nil {
		return err
	}
	before, err := Eval[string](s.Page, "window.__judge.hide(true)")
	if err != nil {
		return err
	}
	if _, err := s.play("", 2*second, "never"); err != nil {
		return err
	}
	after, err := Eval[string](s.Page, "window.__judge.hide(false)")
	if err != nil {
		return err
	}
	j.report.check("G10", false, before == after, "time goes on while the page is hidden")
	_, err = s.play("", 20, "never")
	return err
}
