package decisionlog

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/svc-games/svc/policy"
)

func embedded(t *testing.T) *policy.Evaluator {
	t.Helper()
	e, err := policy.NewEvaluator(policy.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// entry is a decision of e on the first of records.
func entry(t *testing.T, e *policy.Evaluator) Entry {
	t.Helper()
	in := records()[0].Input
	d, err := e.Decide(t.Context(), in)
	return Entry{At: noon, Took: 9 * time.Microsecond, Input: in, Evaluator: e, Decision: d, Err: err}
}

func openLog(t *testing.T, o Options) *Log {
	t.Helper()
	if o.Path == "" {
		o.Path = filepath.Join(t.TempDir(), "new", FileName)
	}
	l, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

func value(t *testing.T, c prometheus.Metric) float64 {
	t.Helper()
	var m dto.Metric
	if err := c.Write(&m); err != nil {
		t.Fatal(err)
	}
	return m.GetCounter().GetValue() + m.GetGauge().GetValue()
}

// lines returns the records of a log and its renamed files.
func lines(t *testing.T, path string) []Record {
	t.Helper()
	log, err := OpenAll(path)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	var all []Record
	for line, err := range Lines(log) {
		if err != nil {
			t.Fatal(err)
		}
		r, err := Decode(line.Text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

func TestEveryDecisionThatWasAddedIsWrittenBeforeTheLogCloses(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	l := openLog(t, Options{Path: path, Sample: 1})
	want := entry(t, embedded(t))
	for range 1000 {
		if err := l.Add(want); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	all := lines(t, path)
	if len(all) != 1000 {
		t.Fatalf("%d records, want 1000", len(all))
	}
	ids := map[string]bool{}
	for _, r := range all {
		ids[r.DecisionID] = true
		if !reflect.DeepEqual(r.Input, want.Input) || !reflect.DeepEqual(*r.Result, want.Decision) || r.Revision() != want.Evaluator.Revision() ||
			!r.Timestamp.Equal(noon) || r.Metrics.EvalNS != 9000 || r.Path != Path {
			t.Fatalf("record %+v", r)
		}
	}
	if len(ids) != 1000 {
		t.Errorf("%d ids of 1000 records", len(ids))
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestRefusalsAreRecordedWhateverTheSample(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	l := openLog(t, Options{Path: path, Sample: 0})
	allowed := entry(t, embedded(t))
	refused, failed, replayed := allowed, allowed, allowed
	replayed.Path = ReplayPath // which stands for a refusal
	refused.Decision = policy.Decision{Status: 403, Error: "No.", Rule: "project.forbidden"}
	failed.Err = policy.ErrNoDecision
	for range 50 {
		for _, e := range []Entry{allowed, refused, failed, replayed} {
			if err := l.Add(e); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if n := len(lines(t, path)); n != 150 {
		t.Errorf("%d records, want the 100 that were no permission, and the replays", n)
	}
}

func TestAFullLogIsRenamedAndTheOldestForgotten(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	e := entry(t, embedded(t))
	line, err := render(e)
	if err != nil {
		t.Fatal(err)
	}
	// Ten lines a file, one file and two renamed ones.
	l := openLog(t, Options{Path: path, MaxBytes: int64(10 * len(line)), Keep: 2, Sample: 1})
	for range 95 {
		if err := l.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(path + "*")
	if err != nil || len(found) != 3 {
		t.Errorf("files %v, %v", found, err)
	}
	all := lines(t, path)
	if len(all) != 25 {
		t.Errorf("%d records are left, want the last 25", len(all))
	}
	if _, err := os.Stat(path + ".3"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a third renamed file: %v", err)
	}
	// The next start goes on in the file that is there.
	again := openLog(t, Options{Path: path, MaxBytes: int64(10 * len(line)), Keep: 2, Sample: 1})
	if err := errors.Join(again.Add(e), again.Close()); err != nil {
		t.Fatal(err)
	}
	if n := len(lines(t, path)); n != 26 {
		t.Errorf("%d records, want 26", n)
	}
}

func TestTheEndOfALogHasWholeLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	for name, text := range map[string]string{path + ".1": "1\n22\n", path: "333\n4444\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for bytes, want := range map[int64]string{0: "", 4: "", 5: "4444\n", 8: "4444\n", 9: "333\n4444\n", 11: "333\n4444\n", 12: "22\n333\n4444\n", 100: "1\n22\n333\n4444\n"} {
		log, err := OpenEnd(path, time.Time{}, bytes)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(log)
		if err != nil || string(got) != want {
			t.Errorf("the last %d bytes are %q, %v; want %q", bytes, got, err, want)
		}
		if err := log.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestALineThatAKilledProcessLeftIsNotContinued(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	if err := os.WriteFile(path, []byte(`{"decision_id": "torn`), 0o600); err != nil {
		t.Fatal(err)
	}
	l := openLog(t, Options{Path: path, Sample: 1})
	if err := errors.Join(l.Add(entry(t, embedded(t))), l.Close()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil || bytes.Count(text, []byte("\n")) != 2 || !strings.HasPrefix(string(text), `{"decision_id": "torn`+"\n{") {
		t.Errorf("%q, %v", text, err)
	}
}

// fullDisk returns the path of a log on a full disk, and repair, which makes
// room on it.
func fullDisk(t *testing.T) (path string, repair func()) {
	t.Helper()
	path = filepath.Join(t.TempDir(), FileName)
	if err := os.Symlink("/dev/full", path); err != nil {
		t.Fatal(err)
	}
	return path, func() {
		if err := os.Remove(path); err != nil {
			t.Error(err)
		}
	}
}

func TestARequiredLogRefusesDecisionsWhileTheDiskFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path, repair := fullDisk(t)
		l := openLog(t, Options{Path: path, Mode: Required, Sample: 1})
		e := entry(t, embedded(t))
		if err := l.Add(e); err != nil {
			t.Fatal(err)
		}
		synctest.Wait() // the write failed
		if err := l.Add(e); !errors.Is(err, ErrNotRecorded) {
			t.Errorf("got %v, want ErrNotRecorded", err)
		}
		if value(t, l.o.Counters.broken) != 1 || value(t, l.o.Counters.refused) != 1 || value(t, l.o.Counters.dropped) != 0 {
			t.Error("the metrics do not say so")
		}
		repair()
		time.Sleep(retryAfter)
		synctest.Wait()
		if err := l.Add(e); err != nil {
			t.Errorf("after the repair: %v", err)
		}
		synctest.Wait()
		if n := len(lines(t, path)); n != 2 || value(t, l.o.Counters.broken) != 0 {
			t.Errorf("%d records, want the one that waited and the next", n)
		}
	})
}

func TestALogThatCanNotKeepUpDropsOrRefusesByItsMode(t *testing.T) {
	for mode, want := range map[Mode]error{BestEffort: nil, Required: ErrNotRecorded} {
		t.Run(string(mode), func(t *testing.T) {
			e := entry(t, embedded(t))
			// Nobody writes.
			o := Options{Mode: mode, Queue: 10, Sample: 1}
			o.complete()
			l := &Log{o: o, queue: make(chan Entry, o.Queue)}
			for n := range 15 {
				err := l.Add(e)
				if n < 10 && err != nil || n >= 10 && !errors.Is(err, want) || n >= 10 && want == nil && err != nil {
					t.Errorf("record %d: %v", n, err)
				}
			}
			dropped, refused := value(t, o.Counters.dropped), value(t, o.Counters.refused)
			if mode == BestEffort && (dropped != 5 || refused != 0) || mode == Required && (dropped != 0 || refused != 5) {
				t.Errorf("%g dropped, %g refused", dropped, refused)
			}
		})
	}
}

func TestABestEffortLogGoesOnWhenTheDiskFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path, _ := fullDisk(t)
		l := openLog(t, Options{Path: path, Sample: 1})
		for range 3 {
			if err := l.Add(entry(t, embedded(t))); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		if n := value(t, l.o.Counters.dropped); n != 3 {
			t.Errorf("%g dropped, want 3", n)
		}
	})
}

// secretName is a name that a secret, or something that opens one, might have.
var secretName = regexp.MustCompile(`(?i)secret|hash|token|password|authorization|cookie|header|body|prompt|masked?key|address|remote`)

// TestARecordHasNoPlaceForASecret looks at every field that a record can have,
// at any depth: its kinds are few, and none is called like a secret.
func TestARecordHasNoPlaceForASecret(t *testing.T) {
	seen := 0
	var look func(path string, of reflect.Type)
	look = func(path string, of reflect.Type) {
		switch of.Kind() {
		case reflect.Pointer, reflect.Slice:
			look(path, of.Elem())
		case reflect.Map:
			look(path+"[]", of.Elem())
		case reflect.Struct:
			if of == reflect.TypeFor[time.Time]() {
				return
			}
			for i := range of.NumField() {
				field := of.Field(i)
				if !field.IsExported() { // which no JSON has
					continue
				}
				seen++
				if secretName.MatchString(field.Name) || secretName.MatchString(field.Tag.Get("json")) {
					t.Errorf("%s.%s could hold a secret", path, field.Name)
				}
				look(path+"."+field.Name, field.Type)
			}
		case reflect.String, reflect.Bool, reflect.Int, reflect.Int64:
		default:
			t.Errorf("%s is of kind %s, which can hold anything", path, of.Kind())
		}
	}
	look("Record", reflect.TypeFor[Record]())
	if seen < 30 {
		t.Errorf("only %d fields were looked at", seen)
	}
}

func TestOptionsOfTheLogAreChecked(t *testing.T) {
	for name, o := range map[string]Options{
		"unknown mode": {Mode: "sometimes"}, "negative size": {MaxBytes: -1}, "sample of 2": {Sample: 2}, "negative sample": {Sample: -0.1},
	} {
		if err := o.Validate(); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	if _, err := Open(Options{Path: t.TempDir()}); err == nil {
		t.Error("a directory is opened as a log")
	}
	if _, err := OpenAll(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want ErrNotExist", err)
	}
}

func BenchmarkAdd(b *testing.B) {
	e, err := policy.NewEvaluator(policy.Embedded())
	if err != nil {
		b.Fatal(err)
	}
	l, err := Open(Options{Path: filepath.Join(b.TempDir(), FileName), Sample: 1})
	if err != nil {
		b.Fatal(err)
	}
	in := records()[0].Input
	d, err := e.Decide(b.Context(), in)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := l.Add(Entry{At: noon, Input: in, Evaluator: e, Decision: d}); err != nil {
			b.Fatal(err)
		}
	}
	if err := l.Close(); err != nil && !errors.Is(err, io.EOF) {
		b.Fatal(err)
	}
}
