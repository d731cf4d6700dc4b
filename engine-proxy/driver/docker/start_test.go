package docker

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/internal/driverkit"
	"github.com/svc-games/svc/test/wait"
)

func anotherInstance() string { return mint.NewInstanceID(time.Now()) }

// listening waits until the engine answers on its socket, on the host's side.
func (b *bed) listening(t testing.TB, s driver.Spec) {
	t.Helper()
	c := &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", s.Socket)
		},
	}}
	wait.Until(t, "the engine answers", func() bool {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://engine/internal/readyz", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer token")
		response, err := c.Do(request)
		if err != nil {
			return false
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		return err == nil && response.StatusCode == http.StatusOK && strings.Contains(string(body), s.InstanceID)
	})
}

func TestEngineIsReachedThroughItsSocketOnTheHost(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	s := b.spec(t)
	b.start(t, s)
	b.listening(t, s)
}

// TestEngineReachesItsEgressAlsoWhenThatIsMadeAnew: a restarted engine proxy
// makes the socket again, and engines go on.
func TestEngineReachesItsEgressAlsoWhenThatIsMadeAnew(t *testing.T) {
	t.Parallel()
	for name, place := range map[string]func(*bed, driver.Spec) string{
		"beside its own":    func(_ *bed, s driver.Spec) string { return s.RuntimeDir },
		"in a folder apart": func(b *bed, _ driver.Spec) string { return filepath.Join(b.dir, "apart") },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBed(t, probing("egress"))
			s := b.spec(t)
			dir := place(b, s)
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			s.Egress = filepath.Join(dir, "egress.sock")
			first := egressOnce(t, s.Egress, "first")
			h := b.start(t, s)
			<-first
			<-egressOnce(t, s.Egress, "second")
			b.ended(t, h)
			if log, err := b.Logs(t.Context(), h, 100); err != nil || string(log) != "reached both\n" {
				t.Errorf("the engine says %q, %v", log, err)
			}
		})
	}
}

// egressOnce listens as the engine proxy does, answers one connection and
// ends.
func egressOnce(t *testing.T, path, answer string) <-chan struct{} {
	t.Helper()
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(os.Chmod(path, 0o666), l.(*net.UnixListener).SetDeadline(time.Now().Add(time.Minute)))
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer l.Close()
		conn, err := l.Accept()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, answer); err != nil {
			t.Error(err)
		}
	}()
	return done
}

