package playtest

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Bounds of the rules.
const (
	minColours  = 4     // at five bits a channel
	maxShare    = 0.999 // of the commonest colour
	maxHeap     = 512 << 20
	skillPays   = 1.5
	idleShare   = 0.2
	muchAlone   = 5    // points
	maxGrowth   = 5    // listeners a run
	slowFrame   = 33.0 // ms
	startedOver = 30   // frames: a run that ends in so few has no middle
	leastRun    = 3 * second
	muchHeap    = 24 << 20 // bytes that may be added while a game is played
)

// keep takes what a page tells into account.
func (j *judge) keep(t tale, seeing bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, r := range t.Runs {
		j.scored = j.scored || r.Told > 0 && r.Best >= 1
		j.ended = j.ended || r.Ends > 0
		if r.Half > j.best || seeing && !j.seeing && r.Half > 0 {
			j.best, j.seeing = max(j.best, r.Half), j.seeing || seeing
		}
		j.report.Score = max(j.report.Score, r.Best)
	}
	j.known = append(j.known, t)
}

// blindest takes the newest run of one who does not look.
func (j *judge) blindest(t tale) {
	j.keep(t, false)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.blind = max(j.blind, t.last().Half)
}

// judgePlay holds all that was played against the rules.
func (j *judge) judgePlay() {
	j.keep(j.idleTale, false)
	g, r := j.game, j.report
	idle := run{Ended: -1}
	if len(j.idleTale.Runs) > 0 {
		idle = j.idleTale.Runs[0]
	}
	j.idle = idle.Half
	if g.realTime() {
		r.check("G03", true, j.moved, "nothing moves on the screen")
	}
	if g.scores() {
		j.checkOf(ofPlay, "G06", j.scored, "no play brings a score of 1 that is told by svc")
	}
	if g.ends() {
		r.check("G07", true, j.ended, "no play comes to an end that is told by svc")
		over := idle.Ended >= 0 && idle.Ended-idle.At <= startedOver
		r.check("G07", true, !over, "it ends as it starts")
		if over {
			j.withdraw(ofPlay)
		}
	}
	if g.realTime() && j.ended {
		r.check("G07", true, longest(j.known) > leastRun, "no play lasts three seconds")
	}
	if g.Short && g.Kind == arcade {
		r.check("G07", true, idle.Ended >= 0, "left alone it does not end within a minute")
	}
	j.judgeTales()
	j.judgeSkill()
	j.judgeShown()
}

// longest is the length of the longest run, in frames.
func longest(known []tale) int {
	most := 0
	for _, t := range known {
		for _, r := range t.Runs {
			end := r.Ended
			if end < 0 {
				end = t.Frame
			}
			most = max(most, end-r.At)
		}
	}
	return most
}

// judgeTales looks at what must hold of every page that was played.
func (j *judge) judgeTales() {
	r := j.report
	ends, unlike, alike, heap := 0, 0, 0, 0.0
	believed, compared := false, false
	bad, note, kept, grown := "", "", "", 0
	for _, t := range j.known {
		for i, one := range t.Runs {
			ends = max(ends, one.Ends)
			if i == 0 {
				continue
			}
			was := t.Runs[i-1]
			if !t.Exposed && one.First != nil && was.Best >= 2 && *one.First > was.Score {
				kept = fmt.Sprintf("a run of %v points is followed by one whose first score is %v", was.Score, *one.First)
			}
			if was.Listeners >= 0 && one.Listeners >= 0 {
				grown = max(grown, one.Listeners-was.Listeners)
			}
		}
		believed, compared = believed || t.Alike > 0, compared || t.Unlike > 0
		if t.Unlike > t.Alike {
			unlike, alike, note = t.Unlike, t.Alike, t.UnlikeNote
		}
		heap = math.Max(heap, t.Heap)
		if bad == "" {
			bad = t.Bad
		}
	}
	r.check("G06", true, unlike <= alike, "the score that svc is told is not that of the state: "+note)
	if compared && !believed {
		j.withdraw(ofState)
	}
	r.check("G07", true, ends <= 1, fmt.Sprintf("the end of one run is told %d times", ends))
	r.check("G08", true, kept == "", kept)
	r.check("G12", true, bad == "", bad)
	r.check("G12", true, heap < maxHeap, fmt.Sprintf("it takes %.0f MiB", heap/(1<<20)))
	r.check("G12", false, j.grown < muchHeap, fmt.Sprintf("while it is played it comes to hold %.0f MiB more", j.grown/(1<<20)))
	r.check("G12", false, grown < maxGrowth, fmt.Sprintf("each run adds %d listeners", grown))
}

