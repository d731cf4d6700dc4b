package streams

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"testing"

	"github.com/svc-games/svc/test/wait"
)

// wrapper is a ResponseWriter as Caddy's recorder is one.
type wrapper struct{ http.ResponseWriter }

func (w wrapper) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// embeds is a connection as Caddy's is one of a site without TLS.
type embeds struct{ net.Conn }

// hides is a connection whose file can't be had.
type hides struct{ net.Conn }

func (hides) NetConn() net.Conn { return nil }

// wrapping accepts connections that are wrapped.
type wrapping struct {
	net.Listener
	wrap func(net.Conn) net.Conn
}

func (l wrapping) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return l.wrap(c), nil
}

// wrapped starts a server whose connections are wrapped.
func wrapped(wrap func(net.Conn) net.Conn) func(*httptest.Server) {
	return func(s *httptest.Server) {
		s.Listener = wrapping{s.Listener, wrap}
		s.Start()
	}
}

// broken fails a test whose stream broke off by a bug.
func broken(t *testing.T) func(error) { return func(err error) { t.Error(err) } }

func serverOf(r *http.Request) *http.Server {
	server, _ := r.Context().Value(http.ServerContextKey).(*http.Server)
	return server
}

// detaching serves streams that are detached at once, and hands out their writers with
// the contexts that end when their clients leave.
func detaching(t *testing.T, start func(*httptest.Server)) (*http.Client, string, <-chan *Writer) {
	t.Helper()
	writers := make(chan *Writer, 1)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out := NewWriter(r.Context(), wrapper{w}, nil)
		ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
		if err := out.Begin(); err != nil || !out.Detach(ctx, serverOf(r), 0, cancel, broken(t)) {
			t.Errorf("the stream is not detached: %v", err)
		}
		writers <- out
	}))
	start(s)
	t.Cleanup(s.Close)
	return s.Client(), s.URL, writers
}

// forms are what a detached stream's connection can be.
var forms = map[string]func(*httptest.Server){
	"plain":          (*httptest.Server).Start,
	"TLS":            (*httptest.Server).StartTLS,
	"wrapped":        wrapped(func(c net.Conn) net.Conn { return &embeds{c} }),
	"without a file": wrapped(func(c net.Conn) net.Conn { return hides{c} }),
}

func get(t *testing.T, client *http.Client, url string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	return res
}

func TestADetachedStreamIsOneAnswerOfWholeEvents(t *testing.T) {
	for name, start := range forms {
		t.Run(name, func(t *testing.T) {
			client, url, writers := detaching(t, start)
			res := get(t, client, url)
			out := <-writers
			for _, block := range []string{"id: 1\ndata: a\n\n", "id: 2\ndata: " + strings.Repeat("b", 100_000) + "\n\n"} {
				if err := errors.Join(out.Event([]byte(block), 0, false), out.FlushError()); err != nil {
					t.Fatal(err)
				}
			}
			out.Close(true)
			body, err := io.ReadAll(res.Body)
			if want := "data: " + strings.Repeat("b", 100_000) + "\n\n"; err != nil || !strings.HasSuffix(string(body), want) || strings.Count(string(body), "\n\n") != 3 {
				t.Errorf("%d bytes, %v", len(body), err)
			}
		})
	}
}

// TestAConnectionServesOnAfterAWholeStream: a client asks for the files of a job once its
// stream has ended, and may do so before it sees that its connection was closed.
func TestAConnectionServesOnAfterAWholeStream(t *testing.T) {
	for name, start := range forms {
		t.Run(name, func(t *testing.T) {
			client, url, writers := detaching(t, start)
			for n := range 3 {
				reused := false
				trace := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(got httptrace.GotConnInfo) { reused = got.Reused }})
				req, err := http.NewRequestWithContext(trace, http.MethodGet, url, nil)
				if err != nil {
					t.Fatal(err)
				}
				res, err := client.Do(req)
				if err != nil {
					t.Fatal(err)
				}
				out := <-writers
				if err := errors.Join(out.Event([]byte("id: 1\ndata: a\n\n"), 0, false), out.FlushError()); err != nil {
					t.Fatal(err)
				}
				out.Close(true)
				body, err := io.ReadAll(res.Body)
				res.Body.Close()
				if err != nil || !strings.HasSuffix(string(body), "data: a\n\n") || res.Close {
					t.Errorf("answered %q, %v, close %v", body, err, res.Close)
				}
				if want := n > 0 && name != "without a file"; reused != want {
					t.Errorf("request %d is on a former connection: %v, want %v", n, reused, want)
				}
				out.Hurry() // which comes too late for the stream, and is not for what comes after it
			}
		})
	}
}

func TestADetachedStreamCanBeBrokenOff(t *testing.T) {
	client, url, writers := detaching(t, forms["plain"])
	res := get(t, client, url)
	(<-writers).Close(false)
	if _, err := io.ReadAll(res.Body); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("reading to the end: %v", err)
	}
}