func TestImageThatIsMissingSaysWhatToRun(t *testing.T) {
	t.Parallel()
	b := newBed(t, func(o *Options) { o.Image = "svc-engine-test:none" })
	for what, err := range map[string]error{
		"check": b.Check(t.Context()),
		"start": func() error { _, err := b.Start(t.Context(), b.spec(t), nil); return err }(),
	} {
		var reason *driver.ReasonError
		if !errors.Is(err, driver.ErrFatalSpec) || !errors.As(err, &reason) || reason.Reason != reasonNoImage ||
			!strings.Contains(err.Error(), "svc-engine-test:none") || !strings.Contains(err.Error(), "make engine-image") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestStartThatWasInterruptedIsFinished(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	s := b.spec(t)
	uid, gid, err := b.settle(s)
	if err != nil {
		t.Fatal(err)
	}
	r, err := b.recipe(s, uid, gid)
	if err != nil {
		t.Fatal(err)
	}
	made, err := b.api.ContainerCreate(t.Context(), client.ContainerCreateOptions{Name: name(s.InstanceID), Config: r.config, HostConfig: r.host})
	if err != nil {
		t.Fatal(err)
	}
	list, err := b.List(t.Context())
	if err != nil || len(list) != 1 || list[0].Running || list[0].InstanceID != s.InstanceID {
		t.Fatalf("listed %+v, %v, want what was left", list, err)
	}
	h := b.start(t, s)
	if data, err := parseHandle(h); err != nil || data.Container != made.ID {
		t.Errorf("started %+v, %v, want container %s", data, err, made.ID)
	}
	b.listening(t, s)
}

func TestContainerOfAnotherWithTheNameIsNotTaken(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	s := b.spec(t)
	made, err := b.api.ContainerCreate(t.Context(), client.ContainerCreateOptions{
		Name: name(s.InstanceID), Config: &container.Config{Image: testImage},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer b.discard(t.Context(), made.ID)
	if _, err := b.Start(t.Context(), s, nil); !errors.Is(err, driver.ErrIdentity) {
		t.Errorf("start: %v, want ErrIdentity", err)
	}
}

func TestInstanceThatHasEndedIsNotStartedAgain(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	s := b.spec(t)
	h := b.start(t, s)
	if err := b.Stop(t.Context(), h, time.Minute); err != nil {
		t.Fatal(err)
	}
	again := b.start(t, s)
	if obs, err := b.Inspect(t.Context(), again); err != nil || obs.Running || string(again.Data) != string(h.Data) {
		t.Errorf("started again: %+v, %v", obs, err)
	}
}

func TestNextStartClearsWhatEarlierOnesHaveLeft(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	first := b.spec(t)
	h := b.start(t, first)
	if err := b.Stop(t.Context(), h, time.Minute); err != nil {
		t.Fatal(err)
	}
	second := first
	second.InstanceID = anotherInstance()
	b.start(t, second)
	if _, err := b.Inspect(t.Context(), h); !errors.Is(err, driver.ErrNotFound) {
		t.Errorf("the earlier container: %v, want ErrNotFound", err)
	}
}

func TestOtherInstallationsAreNotListed(t *testing.T) {
	t.Parallel()
	mine, other := newBed(t), newBed(t)
	s := mine.spec(t)
	h := mine.start(t, s)
	if list, err := other.List(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("listed %+v, %v", list, err)
	}
	list, err := mine.another(t).List(t.Context())
	if err != nil || len(list) != 1 || list[0].Volume != s.Volume || list[0].Endpoint != driver.UnixEndpoint(s.Socket) || string(list[0].Handle.Data) != string(h.Data) {
		t.Errorf("listed %+v, %v", list, err)
	}
}

// TestNotFoundOfAnythingButTheDaemonProvesNothing has something else answer
// on the daemon's socket.
func TestNotFoundOfAnythingButTheDaemonProvesNothing(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "engd")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	l, err := net.Listen("unix", filepath.Join(dir, "d.sock"))
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.NotFoundHandler()}
	done := make(chan struct{})
	go func() { defer close(done); _ = server.Serve(l) }()
	t.Cleanup(func() { server.Close(); <-done })
	d, err := New(Options{DataDir: dir, Host: "unix://" + l.Addr().String()})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	h := newHandle("0123456789ab", mint.NewProjectID(), anotherInstance())
	if _, err := d.Inspect(t.Context(), h); !errors.Is(err, driver.ErrUnavailable) || errors.Is(err, driver.ErrNotFound) {
		t.Errorf("inspect: %v, want ErrUnavailable", err)
	}
	if err := d.Stop(t.Context(), h, 0); !errors.Is(err, driver.ErrUnavailable) {
		t.Errorf("stop: %v, want ErrUnavailable", err)
	}
}

// TestCheckOfAnImageThatIsKnownMakesNothing: the engine proxy checks often.
// It looks at all that the daemon does, and so runs beside no other.
func TestCheckOfAnImageThatIsKnownMakesNothing(t *testing.T) {
	b := newBed(t)
	if err := b.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	stream := b.api.Events(t.Context(), client.EventsListOptions{Filters: make(client.Filters).Add("type", "container")})
	for range 3 {
		if err := b.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	// An event of the daemon's own ends the wait.
	s := b.spec(t)
	b.start(t, s)
	if first := <-stream.Messages; first.Actor.Attributes[driverkit.LabelInstance] != s.InstanceID {
		t.Errorf("a check made the event %s of %v", first.Action, first.Actor.Attributes)
	}
}
