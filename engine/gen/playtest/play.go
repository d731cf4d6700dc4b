package playtest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"
)

// Game is what is played.
type Game struct {
	Files         map[string][]byte
	Width, Height int
	Short         bool // must end and restart within the short format's frame
	Staged        bool // ends when its levels are cleared, not by the clock
	Limit         int  // seconds of a run, 0 none
	Shots         bool // take pictures and judge them
	// Player is a script that sets __svc_acts, whose act(state) plays with skill;
	// "" where the game's own view says what to do.
	Player string
	// Thorough plays skilled to the end, and blind as well; otherwise the
	// simulation is trusted with that, and the run is left to end by itself.
	Thorough bool
}

const (
	second   = 60 // frames
	maxShort = 70 * second
	maxLong  = 240 * second
	slowBoot = 3 * time.Second
)

// Play opens a game twice, plays it in every way, and judges it. Its error is
// ctx's, or means that nothing can be said about the game.
func (b *Browser) Play(ctx context.Context, g Game) (Report, error) {
	start := time.Now()
	var r Report
	pages, err := b.openTwins(ctx, g)
	if err != nil {
		if ctx.Err() != nil {
			return r, ctx.Err()
		}
		r.check("P04", true, false, err.Error())
		return r, nil
	}
	for _, p := range pages {
		defer p.Close()
		go p.watch(b.hang)
	}
	t := &tester{game: g, page: pages[0], report: &r}
	err = t.test(pages[1])
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return r, ctx.Err()
	case pages[0].hung.Load() || pages[1].hung.Load():
		r.check("P09", true, false, fmt.Sprintf("the game hangs: its code does not come to an end within %s", b.hang))
	default:
		return r, fmt.Errorf("the playtest broke off: %w", err)
	}
	r.Took = time.Since(start)
	return r, nil
}

// test plays a game and its twin, and judges what it sees.
func (t *tester) test(twin *Page) error {
	t.report.Ready = t.page.Ready
	t.report.check("P04", false, t.page.Ready < slowBoot, fmt.Sprintf("ready after %d ms", t.page.Ready.Milliseconds()))
	if err := t.compareTwins(twin); err != nil {
		return err
	}
	go twin.Close() // which takes a while
	if err := t.playThrough(); err != nil {
		return err
	}
	t.look()
	if t.game.Thorough {
		if err := t.playBlind(); err != nil {
			return err
		}
	}
	said := t.page.Console()
	t.report.check("P01", true, len(said) == 0, "the console says "+strings.Join(said, " | "))
	return nil
}

// openTwins opens a game in two tabs at a time.
func (b *Browser) openTwins(ctx context.Context, g Game) (pages [2]*Page, err error) {
	var errs [2]error
	var wait sync.WaitGroup
	for i := range pages {
		wait.Go(func() { pages[i], errs[i] = b.OpenFiles(ctx, g.Files, g.Width, g.Height, g.Player) })
	}
	wait.Wait()
	if err := errors.Join(errs[:]...); err != nil {
		for _, p := range pages {
			if p != nil {
				p.Close()
			}
		}
		return pages, err
	}
	return pages, nil
}

// tester plays one game.
type tester struct {
	game   Game
	page   *Page
	report *Report
	sights []sight
}

// sight is what a game said of its screen in one of its moments.
type sight struct {
	moment string
	State
}

// compareTwins proves that an action, and nothing else, changes the game: two
// that are left alone stay equal, and one of them that is played does not.
func (t *tester) compareTwins(twin *Page) error {
	ready, err := t.page.Run("idle", 2) // a frame to look at
	if err != nil {
		return err
	}
	if err := t.shoot("ready", ready); err != nil {
		return err
	}
	both, err := inPair(t.page, twin, func(p *Page, acts bool) (moves, error) { return t.move(p, acts, "mash", 24) })
	if err != nil {
		return err
	}
	acted, left := both[0], both[1]
	for _, m := range both {
		t.report.check("P06", true, m.phase == "play", "a tap leaves the phase at "+m.phase)
	}
	reacts := acted.after != left.after
	if !reacts { // blind taps may all miss what can be tapped
		later, err := inPair(t.page, twin, func(p *Page, acts bool) (string, error) { return t.turn(p, acts, "skilled", 3*second) })
		if err != nil {
			return err
		}
		reacts = later[0] != later[1]
	}
	t.report.check("P05", true, reacts, "taps change nothing")
	t.report.check("P08", false, acted.before == left.before, "two games left alone differ")
	return nil
}

// moves are the prints of a game that was left alone, and of one that was then
// acted on or not.
type moves struct{ phase, before, after string }

// move starts a game, leaves it alone, and then acts on it or not.
func (t *tester) move(p *Page, acts bool, policy string, frames int) (m moves, err error) {
	if err = p.Tap(t.middle()); err != nil {
		return m, err
	}
	s, err := p.Pass("idle", 12)
	if err != nil {
		return m, err
	}
	m.phase = s.Phase
	if m.before, err = p.Print(); err != nil {
		return m, err
	}
	m.after, err = t.turn(p, acts, policy, frames)
	return m, err
}

// turn lets frames pass under a policy, or with nothing done, and returns the
// print of what came out.
func (t *tester) turn(p *Page, acts bool, policy string, frames int) (string, error) {
	if !acts {
		policy = "rest"
	}
	if _, err := p.Pass(policy, frames); err != nil {
		return "", err
	}
	return p.Print()
}

