package playtest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Game is what is played.
type Game struct {
	Files         map[string][]byte
	Width, Height int
	Short         bool // must end and restart within the short format's frame
	Limit         int  // seconds of a run, 0 none
	Shots         bool // take pictures of all moments and judge them
	// Seed is that of the page's chance; 0 is 1. Checks have seeds of their own.
	Seed uint32
	// Trusted is a game whose mechanic the simulation has played: what it said of
	// skill stands.
	Trusted bool

	Kind     string // these two are read from its data file
	Controls []string
}

const (
	second   = 60 // frames
	maxShort = 70 * second
	maxLong  = 240 * second
	slowBoot = 3 * time.Second
)

// Kinds of games.
const (
	arcade  = "arcade"
	puzzle  = "puzzle"
	turns   = "turns"
	story   = "story"
	sandbox = "sandbox"
	versus  = "versus"
)

// about is what a game says of itself in its data file.
type about struct {
	Kind     string   `json:"kind"`
	Controls []string `json:"controls"`
}

// controls are those that may start a game.
func (g Game) controls() []string {
	if len(g.Controls) > 0 {
		return g.Controls
	}
	return []string{"tap", "space", "enter", "arrows"}
}

// described completes a game by what its data file says.
func described(g Game) Game {
	var a about
	if json.Unmarshal(g.Files["src/game.json"], &a) == nil {
		g.Kind, g.Controls = a.Kind, a.Controls
	}
	if !slices.Contains([]string{arcade, puzzle, turns, story, sandbox, versus}, g.Kind) {
		g.Kind = arcade
	}
	return g
}

func (j *judge) seed() uint32 { return cmp.Or(j.game.Seed, 1) }

// scores reports whether games of a kind have a score, and ends whether they end.
func (g Game) scores() bool   { return g.Kind != story && g.Kind != sandbox }
func (g Game) ends() bool     { return g.Kind != sandbox }
func (g Game) realTime() bool { return g.Kind == arcade || g.Kind == versus }

// judge plays a game in two seats, and holds what it sees against the rules.
type judge struct {
	game   Game
	report *Report
	seats  [2]*seat
	player bool // the game has one of its own

	mu                   sync.Mutex // guards what both seats add to
	scored, ended, moved bool
	best, idle, blind    float64 // in the first thirty seconds of a run
	seeing               bool    // best is that of a player or a check
	colourful            bool
	sights               []sight
	known                []tale  // of pages that were left or played to their end
	idleTale             tale    // of the seat that was left alone
	restarted            bool    // the first restart was judged
	light, grown         float64 // bytes that the first page holds once it is played, and those that are added
}

// Play opens a game twice, plays it in every way, and judges it. Its error is
// ctx's, or means that nothing can be said about the game.
func (b *Browser) Play(ctx context.Context, g Game) (Report, error) {
	start := time.Now()
	var r Report
	j := &judge{game: described(g), report: &r}
	script, err := judgeScript()
	if err != nil {
		return r, err
	}
	player, err := playerOf(ctx, reader(g.Files))
	if err != nil {
		r.check("G01", true, false, "the player in "+playerFile+" can't be built: "+err.Error())
	}
	// Games of former releases say themselves what a player would do.
	j.player = player != "" || bytes.Contains(g.Files["game.js"], []byte("__svc_view"))
	for i := range j.seats {
		if j.seats[i], err = b.newSeat(ctx, &j.game, player+";\n"+script); err != nil {
			return r, err
		}
		defer j.seats[i].Close()
		go j.seats[i].watch(b.hang)
	}
	err = j.play()
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return r, ctx.Err()
	case j.seats[0].hung.Load() || j.seats[1].hung.Load():
		r.check("G02", true, false, fmt.Sprintf("the game hangs: its code does not come to an end within %s", b.hang))
	case strings.Contains(err.Error(), "exception \""): // what the judge relies on is not as a browser has it
		r.check("G02", true, false, "the page is broken: "+err.Error())
	default:
		return r, fmt.Errorf("the playtest broke off: %w", err)
	}
	r.Took = time.Since(start)
	return r, nil
}

// play plays the game, and judges what was seen.
func (j *judge) play() error {
	opened, err := inPair(j.seats[0], j.seats[1], func(s *seat, _ bool) (tale, error) { return s.load(j.seed()) })
	j.report.Ready = j.seats[0].Ready
	if err != nil && errors.Is(err, context.DeadlineExceeded) && !j.seats[0].alive() {
		j.report.check("G02", true, false, fmt.Sprintf("the game hangs: it is not open within %s", bootTime))
		return nil
	}
	if err != nil {
		return err
	}
	ready := opened[0].Ready >= 0 && opened[1].Ready >= 0
	j.report.check("G02", true, ready, fmt.Sprintf("svc.ready is not called within %d frames", min(j.seats[0].boot, opened[0].Frame)))
	j.report.check("P04", false, j.report.Ready < slowBoot, fmt.Sprintf("ready after %d ms", j.report.Ready.Milliseconds()))
	if ready {
		if err := j.open(); err != nil {
			return err
		}
	}
	return j.settle()
}

