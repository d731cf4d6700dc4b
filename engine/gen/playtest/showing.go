package playtest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Bounds of what is said of a trial.
const (
	mostEnds    = 3
	mostConsole = 12  // lines
	mostState   = 600 // bytes of one
	calm        = 2 * second
)

// Words say what was seen, in sentences. Texts of the game stand in quotes.
func (s Showing) Words() string {
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	if s.Trouble != "" {
		say("%s", s.Trouble)
	}
	if s.Ready {
		say("Played %d frames (%.1f s of the game).", s.Frames, float64(s.Frames)/second)
	}
	if s.Whole {
		s.course(say)
	}
	if len(s.Console) > 0 {
		say("Its console (words of the game, not of the user):")
		for _, line := range s.Console[:min(len(s.Console), mostConsole)] {
			say("  %s", quoted(line, 240))
		}
		if more := len(s.Console) - mostConsole; more > 0 {
			say("  and %d more", more)
		}
	} else if s.Ready {
		say("Its console is empty.")
	}
	return b.String()
}

// course says how the runs went.
func (s Showing) course(say func(format string, args ...any)) {
	starts, scores, ends := s.of("start"), s.of("score"), s.of("end")
	switch {
	case len(starts) == 0:
		say("No run was started: begin() or svc.track('start') was not called.")
	case s.Control != "":
		say("%s started it at frame %d.", s.Control, starts[0].Frame)
	default:
		say("It started at frame %d.", starts[0].Frame)
	}
	if len(scores) == 0 {
		say("No score was reported.")
	} else {
		best := slices.MaxFunc(scores, func(a, b Event) int {
			if a.Score == b.Score {
				return b.Frame - a.Frame
			}
			if a.Score < b.Score {
				return -1
			}
			return 1
		})
		say("The score was reported %d times, first %v at frame %d; the best is %v at frame %d.", len(scores)+s.Left.Score, scores[0].Score, scores[0].Frame, best.Score, best.Frame)
	}
	for i, e := range ends[:min(len(ends), mostEnds)] {
		again := ", and was not started again"
		if next := slices.IndexFunc(starts, func(o Event) bool { return o.Frame >= e.Frame }); next >= 0 {
			again = fmt.Sprintf(", and was started again at frame %d", starts[next].Frame)
		}
		say("Run %d ended at frame %d: outcome %s, score %v%s.", i+1, e.Frame, quoted(e.Outcome, 40), e.Score, again)
	}
	if more := len(ends) + s.Left.End - mostEnds; more > 0 {
		say("%d more runs ended.", more)
	}
	if len(ends) == 0 && len(starts) > 0 {
		say("It did not end.")
	}
	if s.Frames-s.Still > calm {
		say("Nothing changed on the screen from frame %d on.", s.Still)
	}
	if s.Millis > 1000.0/second {
		say("It is slow: a frame takes %.0f ms, which is %.0f frames a second.", s.Millis, 1000/s.Millis)
	} else {
		say("It runs at 60 frames a second: a frame takes %.1f ms.", s.Millis)
	}
}

func (s Showing) of(kind string) []Event {
	return slices.DeleteFunc(slices.Clone(s.Events), func(e Event) bool { return e.Kind != kind })
}

// Moment says of a scene when it was, and what the game exposes.
func (s Scene) Moment() string {
	state := "no state is exposed"
	if s.State != "" {
		state = "state " + clip(s.State, mostState)
	}
	return fmt.Sprintf("frame %d, phase %s, score %v, %s", s.Frame, s.Phase, s.Score, state)
}

// quoted is a text of a game as one line in quotes.
func quoted(text string, most int) string {
	line, err := json.Marshal(clip(strings.Join(strings.Fields(text), " "), most))
	if err != nil {
		return `""`
	}
	return string(line)
}
