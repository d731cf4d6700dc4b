package playtest

import "slices"

// basis is what checks rest on. Where that is found to be wrong they say nothing of
// their own: the one fault is named, and what else there is once it is mended.
type basis uint8

const (
	ofState basis = 1 << iota // what the game's state says is what svc is told
	ofPlay                    // there is something to play
)

// checkOf is a blocking check that rests on something.
func (j *judge) checkOf(of basis, rule string, ok bool, note string) {
	j.report.Checks = append(j.report.Checks, Check{Rule: rule, OK: ok, Blocking: true, Note: note, of: of})
}

// withdraw takes back the checks that rest on what was found to be wrong.
func (j *judge) withdraw(wrong basis) {
	j.report.Checks = slices.DeleteFunc(j.report.Checks, func(c Check) bool { return c.of&wrong != 0 })
}
