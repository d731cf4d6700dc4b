package activation

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/svc-games/svc/policy/bundle"
)

// KeptDir is where generations are kept, in the data directory.
const KeptDir = "policy"

// stateFile is the keeper's list of generations, in its directory.
const stateFile = "state.json"

// state is what outlives a restart.
type state struct {
	// Active is the number of the active generation, 0 before the first.
	Active int64 `json:"active"`
	// Last is the highest number given out.
	Last int64 `json:"last"`
	// Floor is the highest sequence that was ever activated: a policy must not be
	// below it, or an old bundle could be served again. It never falls.
	Floor int64 `json:"floor"`
	// Source and SourceDigest name the files of the source at the time of the last
	// choice: they are not activated again before they change.
	Source       string `json:"source"`
	SourceDigest string `json:"sourceDigest"`
	// Refused is why that was not activated, nil when it was or when a person
	// chose another since.
	Refused *refusal `json:"refused,omitempty"`
	// Waiting is the policy that is held, nil for none. It is forgotten when any becomes
	// active: it was compared with the one before.
	Waiting *Info `json:"waiting,omitempty"`
	// Generations are those kept, in the order in which they were active last: the
	// active one is the last.
	Generations []Info `json:"generations"`
}

// refusal is a problem, as it is kept.
type refusal struct {
	Wanted string `json:"wanted"`
	Step   string `json:"step"`
	Error  string `json:"error"`
}

// problem returns the problem that was kept.
func (r *refusal) problem() problem {
	return problem{wanted: r.Wanted, failure: failed(r.Step, r.Error)}
}

func (s state) next() int64 { return s.Last + 1 }

// active returns the active generation, if there is one.
func (s state) active() (Info, bool) {
	i := slices.IndexFunc(s.Generations, func(g Info) bool { return g.Number == s.Active })
	if i < 0 {
		return Info{}, false
	}
	return s.Generations[i], true
}

// all returns the generations, and the one that waits.
func (s state) all() []Info {
	all := slices.Clone(s.Generations)
	if s.Waiting != nil {
		all = append(all, *s.Waiting)
	}
	return all
}

// wanted returns the revision of the active generation, "" for none.
func (s state) wanted() string {
	g, _ := s.active()
	return g.Revision
}

// keeper keeps generations on disk: each as a bundle, and their list. The
// engine's lock on activations guards it.
type keeper struct {
	dir    string
	state  state
	shared *sharing // nil: no other sidecar has the store
}

func openKeeper(dir string) (*keeper, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("keeping policies: %w", err)
	}
	k := &keeper{dir: dir}
	path := filepath.Join(dir, stateFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return k, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &k.state)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the list of policies: %w: restore %s, or remove it to begin with what the source holds, and with no floor of sequences", err, path)
	}
	for i, g := range k.state.Generations {
		k.state.Generations[i].trust = trustOfKept(g)
	}
	if g := k.state.Waiting; g != nil {
		g.trust = trustOfKept(*g)
	}
	return k, nil
}

// add keeps a generation as the active one, and forgets the one that was active
// least recently.
func (k *keeper) add(g Info, files bundle.Snapshot, sourceDigest string) error {
	var archive bytes.Buffer
	if err := files.WriteArchive(&archive); err != nil {
		return err
	}
	next := k.state
	next.Active, next.Last, next.SourceDigest = g.Number, max(next.Last, g.Number), sourceDigest
	next.Floor = max(next.Floor, g.Sequence)
	next.Refused, next.Waiting = nil, nil
	// The same files twice would push another generation out.
	next.Generations = slices.DeleteFunc(slices.Clone(next.Generations), func(old Info) bool { return old.Digest == g.Digest })
	next.Generations = append(next.Generations, g)
	next.Generations = next.Generations[max(0, len(next.Generations)-Kept):]
	return k.settle(next, &addition{g, archive.Bytes()})
}

// hold keeps a generation as the one that waits.
func (k *keeper) hold(g Info, files bundle.Snapshot, sourceDigest string) error {
	var archive bytes.Buffer
	if err := files.WriteArchive(&archive); err != nil {
		return err
	}
	next := k.state
	next.Waiting, next.Last, next.SourceDigest, next.Refused = &g, g.Number, sourceDigest, nil
	return k.settle(next, &addition{g, archive.Bytes()})
}

// refuse forgets the generation that waits.
func (k *keeper) refuse() error {
	next := k.state
	next.Waiting = nil
	return k.settle(next, nil)
}

// choose makes a kept generation the active one. Those that became active after it
// are withdrawn by that, unless it was withdrawn itself. What the source holds stays
// what is not activated again.
func (k *keeper) choose(g Info) error {
	next := k.state
	next.Active, next.Refused, next.Waiting = g.Number, nil, nil
	next.Generations = slices.Clone(next.Generations)
	at := slices.IndexFunc(next.Generations, func(kept Info) bool { return kept.Number == g.Number })
	back := at >= 0 && !next.Generations[at].Withdrawn
	if at >= 0 {
		next.Generations = slices.Delete(next.Generations, at, at+1)
	}
	for i := max(at, 0); back && i < len(next.Generations); i++ {
		next.Generations[i].Withdrawn = true
	}
	g.Withdrawn = false
	next.Generations = append(next.Generations, g)
	return k.settle(next, nil)
}

// addition is a generation that is new, and its files.
type addition struct {
	info    Info
	archive []byte
}

