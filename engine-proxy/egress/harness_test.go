package egress_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine-proxy/authority"
	"github.com/svc-games/svc/engine-proxy/egress"
	"github.com/svc-games/svc/engine-proxy/internal/sidebyside"
	fakeprovider "github.com/svc-games/svc/test/fake/provider"
	"github.com/svc-games/svc/test/wait"
)

const (
	project = "0123456789abcdef01234567"
	job     = "job_01HZZZZZZZZZZZZZZZZZZZZZZZ"
	key     = "provider-secret-key"
	token   = "the-instance-token"
	secret  = "a brief that belongs to the user"
)

var (
	errDown    = errors.New("the ledger is down")
	errUnknown = errors.New("no such job")
)

// fakeLedger grants and charges in memory.
type fakeLedger struct {
	mu       sync.Mutex // guards what follows
	down     bool
	unknown  bool // it has deleted the jobs
	grant    contract.CallGrant
	charges  map[int64]contract.Call
	unpriced []string
	asked    int // how often for what is unpriced
	prices   map[string]api.TIK
}

func (l *fakeLedger) GrantCall(context.Context, string) (contract.CallGrant, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down {
		return contract.CallGrant{}, errDown
	}
	return l.grant, nil
}

func (l *fakeLedger) ChargeCall(_ context.Context, c contract.Call) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down {
		return errDown
	}
	if l.unknown {
		return errUnknown
	}
	if _, charged := l.charges[c.ID]; !charged {
		l.charges[c.ID] = c
	}
	return nil
}

func (l *fakeLedger) Prices(context.Context, []string) (map[string]api.TIK, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down {
		return nil, errDown
	}
	return l.prices, nil
}

func (l *fakeLedger) Unpriced(context.Context, []string) ([]string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down {
		return nil, errDown
	}
	l.asked++
	return l.unpriced, nil
}

func (l *fakeLedger) set(change func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change()
}

// charged returns the charges, oldest first.
func (l *fakeLedger) charged() []contract.Call {
	l.mu.Lock()
	defer l.mu.Unlock()
	var calls []contract.Call
	for _, id := range slices.Sorted(maps.Keys(l.charges)) {
		calls = append(calls, l.charges[id])
	}
	return calls
}

func TestMain(m *testing.M) {
	sidebyside.Allow(3)
	os.Exit(m.Run())
}

// elsewhere: the engine runs on another machine, and comes by the gate.
var elsewhere = os.Getenv(elsewhereVariable) != ""

const (
	elsewhereVariable = "SVC_TEST_ENGINES_ELSEWHERE"
	instance          = "01JD0000000000000000000000"
)

// rig is an egress before a scripted provider, with one engine at its socket,
// or at its gate.
type rig struct {
	t        *testing.T
	url      string                 // of the gate
	trusted  *authority.Authorities // of the engines that come by it
	config   *tls.Config            // the engine's
	dir      string
	socket   string
	options  egress.Options
	ledger   *fakeLedger
	provider *fakeprovider.Provider
	logs     *observer.ObservedLogs
	*egress.Egress
}

func newRig(t *testing.T, change func(*egress.Options)) *rig {
	t.Helper()
	return newRigAt(t, elsewhere, change)
}

