package egress

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine-proxy/internal/durable"
)

const (
	journalSuffix = ".calls"
	// journalSize is when, in bytes, a journal without open calls is begun anew.
	journalSize = 64 << 10
)

// line is one line of a journal. A call has three: before it goes out, when
// its answer is known, and when it is charged.
type line struct {
	Call    int64           `json:"call"`
	Job     string          `json:"job,omitempty"`
	Limit   []contract.Unit `json:"limit,omitempty"` // what it may cost at most
	Units   []contract.Unit `json:"units,omitempty"` // what it cost
	Charged bool            `json:"charged,omitempty"`
}

// open is a call that is not charged.
type open struct {
	job      string
	units    []contract.Unit // the limit until it is answered
	answered bool
}

// journal is the log of one project's calls. A line that was returned from is
// on disk, except that a charge may be told twice.
type journal struct {
	path string

	mu   sync.Mutex // guards what follows
	file *os.File   // nil once closed, or after a failure that leaves the disk's state open
	size int64
	last int64 // the newest call's id
	open map[int64]*open
}

var errJournalClosed = errors.New("the journal is closed")

// errDamaged: a journal has a whole line that is none of ours, so that nobody
// knows what is to be charged.
var errDamaged = errors.New("the journal is damaged")

// openJournal reads a journal, making it if need be. A last line that was cut
// off by a crash is dropped: the call it begins was never sent. What else can't
// be read is errDamaged, and stays as it is.
func openJournal(path string) (*journal, error) {
	j := &journal{path: path, open: make(map[int64]*open)}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening egress journal: %w", err)
	}
	if err := j.load(file); err != nil {
		return nil, errors.Join(fmt.Errorf("reading egress journal %s: %w", filepath.Base(path), err), file.Close())
	}
	if err := durable.SyncDir(filepath.Dir(path)); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	j.file = file
	return j, nil
}

func journalPath(dir, projectID string) string { return filepath.Join(dir, projectID+journalSuffix) }

// journals returns the projects that have one in a directory.
func journals(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("listing egress journals: %w", err)
	}
	var projects []string
	for _, entry := range entries {
		if id, isJournal := strings.CutSuffix(entry.Name(), journalSuffix); isJournal && api.ValidProjectID(id) {
			projects = append(projects, id)
		}
	}
	return projects, nil
}

// Damaged returns the projects that are cut off from models because their
// journals in a directory are damaged. An egress may work on it meanwhile.
func Damaged(dir string) ([]string, error) {
	projects, err := journals(dir)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, id := range projects {
		raw, err := os.ReadFile(journalPath(dir, id))
		if errors.Is(err, fs.ErrNotExist) {
			continue // it was forgotten just now
		}
		if err != nil {
			return nil, fmt.Errorf("reading egress journal: %w", err)
		}
		if _, err := closedJournal().read(raw); err != nil {
			out = append(out, id)
		}
	}
	return out, nil
}

// closedJournal knows of no call and takes none.
func closedJournal() *journal { return &journal{open: make(map[int64]*open)} }

func (j *journal) load(file *os.File) error {
	raw, err := io.ReadAll(file)
	if err != nil {
		return err
	}
	whole, err := j.read(raw)
	if err != nil {
		return err
	}
	if whole < int64(len(raw)) {
		if err := file.Truncate(whole); err != nil {
			return err
		}
	}
	j.size = whole
	_, err = file.Seek(j.size, io.SeekStart)
	return err
}

// read takes the content of a journal into account, and returns how much of it
// are whole lines.
func (j *journal) read(raw []byte) (whole int64, err error) {
	lines := raw[:bytes.LastIndexByte(raw, '\n')+1]
	n := 0
	for text := range bytes.Lines(lines) {
		n++
		var l line
		if err := json.Unmarshal(text, &l); err != nil {
			return 0, fmt.Errorf("%w: line %d: %w", errDamaged, n, err)
		}
		j.note(l)
	}
	return int64(len(lines)), nil
}

// note takes a line into account.
func (j *journal) note(l line) {
	j.last = max(j.last, l.Call)
	c := j.open[l.Call]
	switch {
	case l.Charged:
		delete(j.open, l.Call)
	case l.Limit != nil:
		j.open[l.Call] = &open{job: l.Job, units: l.Limit}
	case c != nil:
		c.answered = true
		if l.Units != nil {
			c.units = l.Units
		}
	}
}

