package engine

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/api/sse"
	"github.com/svc-games/svc/engine/gen"
	"github.com/svc-games/svc/test/wait"
)

const (
	project  = "0123456789abcdef01234567"
	instance = "01JD0000000000000000000000"
	token    = "the-instance-token"
)

// held makes a one-file game once it may.
type held struct{ release chan struct{} }

func (h held) Generate(ctx context.Context, req gen.Request, rep gen.Reporter) (gen.Result, error) {
	rep.Progress(api.StageWriting, 50, "Writing.")
	select {
	case <-ctx.Done():
		return gen.Result{}, ctx.Err()
	case <-h.release:
	}
	if err := req.Workspace.MkdirAll(gen.Deliverable, 0o700); err != nil {
		return gen.Result{}, err
	}
	return gen.Result{Changed: true}, req.Workspace.WriteFile(gen.Deliverable+"/index.html", []byte(req.Prompt), 0o600)
}

// peer is what an engine proxy would be to a served engine.
type peer struct {
	t    *testing.T
	http *http.Client
	stop func() error
}

// serveEngine serves an engine that generates at once, and returns when it is
// ready.
func serveEngine(t *testing.T) *peer {
	h := held{make(chan struct{})}
	close(h.release)
	return serveConfig(t, Config{Volume: t.TempDir(), Generator: h})
}

func serveConfig(t *testing.T, cfg Config) *peer {
	t.Helper()
	p := serveUnready(t, cfg)
	wait.Until(t, "the engine is ready", func() bool { return p.get(contract.PathReady).StatusCode == http.StatusOK })
	return p
}

func serveUnready(t *testing.T, cfg Config) *peer {
	t.Helper()
	dir, err := os.MkdirTemp("", "e") // t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	cfg.Socket = filepath.Join(dir, "e.sock")
	cfg.ProjectID, cfg.InstanceID, cfg.Token, cfg.Log = project, instance, token, zap.NewNop()
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- Serve(ctx, cfg) }()
	p := &peer{t: t, http: &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", cfg.Socket)
		},
	}}}
	stopped := false
	p.stop = func() error {
		if stopped {
			return nil
		}
		stopped = true
		cancel()
		return <-served
	}
	t.Cleanup(func() {
		if err := p.stop(); err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	wait.Until(t, "the engine listens", func() bool {
		conn, err := net.Dial("unix", cfg.Socket)
		if err != nil {
			return false
		}
		return conn.Close() == nil
	})
	return p
}

// do sends a request with the instance's token; header overrides.
func (p *peer) do(method, path string, body []byte, header http.Header) *http.Response {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), method, "http://engine"+path, bytes.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	for name, values := range header {
		req.Header[name] = values
	}
	res, err := p.http.Do(req)
	if err != nil {
		p.t.Fatalf("%s %s: %v", method, path, err)
	}
	p.t.Cleanup(func() { res.Body.Close() })
	if got := res.Header.Get(contract.HeaderInstance); got != instance {
		p.t.Errorf("%s %s: %s is %q", method, path, contract.HeaderInstance, got)
	}
	return res
}

func (p *peer) get(path string) *http.Response {
	p.t.Helper()
	return p.do(http.MethodGet, path, nil, nil)
}

func (p *peer) post(path string, body any) *http.Response {
	p.t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		p.t.Fatal(err)
	}
	return p.do(http.MethodPost, path, data, nil)
}

func (p *peer) submit(id, prompt string) *http.Response {
	p.t.Helper()
	return p.submitBody(id, `{"projectId":"`+project+`","prompt":`+strconv.Quote(prompt)+`}`)
}

func (p *peer) submitBody(id, body string) *http.Response {
	p.t.Helper()
	return p.do(http.MethodPost, "/v1/generate", []byte(body), http.Header{
		contract.HeaderJobID: {id}, contract.HeaderSessionID: {"ses_01"},
	})
}

// accept submits a job that must be accepted.
func (p *peer) accept(prompt string) string {
	p.t.Helper()
	id := mint.NewJobID(time.Now())
	if res := p.submit(id, prompt); res.StatusCode != http.StatusOK {
		p.t.Fatalf("submission: %d %s", res.StatusCode, bodyOf(p.t, res))
	}
	return id
}

// ledger reads and acknowledges the feed until want returns false for a
// record, which is left unacknowledged and returned.
func (p *peer) ledger(after uint64, want func(contract.FeedRecord) bool) contract.FeedRecord {
	p.t.Helper()
	res := p.get(contract.PathFeed + "?after=" + strconv.FormatUint(after, 10))
	defer res.Body.Close()
	for scan := bufio.NewScanner(res.Body); scan.Scan(); {
		if len(scan.Bytes()) == 0 {
			continue
		}
		var rec contract.FeedRecord
		if err := json.Unmarshal(scan.Bytes(), &rec); err != nil {
			p.t.Fatalf("feed: %v", err)
		}
		if after++; rec.Seq != after {
			p.t.Fatalf("feed record %d, want %d", rec.Seq, after)
		}
		if !want(rec) {
			return rec
		}
		p.ack(rec)
	}
	p.t.Fatal("the feed ended")
	return contract.FeedRecord{}
}

func (p *peer) ack(rec contract.FeedRecord) {
	p.t.Helper()
	if res := p.post(contract.PathAck, contract.Ack{FeedID: rec.FeedID, Seq: rec.Seq}); res.StatusCode != http.StatusOK {
		p.t.Fatalf("ack: %d %s", res.StatusCode, bodyOf(p.t, res))
	}
}

// finish acknowledges everything up to the end of the job.
func (p *peer) finish(id string) contract.FeedRecord {
	p.t.Helper()
	ended := p.ledger(0, func(rec contract.FeedRecord) bool {
		return rec.Kind != contract.FeedEnded || rec.JobID != id
	})
	p.ack(ended)
	return ended
}

func bodyOf(t *testing.T, res *http.Response) string {
	t.Helper()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatalf("reading answer: %v", err)
	}
	return string(body)
}

func decode[T any](t *testing.T, res *http.Response) T {
	t.Helper()
	var out T
	if err := json.Unmarshal([]byte(bodyOf(t, res)), &out); err != nil {
		t.Fatalf("decoding answer: %v", err)
	}
	return out
}

// stream reads an event stream to its end.
func stream(t *testing.T, res *http.Response) []sse.Record {
	t.Helper()
	var records []sse.Record
	for reader := sse.NewReader(res.Body); ; {
		rec, err := reader.Next()
		if err == io.EOF {
			return records
		}
		if err != nil {
			t.Fatalf("stream: %v", err)
		}
		records = append(records, rec)
	}
}
