package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/test/wait"
)

// TestClientLibrariesGoThroughTheWholeFlow: they wait out the cold start, read each event
// once, with a key and with a stream token, have the whole ZIP, publish it, and cancel a job. Python's
// does so by calls that wait and by those of an event loop.
func TestClientLibrariesGoThroughTheWholeFlow(t *testing.T) {
	s := start(t, inOneForm(t), "SVC_ENGINE_START_DELAY=3s", "SVC_RETRY_AFTER=1s")
	key := s.newKey("demo")
	for name, command := range map[string][]string{
		"TypeScript":    {"node", filepath.Join(root(t), "client", "typescript", "flow.mjs")},
		"Python":        {"python3", "-B", filepath.Join(root(t), "client", "python", "flow.py")},
		"Python, async": {"python3", "-B", filepath.Join(root(t), "client", "python", "flow.py"), "async"},
	} {
		ctx, cancel := wait.Within(t.Context(), wait.Patience)
		defer cancel()
		cmd := exec.CommandContext(ctx, command[0], command[1:]...)
		cmd.Env = append(os.Environ(), "SVC_BASE_URL=http://"+s.addr, "SVC_API_KEY="+key.Secret)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, stderr.Bytes())
			continue
		}
		var got struct {
			Status, JobID, Dropped, Published    string
			Events, Browsers, After, Refused     int
			LastEventID, Bytes, Expected, Models int
			Days                                 int
			InOrder                              bool
			Listed                               []string
		}
		s.decode(out, &got)
		if got.Status != "completed" || got.Events == 0 || got.Events != got.LastEventID || got.Browsers != got.Events ||
			got.After != got.Events-3 || !got.InOrder || got.Bytes == 0 || got.Bytes != got.Expected ||
			got.Refused != 400 || got.Dropped != "cancelled" || got.Models == 0 || got.Days != 3 || !strings.HasPrefix(got.Published, "/play/") || !slices.Equal(got.Listed, []string{got.JobID}) {
			t.Errorf("%s: %s", name, out)
		}
	}
}
