package egress

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/model"
	"github.com/svc-games/svc/engine/revs"
	"github.com/svc-games/svc/sidecar/keys"
	fakeprovider "github.com/svc-games/svc/test/fake/provider"
	"github.com/svc-games/svc/test/puppets"
	"github.com/svc-games/svc/test/wait"
)

// Case 9, a cancel after a game has passed: the call under way is charged once, at its
// limit, those before to the token, and none goes out any more. A cancelled job delivers
// nothing; the game that passed is a draft of the history.
func TestAuthorThatIsCancelledAfterItsGamePassedIsChargedExactlyAndLeavesADraft(t *testing.T) {
	p := puppet(t, "snake")
	script := p.Script(nil)
	checks := &script[len(script)-2]
	checks.Calls = checks.Calls[:1] // with that and the frame's its game is kept, and more are asked for
	script = append(script, puppets.Step{After: []string{"It passed and is kept"}, Calls: []puppets.Call{{Name: "list_files"}}})
	a, stalled := puppets.Act(script, ""), make(chan struct{})
	stall := sync.OnceFunc(func() { close(stalled) })
	r := stage(t, fakeprovider.Rules{}, wires["chat"].can, func(s *fakeprovider.Provider, w http.ResponseWriter, q *http.Request, f fakeprovider.Request) {
		if !a.Finished() {
			a.Answer()(s, w, q, f)
			return
		}
		stall()
		fakeprovider.Stalls(true)(s, w, q, f)
	})
	e := r.engine(model.Options{Attempts: 1}, judging(t))
	id := e.submit(api.GenerateRequest{Prompt: p.Prompt, Settings: asks(p)})
	if record := e.feed(id, stalled); record != nil {
		t.Fatalf("it ended before: %+v, %s", record, a.Problems())
	}
	cancelled := make(chan error, 1)
	go func() {
		_, err := e.Cancel(t.Context(), id)
		cancelled <- err
	}()
	record := e.feed(id, nil)
	if err := <-cancelled; err != nil || record.Status != api.JobCancelled || record.Files != nil || len(a.Problems()) > 0 {
		t.Errorf("the job is %+v, %v: %s", record, err, a.Problems())
	}

	requests := r.provider.Requests()
	charges := r.charges(id, a.Steps()+1) // of the job itself nothing is due before its end
	last := charges[len(charges)-1]
	most := int64(requests[len(requests)-1].Body["max_tokens"].(float64))
	read := last.Units[0].Quantity
	if last.Units[1].Quantity != most || last.TIK != -api.TIK(read*1_000+most*2_000_000) {
		t.Errorf("the call under way, of %d tokens at most, is charged %+v", most, last)
	}
	if about := int64(fakeprovider.Tokens(requests[len(requests)-1].Body)); read < about || read > 3*about {
		t.Errorf("of about %d tokens that it read %d are charged", about, read)
	}
	r.wantBalance(2*stageTIK - costs(a.Bills.Took()) + last.TIK)
	if got := r.call(); got != http.StatusConflict || len(r.provider.Requests()) != len(requests) || len(requests) != a.Steps()+1 {
		t.Errorf("%d steps took %d requests, and a further call %d", a.Steps(), len(requests), got)
	}

	if _, err := os.Stat(filepath.Join(e.dir, "volume", "jobs", id, "files.zip")); !os.IsNotExist(err) {
		t.Errorf("it has a ZIP: %v", err)
	}
	list := e.Revisions().Revisions
	if len(list) != 2 || list[0].Kind != string(revs.Draft) || list[0].Unproven || list[1].Kind != string(revs.Draft) || !list[1].Unproven {
		t.Fatalf("beside what was written last, which nobody judged, the history has %+v", list)
	}
	files, err := e.ProjectAt(list[0].ID)
	if err != nil || !hasFile(files, "src/main.js", p.Files["src/main.js"]) {
		t.Errorf("the draft is not the game that passed: %d files, %v", len(files), err)
	}
}

// hasFile reports whether a project has a file with this content, wherever its game is.
func hasFile(files map[string][]byte, path string, content []byte) bool {
	for name, data := range files {
		if strings.HasSuffix(name, path) && bytes.Equal(data, content) {
			return true
		}
	}
	return false
}

// charges waits until a job has so many charges, and returns them, oldest first.
func (r *rig) charges(job string, n int) (all []keys.Entry) {
	r.t.Helper()
	wait.Until(r.t, "all calls are charged", func() bool {
		st, err := r.side.Keys().Statement(r.t.Context(), "alice", "", "")
		if err != nil {
			r.t.Fatal(err)
		}
		all = slices.DeleteFunc(st.Entries, func(e keys.Entry) bool { return e.JobID != job })
		return len(all) >= n
	})
	if len(all) != n {
		r.t.Fatalf("%d charges, want %d: %+v", len(all), n, all)
	}
	return all
}