// newRigAt is newRig for an engine of another machine, or of this one.
func newRigAt(t *testing.T, elsewhere bool, change func(*egress.Options)) *rig {
	t.Helper()
	dir, err := os.MkdirTemp("", "egr") // short: a socket's path has 108 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	core, logs := observer.New(zapcore.DebugLevel)
	r := &rig{
		t: t, dir: dir, logs: logs, socket: filepath.Join(dir, "run", project, "egress.sock"),
		ledger:   &fakeLedger{grant: contract.CallGrant{JobID: job}, charges: map[int64]contract.Call{}},
		provider: fakeprovider.New(t, fakeprovider.Says("hello")),
	}
	r.provider.Key = key
	keyFile := filepath.Join(dir, "key")
	if err := errors.Join(os.MkdirAll(filepath.Dir(r.socket), 0o700), os.WriteFile(keyFile, []byte(key+"\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	r.options = egress.Options{
		Dir: filepath.Join(dir, "egress"), Ledger: r.ledger, Logger: zap.New(core), Retry: 5 * time.Millisecond,
		Config: egress.Config{
			MaxTokens: 1000, MaxBody: 64 << 10, Concurrency: 2,
			Endpoints: []egress.Endpoint{{
				URL: r.provider.URL, KeyFile: keyFile,
				Chat: []string{"writer"}, Images: []string{"painter"}, Speech: []string{"speaker"},
			}},
		},
	}
	if elsewhere {
		r.options.Listen = "127.0.0.1:0"
		r.trusted = newAuthority(t)
		r.config = engineConfig(t, r.trusted, instance)
	}
	if change != nil {
		change(&r.options)
	}
	r.open()
	t.Cleanup(func() {
		r.close()
		r.noSecretInLogs()
	})
	return r
}

// open begins a new egress on the rig's directory. The one before is left as
// a kill would leave it, unless it was closed.
func (r *rig) open() {
	r.t.Helper()
	e, err := egress.New(r.options)
	if err != nil {
		r.t.Fatal(err)
	}
	r.Egress = e
	var remote *tls.Config
	if r.trusted != nil {
		remote = r.trusted.Server()
	}
	if err := e.Start(r.t.Context(), remote); err != nil {
		r.t.Fatal(err)
	}
	r.serve()
}

// serve opens the way for the project's engine.
func (r *rig) serve() {
	r.t.Helper()
	var err error
	if r.trusted == nil {
		err = r.Serve(project, r.socket, token)
	} else {
		r.url, err = r.Admit(project, instance, token)
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

func newAuthority(t *testing.T) *authority.Authorities {
	t.Helper()
	a, err := authority.Open(filepath.Join(t.TempDir(), "authority.pem"), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// engineConfig is what an instance connects with.
func engineConfig(t *testing.T, a *authority.Authorities, instanceID string) *tls.Config {
	t.Helper()
	cert, key, err := a.Current().Issue(instanceID)
	if err != nil {
		t.Fatal(err)
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(a.PEM())
	return &tls.Config{Certificates: []tls.Certificate{pair}, RootCAs: roots, ServerName: contract.ProxyName}
}

func (r *rig) close() {
	r.t.Helper()
	if err := r.Egress.Close(r.t.Context()); err != nil {
		r.t.Error(err)
	}
}

func (r *rig) noSecretInLogs() {
	for _, entry := range r.logs.All() {
		raw, err := json.Marshal(entry.ContextMap())
		if err != nil {
			r.t.Error(err)
		}
		for _, s := range []string{key, token, secret} {
			if strings.Contains(entry.Message+string(raw), s) {
				r.t.Errorf("the log holds %q: %s %s", s, entry.Message, raw)
			}
		}
	}
}

// reply is what an engine got.
type reply struct {
	status int
	header http.Header
	body   string
}

// reason is the machine's word of a refusal.
func (p reply) reason() string {
	var b struct{ Error, Reason string }
	if json.Unmarshal([]byte(p.body), &b) != nil || b.Error == "" {
		return "no refusal: " + p.body
	}
	return b.Reason
}

func (r *rig) request(ctx context.Context, method, path, token, body string) *http.Request {
	r.t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, "http://egress"+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	return req
}

func (r *rig) client() *http.Client {
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		if r.trusted != nil {
			d := tls.Dialer{Config: r.config}
			return d.DialContext(ctx, "tcp", strings.TrimPrefix(r.url, "https://"))
		}
		return new(net.Dialer).DialContext(ctx, "unix", r.socket)
	}}}
}

func (r *rig) do(req *http.Request) reply {
	r.t.Helper()
	res, err := r.client().Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, s := range []string{key, r.provider.URL, strings.TrimPrefix(r.provider.URL, "http://")} {
		if bytes.Contains(raw, []byte(s)) {
			r.t.Errorf("the engine got to know %q: %s", s, raw)
		}
	}
	for name := range res.Header {
		if name == "Set-Cookie" || strings.HasPrefix(name, "X-Provider") {
			r.t.Errorf("the engine got the provider's header %s", name)
		}
	}
	return reply{res.StatusCode, res.Header, string(raw)}
}

func (r *rig) post(path, body string) reply {
	r.t.Helper()
	return r.do(r.request(r.t.Context(), http.MethodPost, path, token, body))
}

// chat asks for a completion; more are further members.
func (r *rig) chat(more string) reply {
	r.t.Helper()
	return r.post("/v1/chat/completions", chatBody(more))
}

func chatBody(more string) string {
	return `{"model":"writer","messages":[{"role":"user","content":"` + secret + `"}]` + more + `}`
}

// want checks what one call was charged; without units, that it is done with
// and none was.
func (r *rig) want(units ...contract.Unit) {
	r.t.Helper()
	if len(units) == 0 {
		wait.Until(r.t, "the call is done with", func() bool { return bytes.Contains(r.journal(), []byte(`"charged":true`)) })
		if calls := r.ledger.charged(); len(calls) != 0 {
			r.t.Errorf("charged %+v", calls)
		}
		return
	}
	wait.Until(r.t, "the call is charged", func() bool { return len(r.ledger.charged()) > 0 })
	calls := r.ledger.charged()
	if len(calls) != 1 {
		r.t.Fatalf("%d calls were charged: %+v", len(calls), calls)
	}
	if c := calls[0]; c.ProjectID != project || c.JobID != job || !slices.Equal(c.Units, units) {
		r.t.Errorf("charged %+v, want %v", c, units)
	}
}

func unit(name string, n int64) contract.Unit { return contract.Unit{Name: name, Quantity: n} }

func chatUnits(input, output int64) []contract.Unit {
	return []contract.Unit{unit("model.writer.input", input), unit("model.writer.output", output)}
}

// inputLimit is what the request of chatBody("") is estimated to have: half
// its bytes, and 16 for the message.
const inputLimit = 16 + (int64(len(secret))+1)/2
