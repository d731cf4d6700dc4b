package fleet

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/authority"
	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/engineclient"
	"github.com/svc-games/svc/engine-proxy/state"
	"github.com/svc-games/svc/test/child"
	fakedriver "github.com/svc-games/svc/test/fake/driver"
	fakeengine "github.com/svc-games/svc/test/fake/engine"
	"github.com/svc-games/svc/test/wait"
)

// notElsewhere are the tests that say nothing about engines of other machines.
var notElsewhere = []string{
	"Elsewhere",                       // runs there by itself
	"Foreign", "NotNoted", "LongData", // processes, their arguments and sockets
	"VolumeThat", "FillsItsDisk", // volumes that are folders here
	"NotExecutable", "CannotBeRun", // programs of this machine
	"WithoutIsolation", "WeakIsolation", // a driver of its own
	"BadInput", "Unreachable", "Day", "Days", // virtual time, in which nothing listens
	"Roster", "Owners", "Starts", "Waits", "Token",
}

func TestSuiteHoldsForEnginesElsewhere(t *testing.T) {
	t.Parallel()
	if elsewhere {
		t.Skip("this is the run")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	run := exec.CommandContext(t.Context(), self, "-test.skip", strings.Join(notElsewhere, "|"), "-test.timeout", "15m")
	run.Env = append(os.Environ(), elsewhereVariable+"=1")
	var out bytes.Buffer
	run.Stdout, run.Stderr = &out, &out
	if err := errors.Join(child.Start(run), run.Wait()); err != nil {
		t.Errorf("%v\n%s", err, &out)
	}
}

// newElsewhereRig is a rig whose engines run as on other machines.
func newElsewhereRig(t *testing.T, change func(*Options)) *rig {
	t.Helper()
	return newRigOn(t, fakedriver.NewCluster(filepath.Join(t.TempDir(), "cluster")), change)
}

func TestEngineElsewhereIsWaitedForUntilItHasAnAddress(t *testing.T) {
	t.Parallel()
	r := newElsewhereRig(t, nil)
	r.cluster.Set(func(f *fakedriver.Faults) { f.Hidden = 5 })
	project := mint.NewProjectID()
	at := r.submit(project)
	if at.Network != driver.TCP || at.TLS == nil {
		t.Errorf("it listens at %+v", at)
	}
	r.close(KeepEngines)
	r.cluster.Set(func(f *fakedriver.Faults) { f.Hidden = 20 }) // the next one has to wait as well
	r.open()
	if err := r.AwaitReady(t.Context(), project); err != nil {
		t.Fatal(err)
	}
	if got := r.submit(project); !same(got, at) {
		t.Errorf("adopted at %+v, want %+v", got, at)
	}
}

func TestEngineElsewhereThatNeverGetsAnAddressFailsInTime(t *testing.T) {
	t.Parallel()
	r := newElsewhereRig(t, func(o *Options) { o.Timing.Create = 50 * time.Millisecond })
	r.cluster.Set(func(f *fakedriver.Faults) { f.Hidden = 1 << 30 })
	project := mint.NewProjectID()
	_, err := r.Submit(t.Context(), engineproxy.Project{ID: project, OwnerID: "owner"}, ample)
	var failed *engineproxy.FailedError
	if !errors.As(err, &failed) {
		t.Fatalf("got %v, want a FailedError", err)
	}
	wait.Until(t, "nothing of it is left", func() bool {
		list, err := r.cluster.List(t.Context())
		return err == nil && len(list) == 0
	})
	if code := r.info(project).FailureCode; code != failTimeout {
		t.Errorf("failed as %s", code)
	}
}

func TestEngineElsewhereLeavesOnlyItsJournalOnThisMachine(t *testing.T) {
	t.Parallel()
	r := newElsewhereRig(t, nil)
	project := mint.NewProjectID()
	at := r.submit(project)
	here := state.Layout{Root: r.options.DataDir}
	for _, dir := range []string{here.Volume(project), here.Runtime(project)} {
		if _, err := os.Stat(dir); !os.IsNotExist(err) {
			t.Errorf("%s is there: %v", dir, err)
		}
	}
	kept := r.state(project)
	for _, path := range []string{filepath.Join(r.dir, state.StatesDir, "authority.pem"), filepath.Join(kept, "token"), filepath.Join(kept, state.JournalFile)} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", path, info, err)
		}
	}
	e, err := state.ReadEntry(kept)
	if err != nil || e.Address != at.Address || e.Socket != "" {
		t.Errorf("journal: %+v, %v", e, err)
	}
}