// settle makes next the state, with what is new in it. Where policies are shared it is
// the state of all from the moment the store has it, so of this one too: what can't be
// written here is read from the store again, as by take.
func (k *keeper) settle(next state, added *addition) error {
	if k.shared == nil {
		return k.write(next, added)
	}
	var archives map[string][]byte
	var from held
	if added != nil {
		archives = map[string][]byte{added.info.Digest: added.archive}
		if added.info.ActivatedBy == ByService {
			from = held{added.info.Source, next.SourceDigest}
		}
	}
	if err := k.shared.save(next, archives, from); err != nil {
		return err
	}
	if err := k.write(next, added); err != nil {
		k.state = next
	}
	return nil
}

// write writes what is new, and the list.
func (k *keeper) write(next state, added *addition) error {
	if added != nil {
		if err := replaceFile(k.path(added.info.Number), added.archive); err != nil {
			return fmt.Errorf("keeping the policy: %w", err)
		}
	}
	return k.save(next)
}

// take makes what all sidecars share the keeper's own. What it can't write is read from
// the store again at the next start.
func (k *keeper) take(theirs common, version int64) {
	next := k.state
	next.Active, next.Last, next.Generations, next.Waiting = theirs.Active, theirs.Last, theirs.Generations, theirs.Waiting
	next.Floor = max(next.Floor, theirs.Floor)
	k.shared.version, k.shared.seen = version, theirs.Seen
	if theirs.Approvers != nil {
		k.shared.approvers = theirs.Approvers
	}
	if err := k.save(next); err != nil {
		k.state = next
	}
}

// approvers are the fingerprints of those that sidecars with one store have in common.
func (k *keeper) approvers() []string {
	if k.shared == nil {
		return nil
	}
	return k.shared.approvers
}

// look notes what the source holds, and why it was refused, if it was.
func (k *keeper) look(source, digest string, refused *refusal) error {
	if k.state.Source == source && k.state.SourceDigest == digest && k.state.Refused == nil && refused == nil {
		return nil
	}
	next := k.state
	next.Source, next.SourceDigest, next.Refused = source, digest, refused
	return k.save(next)
}

// save writes the list and removes the files of generations that are not on
// it any more.
func (k *keeper) save(next state) error {
	text, err := json.MarshalIndent(next, "", "  ")
	if err != nil {
		return fmt.Errorf("writing the list of policies: %w", err)
	}
	if err := replaceFile(filepath.Join(k.dir, stateFile), append(text, '\n')); err != nil {
		return fmt.Errorf("writing the list of policies: %w", err)
	}
	kept := next.all()
	dropped := slices.DeleteFunc(k.state.all(), func(old Info) bool {
		return slices.ContainsFunc(kept, func(g Info) bool { return g.Number == old.Number })
	})
	k.state = next
	for _, g := range dropped {
		_ = os.Remove(k.path(g.Number)) // what is left behind is on no list
	}
	return nil
}

// read returns the files of a generation: those on disk if they are what they were, or
// else those that are shared.
func (k *keeper) read(g Info) (bundle.Snapshot, error) {
	files, err := k.readFile(g)
	if err == nil || k.shared == nil {
		return files, err
	}
	text, err := k.shared.Archive(context.Background(), g.Digest)
	if err != nil {
		return nil, fmt.Errorf("reading a policy of the store: %w", err)
	}
	if files, err = bundle.ReadArchive(bytes.NewReader(text)); err != nil {
		return nil, fmt.Errorf("reading a policy of the store: %w", err)
	}
	if files.Digest() != g.Digest {
		return nil, fmt.Errorf("reading a policy of the store: it is not what was activated as %s", g.Revision)
	}
	_ = replaceFile(k.path(g.Number), text) // it can be read again
	return files, nil
}

// archive returns the files of a generation as they are kept.
func (k *keeper) archive(g Info) ([]byte, error) {
	files, err := k.readFile(g)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	err = files.WriteArchive(&text)
	return text.Bytes(), err
}

// CheckKept reads the policies that are kept in a data directory, and returns how many they
// are and what is wrong with them. shared: those that are missing are in the store. Its error
// is an fs.ErrNotExist where none was ever kept.
func CheckKept(dataDir string, shared bool) (kept int, damaged []error, err error) {
	dir := filepath.Join(dataDir, KeptDir)
	if _, err := os.Stat(dir); err != nil {
		return 0, nil, fmt.Errorf("reading kept policies: %w", err)
	}
	k, err := openKeeper(dir)
	if err != nil {
		return 0, nil, err
	}
	for _, g := range k.state.all() {
		if _, err := k.readFile(g); err != nil && !(shared && errors.Is(err, fs.ErrNotExist)) {
			damaged = append(damaged, err)
		}
	}
	return len(k.state.all()), damaged, nil
}

func (k *keeper) readFile(g Info) (bundle.Snapshot, error) {
	file, err := os.Open(k.path(g.Number))
	if err != nil {
		return nil, fmt.Errorf("reading a kept policy: %w", err)
	}
	defer file.Close()
	files, err := bundle.ReadArchive(file)
	if err != nil {
		return nil, fmt.Errorf("reading a kept policy: %w", err)
	}
	if files.Digest() != g.Digest {
		return nil, fmt.Errorf("reading a kept policy: %s is not what was activated as %s", k.path(g.Number), g.Revision)
	}
	return files, nil
}

func (k *keeper) path(number int64) string {
	return filepath.Join(k.dir, fmt.Sprintf("%d.tar.gz", number))
}

// replaceFile writes a file whole or not at all.
func replaceFile(path string, data []byte) error {
	file, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err == nil {
		err = file.Sync()
	}
	err = errors.Join(err, file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}
