package playtest

import (
	"slices"
	"strings"
	"time"
)

// Check is one thing that was looked at.
type Check struct {
	Rule     string `json:"rule"`
	OK       bool   `json:"ok"`
	Blocking bool   `json:"blocking"`
	Note     string `json:"note"`

	of basis // what it rests on
}

// Moments of a game that are looked at.
var Moments = []string{"ready", "early", "mid", "over", "again"}

// Shot is a picture of one of the moments of a game.
type Shot struct {
	Moment string
	JPEG   []byte
}

// Report is what a playtest found out.
type Report struct {
	Checks     []Check
	Shots      []Shot
	Ready      time.Duration // from opening until it could be played
	Score      float64       // of the skilled player
	Blind      float64       // best of those who do not look
	SkillRatio float64
	RunSeconds float64 // of the skilled run
	Took       time.Duration
}

// Failed returns the checks that failed, only the blocking ones or all.
func (r Report) Failed(blocking bool) []Check {
	var out []Check
	for _, c := range r.Checks {
		if !c.OK && (c.Blocking || !blocking) {
			out = append(out, c)
		}
	}
	return out
}

// OK reports whether nothing keeps the game from being delivered.
func (r Report) OK() bool { return len(r.Failed(true)) == 0 }

// Notes say what failed, one each.
func (r Report) Notes() []string {
	notes := []string{}
	for _, c := range r.Failed(false) {
		notes = append(notes, c.Rule+" "+c.Note)
	}
	return notes
}

// Rules are those that failed, each once.
func (r Report) Rules() []string {
	rules := []string{}
	for _, c := range r.Failed(false) {
		if !slices.Contains(rules, c.Rule) {
			rules = append(rules, c.Rule)
		}
	}
	return rules
}

// String says what failed.
func (r Report) String() string { return strings.Join(r.Notes(), "; ") }

func (r *Report) check(rule string, blocking, ok bool, note string) {
	r.Checks = append(r.Checks, Check{Rule: rule, OK: ok, Blocking: blocking, Note: note})
}
