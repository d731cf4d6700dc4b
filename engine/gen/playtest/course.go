package playtest

import (
	"fmt"
	"slices"
)

// Bounds of a run.
const (
	idleRun  = 60 * second
	blindRun = 30 * second
	midRun   = 8 * second
	lateLook = 26 * second // what throws late has thrown by then
)

// policies are the ways of playing without a player, in turn.
var policies = []string{"mash", "pointer", "arrows", "periodic", "hold", "type"}

// lead plays the first seat: with the game's player, or in every way, until it is
// over; and begins again.
func (j *judge) lead() error {
	s := j.seats[0]
	ways := policies
	if j.player {
		ways = []string{"player", "hold"}
	}
	for i, way := range ways {
		t, err := j.spell(s, way)
		if err != nil {
			return err
		}
		if way == "pointer" || way == "arrows" || j.player {
			j.keep(t, way == "player")
		} else {
			j.blindest(t)
		}
		if !t.over() { // a good player of an endless game does not lose
			if err := j.goesOn(s); err != nil {
				return err
			}
			continue
		}
		if begun, err := j.again(s, t); err != nil || !begun {
			return err
		}
		// A run that soon was over says little of a player, who began it after others.
		if short := t.last().Ended-t.last().At < blindRun; j.player && short && i == 0 {
			if t, err = j.spell(s, "player"); err != nil {
				return err
			}
			j.keep(t, true)
			if !t.over() {
				return j.goesOn(s)
			}
			_, err = j.again(s, t)
			return err
		}
		if j.player || i >= 2 && (j.scored || !j.game.scores()) {
			return nil
		}
	}
	return nil
}

// spell is one run, or a part of it, under a policy, with a picture of its middle if
// there is none.
func (j *judge) spell(s *seat, way string) (tale, error) {
	frames := blindRun
	if way == "player" || way == "hold" && j.player {
		frames = j.limit()
	}
	if !slices.ContainsFunc(j.sights, func(s sight) bool { return s.moment == "mid" }) {
		t, err := s.play(way, midRun, "ended")
		if err != nil {
			return t, err
		}
		p, err := s.show()
		if err != nil {
			return t, err
		}
		j.paint(p)
		if !t.over() {
			if err := j.shoot("mid", p); err != nil {
				return t, err
			}
		}
		if t.over() {
			return t, nil
		}
	}
	t, err := s.play(way, frames, "ended")
	if err == nil && way == "player" && j.report.RunSeconds == 0 {
		j.report.RunSeconds = float64(t.Frame-t.last().At) / second
	}
	return t, err
}

// goesOn sees whether a game still moves after a long run.
func (j *judge) goesOn(s *seat) error {
	if !j.game.realTime() {
		return nil
	}
	first, err := s.show()
	if err != nil {
		return err
	}
	then, err := s.stretch("", 3*second)
	if err == nil {
		j.report.check("G03", false, then.tale.over() || first.Print != then.Print, fmt.Sprintf("after %d seconds it stands still", then.tale.Frame/second))
	}
	return err
}

// limit is how long a good player may play, in frames.
func (j *judge) limit() int {
	if j.game.Limit == 0 || j.game.Limit > 60 {
		return maxLong
	}
	return maxShort
}

// again looks at the end of a run and begins the next one, which starts afresh.
func (j *judge) again(s *seat, over tale) (bool, error) {
	judged := s == j.seats[0] && !j.restarted
	if judged {
		if _, err := s.play("", 40, "never"); err != nil { // until its screen is all there
			return false, err
		}
		p, err := s.show()
		if err != nil {
			return false, err
		}
		if err := j.shoot("over", p); err != nil {
			return false, err
		}
	} else if _, err := s.play("", 30, "never"); err != nil {
		return false, err
	}
	control, err := s.begin(5)
	if err != nil {
		return false, err
	}
	t, err := s.tell()
	if err != nil {
		return false, err
	}
	if judged {
		j.restarted = true
		j.report.check("G08", true, control != "", "no control starts it again within a second of its end")
		points := t.last().Score // what starts it may score
		j.report.check("G08", false, t.last().Told == 0 || points <= 1, fmt.Sprintf("a new run has a score of %v before anything is done", points))
	}
	if control == "" {
		return false, nil
	}
	if t.Score != nil && *t.Score != 0 && t.last().Told == 0 {
		j.checkOf(ofState, "G08", false, fmt.Sprintf("a new run begins with a score of %v", *t.Score))
	}
	if judged {
		p, err := s.show()
		if err != nil {
			return false, err
		}
		return true, j.shoot("again", p)
	}
	return true, nil
}

// alone plays the second seat: it is left alone for a minute, and then played by
// one who does not look.
func (j *judge) alone() error {
	s := j.seats[1]
	t, err := s.play("", idleRun, "ended")
	if err != nil {
		return err
	}
	j.idleTale = t
	if j.game.Trusted && t.over() {
		_, err := j.again(s, t)
		return err
	}
	for _, way := range []string{"mash", "periodic"} {
		if j.game.Trusted {
			return nil
		}
		begun := false
		if t.over() {
			if begun, err = j.again(s, t); err != nil {
				return err
			}
		}
		if !begun {
			if begun, err = j.reopen(s); err != nil || !begun {
				return err
			}
		}
		if t, err = s.play(way, blindRun, "ended"); err != nil {
			return err
		}
		j.blindest(t)
	}
	return nil
}

// reopen opens the game anew and starts a run.
func (j *judge) reopen(s *seat) (bool, error) {
	t, err := s.load(j.seed())
	if err != nil || t.Ready < 0 {
		return false, err
	}
	control, err := s.begin(2)
	return control != "" || t.Starts > 0, err
}

// outlast lets the time pass in which something may still break, hides the page
// and makes it small.
func (j *judge) outlast() error {
	_, err := inPair(j.seats[0], j.seats[1], func(s *seat, acts bool) (any, error) {
		t, err := s.tell()
		if err != nil {
			return nil, err
		}
		if left := lateLook - t.Frame; left > 0 {
			if t, err = s.play("", left, "never"); err != nil {
				return nil, err
			}
		}
		j.mu.Lock()
		j.known = append(j.known, t)
		j.mu.Unlock()
		if !acts {
			return nil, nil
		}
		heavy, err := s.weigh()
		if err != nil {
			return nil, err
		}
		j.grown = heavy - j.light
		return nil, j.bear(s)
	})
	return err
}