// begin gives a call its id. Ids grow with the clock, so that a journal that
// was lost does not bring back those that are charged.
func (j *journal) begin(job string, limit []contract.Unit, now time.Time) (int64, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.open) == 0 && j.size > journalSize {
		if err := j.renew(); err != nil {
			return 0, err
		}
	}
	id := max(j.last+1, now.UnixMicro())
	return id, j.append(line{Call: id, Job: job, Limit: limit}, true)
}

// answered notes what a call cost; nil stands for its limit.
func (j *journal) answered(id int64, units []contract.Unit) error {
	return j.add(line{Call: id, Units: units}, true)
}

// free notes that a call cost nothing.
func (j *journal) free(id int64) error { return j.add(line{Call: id, Charged: true}, true) }

// charged notes that a call is in the ledger. It is not flushed: a charge that
// is told twice counts once.
func (j *journal) charged(id int64) error { return j.add(line{Call: id, Charged: true}, false) }

// add is append of what counts also when it can't be written.
func (j *journal) add(l line, flush bool) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	err := j.append(l, flush)
	if err != nil {
		j.note(l) // it is charged all the same, and once
	}
	return err
}

// due returns the calls that are answered and not charged, oldest first.
func (j *journal) due(projectID string) []contract.Call {
	j.mu.Lock()
	defer j.mu.Unlock()
	var calls []contract.Call
	for id, c := range j.open {
		if c.answered {
			calls = append(calls, contract.Call{ProjectID: projectID, ID: id, JobID: c.job, Units: c.units})
		}
	}
	slices.SortFunc(calls, func(a, b contract.Call) int { return int(a.ID - b.ID) })
	return calls
}

// abandoned returns the calls without an answer.
func (j *journal) abandoned() []int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	var ids []int64
	for id, c := range j.open {
		if !c.answered {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// append writes a line whole or not at all. It is called with mu held.
func (j *journal) append(l line, flush bool) error {
	if j.file == nil {
		return errJournalClosed
	}
	raw, err := json.Marshal(l)
	if err != nil {
		return fmt.Errorf("encoding egress journal: %w", err)
	}
	raw = append(raw, '\n')
	if _, err := j.file.Write(raw); err != nil {
		err = fmt.Errorf("writing egress journal: %w", err)
		if cut := errors.Join(j.file.Truncate(j.size), j.seekEnd()); cut != nil {
			return errors.Join(err, cut, j.abandonFile())
		}
		return err
	}
	if flush {
		if err := j.file.Sync(); err != nil {
			// What is on disk now, no one can say; the next start reads it.
			return errors.Join(fmt.Errorf("flushing egress journal: %w", err), j.abandonFile())
		}
	}
	j.size += int64(len(raw))
	j.note(l)
	return nil
}

func (j *journal) seekEnd() error {
	_, err := j.file.Seek(j.size, io.SeekStart)
	return err
}

func (j *journal) abandonFile() error {
	err := j.file.Close()
	j.file = nil
	return err
}

// renew replaces the journal with one that knows nothing but the newest id. It
// is called with mu held and no call open.
func (j *journal) renew() error {
	raw, err := json.Marshal(line{Call: j.last, Charged: true})
	if err != nil {
		return fmt.Errorf("encoding egress journal: %w", err)
	}
	raw = append(raw, '\n')
	file, err := os.CreateTemp(filepath.Dir(j.path), ".new-")
	if err != nil {
		return fmt.Errorf("renewing egress journal: %w", err)
	}
	_, err = file.Write(raw)
	if err = errors.Join(err, file.Sync()); err == nil {
		err = os.Rename(file.Name(), j.path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("renewing egress journal: %w", err), file.Close(), os.Remove(file.Name()))
	}
	before := j.file
	j.file, j.size = file, int64(len(raw))
	return errors.Join(before.Close(), durable.SyncDir(filepath.Dir(j.path)))
}

// idle reports whether every call is charged.
func (j *journal) idle() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.open) == 0
}

func (j *journal) close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == nil {
		return nil
	}
	return j.abandonFile()
}

// forget closes the journal of a project that is deleted: its calls can't be
// charged any more, and are not to be tried.
func (j *journal) forget() error {
	err := j.close()
	j.mu.Lock()
	defer j.mu.Unlock()
	clear(j.open)
	return err
}
