package commands

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
)

const (
	fishing = `{"id": "fish", "name": "Fish", "prompt": "a calm fishing game", "settings": {"gameType": "svc-short"}}` + "\n"
	racing  = `{"prompt": "a race around a lake"}` + "\n"
)

// briefs writes a file of briefs and returns it, and a directory for their games.
func briefs(t *testing.T, text string) (file, dir string) {
	t.Helper()
	at := t.TempDir()
	file = filepath.Join(at, "briefs.jsonl")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file, filepath.Join(at, "games")
}

func TestBatchGeneratesEachBriefIntoItsFolderAndNoneTwice(t *testing.T) {
	s := newFakeService(t)
	file, dir := briefs(t, fishing+"\n"+racing)
	for run := range 2 {
		code, stdout, stderr := svc("batch", file, "-o", dir, "--parallel", "2")
		if code != exitOK {
			t.Fatalf("run %d: exit %d: %s", run, code, stderr)
		}
		for _, want := range []string{"fish", "3   ", string(api.JobCompleted), filepath.Join(dir, "fish")} {
			if !strings.Contains(stdout, want) {
				t.Errorf("run %d: the table lacks %q:\n%s", run, want, stdout)
			}
		}
		for _, id := range []string{"fish", "3"} {
			if _, err := os.Stat(filepath.Join(dir, id, "index.html")); err != nil {
				t.Errorf("run %d: %v", run, err)
			}
		}
		if n := len(s.submitted()); n != 2 {
			t.Errorf("run %d: %d submissions", run, n)
		}
		if names := s.created(); !slices.Contains(names, "Fish") || !slices.Contains(names, "a race around a lake") {
			t.Errorf("projects %q", names)
		}
	}
	if err := os.RemoveAll(filepath.Join(dir, "fish")); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := svc("batch", file, "-o", dir); code != exitOK || len(s.submitted()) != 2 {
		t.Errorf("exit %d: %s", code, stderr)
	}
	if _, err := os.Stat(filepath.Join(dir, "fish", "index.html")); err != nil {
		t.Errorf("a game that was removed is not unpacked again: %v", err)
	}
}

func TestBatchGoesOnWithTheJobsOfARunThatWasKilled(t *testing.T) {
	s := newFakeService(t)
	file, dir := briefs(t, fishing)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	lines, err := readBatch(nil, file)
	if err != nil {
		t.Fatal(err)
	}
	book := `{"salt":"s"}` + "\n" + `{"id":"fish","line":"` + lines[0].sum + `","projectId":"` + fakeProject + `","jobId":"` + fakeJob + `","status":"queued"}` + "\n" +
		`{"id":"fish","line":"cut in the mid`
	if err := os.WriteFile(filepath.Join(dir, bookName), []byte(book), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, stdout, stderr := svc("batch", file, "-o", dir); code != exitOK || len(s.submitted()) != 0 || !strings.Contains(stdout, "completed") {
		t.Errorf("exit %d, %d submissions: %s%s", code, len(s.submitted()), stdout, stderr)
	}
	if code, _, stderr := svc("batch", file, "-o", dir); code != exitOK {
		t.Errorf("after what a kill had cut: exit %d: %s", code, stderr)
	}
}

// limited refuses submissions with the limit of a key, so many times.
func limited(s *fakeService, limit string, times int) {
	s.refuse = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method+r.URL.Path != "POST/v1/generate" || times == 0 {
			return false
		}
		times--
		(&answers.Error{Status: 429, Message: "No more.", Reason: api.ReasonLimitExceeded, Limit: limit, RetryAfter: time.Second}).WriteTo(w)
		return true
	}
}

