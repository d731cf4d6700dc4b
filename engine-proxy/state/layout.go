package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/peer"
)

// SocketName is the engine proxy's own socket, relative to the data directory.
const SocketName = "run/engines.sock"

// StatesDir holds what engines must never reach, a directory for each project,
// relative to the data directory.
const StatesDir = "engines"

// socketDirPrefix begins the names of socket directories in the system's
// temporary directory.
const socketDirPrefix = "svc-"

// Layout is where things are in a data directory.
type Layout struct {
	Root string // absolute
	// remote: engines run on other machines, and have no directory here.
	remote bool
}

// Open makes the folders of a data directory. remote says that engines run on
// other machines.
func Open(dataDir string, remote bool) (Layout, error) {
	root, err := filepath.Abs(dataDir)
	if err != nil {
		return Layout{}, fmt.Errorf("finding data directory: %w", err)
	}
	l := Layout{Root: root, remote: remote}
	for _, dir := range []string{l.run(), l.states(), filepath.Join(root, "projects")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return Layout{}, fmt.Errorf("making data directory: %w", err)
		}
	}
	return l, nil
}

func (l Layout) run() string    { return filepath.Join(l.Root, "run") }
func (l Layout) states() string { return filepath.Join(l.Root, StatesDir) }

// Archive is where what ended jobs left is kept.
func (l Layout) Archive() string { return filepath.Join(l.Root, "archive") }

// Volume is a project's volume, of an engine of this machine.
func (l Layout) Volume(projectID string) string { return filepath.Join(l.Root, "projects", projectID) }

// Runtime is where a project's sockets and token are.
func (l Layout) Runtime(projectID string) string { return filepath.Join(l.run(), projectID) }

// State is where a project's journal, log and what else its engine must never
// reach is kept.
func (l Layout) State(projectID string) string { return filepath.Join(l.states(), projectID) }

// Authority is where the certificates of engines elsewhere come from.
func (l Layout) Authority() string { return filepath.Join(l.states(), "authority.pem") }

// Token is where an engine reads its token, and where we keep that of one
// elsewhere.
func (l Layout) Token(projectID string) string {
	if l.remote {
		return filepath.Join(l.State(projectID), "token")
	}
	return filepath.Join(l.Runtime(projectID), "token")
}

// Prepare makes a project's directories and returns the path of the socket of a
// start, of which no other start has the name, in place of before and all earlier
// ones. A data directory whose path is too long
// for sockets gets a private one in the system's temporary directory. Of an
// engine elsewhere there is nothing here but its journal, and no socket.
func (l Layout) Prepare(i driver.Incarnation, before string) (socket string, err error) {
	return l.prepare(i, before, l.Volume(i.ProjectID))
}

// PrepareReplays is Prepare for the engine without a volume that plays runs again. Its
// socket directory is to be removed.
func (l Layout) PrepareReplays(i driver.Incarnation) (socket string, err error) {
	return l.prepare(i, "")
}

// prepare makes the directories of an engine, and those in volume unless it runs
// elsewhere.
func (l Layout) prepare(i driver.Incarnation, before string, volume ...string) (socket string, err error) {
	dirs, runtime := []string{l.State(i.ProjectID)}, l.Runtime(i.ProjectID)
	if !l.remote {
		dirs = append(append(dirs, volume...), runtime)
	}
	for _, dir := range dirs {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return "", fmt.Errorf("making engine's directory: %w", err)
		}
		if err := os.Chmod(dir, 0o700); err != nil {
			return "", fmt.Errorf("closing engine's directory to others: %w", err)
		}
	}
	if l.remote {
		return "", nil
	}
	socket = filepath.Join(runtime, i.SocketName())
	if max(len(socket), len(EgressSocket(socket))) > peer.MaxSocketPath {
		if before != "" {
			if err := RemoveSocketDir(before, runtime); err != nil {
				return "", err
			}
		}
		dir, err := os.MkdirTemp("", socketDirPrefix)
		if err != nil {
			return "", fmt.Errorf("making socket directory: %w", err)
		}
		return filepath.Join(dir, i.SocketName()), nil
	}
	return socket, removeSockets(runtime)
}

// removeSockets removes what stands where an engine of the project listened, or is to:
// earlier engines wrote there, and might lead to the next one who means another.
func removeSockets(runtime string) error {
	entries, err := os.ReadDir(runtime)
	if err != nil {
		return fmt.Errorf("looking for old sockets: %w", err)
	}
	for _, e := range entries {
		name, named := strings.CutPrefix(e.Name(), "e")
		number, socket := strings.CutSuffix(name, ".sock")
		if !named || !socket || strings.Trim(number, "0123456789") != "" {
			continue
		}
		if err := os.RemoveAll(filepath.Join(runtime, e.Name())); err != nil {
			return fmt.Errorf("removing old socket: %w", err)
		}
	}
	return nil
}

// EgressSocket is the way to models of the engine that listens on socket.
func EgressSocket(socket string) string { return filepath.Join(filepath.Dir(socket), "egress.sock") }

// HasVolume reports whether there is something in a project's volume on this
// machine.
func (l Layout) HasVolume(projectID string) (bool, error) {
	found, err := os.ReadDir(l.Volume(projectID))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, fmt.Errorf("looking for a volume: %w", err)
	}
	return len(found) > 0, nil
}

// RemoveSocketDir removes a socket directory outside the runtime directory, with
// what its engine has put there.
func RemoveSocketDir(socket, runtime string) error {
	dir := filepath.Dir(socket)
	if dir == runtime || !strings.HasPrefix(filepath.Base(dir), socketDirPrefix) {
		return nil
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("removing socket directory: %w", err)
	}
	return nil
}

// Projects lists the projects that have a state directory.
func (l Layout) Projects() ([]string, error) {
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

// Delete deletes everything of a project.
func (l Layout) Delete(projectID string) error {
	e, err := ReadEntry(l.State(projectID))
	if err == nil && e.Socket != "" {
		err = RemoveSocketDir(e.Socket, l.Runtime(projectID))
	}
	if err != nil {
		return err
	}
	// The journal goes last: it names what else there is.
	for _, dir := range []string{l.Volume(projectID), l.Runtime(projectID), l.State(projectID)} {
		if err := os.RemoveAll(dir); err != nil {
			return fmt.Errorf("deleting engine's directory: %w", err)
		}
	}
	return nil
}