// inPair does the same with both twins at a time; the first is the one that is
// acted on.
func inPair[T any](first, second *Page, do func(p *Page, acts bool) (T, error)) (out [2]T, err error) {
	var errs [2]error
	var wait sync.WaitGroup
	for i, p := range []*Page{first, second} {
		wait.Go(func() { out[i], errs[i] = do(p, i == 0) })
	}
	wait.Wait()
	return out, errors.Join(errs[:]...)
}

func (t *tester) middle() (x, y float64) {
	return float64(t.game.Width) / 2, float64(t.game.Height) * 0.45
}

// playThrough plays with skill until the end, and starts again.
func (t *tester) playThrough() error {
	if err := t.restartFresh(); err != nil {
		return err
	}
	early, err := t.page.Run("skilled", 2*second)
	if err != nil {
		return err
	}
	if err := t.shoot("early", early); err != nil {
		return err
	}
	mid, err := t.page.Run("skilled", 8*second)
	if err != nil {
		return err
	}
	if err := t.shoot("mid", mid); err != nil {
		return err
	}
	policy := "skilled"
	if !t.game.Thorough && !t.game.Staged && t.game.Limit > 0 {
		policy = "idle"
	}
	s, err := t.finish(policy, mid)
	if err != nil {
		return err
	}
	if s.Phase != "over" { // good players of endless games never lose
		if s, err = t.finish("hold", s); err != nil {
			return err
		}
	}
	t.report.Score, t.report.RunSeconds = s.Best, s.T
	t.report.check("P07", true, s.Best >= 1, fmt.Sprintf("skilled play scores %v", s.Best))
	t.report.check("P09", true, s.Phase == "over", "the game does not end")
	end, err := t.page.Run("idle", 40) // until its screen is all there
	if err != nil {
		return err
	}
	if err := t.shoot("over", end); err != nil {
		return err
	}
	if s.Phase != "over" {
		return nil
	}
	restarts := s.Restarts
	if err := t.page.Tap(t.middle()); err != nil {
		return err
	}
	if s, err = t.page.Run("idle", 2); err != nil {
		return err
	}
	t.report.check("P10", true, s.Phase == "play" && s.Restarts == restarts+1, "one tap does not restart it")
	t.report.check("P11", true, s.Score == 0 && s.T < 0.5 && s.Lives > 0, fmt.Sprintf("a restart begins with score %v at %.1f s with %d lives", s.Score, s.T, s.Lives))
	return t.shoot("again", s)
}

// restartFresh brings the game to the start of a run of its own.
func (t *tester) restartFresh() error {
	s, err := t.page.Pass("idle", 1)
	if err != nil || s.Phase == "play" {
		return err
	}
	_, err = t.page.Pass("idle", 30)
	if err != nil {
		return err
	}
	return t.page.Tap(t.middle())
}

// finish plays under a policy until the game is over or too long.
func (t *tester) finish(policy string, s State) (State, error) {
	limit := maxShort
	if t.game.Limit == 0 || t.game.Limit > 60 {
		limit = maxLong
	}
	best := s.Score
	for turns := 0; turns < 4 && s.Phase != "over"; turns++ {
		if s.Phase == "next" {
			if _, err := t.page.Pass("idle", 30); err != nil {
				return s, err
			}
			if err := t.page.Tap(t.middle()); err != nil {
				return s, err
			}
		}
		var err error
		if s, err = t.page.Pass(policy, limit); err != nil {
			return s, err
		}
		best = math.Max(best, s.Score)
		if s.Phase == "play" {
			break
		}
	}
	s.Best = best
	return s, nil
}

// playBlind plays without looking, which must not pay.
func (t *tester) playBlind() error {
	for _, policy := range []string{"idle", "mash"} {
		if err := t.restartFresh(); err != nil {
			return err
		}
		s, err := t.page.Pass(policy, 30*second)
		if err != nil {
			return err
		}
		t.report.Blind = math.Max(t.report.Blind, s.Score)
		if s.Phase == "over" {
			continue
		}
		// On to the next run, if this one can be ended.
		if s, err = t.finish("hold", s); err != nil {
			return err
		}
		if s.Phase != "over" {
			break
		}
	}
	t.report.SkillRatio = t.report.Score / math.Max(1, t.report.Blind)
	t.report.check("P12", false, t.report.SkillRatio > 1.5, fmt.Sprintf("skill hardly pays: ratio %.2f", t.report.SkillRatio))
	return nil
}

// shoot looks at a moment, and takes a picture of it where pictures are wanted;
// one of the running game is taken in any case.
func (t *tester) shoot(moment string, s State) error {
	if n := len(s.HUD); n > maxTexts {
		t.report.check("P15", true, false, fmt.Sprintf("%s: there are %d texts at once, of which at most %d can be looked at", moment, n, maxTexts))
		s.HUD = s.HUD[:maxTexts]
	}
	t.sights = append(t.sights, sight{moment, s})
	if !t.game.Shots && moment != "mid" {
		return nil
	}
	shot, err := t.page.Screenshot()
	if err != nil {
		return err
	}
	t.report.Shots = append(t.report.Shots, Shot{Moment: moment, JPEG: shot})
	return nil
}
