package jobs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"go.uber.org/zap"

	"github.com/svc-games/svc/engine/revs"
	"github.com/svc-games/svc/engine/swap"
)

// Limits bound a project's volume. Requests that wait are not counted: they
// are bounded by themselves, and gone when their job ends.
type Limits struct {
	Bytes int64 // of all files; default 256 MiB
	Files int   // default 20,000
}

// The defaults of Limits.
const (
	defaultBytes = 256 << 20
	defaultFiles = 20_000
)

func (l Limits) complete() Limits {
	if l.Bytes <= 0 {
		l.Bytes = defaultBytes
	}
	if l.Files <= 0 {
		l.Files = defaultFiles
	}
	return l
}

// fullError is a job that would exceed the volume's limits. Its text is for
// the user.
type fullError struct {
	why  string
	lack revs.Size // what there would be too much of, without the ZIPs that may go
}

func (e *fullError) Error() string { return "The project's volume is full: " + e.why }

// room returns nil when the volume has room for so much more. The ZIPs of
// published jobs, which the archive has, make room, the oldest first; then old
// revisions do. Where all of them are too little, none goes.
func (m *Manager) room(bytes int64, files int) error {
	err := m.roomBesideHistory(bytes, files)
	if full, ok := errors.AsType[*fullError](err); ok && m.shortenHistory(full.lack) {
		return m.roomBesideHistory(bytes, files)
	}
	return err
}

// shortenHistory forgets as many revisions as take so much, if that can be had.
func (m *Manager) shortenHistory(lack revs.Size) bool {
	now, least, err := m.history.Sizes(m.now())
	if lack == (revs.Size{}) || err != nil || lack.Bytes > now.Bytes-least.Bytes || lack.Files > now.Files-least.Files {
		return false
	}
	err = m.history.Trim(revs.Limits{Revisions: keptRevisions, Bytes: now.Bytes - lack.Bytes, Files: now.Files - lack.Files, Now: m.now()})
	if err != nil {
		m.cfg.Log.Warn("history not shortened", zap.Error(err))
	}
	return err == nil
}

// roomBesideHistory is room where no revision gives way.
func (m *Manager) roomBesideHistory(bytes int64, files int) error {
	limits := m.cfg.Limits
	use, err := measure(m.cfg.Dir)
	if err != nil {
		return err
	}
	lack := revs.Size{Bytes: use.Bytes + bytes - limits.Bytes, Files: use.Files + files - limits.Files}
	if lack.Bytes <= 0 && lack.Files <= 0 {
		return nil
	}
	zips, rest := m.withZIP(), lack
	for _, j := range zips {
		if info, err := os.Stat(j.path(zipFile)); err == nil {
			rest.Bytes, rest.Files = rest.Bytes-info.Size(), rest.Files-1
		}
	}
	full := &fullError{lack: revs.Size{Bytes: max(0, rest.Bytes), Files: max(0, rest.Files)}}
	switch {
	case rest.Files > 0:
		full.why = fmt.Sprintf("it has %d files of at most %d, and this job needs %d more.", use.Files, limits.Files, files)
		return full
	case rest.Bytes > 0:
		full.why = fmt.Sprintf("%s of %s are in use, and this job needs %s more.", mebi(use.Bytes), mebi(limits.Bytes), mebi(bytes))
		return full
	}
	for _, j := range zips {
		if lack.Bytes <= 0 && lack.Files <= 0 {
			break
		}
		freed, err := m.drop(j)
		if err != nil {
			return err
		}
		if freed > 0 {
			lack.Bytes, lack.Files = lack.Bytes-freed, lack.Files-1
		}
	}
	return nil
}

// change implements gen.Request.Change.
func (m *Manager) change(changes []swap.Change, more int64) error {
	return m.space.Change(changes, func(bytes int64, files int) error { return m.room(bytes+more, files+1) })
}

// withZIP returns the published jobs in order of acceptance, but for the
// newest, whose game is the project's.
func (m *Manager) withZIP() []*job {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []*job
	for _, j := range m.accepted {
		if j.stored.Published && j.stored.Record.Files != nil {
			out = append(out, j)
		}
	}
	return out[:max(0, len(out)-1)]
}

// drop deletes the ZIP of a published job, and says what that frees.
func (m *Manager) drop(j *job) (freed int64, err error) {
	info, err := os.Stat(j.path(zipFile))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil // earlier
	}
	if err == nil {
		err = os.Remove(j.path(zipFile))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil // another one made room this moment
	}
	if err != nil {
		return 0, fmt.Errorf("making room: %w", err)
	}
	m.cfg.Log.Info("files dropped to make room", zap.String("job", j.id), zap.Int64("bytes", info.Size()))
	return info.Size(), nil
}

// measure returns what a volume holds, but for requests.
func measure(dir string) (use Limits, err error) {
	err = filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // deleted this moment
		}
		if err != nil || entry.IsDir() || entry.Name() == requestFile {
			return err
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		use.Files++
		use.Bytes += info.Size()
		return nil
	})
	if err != nil {
		return use, fmt.Errorf("measuring volume: %w", err)
	}
	return use, nil
}

func mebi(bytes int64) string { return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20)) }