func TestADetachedStreamEndsWhenItsClientLeaves(t *testing.T) {
	for name, start := range forms {
		t.Run(name, func(t *testing.T) {
			client, url, writers := detaching(t, start)
			res := get(t, client, url)
			out := <-writers
			if err := out.Context().Err(); err != nil {
				t.Fatalf("before: %v", err)
			}
			res.Body.Close()
			wait.For(t, "the stream ends", out.Context().Done())
			out.Close(true)
		})
	}
}

// TestABugInLettingAClientGoEndsItsStreamAlone: no server recovers those who watch clients,
// of whom one watches for all streams.
func TestABugInLettingAClientGoEndsItsStreamAlone(t *testing.T) {
	for name, start := range forms {
		t.Run(name, func(t *testing.T) {
			writers, bugs := make(chan *Writer, 1), make(chan error, 10)
			s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				out := NewWriter(r.Context(), wrapper{w}, nil)
				leave := func() { panic("a bug") }
				if err := out.Begin(); err != nil || !out.Detach(context.WithoutCancel(r.Context()), nil, 0, leave, func(err error) { bugs <- err }) {
					t.Errorf("the stream is not detached: %v", err)
				}
				writers <- out
			}))
			start(s)
			defer s.Close()
			res := get(t, s.Client(), s.URL)
			out := <-writers
			res.Body.Close()
			if err := wait.For(t, "the bug is told", bugs); !strings.Contains(err.Error(), "a bug") {
				t.Errorf("told is %v", err)
			}
			if err := errors.Join(out.Event([]byte("id: 1\ndata: a\n\n"), 1, false), out.FlushError()); err == nil {
				t.Error("the stream goes on")
			}
			out.Close(false)
			if len(bugs) != 0 {
				t.Errorf("told again is %v", <-bugs)
			}
		})
	}
	// Another stream's client is seen to leave.
	client, url, writers := detaching(t, forms["plain"])
	res := get(t, client, url)
	out := <-writers
	res.Body.Close()
	wait.For(t, "the stream ends", out.Context().Done())
	out.Close(true)
}

func TestTheFileOfAConnectionIsFoundBehindWhatWrapsIt(t *testing.T) {
	conn, other := net.Pipe()
	defer conn.Close()
	defer other.Close()
	for _, c := range []net.Conn{conn, &embeds{conn}, embeds{nil}, hides{conn}} {
		if _, err := fileOf(c); !errors.Is(err, errNoFile) {
			t.Errorf("%T: %v", c, err)
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	tcp, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer tcp.Close()
	for _, c := range []net.Conn{tcp, &embeds{tcp}, embeds{&embeds{tcp}}, tls.Client(&embeds{tcp}, nil)} {
		if _, err := fileOf(c); err != nil {
			t.Errorf("%T: %v", c, err)
		}
	}
}

func TestAStreamThatIsNoPlainAnswerIsNotDetached(t *testing.T) {
	for name, prepare := range map[string]func(http.ResponseWriter){
		"has not begun": func(http.ResponseWriter) {},
		"is packed":     func(w http.ResponseWriter) { w.Header().Set("Content-Encoding", "gzip") },
		"has no server": func(http.ResponseWriter) {},
	} {
		rec := httptest.NewRecorder()
		prepare(rec)
		out := NewWriter(t.Context(), rec, nil)
		if name != "has not begun" {
			if err := out.Begin(); err != nil {
				t.Fatal(err)
			}
		}
		if out.Detach(t.Context(), nil, 0, func() {}, broken(t)) {
			t.Errorf("one that %s is detached", name)
		}
		if out.Context() != t.Context() {
			t.Errorf("of one that %s the context changed", name)
		}
	}
}

// TestADeliveredEventTakesNoAllocation: an event is shared by all of its readers, so what
// each of them costs is its own write.
func TestADeliveredEventTakesNoAllocation(t *testing.T) {
	client, url, writers := detaching(t, forms["plain"])
	res := get(t, client, url)
	go func() { _, _ = io.Copy(io.Discard, res.Body) }() // it ends with the stream
	out := <-writers
	block, id := []byte("id: 1\nevent: job.progress\ndata: {}\n\n"), uint64(0)
	send := func() {
		id++
		if err := errors.Join(out.Event(block, id, false), out.FlushError()); err != nil {
			t.Fatal(err)
		}
	}
	send()
	if n := testing.AllocsPerRun(200, send); n > mostPerDelivery {
		t.Errorf("an event takes %v allocations, want at most %v", n, mostPerDelivery)
	}
	out.Close(true)
}

// mostPerDelivery is what the race detector's pools may add to none.
const mostPerDelivery = 2

// BenchmarkDeliverEvent measures an event on its way to one client.
func BenchmarkDeliverEvent(b *testing.B) {
	conn, other := net.Pipe()
	defer conn.Close()
	go func() { _, _ = io.Copy(io.Discard, other) }() // it ends with the stream
	out := NewWriter(b.Context(), nil, nil)
	out.sent, out.detached = http.StatusOK, &connection{conn: conn, unwatch: func() {}}
	out.to.Store(&client{out.detached})
	block, id := []byte("id: 1\nevent: job.progress\ndata: {}\n\n"), uint64(0)
	b.ReportAllocs()
	for b.Loop() {
		id++
		if err := errors.Join(out.Event(block, id, false), out.FlushError()); err != nil {
			b.Fatal(err)
		}
	}
}