// open compares the twins before a run and at its start, and plays on.
func (j *judge) open() error {
	if err := j.wait(); err != nil {
		return err
	}
	started, err := inPair(j.seats[0], j.seats[1], func(s *seat, _ bool) (string, error) { return s.begin(2) })
	if err != nil {
		return err
	}
	t, err := j.seats[0].tell()
	if err != nil {
		return err
	}
	begun := started[0] != "" || t.Starts > 0
	j.report.check("G04", true, begun, "no control starts it ("+strings.Join(j.game.controls(), ", ")+"): no start is told")
	if !begun {
		return j.fit(j.seats[0])
	}
	if err := j.react(); err != nil {
		return err
	}
	if j.light, err = j.seats[0].weigh(); err != nil {
		return err
	}
	_, err = inPair(j.seats[0], j.seats[1], func(s *seat, acts bool) (any, error) {
		if acts {
			return nil, j.lead()
		}
		return nil, j.alone()
	})
	if err != nil {
		return err
	}
	if err := j.outlast(); err != nil {
		return err
	}
	if err := j.traced(); err != nil {
		return err
	}
	j.judgePlay()
	return nil
}

// wait leaves both alone for a second: they stay alike.
func (j *judge) wait() error {
	both, err := inPair(j.seats[0], j.seats[1], func(s *seat, _ bool) ([2]picture, error) {
		first, err := s.show()
		if err != nil {
			return [2]picture{}, err
		}
		if s == j.seats[0] {
			if err := j.shoot("ready", first); err != nil {
				return [2]picture{}, err
			}
		}
		if _, err := s.play("", second, "never"); err != nil {
			return [2]picture{}, err
		}
		then, err := s.show()
		return [2]picture{first, then}, err
	})
	if err != nil {
		return err
	}
	j.report.check("G05", false, both[0][1].Print == both[1][1].Print, "two games left alone differ: something is left to chance or to the clock of the wall")
	j.moved = both[0][0].Print != both[0][1].Print
	j.paint(both[0][1])
	return nil
}

// react proves that an input, and nothing else, changes the game: of two that
// started alike one is played.
func (j *judge) react() error {
	policies := []string{"", "probe", "pointer", "arrows"}
	if j.player {
		policies[2] = "player"
	}
	differ := false
	before := ""
	for i, frames := range []int{12, 24, 2 * second, second} {
		both, err := inPair(j.seats[0], j.seats[1], func(s *seat, acts bool) (stretch, error) {
			if !acts {
				return s.stretch("", frames)
			}
			return s.stretch(policies[i], frames)
		})
		if err != nil {
			return err
		}
		acted, left := both[0], both[1]
		j.paint(acted.picture)
		if i == 0 {
			before = left.Print
			if err := j.shoot("early", acted.picture); err != nil {
				return err
			}
			if acted.Print != left.Print {
				j.report.check("G05", false, false, "two games that started alike differ")
			}
			continue
		}
		j.moved = j.moved || left.Print != before
		over := acted.tale.over() && left.tale.over()
		differ = acted.tale.over() != left.tale.over() || !over && acted.Print != left.Print || over && acted.tale.last().Ended != left.tale.last().Ended
		if differ || over {
			break
		}
	}
	j.checkOf(ofPlay, "G05", differ, "input changes nothing that is seen")
	return nil
}

// stretch is a part of a run, and what it comes to.
type stretch struct {
	tale tale
	picture
}

func (s *seat) stretch(policy string, frames int) (out stretch, err error) {
	if out.tale, err = s.play(policy, frames, "ended"); err == nil {
		out.picture, err = s.show()
	}
	return out, err
}

// paint notes the colours of a picture. Of a game that says which texts are over it,
// they are looked for in the shots, beside these.
func (j *judge) paint(p picture) {
	if j.game.realTime() && p.Screen != nil && len(p.Screen.HUD) > 0 {
		return
	}
	j.colourful = j.colourful || p.Colours != nil && p.Colours.Count >= minColours && p.Colours.Share <= maxShare
}

// inPair does the same with both seats at a time; the first is the one that is
// acted on.
func inPair[T any](first, second *seat, do func(s *seat, acts bool) (T, error)) (out [2]T, err error) {
	var errs [2]error
	var wait sync.WaitGroup
	for i, s := range []*seat{first, second} {
		wait.Go(func() { out[i], errs[i] = do(s, i == 0) })
	}
	wait.Wait()
	return out, errors.Join(errs[:]...)
}
