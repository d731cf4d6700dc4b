package decisionlog

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/svc-games/svc/policy"
)

func TestTheRecordsThatMatchAllFiltersAreSelected(t *testing.T) {
	all := records()
	all[0].RequestID = "r-1"
	all[1].RequestID, all[1].ProjectID, all[1].Timestamp = "r-2", "p9", noon.Add(time.Minute)
	log := written(t, all) + `{"decision_id":"d-3","timestamp":"2026-11-20T12:02:00Z","input":{"action":"files","key":7},"erased":["/input/key"]}` + "\n" +
		`{"decision_id":"d-4","timestamp":"2026-11-20T12:02:00Z","input":{"action":"events"},"erased":["/result"]}` + "\n" +
		`{"decision_id":"d-5","timestamp":"2026-11-20T12:02:00Z","input":{"action":"events"},"result":{"status":200,"rule":"allowed"},"erased":["/result/allow"]}` + "\n" +
		`{"decision_id":"d-6","timestamp":"2026-11-20T12:02:00Z","input":{"action":"events"},"result":{"allow":"no","status":503,"rule":"key.revoked"},"masked":["/result/%61llow","/result/status"]}` + "\n" +
		`{"decision_id":"d-7","timestamp":"2026-11-20T12:02:00Z","input":{"action":"events"},"result":"hidden","masked":["/result"]}` + "\nnone\n"
	for _, tt := range []struct {
		name string
		f    Filter
		want string
	}{
		{"all", Filter{}, "d-1 d-2 d-3 d-4 d-5 d-6 d-7"},
		{"key", Filter{Who: "key_1"}, "d-1"},
		{"user", Filter{Who: "user-1"}, "d-1"},
		{"somebody else", Filter{Who: "user-"}, ""},
		{"project", Filter{Project: "p1"}, "d-1"},
		{"project that is not there", Filter{Project: "p9"}, "d-2"},
		{"action", Filter{Action: policy.ActionStatus}, "d-2"},
		{"action of a masked record", Filter{Action: policy.ActionFiles}, "d-3"},
		{"rule", Filter{Rule: "allowed"}, "d-1 d-5"},
		{"status", Filter{Status: 200}, "d-1 d-5"},
		{"no decision", Filter{Status: 503}, "d-2"},
		{"refused", Filter{Refused: true}, "d-2"},
		{"refused, where the rule is known", Filter{Rule: "key.revoked", Refused: true}, ""},
		{"request", Filter{RequestID: "r-2"}, "d-2"},
		{"revision", Filter{Revision: "re"}, "d-1 d-2"},
		{"since", Filter{Since: noon.Add(time.Minute)}, "d-2 d-3 d-4 d-5 d-6 d-7"},
		{"until", Filter{Until: noon.Add(time.Minute)}, "d-1"},
		{"both", Filter{Who: "user-1", Refused: true}, ""},
	} {
		s, err := Select(strings.NewReader(log), tt.f, 0)
		var ids []string
		for _, r := range s.Records {
			ids = append(ids, r.DecisionID)
		}
		if got := strings.Join(ids, " "); err != nil || got != tt.want || s.Unreadable != 1 || s.Matched != len(ids) {
			t.Errorf("%s: got %q, %+v, %v; want %q", tt.name, got, s, err, tt.want)
		}
	}
}

func TestOfManyRecordsTheLastAreSelectedAndAllAreCounted(t *testing.T) {
	var all []Record
	for i := range 25 {
		r := records()[0]
		r.DecisionID, r.Count = fmt.Sprintf("d-%02d", i), int64(i%2)*3
		all = append(all, r)
	}
	s, err := Select(strings.NewReader(written(t, all)), Filter{}, 4)
	if err != nil || len(s.Records) != 4 || s.Records[0].DecisionID != "d-21" || s.Records[3].DecisionID != "d-24" || s.Matched != 25 || s.Decisions != 13+12*3 {
		t.Errorf("got %+v, %v", s, err)
	}
}

func TestTheDecisionsOnARequestAreFoundByIt(t *testing.T) {
	all := append(records(), records()...)
	all[1].RequestID, all[2].DecisionID, all[2].RequestID = "r-1", "d-3", "r-1"
	found, err := Find(strings.NewReader(written(t, all)), "r-1")
	if err != nil || len(found) != 2 || found[0].DecisionID != "d-2" || found[1].DecisionID != "d-3" {
		t.Errorf("got %+v, %v", found, err)
	}
}