func TestBatchWaitsWhileTheKeyHasAsManyJobsAsItMay(t *testing.T) {
	s := newFakeService(t)
	limited(s, api.LimitMaxConcurrentJobs, 1)
	file, dir := briefs(t, fishing)
	if code, _, stderr := svc("batch", file, "-o", dir); code != exitOK || !strings.Contains(stderr, "fish waits: No more.") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

func TestBatchStopsAtALimitOfTheDayAndGoesOnLater(t *testing.T) {
	s := newFakeService(t)
	limited(s, api.LimitJobsPerDay, 1)
	file, dir := briefs(t, fishing)
	if code, stdout, _ := svc("batch", file, "-o", dir); code != exitLimitExceeded || !strings.Contains(stdout, "not begun") {
		t.Errorf("exit %d: %s", code, stdout)
	}
	if s.deleted != 1 {
		t.Errorf("%d empty projects deleted, want 1", s.deleted)
	}
	if code, _, stderr := svc("batch", file, "-o", dir); code != exitOK || len(s.created()) != 2 {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

func TestBatchSubmitsWhatFailedOnlyIfAskedTo(t *testing.T) {
	s := newFakeService(t)
	s.status, s.failure = api.JobFailed, &api.Failure{Code: api.FailureGeneration, Message: "It does not play."}
	file, dir := briefs(t, fishing)
	for range 2 {
		if code, stdout, _ := svc("batch", file, "-o", dir); code != exitJobFailed || !strings.Contains(stdout, "It does not play.") || len(s.submitted()) != 1 {
			t.Errorf("exit %d, %d submissions: %s", code, len(s.submitted()), stdout)
		}
	}
	s.locked(func() { s.status, s.failure = api.JobCompleted, nil })
	if code, _, stderr := svc("batch", file, "-o", dir, "--again"); code != exitOK || len(s.submitted()) != 2 {
		t.Errorf("exit %d, %d submissions: %s", code, len(s.submitted()), stderr)
	}
	if s.keys[0] == s.keys[1] {
		t.Error("both submissions have one Idempotency-Key")
	}
	if len(s.created()) != 1 || s.deleted != 0 {
		t.Errorf("%d projects made, %d deleted", len(s.created()), s.deleted)
	}
}

func TestBatchKeepsAProjectWhoseNextJobIsRefused(t *testing.T) {
	s := newFakeService(t)
	s.status = api.JobCancelled
	file, dir := briefs(t, fishing)
	if code, _, stderr := svc("batch", file, "-o", dir); code != exitJobFailed {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	limited(s, api.LimitJobsPerDay, 1)
	if code, _, stderr := svc("batch", file, "-o", dir, "--again"); code != exitLimitExceeded || s.deleted != 0 || len(s.created()) != 1 {
		t.Errorf("exit %d, %d deleted: %s", code, s.deleted, stderr)
	}
}

func TestBatchGoesOnPastALineThatCanHaveNoGame(t *testing.T) {
	s := newFakeService(t)
	file, dir := briefs(t, fishing+racing)
	if err := os.MkdirAll(filepath.Join(dir, "fish"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "fish", "mine.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, _ := svc("batch", file, "-o", dir, "--parallel", "1")
	if code != exitJobFailed || len(s.submitted()) != 1 || !strings.Contains(stdout, "mine.txt") || !strings.Contains(stdout, "completed") {
		t.Errorf("exit %d, %d submissions: %s", code, len(s.submitted()), stdout)
	}
}

func TestBatchSendsNothingOfAFileThatIsWrong(t *testing.T) {
	s := newFakeService(t)
	for name, text := range map[string]string{
		"nothing": "\n", "no JSON": "a game\n", "no prompt": `{"id": "a"}`, "an unknown member": `{"promt": "x"}`, "two objects": racing[:len(racing)-1] + racing,
		"an id that leads out": `{"id": "../a", "prompt": "x"}`, "an id twice": fishing + strings.Replace(fishing, "fish", "FISH", 1),
		"a project that is none": `{"prompt": "x", "projectId": "y"}`,
	} {
		file, dir := briefs(t, racing+text)
		if name == "nothing" {
			file, dir = briefs(t, text)
		}
		if code, _, stderr := svc("batch", file, "-o", dir); code != exitUsage {
			t.Errorf("%s: exit %d: %s", name, code, stderr)
		}
	}
	if n := len(s.created()); n != 0 {
		t.Errorf("%d projects", n)
	}
}

func TestBatchKeepsItsDirectoryToItselfAndToItsBriefs(t *testing.T) {
	newFakeService(t)
	file, dir := briefs(t, fishing)
	if code, _, stderr := svc("batch", file, "-o", dir); code != exitOK {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	other, _ := briefs(t, strings.Replace(fishing, "calm", "wild", 1))
	if code, _, stderr := svc("batch", other, "-o", dir); code != exitUsage || !strings.Contains(stderr, "has changed since") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	book, err := openBook(filepath.Join(dir, bookName))
	if err != nil {
		t.Fatal(err)
	}
	defer book.close()
	if code, _, stderr := svc("batch", file, "-o", dir); code != exitError || !strings.Contains(stderr, "another svc batch") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

// TestBatchGoesOnWithTheOtherLinesWhereTheServiceFailsForOne: what may pass is tried again
// when the command is run again, without --again.
func TestBatchGoesOnWithTheOtherLinesWhereTheServiceFailsForOne(t *testing.T) {
	s := newFakeService(t)
	broken := true
	s.refuse = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method+r.URL.Path != "POST/v1/projects" || !broken {
			return false
		}
		w.Header().Set("X-Request-Id", "r-1")
		(&answers.Error{Status: http.StatusInternalServerError, Message: "It broke."}).WriteTo(w)
		return true
	}
	file, dir := briefs(t, fishing+`{"id": "race", "projectId": "`+fakeProject+`", "prompt": "a race around a lake"}`+"\n")
	code, stdout, stderr := svc("batch", file, "-o", dir, "--parallel", "1")
	const said = "It broke. (500, request r-1)" // as every command says it
	if code != exitJobFailed || len(s.submitted()) != 1 || !strings.Contains(stdout, said) || !strings.Contains(stderr, "fish: "+said) {
		t.Errorf("exit %d, %d submissions: %s%s", code, len(s.submitted()), stdout, stderr)
	}
	s.locked(func() { broken = false })
	if code, stdout, stderr := svc("batch", file, "-o", dir); code != exitOK || len(s.submitted()) != 2 {
		t.Errorf("run again: exit %d, %d submissions: %s%s", code, len(s.submitted()), stdout, stderr)
	}
}

func TestLinesOfOneProjectAreGeneratedInTheirOrder(t *testing.T) {
	line := func(id, project string) batchLine {
		l := batchLine{ID: id}
		l.ProjectID = project
		return l
	}
	var got []string
	for _, group := range byProject([]batchLine{line("a", ""), line("b", "p"), line("c", ""), line("d", "q"), line("e", "p"), line("f", "p")}) {
		ids := ""
		for _, l := range group {
			ids += l.ID
		}
		got = append(got, ids)
	}
	if want := []string{"a", "bef", "c", "d"}; !slices.Equal(got, want) {
		t.Errorf("groups %q, want %q", got, want)
	}
}
