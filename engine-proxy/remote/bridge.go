package remote

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api/contract"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/peer"
)

// bridgePattern is how a bridge's directory is called; a process that was
// killed leaves its own behind.
const bridgePattern = "bridge-"

// bridge makes engines on another host look as if they listened here: a Unix
// socket of this process that leads to them, or to the engine proxy's Proxy.
// What is asked for, the token of a lease says, which holds here and as long as
// the lease.
type bridge struct {
	dir    string
	logger *zap.Logger

	mu     sync.Mutex // guards what follows
	server *http.Server
	path   string
	served sync.WaitGroup
	routes map[[sha256.Size]byte]route
}

// route is where the token of one lease leads.
type route struct {
	prefix     string // before the paths of the engine contract
	token      string // the engine's own; "" where the engine proxy adds it
	instanceID string
	transport  http.RoundTripper
}

// open returns an endpoint of this machine that stands for an engine, until
// forget is called.
func (b *bridge) open(w route) (at engineproxy.Endpoint, forget func(), err error) {
	var secret [32]byte
	_, _ = rand.Read(secret[:]) // never fails
	token := hex.EncodeToString(secret[:])
	sum := sha256.Sum256([]byte(token))
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.server == nil {
		if err := b.listen(); err != nil {
			return engineproxy.Endpoint{}, nil, err
		}
	}
	b.routes[sum] = w
	at = engineproxy.Endpoint{Network: driver.Unix, Address: b.path, InstanceID: w.instanceID, Token: token}
	return at, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.routes, sum)
	}, nil
}

// lease makes a lease of a route; release ends what stands behind it.
func (b *bridge) lease(w route, release func()) (*engineproxy.Lease, error) {
	crossed, forget, err := b.open(w)
	if err != nil {
		release()
		return nil, fmt.Errorf("%w: %w", engineproxy.ErrUnreachable, err)
	}
	return &engineproxy.Lease{Endpoint: crossed, Release: func() {
		forget()
		release()
	}}, nil
}

// listen is called with mu held.
func (b *bridge) listen() error {
	if b.dir == "" {
		return errors.New("no directory for the way to engines on another host is given")
	}
	if err := b.sweep(); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(b.dir, bridgePattern)
	if err != nil {
		return fmt.Errorf("making bridge directory: %w", err)
	}
	path := filepath.Join(dir, "b.sock")
	l, err := net.Listen("unix", path)
	if err != nil {
		return errors.Join(fmt.Errorf("listening for requests to engines: %w", err), os.RemoveAll(dir))
	}
	b.path, b.routes = path, make(map[[sha256.Size]byte]route)
	server := &http.Server{Handler: b, ReadHeaderTimeout: 10 * time.Second, ErrorLog: zap.NewStdLog(b.logger)}
	b.server = server
	b.served.Go(func() {
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			b.logger.Error("passing requests on to engines failed", zap.Error(err))
		}
	})
	return nil
}

// sweep removes what processes left that were killed.
func (b *bridge) sweep() error {
	old, err := filepath.Glob(filepath.Join(b.dir, bridgePattern+"*"))
	if err != nil {
		return fmt.Errorf("looking for old bridges: %w", err)
	}
	for _, dir := range old {
		conn, err := net.Dial("unix", filepath.Join(dir, "b.sock"))
		if err == nil {
			conn.Close() // another gateway's
			continue
		}
		if err := os.RemoveAll(dir); err != nil {
			return fmt.Errorf("removing old bridge: %w", err)
		}
	}
	return nil
}

func (b *bridge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	b.mu.Lock()
	found, ok := b.routes[sha256.Sum256([]byte(token))]
	b.mu.Unlock()
	if !ok {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	r.Header.Set(contract.HeaderInstance, found.instanceID)
	to := &url.URL{Scheme: "http", Host: "engine", Path: found.prefix + r.URL.Path, RawQuery: r.URL.RawQuery}
	forward(w, r, forwarding{to: to, token: found.token, instance: found.instanceID, transport: found.transport, logger: b.logger})
}

func (b *bridge) close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.server == nil {
		return nil
	}
	err := b.server.Close()
	b.served.Wait()
	b.server = nil
	return errors.Join(err, os.RemoveAll(filepath.Dir(b.path)))
}

// sent turns the error of a peer that does not listen into that of a dial:
// nothing was sent.
type sent struct{ http.RoundTripper }

func (s sent) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := s.RoundTripper.RoundTrip(r)
	if errors.Is(err, peer.ErrNotListening) {
		return nil, &net.OpError{Op: "dial", Err: err}
	}
	return res, err
}