func TestRefusalsOfUnknownKeysAreSampledAndAllCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), FileName)
		l := openLog(t, Options{Path: path, Sample: 1})
		e := entry(t, embedded(t))
		e.Input, e.Decision, e.Repeats = policy.Input{Action: policy.ActionAuthenticate}, policy.Decision{Status: 401, Error: "No.", Reason: "r", Rule: "key.unknown"}, true
		flood := func(n int) {
			for i := range n {
				e.RequestID = fmt.Sprint(i)
				if err := l.Add(e); err != nil {
					t.Fatal(err)
				}
			}
		}
		flood(10_000)
		other := e
		other.Decision.Rule = "key.malformed"
		if err := l.Add(other); err != nil {
			t.Fatal(err)
		}
		time.Sleep(3 * window / 2)
		flood(5)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		var counts []int64
		for _, r := range lines(t, path) {
			counts = append(counts, max(1, r.Count))
		}
		// The first and the other kind, the rest of the window, and then 5 more.
		want := slices.Concat(slices.Repeat([]int64{1}, mostRefused+1), []int64{10_000 - mostRefused}, slices.Repeat([]int64{1}, 5))
		if !slices.Equal(counts, want) {
			t.Errorf("records stand for %v decisions, want %v", counts, want)
		}
	})
}

// TestPagesThatAUserAsksForDoNotFillTheLog: of projects that are there, and of ids that are
// made up. Nobody looks at as many as are recorded, each with its request.
func TestPagesThatAUserAsksForDoNotFillTheLog(t *testing.T) {
	for name, d := range map[string]policy.Decision{
		"allowed": {Allow: true, Status: 200, Rule: "allowed"}, "refused": {Status: 403, Error: "No.", Rule: "project.forbidden"},
	} {
		synctest.Test(t, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), FileName)
			l := openLog(t, Options{Path: path, Sample: 1})
			e := entry(t, embedded(t))
			e.Input, e.Decision, e.Page = policy.Input{Action: policy.ActionGetProject, User: &policy.User{ID: "alice", Via: policy.ViaConsole}}, d, true
			for i := range 10_000 {
				e.ProjectID = fmt.Sprint(i)
				if err := l.Add(e); err != nil {
					t.Fatal(err)
				}
				if i == mostPages { // another's are none of hers
					other := e
					other.Input.User = &policy.User{ID: "bob", Via: policy.ViaConsole}
					if err := l.Add(other); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			var all int64
			records := lines(t, path)
			for _, r := range records {
				all += max(1, r.Count)
			}
			if len(records) != mostPages+2 || all != 10_001 {
				t.Errorf("%s: %d records of %d decisions", name, len(records), all)
			}
		})
	}
}

// TestRefusalsOfADeadKeyDoNotFillTheLog: each is recorded where they are few, as somebody
// will ask for it by its request; in a flood all are counted.
func TestRefusalsOfADeadKeyDoNotFillTheLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), FileName)
		l := openLog(t, Options{Path: path, Sample: 1})
		e := entry(t, embedded(t))
		add := func(keyID string, n int) {
			e.Input = policy.Input{Action: policy.ActionAuthenticate, Key: &policy.Key{ID: keyID, State: policy.KeyRevoked}}
			e.Decision, e.Repeats = policy.Decision{Status: 401, Error: "No.", Reason: "revoked", Rule: "key.revoked"}, true
			for range n {
				if err := l.Add(e); err != nil {
					t.Fatal(err)
				}
			}
		}
		add("a", mostRefused)
		add("b", 1000)
		time.Sleep(3 * window / 2)
		add("b", 5)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		records, counts := map[string]int{}, map[string]int64{}
		for _, r := range lines(t, path) {
			records[r.Input.Key.ID]++
			counts[r.Input.Key.ID] += max(1, r.Count)
		}
		if records["a"] != mostRefused || counts["a"] != mostRefused || records["b"] != mostRefused+1+5 || counts["b"] != 1005 {
			t.Errorf("%v records stand for %v decisions", records, counts)
		}
	})
}

// TestALinkThatAnyoneMayOpenFloodsNoLog: 250,000 files of a share in ten minutes neither
// push a refusal out nor, where decisions must be recorded, keep others from theirs.
func TestALinkThatAnyoneMayOpenFloodsNoLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), FileName)
		l := openLog(t, Options{Path: path, Sample: 1, Mode: Required, Queue: 4, MaxBytes: 64 << 10, Keep: 1})
		refusal := entry(t, embedded(t))
		refusal.RequestID, refusal.Decision = "r-refused", policy.Decision{Status: 403, Error: "No.", Rule: "project.forbidden"}
		if err := l.Add(refusal); err != nil {
			t.Fatal(err)
		}
		file := entry(t, embedded(t))
		file.Input.Key, file.Input.User, file.Repeats = nil, &policy.User{ID: "alice", Via: policy.ViaConsole}, true
		suspended := file
		suspended.Decision = policy.Decision{Status: 403, Error: "No.", Rule: "user.suspended"}
		for range 10 {
			synctest.Wait() // the log keeps up
			for range 25_000 {
				if err := l.Add(file); err != nil {
					t.Fatalf("a file of the share: %v", err)
				}
			}
			for range 2 { // of many more that are refused, some are recorded
				if err := l.Add(suspended); err != nil {
					t.Fatalf("a file of another: %v", err)
				}
			}
			time.Sleep(window)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		counts, kept := map[bool]int64{}, 0
		for _, r := range lines(t, path) {
			kept++
			counts[r.Result.Allow] += max(1, r.Count)
		}
		if kept > 60 || counts[true] != 250_000 || counts[false] != 21 {
			t.Errorf("%d records stand for %v decisions", kept, counts)
		}
	})
}

