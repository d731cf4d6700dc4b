package fleet

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/svc-games/svc/api"
)

// SocketName is the engine proxy's own socket, relative to the data directory.
const SocketName = "run/engines.sock"

// StatesDir holds what engines must never reach, a directory for each project,
// relative to the data directory.
const StatesDir = "engines"

// maxSocketPath is the longest path of a Unix socket on Linux, its closing
// zero byte not counted.
const maxSocketPath = 107

// socketDirPrefix begins the names of socket directories in the system's
// temporary directory.
const socketDirPrefix = "svc-"

// layout is where things are in a data directory.
type layout struct {
	root string
	// elsewhere: engines run on other machines, and have no directory here.
	elsewhere bool
}

func newLayout(dataDir string, elsewhere bool) (layout, error) {
	root, err := filepath.Abs(dataDir)
	if err != nil {
		return layout{}, fmt.Errorf("finding data directory: %w", err)
	}
	l := layout{root: root, elsewhere: elsewhere}
	for _, dir := range []string{l.run(), l.states(), filepath.Join(root, "projects")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return layout{}, fmt.Errorf("making data directory: %w", err)
		}
	}
	return l, nil
}

func (l layout) run() string                     { return filepath.Join(l.root, "run") }
func (l layout) states() string                  { return filepath.Join(l.root, StatesDir) }
func (l layout) archive() string                 { return filepath.Join(l.root, "archive") }
func (l layout) volume(projectID string) string  { return filepath.Join(l.root, "projects", projectID) }
func (l layout) runtime(projectID string) string { return filepath.Join(l.run(), projectID) }

// state is where a project's journal, log and what else its engine must never
// reach is kept.
func (l layout) state(projectID string) string { return filepath.Join(l.states(), projectID) }

// authority is where the certificates of engines elsewhere come from.
func (l layout) authority() string { return filepath.Join(l.states(), "authority.pem") }

// token is where an engine reads its token, and where we keep that of one
// elsewhere.
func (l layout) token(projectID string) string {
	if l.elsewhere {
		return filepath.Join(l.state(projectID), "token")
	}
	return filepath.Join(l.runtime(projectID), "token")
}

// prepare makes a project's directories and returns the path of the socket
// that replaces the one it had before. A data directory whose path is too long
// for sockets gets a private one in the system's temporary directory. Of an
// engine elsewhere there is nothing here but its journal, and no socket.
func (l layout) prepare(projectID, before string) (socket string, err error) {
	dirs := []string{l.state(projectID)}
	if !l.elsewhere {
		dirs = append(dirs, l.volume(projectID), l.runtime(projectID))
	}
	for _, dir := range dirs {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return "", fmt.Errorf("making engine's directory: %w", err)
		}
		if err := os.Chmod(dir, 0o700); err != nil {
			return "", fmt.Errorf("closing engine's directory to others: %w", err)
		}
	}
	if l.elsewhere {
		return "", nil
	}
	socket = filepath.Join(l.runtime(projectID), "e.sock")
	if len(egressSocket(socket)) > maxSocketPath {
		if before != "" {
			if err := removeSocketDir(before, l.runtime(projectID)); err != nil {
				return "", err
			}
		}
		dir, err := os.MkdirTemp("", socketDirPrefix)
		if err != nil {
			return "", fmt.Errorf("making socket directory: %w", err)
		}
		return filepath.Join(dir, "e.sock"), nil
	}
	if err := os.Remove(socket); err != nil && !os.IsNotExist(err) {
		return "", fmt.Errorf("removing old socket: %w", err)
	}
	return socket, nil
}

// removeSocketDir removes a socket directory outside the runtime directory, with
// what its engine has put there.
func removeSocketDir(socket, runtime string) error {
	dir := filepath.Dir(socket)
	if dir == runtime || !strings.HasPrefix(filepath.Base(dir), socketDirPrefix) {
		return nil
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("removing socket directory: %w", err)
	}
	return nil
}

// known lists the projects that have a state directory.
func (l layout) known() ([]string, error) {
	entries, err := os.ReadDir(l.states())
	if err != nil {
		return nil, fmt.Errorf("listing state directories: %w", err)
	}
	var ids []string
	for _, e := range entries {
		if e.IsDir() && api.ValidProjectID(e.Name()) {
			ids = append(ids, e.Name())
		}
	}
	return ids, nil
}

// forget deletes everything of a project.
func (l layout) forget(projectID string) error {
	e, err := readEntry(l.state(projectID))
	if err == nil && e.Socket != "" {
		err = removeSocketDir(e.Socket, l.runtime(projectID))
	}
	if err != nil {
		return err
	}
	// The journal goes last: it names what else there is.
	for _, dir := range []string{l.volume(projectID), l.runtime(projectID), l.state(projectID)} {
		if err := os.RemoveAll(dir); err != nil {
			return fmt.Errorf("deleting engine's directory: %w", err)
		}
	}
	return nil
}
