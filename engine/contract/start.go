package contract

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	wire "github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/test/wait"
)

var startCases = []named{
	{"OnlyTheInstancesTokenOpens", running(tokenOpens)},
	{"ReadinessNamesInstanceAndFeed", running(readinessNames)},
	{"NothingIsRefusedForGoodBeforeReadiness", running(beforeReadiness)},
	{"VolumeIsOfOneEngine", running(volumeIsOfOne)},
	{"SocketOfAKilledEngineIsReplaced", running(socketIsReplaced)},
	{"TerminationLeavesTheQueue", running(terminationLeavesQueue)},
	{"FaultIsOneLineAndExitCodeOne", faultIsOneLine},
}

func tokenOpens(t *testing.T, e *engine) {
	for what, token := range map[string]string{
		"none": " ", "another": "Bearer x", "a part": "Bearer " + e.token[:len(e.token)-1], "longer": "Bearer " + e.token + "x",
		"without its scheme": e.token, "basic": "Basic " + e.token,
	} {
		for _, path := range []string{wire.PathReady, wire.PathJobs, wire.PathFeed + "?after=0", "/v1/generate/" + mint.NewJobID(time.Now()) + "/status"} {
			e.expectError("token "+what+" at "+path, e.do(call{path: path, token: token}), http.StatusUnauthorized)
		}
	}
	old := e.token
	e.restart()
	e.expectError("the token of an earlier start", e.do(call{path: wire.PathReady, token: "Bearer " + old}), http.StatusUnauthorized)
}

func readinessNames(t *testing.T, e *engine) {
	ready := func() wire.Ready {
		t.Helper()
		r := decode[wire.Ready](e, e.get(wire.PathReady))
		if r.InstanceID != e.instanceID || r.ProjectID != e.projectID || !wire.ValidName(r.FeedID) {
			t.Errorf("ready says %+v", r)
		}
		return r
	}
	first := ready()
	e.restart()
	if again := ready(); again.FeedID != first.FeedID {
		t.Errorf("the feed of the volume was %s and is %s", first.FeedID, again.FeedID)
	}
	if other := startEngine(t, e.target); decode[wire.Ready](other, other.get(wire.PathReady)).FeedID == first.FeedID {
		t.Error("two volumes have the same feed")
	}
}

func beforeReadiness(t *testing.T, e *engine) {
	id := e.accept()
	e.kill()
	e.launch()
	wait.Until(t, "a submission is answered", func() bool {
		a, err := e.try(e.submission(id, nil))
		if err != nil {
			return false // it does not listen yet
		}
		if a.status != http.StatusOK && (a.status != http.StatusServiceUnavailable || a.header.Get(wire.HeaderRefused) != "") {
			t.Fatalf("before it is ready: %d, %s %q", a.status, wire.HeaderRefused, a.header.Get(wire.HeaderRefused))
		}
		return a.status == http.StatusOK
	})
}

func volumeIsOfOne(t *testing.T, e *engine) {
	second := newEngine(t, e.target)
	second.volume, second.projectID = e.volume, e.projectID
	second.launch()
	wait.For(t, "the end of a second engine on the volume", second.ended)
	if code := exitCode(second.err); code != 1 {
		t.Errorf("the second engine ended with %d", code)
	}
	second.cmd = nil
	e.expect("the first engine", e.get(wire.PathReady), http.StatusOK)
}

func socketIsReplaced(t *testing.T, e *engine) {
	e.kill()
	if _, err := os.Lstat(e.socket); err != nil {
		t.Fatalf("the killed engine's socket: %v", err)
	}
	e.start()
	info, err := os.Lstat(e.socket)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o660 {
		t.Errorf("the socket's mode is %v", info.Mode())
	}
}

func terminationLeavesQueue(t *testing.T, e *engine) {
	running := e.begin()
	waiting := e.accept()
	e.feed.leave()
	if err := e.terminate(); err != nil {
		t.Errorf("after SIGTERM it ended with %v", err)
	}
	e.start()
	ended := e.feed.awaitEnds(running, waiting)
	e.checkFailed("the running job", ended[running], api.FailureEngineRestarted)
	e.checkCompleted("the waiting job", ended[waiting])
}

func faultIsOneLine(t *testing.T, target Target) {
	for what, spoil := range map[string]func(e *engine, cmd *exec.Cmd){
		"an empty token": func(e *engine, _ *exec.Cmd) {
			if err := os.WriteFile(filepath.Join(e.dir, "token"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		},
		"no token file": func(e *engine, _ *exec.Cmd) {
			if err := os.Remove(filepath.Join(e.dir, "token")); err != nil {
				t.Fatal(err)
			}
		},
		"no project":      func(e *engine, cmd *exec.Cmd) { replace(cmd.Args, e.projectID, "") },
		"an unknown flag": func(_ *engine, cmd *exec.Cmd) { cmd.Args = append(cmd.Args, "--no-such-flag") },
		"a volume that is a file": func(e *engine, cmd *exec.Cmd) {
			file := filepath.Join(e.dir, "file")
			if err := os.WriteFile(file, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			replace(cmd.Args, e.volume, file)
		},
	} {
		e := newEngine(t, target)
		cmd := e.command()
		spoil(e, cmd)
		e.checkFault("an engine with "+what, cmd)
	}
}

// checkFault proves that an engine ends with exit code 1 and one line that says why.
func (e *engine) checkFault(what string, cmd *exec.Cmd) {
	e.t.Helper()
	e.launchAs(cmd)
	wait.For(e.t, "the end of "+what, e.ended)
	text := e.log.String()
	if code := exitCode(e.err); code != 1 || strings.Count(text, "\n") != 1 || !strings.HasSuffix(text, "\n") {
		e.t.Errorf("%s: exit code %d and %q", what, code, text)
	}
	e.cmd = nil
}

func replace(args []string, old, with string) { args[slices.Index(args, old)] = with }