// TestWhatOthersAskIsRecordedUpToANumber: the id of a decision is that of its record, and
// there is none without.
func TestWhatOthersAskIsRecordedUpToANumber(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), FileName)
		l := openLog(t, Options{Path: path, Sample: 1})
		e := entry(t, embedded(t))
		e.Path, e.Repeats = AskedPath, true
		ids := map[string]bool{}
		for i := range 2 * mostAsked {
			synctest.Wait()
			key := *e.Input.Key
			key.UserID = fmt.Sprint("user-", i) // whoever asks may name anyone
			e.Input.Key = &key
			id, err := l.AddNamed(e)
			if err != nil || (id != "") != (i < mostAsked) {
				t.Fatalf("decision %d has the id %q, %v", i, id, err)
			}
			if id != "" {
				ids[id] = true
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		var decisions int64
		for _, r := range lines(t, path) {
			if r.Count == 0 && !ids[r.DecisionID] || r.Count > 0 && ids[r.DecisionID] {
				t.Errorf("record %+v was named otherwise", r)
			}
			decisions += max(1, r.Count)
		}
		if len(ids) != mostAsked || decisions != 2*mostAsked {
			t.Errorf("%d ids, records of %d decisions", len(ids), decisions)
		}
	})
}

func TestAPolicyThatCouldNotBeKeptIsKeptLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		core, logs := observer.New(zapcore.ErrorLevel)
		path := filepath.Join(t.TempDir(), FileName)
		l := openLog(t, Options{Path: path, Sample: 1, Logger: zap.New(core)})
		e := entry(t, embedded(t))
		record := func() {
			if err := l.Add(e); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		if err := os.WriteFile(policiesDir(path), nil, 0o600); err != nil { // no folder can be there
			t.Fatal(err)
		}
		for range 3 {
			record()
			record()
			time.Sleep(retryAfter)
		}
		if n := logs.Len(); n != 1 {
			t.Errorf("it is logged %d times", n)
		}
		if err := os.Remove(policiesDir(path)); err != nil {
			t.Fatal(err)
		}
		record()
		if _, err := Policy(path, e.Evaluator.Revision()); err != nil {
			t.Errorf("after the repair: %v", err)
		}
	})
}

func TestTheFirstRecordOfAFileKeepsItsPolicyForThatFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	first, second := embedded(t), masking(t, `mask contains "/input/nothing"`)
	line, err := render(entry(t, first))
	if err != nil {
		t.Fatal(err)
	}
	l := openLog(t, Options{Path: path, MaxBytes: int64(10*len(line) + 100), Keep: 1, Sample: 1})
	write := func(n int, of *policy.Evaluator) {
		for range n {
			l.write(entry(t, of))
		}
	}
	write(1, first)
	long := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(policiesDir(path), first.Revision()+suffix), long, long); err != nil {
		t.Fatal(err)
	}
	write(9, second)
	write(1, first) // in a new file
	write(9, second)
	write(1, second) // the file from before is gone
	if _, err := Policy(path, first.Revision()); err != nil || !slices.ContainsFunc(lines(t, path), func(r Record) bool { return r.Revision() == first.Revision() }) {
		t.Errorf("of a record that is there: %v", err)
	}
}

func TestAPolicyIsKeptForAsLongAsTheLogHasARecordOfIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	first, second := embedded(t), masking(t, `mask contains "/input/nothing"`)
	line, err := render(entry(t, first))
	if err != nil {
		t.Fatal(err)
	}
	// Ten lines a file, one file and one renamed one.
	l := openLog(t, Options{Path: path, MaxBytes: int64(10*len(line) + 100), Keep: 1, Sample: 1})
	kept := func(of *policy.Evaluator) bool {
		files, err := Policy(path, of.Revision())
		if err != nil {
			return false
		}
		again, err := policy.NewEvaluator(files)
		return err == nil && again.Revision() == of.Revision()
	}
	write := func(n int, of *policy.Evaluator) {
		for range n {
			l.write(entry(t, of))
		}
	}
	write(1, first)
	write(15, second)
	if !kept(first) || !kept(second) {
		t.Error("a policy that decided is not kept")
	}
	write(8, second) // the file with the first is gone
	if kept(first) || !kept(second) {
		t.Errorf("the first is kept: %t, the second: %t", kept(first), kept(second))
	}
	write(40, second)
	if !kept(second) {
		t.Error("a policy that goes on deciding is not kept")
	}
	if _, err := Policy(path, "../"+first.Revision()); err == nil {
		t.Error("a revision leads out of the folder")
	}
	if _, err := Policy(path+".1", second.Revision()); err != nil {
		t.Errorf("of a renamed log: %v", err)
	}
}
