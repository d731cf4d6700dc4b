package e2e

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/kit/examples"
	"github.com/svc-games/svc/sidecar/keys"
	fakeprovider "github.com/svc-games/svc/test/fake/provider"
	"github.com/svc-games/svc/test/long"
	"github.com/svc-games/svc/test/wait"
)

func TestModelWritesAGameThroughTheWholeService(t *testing.T) {
	f := inOneForm(t)
	all, err := examples.All()
	if err != nil {
		t.Fatal(err)
	}
	blocks := all[slices.IndexFunc(all, func(x examples.Example) bool { return x.Name == "blocks" })]
	var files []fakeprovider.ToolCall
	for _, name := range slices.Sorted(maps.Keys(blocks.Files)) {
		files = append(files, tool("write_file", map[string]any{"path": name, "content": string(blocks.Files[name])}))
	}
	provider := fakeprovider.New(t, fakeprovider.InTurn(
		fakeprovider.Status(http.StatusInternalServerError, "overloaded"), fakeprovider.RateLimited(1),
		writes(tool("list_files", nil), tool("shell", map[string]any{"command": "env"}), tool("read_file", map[string]any{"path": "../../AGENTS.md"})),
		writes(files...), writes(tool("check", nil)), writes(tool("done", map[string]any{"summary": "Blocks fall.", "unmet": []string{"a song"}})),
	))
	provider.Key = credential
	s := startWithModels(t, f, provider.URL, chromiumProgram(t))
	key := s.newKey("demo")
	sub := s.submit(key, map[string]any{
		"projectId": s.newProject(key), "prompt": "blocks that fall", "settings": map[string]any{"model": "writer", "gameType": "platform"},
	})
	job := s.finishLong(key, sub)
	log := s.jobLog(key, sub)
	if warned := ofType(log, api.EventWarning); job.Status != api.JobCompleted || len(warned) > 0 {
		t.Fatalf("the job is %+v; warned %v", job, warned)
	}
	if end := ofType(log, api.EventCompleted)[0]; !strings.Contains(fmt.Sprint(end["summary"]), "Blocks fall.") || !strings.Contains(fmt.Sprint(end["unmet"]), "a song") {
		t.Errorf("it ends with %v", end)
	}
	played := ofType(log, api.EventPlaytestResult)
	if last := played[len(played)-1]; last["tier"] != "browser" || last["ok"] != true {
		t.Errorf("the last playtest is %v", last)
	}
	dir := unpack(t, s.download(key, sub))
	s.pictured(dir, played[len(played)-1])
	for name, want := range map[string]string{"src/board.js": "export", "src/kit/kit.js": "MIT", "index.html": "<title>Falling blocks</title>", "checks/ends.json": "expect"} {
		if !strings.Contains(s.read(filepath.Join(dir, name)), want) {
			t.Errorf("%s lacks %q", name, want)
		}
	}
	if _, err := os.Lstat(filepath.Join(dir, "src", "mechanics")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the game has a mechanic of the generator's: %v", err)
	}
	if want := tik(1 + 4*2); job.TIKSpent != want {
		t.Errorf("the job spent %s, want %s", job.TIKSpent, want)
	}
	opensFromItsFolder(t, dir)
	s.nowhere(credential)
}

func TestModelsMakeAGameThroughTheWholeService(t *testing.T) {
	f := inOneForm(t)
	provider := fakeprovider.New(t, fakeprovider.ByPath(map[string]fakeprovider.Answer{
		"/chat/completions": fakeprovider.InTurn(
			concept,
			fakeprovider.Status(http.StatusInternalServerError, "overloaded"), fakeprovider.RateLimited(1),
			writes(tool("list_files", nil), tool("shell", map[string]any{"command": "env"}), tool("read_file", map[string]any{"path": "../../AGENTS.md"})),
			writes(wobble), writes(tool("check", nil)), writes(handIn),
		),
		"/images/generations": fakeprovider.Pictures(fakeprovider.Picture(t)),
		"/audio/speech":       fakeprovider.Speech(fakeprovider.Tone()),
	}))
	provider.Key = credential
	s := startWithModels(t, f, provider.URL, noBrowser)
	key := s.newKey("demo")
	sub := s.submit(key, map[string]any{
		"projectId": s.newProject(key), "prompt": "a yellow duck that flaps through gaps, and it wobbles",
		"settings": map[string]any{"model": "writer", "aiImages": true, "aiAudio": true},
	})
	job := s.finishLong(key, sub)
	log := s.jobLog(key, sub)
	if job.Status != api.JobCompleted {
		t.Fatalf("the job is %+v", job)
	}
	if warned := ofType(log, api.EventWarning); len(warned) != 1 || warned[0]["code"] != "no_browser" {
		t.Errorf("warned %v", warned)
	}
	end := ofType(log, api.EventCompleted)[0]
	if summary := fmt.Sprint(end["summary"]); !strings.Contains(summary, "The duck wobbles now.") || fmt.Sprint(end["unmet"]) != "[]" {
		t.Errorf("it ends with %v", end)
	}
	var tools []string
	for _, c := range ofType(log, api.EventToolCall) {
		tools = append(tools, fmt.Sprint(c["name"]))
	}
	for _, want := range []string{"generate_assets", "list_files", "unknown", "read_file", "edit_file", "check", "done"} {
		if !slices.Contains(tools, want) {
			t.Errorf("the log lacks the call of %s: %v", want, tools)
		}
	}
	archive := s.download(key, sub)
	dir := unpack(t, archive)
	for name, want := range map[string]string{
		"src/mechanics/gap.js": "Math.sin(s.t * 9) * 3", "game.js": "Math.sin(s.t * 9) * 3", "assets/hero.png": "PNG", "assets/background.jpg": "\xff\xd8\xff",
		"assets/music.wav": "WAVE", "index.html": "Wobble",
	} {
		if got := s.read(filepath.Join(dir, name)); !strings.Contains(got, want) {
			t.Errorf("%s lacks %q", name, want)
		}
	}
	s.playsInABrowser(dir)

	s.charged(key, job, 5)
	s.nowhere(credential)
	if strings.Contains(fmt.Sprint(log), credential) || strings.Contains(fmt.Sprint(log), provider.URL) {
		t.Error("the events tell of the provider")
	}
	for _, q := range provider.Requests() {
		if raw := fmt.Sprint(q.Body); strings.Contains(raw, key.Secret) || strings.Contains(raw, s.dir) {
			t.Errorf("the provider was told of the service: %s", q.Path)
		}
	}
}

