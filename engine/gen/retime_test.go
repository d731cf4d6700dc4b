package gen

import (
	"strings"
	"testing"

	"github.com/svc-games/svc/engine/gen/playtest"
)

// TestChecksFollowThePaceThatWasAskedFor: what a trace proved at another pace is no
// regression; one that does not hold at the new one either is taken out, and named.
func TestChecksFollowThePaceThatWasAskedFor(t *testing.T) {
	p, s, a := blocks(t)
	const broken = `check "a stack to the top ends it, and it begins again at 0": score is 3`
	before := p.files()["game/checks/ends.json"]
	a.reports = []playtest.Report{failing("G13", broken), {}}
	result, rep := p.runWith(wide("faster"))
	if check := p.files()["game/checks/ends.json"]; !result.Changed || warned(rep) != "" || check == before || !strings.Contains(check, `"expect"`) {
		t.Errorf("%+v, warned %q, the check is %s", result, warned(rep), check)
	}
	a.played, a.reports = nil, []playtest.Report{failing("G13", broken), {}, failing("G13", broken), {}} // the second is of what was there before
	result, rep = p.runWith(wide("slower"))
	if _, there := p.files()["game/checks/ends.json"]; !result.Changed || there || !strings.Contains(warned(rep), "they were taken out: a stack to the top") {
		t.Errorf("%+v, warned %q, there %v", result, warned(rep), there)
	}
	a.played, a.reports = nil, []playtest.Report{{Checks: append(failing("G13", broken).Checks, failing("G08", "no control starts it again").Checks...)}, {}}
	if result, _ = p.runWith(wide("faster")); result.Changed || len(a.played) != 2 { // it, and what was wrong before
		t.Errorf("what else is wrong: %+v after %d plays", result, len(a.played))
	}
	if len(s.asked) > 0 || len(p.files()) == 0 {
		t.Errorf("the model was asked %d times", len(s.asked))
	}
	if data, ok := retimed([]byte(`{"name":"x","seed":3,"frames":301,"inputs":[{"at":5,"tap":true},{"at":260,"key":"a"}],"expect":{"ended":true}}`), 0.8); !ok ||
		strings.Join(strings.Fields(string(data)), "") != `{"name":"x","seed":3,"frames":241,"inputs":[{"at":4,"tap":true},{"at":208,"key":"a"}],"expect":{"ended":true}}` {
		t.Errorf("retimed it is %s", data)
	}
}
