package decisionlog

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/policy"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func records() []Record {
	day, tik := int64(10), api.TIK(2_500_000)
	limits := policy.Limits{JobsPerDay: &day, TIKPerMonth: &tik}
	in := policy.Input{
		Action:  policy.ActionGenerate,
		Key:     &policy.Key{ID: "key_1", UserID: "user-1", State: policy.KeyActive, Limits: limits},
		Project: &policy.Project{ID: "p1", OwnerID: "user-1", Attributes: map[string]string{"team": "arcade"}},
		Usage:   &policy.Usage{JobsToday: 3, TIKThisMonth: 1},
	}
	allowed := New("d-1", noon, "rev", in, policy.Decision{Allow: true, Status: 200, Limits: limits, Rule: "allowed"}, nil)
	allowed.Labels = map[string]string{"version": "1"}
	allowed.Metrics.EvalNS = 9000
	failed := New("d-2", noon, "rev", policy.Input{Action: policy.ActionStatus}, policy.Decision{}, policy.ErrNoDecision)
	return []Record{allowed, failed}
}

func written(t *testing.T, records []Record) string {
	t.Helper()
	var out bytes.Buffer
	w := json.NewEncoder(&out)
	for _, r := range records {
		if err := w.Encode(r); err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}

func TestWhatIsWrittenIsReadAgain(t *testing.T) {
	var got []Record
	for line, err := range Lines(strings.NewReader(written(t, records()) + "\n")) {
		if err != nil {
			t.Fatal(err)
		}
		r, err := Decode(line.Text)
		if err != nil || line.Number != len(got)+1 {
			t.Fatalf("line %d: %v", line.Number, err)
		}
		got = append(got, r)
	}
	if !reflect.DeepEqual(got, records()) {
		t.Errorf("got %+v, want %+v", got, records())
	}
}

func TestRecordHasTheFieldNamesOfOPA(t *testing.T) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(strings.SplitN(written(t, records()), "\n", 2)[0]), &fields); err != nil {
		t.Fatal(err)
	}
	want := []string{"bundles", "decision_id", "input", "labels", "metrics", "path", "result", "timestamp"}
	if got := slices.Sorted(maps.Keys(fields)); !slices.Equal(got, want) {
		t.Errorf("got the fields %v, want %v", got, want)
	}
	if string(fields["bundles"]) != `{"svc":{"revision":"rev"}}` || string(fields["path"]) != `"svc/authz/decision"` {
		t.Errorf("bundles are %s, path is %s", fields["bundles"], fields["path"])
	}
}

func TestMembersThatAreNotKnownAreRefusedWhereADecisionMayDependOnThem(t *testing.T) {
	const input = `"input":{"action":"status","key":null,"project":null,"usage":null}`
	for _, tt := range []struct {
		name, line string
		ok         bool
	}{
		{"field of OPA's that we do not have", `{"decision_id":"1","requested_by":"x",` + input + `}`, true},
		{"member of the input", `{"decision_id":"1","input":{"action":"status","admin":true}}`, false},
		{"member of the result", `{"decision_id":"1",` + input + `,"result":{"allow":true,"admin":true}}`, false},
		{"no input", `{"decision_id":"1"}`, false},
		{"no JSON", `decision`, false},
		{"two records in a line", `{"decision_id":"1",` + input + `}{}`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := Decode([]byte(tt.line)); (err == nil) != tt.ok {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestFindReturnsTheRecordOfADecision(t *testing.T) {
	log := written(t, records())
	found, err := Find(strings.NewReader(log), "d-2")
	if err != nil || len(found) != 1 || found[0].DecisionID != "d-2" || found[0].Error == nil || found[0].Result != nil || found[0].Revision() != "rev" {
		t.Errorf("got %+v, %v", found, err)
	}
	if _, err := Find(strings.NewReader(log), "d-"); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v, want ErrNotFound", err)
	}
}

func TestLineThatIsTooLongIsAnError(t *testing.T) {
	var err error
	for _, err = range Lines(strings.NewReader("{}\n" + strings.Repeat("x", maxLine+1))) {
	}
	if err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("got %v, want an error with line 2", err)
	}
}
