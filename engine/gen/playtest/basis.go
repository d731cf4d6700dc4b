package playtest

// basis is what checks rest on. Where that is found to be wrong they say nothing of
// their own: the one fault is named, and what else there is once it is mended.
type basis uint8

const (
	ofState basis = 1 << iota // what the game's state says is what svc is told
	ofPlay                    // there is something to play
)

// checkOf is a blocking check that rests on something.
func (j *judge) checkOf(of basis, rule string, ok bool, note string) {
	for len(j.rests) < len(j.report.Checks) {
		j.rests = append(j.rests, 0)
	}
	j.rests = append(j.rests, of)
	j.report.check(rule, true, ok, note)
}

// withdraw takes back the checks that rest on what was found to be wrong.
func (j *judge) withdraw(wrong basis) {
	var checks []Check
	var rests []basis
	for i, c := range j.report.Checks {
		of := basis(0)
		if i < len(j.rests) {
			of = j.rests[i]
		}
		if of&wrong == 0 {
			checks, rests = append(checks, c), append(rests, of)
		}
	}
	j.report.Checks, j.rests = checks, rests
}
