package egress

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"

	"go.uber.org/zap"
	"golang.org/x/net/netutil"
)

// socket is where an engine of this machine asks.
type socket struct {
	server *http.Server
	path   string
}

// listen opens a socket. The directory it lies in is the engine's, so it is
// made elsewhere and moved there: nothing that the engine puts in its place is
// followed or changed.
func (e *Egress) listen(a *account, path, token string) (*socket, error) {
	dir, err := os.MkdirTemp(filepath.Dir(filepath.Dir(path)), ".s")
	if err != nil {
		return nil, fmt.Errorf("making egress socket: %w", err)
	}
	defer os.RemoveAll(dir)
	made := filepath.Join(dir, "s")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Net: "unix", Name: made})
	if err != nil {
		return nil, fmt.Errorf("listening on egress socket: %w", err)
	}
	l.SetUnlinkOnClose(false)
	// The engine runs as another user; who may come this far the directory
	// says, and who may ask the token.
	if err := errors.Join(os.Chmod(made, 0o666), os.Rename(made, path)); err != nil {
		return nil, errors.Join(fmt.Errorf("placing egress socket: %w", err), l.Close())
	}
	s := &socket{server: e.server(newEngineHandler(a, token)), path: path}
	e.wg.Go(func() {
		err := s.server.Serve(netutil.LimitListener(l, maxConnections))
		if !errors.Is(err, http.ErrServerClosed) {
			e.log.Error("serving egress failed", zap.String("project", a.projectID), zap.Error(err))
		}
	})
	return s, nil
}

// leave lets calls under way end until ctx does.
func (s *socket) leave(ctx context.Context) {
	if s.server.Shutdown(ctx) != nil {
		s.close()
	}
}

func (s *socket) close() { _ = s.server.Close() } // no listener's error is of use now

// Interface guards
var _ entry = (*socket)(nil)
