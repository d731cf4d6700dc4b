package peer

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"
)

const (
	// headerTimeout bounds how long a request's header may take.
	headerTimeout = 10 * time.Second
	// idleTimeout is longer than that of Client, so that a connection is
	// closed by the end that knows whether a request is on its way.
	idleTimeout = 3 * time.Minute
	// lookEvery is how often a server looks whether its socket was taken over.
	lookEvery = 100 * time.Millisecond
	// linger is how long a server whose socket was taken over still answers on
	// connections that were made before, asking to close them.
	linger = 300 * time.Millisecond
	// unusedGrace is how long a server that closes waits for a first request on
	// those that it has accepted.
	unusedGrace = 300 * time.Millisecond
	// takenGrace is that of one whose socket was taken over: no request may be
	// lost then, however long a busy machine lets a client wait between the
	// connection and the request.
	takenGrace = 3 * time.Second
	// closeTimeout is how long Close waits for requests under way.
	closeTimeout = 5 * time.Second
)

// ServerOptions of Start. Address and Handler are required.
type ServerOptions struct {
	Address Address
	Handler http.Handler
	// TLS is required for TCP, and so is Names: a client's certificate must
	// bear one of them.
	TLS   TLS
	Names []string
	// TakeOver takes a Unix socket from the process that listens there, which
	// learns of it by TakenOver. Without it such a socket is refused.
	TakeOver bool
	Logger   *zap.Logger // default: none
}

// Check returns why Start could not listen there, and takes nothing from anybody: no
// socket is made or replaced. The port of TCP is tried whatever TakeOver says, since
// nobody hands one over.
func (o ServerOptions) Check() error {
	if o.Address.Unix() {
		return checkSocket(o.Address.Name, o.TakeOver)
	}
	if _, err := o.keeper(); err != nil {
		return err
	}
	l, err := net.Listen("tcp", o.Address.Name)
	if err != nil {
		return err
	}
	return l.Close()
}

// keeper returns what a listener on TCP shows and asks for.
func (o ServerOptions) keeper() (*keeper, error) {
	if len(o.Names) == 0 {
		return nil, fmt.Errorf("listening on %s: TCP needs the names that a client's certificate may bear", o.Address)
	}
	k, err := newKeeper(o.TLS, o.Logger)
	if err != nil {
		return nil, fmt.Errorf("listening on %s: %w", o.Address, err)
	}
	return k, nil
}

// Server serves HTTP to peers that proved who they are.
type Server struct {
	http      *http.Server
	listener  net.Listener
	socket    *socket // nil over TCP
	tokens    *tokens // nil over TCP
	handler   http.Handler
	logger    *zap.Logger
	unused    unused
	served    chan struct{} // closed once nothing is accepted any more
	stopping  chan struct{} // closed by Close
	takenOver chan struct{} // closed when another process has the socket
	close     func() error
	tasks     sync.WaitGroup
}

// Start listens and serves until Close.
func Start(o ServerOptions) (*Server, error) {
	o.Logger = cmp.Or(o.Logger, zap.NewNop())
	s := &Server{
		handler: o.Handler, logger: o.Logger,
		served: make(chan struct{}), stopping: make(chan struct{}), takenOver: make(chan struct{}),
	}
	s.close = sync.OnceValue(s.shutdown)
	if err := s.listen(o); err != nil {
		return nil, err
	}
	s.http = &http.Server{
		Handler:     http.HandlerFunc(s.serve),
		ConnContext: withCaller,
		ConnState:   s.unused.note,
		BaseContext: func(net.Listener) context.Context {
			return context.WithValue(context.Background(), stoppingKey{}, s.stopping)
		},
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		ErrorLog:          log.New(noted{o.Logger}, "", 0),
	}
	go func() {
		defer close(s.served)
		if err := s.http.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
			s.logger.Error("serving peers failed", zap.String("address", o.Address.String()), zap.Error(err))
		}
	}()
	return s, nil
}

// noted writes warnings of the server, of certificates that are refused above all, and
// leaves out who connected and left without a word: probes of a port do so every few seconds.
type noted struct{ to *zap.Logger }

func (n noted) Write(line []byte) (int, error) {
	if bytes.HasPrefix(line, []byte("http: TLS handshake error from ")) && bytes.HasSuffix(line, []byte(": EOF\n")) {
		return len(line), nil
	}
	n.to.Warn(string(bytes.TrimSpace(line)))
	return len(line), nil
}

func (s *Server) listen(o ServerOptions) error {
	if o.Address.Unix() {
		// The token is there before anyone can connect.
		tokens, err := keepTokens(o.Address.Name, s.logger)
		if err != nil {
			return err
		}
		if s.socket, err = listenUnix(o.Address.Name, o.TakeOver); err != nil {
			return err
		}
		s.listener, s.tokens = s.socket, tokens
		s.tasks.Go(s.watch)
		return nil
	}
	keeper, err := o.keeper()
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", o.Address.Name)
	if err != nil {
		return err
	}
	s.listener = tls.NewListener(l, keeper.server(o.Names))
	return nil
}

// watch looks whether another process has taken the socket, and whether the token is
// another one now.
func (s *Server) watch() {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		select {
		case <-s.stopping:
			return
		case <-look.C:
		}
		if s.socket.replaced() {
			close(s.takenOver)
			return
		}
		s.tokens.look()
	}
}

// Addr returns where the server listens; of TCP port 0 the one that it got.
func (s *Server) Addr() Address {
	if s.socket != nil {
		return Address{Network: "unix", Name: s.socket.path}
	}
	return Address{Network: "tcp", Name: s.listener.Addr().String()}
}

// TakenOver is closed once another process listens on the server's socket. The
// owner of the server should then close it.
func (s *Server) TakenOver() <-chan struct{} { return s.takenOver }

// Close tells the long requests to end, waits at most 5 s for those under way
// and removes the socket if it is still ours. Closing twice is allowed.
func (s *Server) Close() error { return s.close() }

func (s *Server) shutdown() error {
	close(s.stopping)
	s.tasks.Wait()
	grace := unusedGrace
	if s.socket != nil && s.socket.replaced() {
		grace = takenGrace
		// Each client is told on its next request to come back on a new
		// connection, which leads to the successor.
		time.Sleep(linger)
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	shut := make(chan error, 1)
	go func() { shut <- s.http.Shutdown(ctx) }()
	<-s.served // whoever connected is known now
	err := s.unused.closeAfter(grace, ctx.Done())
	if late := <-shut; late != nil {
		err = errors.Join(err, late, s.http.Close())
	}
	if s.socket != nil {
		err = errors.Join(err, s.socket.remove())
	}
	return err
}

// serve lets peers in that proved who they are.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	select {
	case <-s.stopping:
		w.Header().Set("Connection", "close")
	default:
	}
	if _, err := Caller(r); err != nil {
		refuse(w, http.StatusForbidden, err.Error())
		return
	}
	if s.tokens != nil {
		token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !s.tokens.good(token) {
			refuse(w, http.StatusUnauthorized, "the token is missing or wrong")
			return
		}
	}
	s.handler.ServeHTTP(w, r)
}

func refuse(w http.ResponseWriter, status int, message string) {
	body, err := json.Marshal(map[string]string{"error": message})
	if err != nil {
		panic(err) // strings always marshal
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // the client is gone if it fails
}

type stoppingKey struct{}

// Stopping is closed when the server that the request came to is about to
// close: a handler that waits for something should then answer. It blocks for
// ever for requests of other servers.
func Stopping(ctx context.Context) <-chan struct{} {
	stopping, _ := ctx.Value(stoppingKey{}).(chan struct{})
	return stopping
}