func TestProviderThatIsDownLeavesTheGeneratorsGameAndAWarning(t *testing.T) {
	f := inOneForm(t)
	long.Only(t) // test/egress has a whole job for each fault of each kind of model
	provider := fakeprovider.New(t, fakeprovider.HangsUp())
	provider.Key = credential
	s := startWithModels(t, f, provider.URL, noBrowser)
	key := s.newKey("demo")
	sub := s.submit(key, map[string]any{"projectId": s.newProject(key), "prompt": brief, "settings": map[string]any{"model": "writer", "aiImages": true, "aiAudio": true}})
	job := s.finishLong(key, sub)
	if job.Status != api.JobCompleted {
		t.Fatalf("the job is %+v", job)
	}
	warned := fmt.Sprint(ofType(s.jobLog(key, sub), api.EventWarning))
	for _, want := range []string{"The model could not be used", "made nothing of use for background, hero"} {
		if !strings.Contains(warned, want) {
			t.Errorf("the record lacks %q: %s", want, warned)
		}
	}
	dir := unpack(t, s.download(key, sub))
	for _, name := range []string{"index.html", "assets/background.png", "assets/music.wav"} {
		if s.read(filepath.Join(dir, name)) == "" {
			t.Errorf("the game lacks %s", name)
		}
	}
}

func TestBalanceThatRunsOutBetweenTwoStepsOfAModelEndsTheJob(t *testing.T) {
	f := inOneForm(t)
	// Six TIK are three answers: the reading, an edit, and one more.
	provider := fakeprovider.New(t, concept, writes(wobble), writes(tool("list_files", nil)))
	provider.Key = credential
	s := startWithModels(t, f, provider.URL, noBrowser)
	s.svc("admin", "user", "create", "poor", "--tik", "6")
	key := s.newKey("poor")
	sub := s.submit(key, map[string]any{"projectId": s.newProject(key), "prompt": brief, "settings": map[string]any{"model": "writer"}})
	job := s.finishLong(key, sub)
	if job.Status != api.JobFailed || job.Failure == nil || job.Failure.Code != api.FailureTIKExhausted || job.TIKSpent != tik(6) {
		t.Errorf("the job is %+v", job)
	}
	if n := len(provider.Requests()); n != 3 {
		t.Errorf("the provider was asked %d times", n)
	}
	if st := s.statement("poor"); st.Balance != 0 {
		t.Errorf("the balance is %s", st.Balance)
	}
	// What was proven by then is there.
	dir := unpack(t, s.download(key, sub))
	if game := s.read(filepath.Join(dir, "game.js")); strings.Contains(game, "s.t * 9") {
		t.Error("the game holds what was not proven")
	}
	s.nowhere(credential)
}

// Its project may be deleted as soon as the job is said to have ended, and takes
// no open bill with it.
func TestCancelledJobCutsItsModelOffAndIsChargedInFull(t *testing.T) {
	f := inOneForm(t)
	provider := fakeprovider.New(t, concept, fakeprovider.Stalls(true))
	provider.Key = credential
	s := startWithModels(t, f, provider.URL, noBrowser)
	key := s.newKey("demo")
	sub := s.submit(key, map[string]any{"projectId": s.newProject(key), "prompt": brief, "settings": map[string]any{"model": "writer"}})
	s.within(slow, "the model is asked to change the sources", func() bool { return len(provider.Requests()) == 2 })
	a := s.call(key, "DELETE", "/v1/generate/"+sub.JobID+"?projectId="+sub.ProjectID, nil)
	var job api.Job
	s.decode(a.body, &job)
	if a.status != http.StatusOK || job.Status != api.JobCancelled {
		t.Errorf("cancelling: %d %s", a.status, a.body)
	}
	wait.For(t, "the call of the cancelled job is cut off", provider.Left())
	s.eventually("the project is deleted", func() bool {
		a := s.call(key, "DELETE", "/v1/projects/"+sub.ProjectID, nil)
		if a.status != http.StatusOK && a.status != http.StatusConflict {
			t.Fatalf("deleting: %d %s", a.status, a.body)
		}
		return a.status == http.StatusOK
	})
	st := s.statement("demo")
	charged := slices.DeleteFunc(st.Entries, func(e keys.Entry) bool { return e.JobID != sub.JobID })
	if len(charged) != 2 {
		t.Fatalf("of two calls were charged %+v", charged)
	}
	last := charged[1]
	read, most := last.Units[0].Quantity, last.Units[1].Quantity
	if charged[0].TIK != -tik(2) || float64(most) != provider.Requests()[1].Body["max_tokens"] || last.TIK != -tik(float64(read)*0.001+float64(most)*0.01) {
		t.Errorf("an answer and a call at its limit were charged %+v", charged)
	}
	if want := tik(1000) + charged[0].TIK + last.TIK; st.Balance != want || job.TIKSpent != tik(1000)-want {
		t.Errorf("the job spent %s, and the balance is %s, want %s", job.TIKSpent, st.Balance, want)
	}
}