// judgeSkill compares those who look with those who don't.
func (j *judge) judgeSkill() {
	if !j.game.scores() || !j.scored {
		return
	}
	blind := max(j.idle, j.blind)
	j.report.Blind, j.report.SkillRatio = blind, j.best/max(1, blind)
	if j.idle > 0 {
		j.report.check("G09", false, j.idle < idleShare*j.best, fmt.Sprintf("left alone it scores %v of %v", j.idle, j.best))
		j.report.check("G09", false, !j.byItself(), "it scores by itself: one who does nothing has as much at the same time")
	}
	if !j.seeing {
		return
	}
	pays := fmt.Sprintf("skill hardly pays: ratio %.2f", j.report.SkillRatio)
	j.report.check("G09", j.game.Kind == arcade && j.best <= blind && !j.game.Trusted, j.report.SkillRatio > skillPays || blind <= 1, pays)
}

// byItself reports whether one who does nothing scores like the best, as long as that
// lasts.
func (j *judge) byItself() bool {
	idle := j.idleTale.Runs[0]
	lasted := blindRun
	if idle.Ended >= 0 {
		lasted = min(lasted, idle.Ended-idle.At)
	}
	score, best := idle.upTo(lasted/second), 0.0
	for _, t := range j.known {
		for _, r := range t.Runs {
			best = max(best, r.upTo(lasted/second))
		}
	}
	return lasted >= 4*second && score >= muchAlone && score >= 0.7*best
}

// judgeShown looks whether the score is seen. A game that says what is on its screen
// is held to it; of others the texts that they draw are read.
func (j *judge) judgeShown() {
	if !j.game.scores() {
		return
	}
	shown, missing := 0, 0
	for _, t := range j.known {
		shown, missing = max(shown, t.Shown), max(missing, t.Missing)
	}
	if shown+missing > 0 {
		j.report.check("G11", false, shown >= missing, fmt.Sprintf("of %d scores %d were to be seen", shown+missing, shown))
	}
}

// complaints are what a page throws, each once, and what else its console says.
func complaints(faults []fault, console []string) []string {
	var said []string
	known := map[string]bool{}
	for _, f := range faults {
		if !known[f.Text] {
			said = append(said, fmt.Sprintf("frame %d: %s", f.Frame, f.Text))
		}
		known[f.Text] = true
	}
	for _, text := range console {
		thrown := len(faults) > 0 && strings.HasPrefix(text, "exception") // these are among the faults
		if !thrown && !known[text] {
			said = append(said, text)
		}
		known[text] = true
	}
	return said
}

// settle looks at the pictures, and at what the pages complained of.
func (j *judge) settle() error {
	r := j.report
	j.look()
	if len(r.Shots) > 0 {
		r.check("G03", true, j.colourful, "the screen has less than four colours in every moment, or one alone")
	}
	var said []string
	frames, spent := 0, 0.0
	for _, s := range j.seats {
		t, err := s.tell()
		if err != nil {
			return err
		}
		for _, text := range complaints(append(s.faults, t.Faults...), s.errors()) {
			if !slices.Contains(said, text) {
				said = append(said, text)
			}
		}
		frames, spent = frames+s.frames+t.Frame, spent+s.spent+t.Spent
	}
	r.check("G02", true, len(said) == 0, "it complains: "+strings.Join(said[:min(len(said), 6)], " | "))
	if frames > second {
		r.check("G12", false, spent/float64(frames) < slowFrame, fmt.Sprintf("a frame takes %.0f ms", spent/float64(frames)))
	}
	return nil
}