func TestVolumeElsewhereGoesWithItsProject(t *testing.T) {
	t.Parallel()
	r := newElsewhereRig(t, nil)
	project := mint.NewProjectID()
	r.submit(project)
	if _, err := os.Stat(r.volume(project)); err != nil {
		t.Fatal(err)
	}
	if err := r.Forget(t.Context(), project); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(r.volume(project)); !os.IsNotExist(err) {
		t.Errorf("the volume is still there: %v", err)
	}
	// While the cluster is unavailable the deletion fails, and is made up for.
	project = mint.NewProjectID()
	r.submit(project)
	if err := r.Stop(t.Context(), project, true); err != nil {
		t.Fatal(err)
	}
	r.cluster.SetDown(true)
	if err := r.Forget(t.Context(), project); !errors.Is(err, driver.ErrUnavailable) {
		t.Errorf("deleted without the cluster: %v", err)
	}
	r.cluster.SetDown(false)
	r.ledger.delete(project)
	if err := r.forgetDeleted(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(r.volume(project)); !os.IsNotExist(err) {
		t.Errorf("the volume was left: %v", err)
	}
}

func TestEngineElsewhereLetsInTheEngineProxyAlone(t *testing.T) {
	t.Parallel()
	r := newElsewhereRig(t, nil)
	at, other := r.submit(mint.NewProjectID()), r.submit(mint.NewProjectID())
	foreign, err := authority.Open(filepath.Join(t.TempDir(), "authority.pem"), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	// What the other engine was given.
	secrets := r.cluster.Spec(other.InstanceID).Remote
	neighbour, err := fakeengine.Secrets{Cert: secrets.Cert, Key: secrets.Key, CA: secrets.CA}.Client()
	if err != nil {
		t.Fatal(err)
	}
	neighbour.ServerName = contract.EngineName(at.InstanceID)
	nobody := at.TLS.Clone()
	nobody.Certificates = nil
	forged := foreign.Current().Client(at.InstanceID)
	forged.RootCAs = at.TLS.RootCAs
	for name, config := range map[string]*tls.Config{
		"another engine": neighbour, "no certificate": nobody, "a certificate of another authority": forged,
	} {
		conn, err := tls.Dial("tcp", at.Address, config)
		if err != nil {
			continue
		}
		// With TLS 1.3 the client learns of a refusal when it reads.
		_, err = conn.Read(make([]byte, 1))
		var alert *net.OpError
		if !errors.As(err, &alert) || alert.Op != "remote error" {
			t.Errorf("%s was not refused: %v", name, err)
		}
		conn.Close()
	}
	res, err := http.Get("http://" + at.Address + contract.PathReady)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusBadRequest {
		t.Errorf("plain HTTP was answered with %s", res.Status)
	}
	if _, err := at.Dial(t.Context()); err != nil {
		t.Errorf("the engine proxy itself: %v", err)
	}
}

func TestConnectionGoesToTheInstanceThatIsMeantAndNoOther(t *testing.T) {
	t.Parallel()
	r := newElsewhereRig(t, nil)
	at, other := r.submit(mint.NewProjectID()), r.submit(mint.NewProjectID())
	moved := at
	moved.Address = other.Address // as when a pod's address is given anew
	// A machine that stands still for longer than a dial may take proves nothing.
	wait.Until(t, "another instance is known for one", func() bool {
		_, err := moved.Dial(t.Context())
		if err == nil {
			t.Fatal("another instance was believed")
		}
		return errors.Is(err, engineclient.ErrIdentity)
	})
	foreign := at
	foreign.TLS = at.TLS.Clone()
	foreign.TLS.RootCAs = x509.NewCertPool()
	if _, err := foreign.Dial(t.Context()); err == nil {
		t.Error("an engine of another authority was believed")
	}
	bare := at
	bare.TLS = nil
	if _, err := bare.Dial(t.Context()); err == nil {
		t.Error("an engine was asked over TCP without TLS")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := at.Dial(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("after its context's end: %v", err)
	}
}

func TestEngineIsNotStartedAwayFromItsVolume(t *testing.T) {
	t.Parallel()
	refused := func(r *rig, project string) {
		t.Helper()
		_, err := r.Submit(t.Context(), engineproxy.Project{ID: project, OwnerID: "owner"}, ample)
		var failed *engineproxy.FailedError
		if !errors.As(err, &failed) || !failed.Fatal || r.info(project).FailureCode != failVolume {
			t.Fatalf("got %v, want a failure that names the volume", err)
		}
		if starts := fakeengine.Starts(r.volume(project)); starts > 1 {
			t.Errorf("started %d times", starts)
		}
	}
	r := newElsewhereRig(t, nil)
	cluster, here := r.cluster, state.Layout{Root: r.options.DataDir}
	kept := mint.NewProjectID()
	if err := fakeengine.WriteSwitches(here.Volume(kept), fakeengine.Switches{}); err != nil {
		t.Fatal(err)
	}
	refused(r, kept)
	away := mint.NewProjectID()
	r.submit(away)
	// A start that comes to nothing leaves the volume where it is.
	if err := r.Stop(t.Context(), away, true); err != nil {
		t.Fatal(err)
	}
	cluster.SetDown(true)
	if _, err := r.Submit(t.Context(), engineproxy.Project{ID: away, OwnerID: "owner"}, ample); err == nil {
		t.Fatal("a cluster that is down started an engine")
	}
	cluster.SetDown(false)
	r.eventuallyState(away, engineproxy.StateFailed)
	r.close(StopAll)

	// And the other way, with the driver of this machine.
	r.cluster = nil
	r.open()
	r.submit(kept)
	refused(r, away)
	if err := os.CopyFS(here.Volume(away), os.DirFS(cluster.Volume(away))); err != nil {
		t.Fatal(err)
	}
	if err := r.Reset(t.Context(), away); err != nil {
		t.Fatal(err)
	}
	r.submit(away)
}

func TestOldJournalIsStillRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	old := `{"schema":1,"projectId":"p","ownerId":"o","generation":3,"instanceId":"i","socket":"/run/e.sock","handle":{"driver":"process","data":{}},"at":"2026-01-02T03:04:05Z"}`
	if err := os.WriteFile(filepath.Join(dir, state.JournalFile), []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	e, err := state.ReadEntry(dir)
	if err != nil || e.Endpoint() != driver.UnixEndpoint("/run/e.sock") || e.Generation != 3 {
		t.Errorf("read %+v, %v", e, err)
	}
}
