package decisionlog

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/bundle"
)

// suffix of a policy's file; it is a bundle.
const suffix = ".tar.gz"

// policies keeps the policies that decided what is in a log, each by its revision,
// for as long as the log has a record of it. A file's time is that of its first use in
// the newest file of the log that has one.
type policies struct {
	dir    string
	noted  map[string]bool      // revisions in the present file
	failed map[string]time.Time // when revisions could not be kept the last time
}

func policiesOf(logPath string) *policies {
	return &policies{dir: policiesDir(logPath), noted: map[string]bool{}, failed: map[string]time.Time{}}
}

// policiesDir returns where the policies of a log are: of decisions.jsonl, and what
// was renamed, in decisions.policies.
func policiesDir(logPath string) string {
	if base, number, ok := cutLast(logPath, "."); ok {
		if _, err := strconv.Atoi(number); err == nil {
			logPath = base
		}
	}
	return strings.TrimSuffix(logPath, filepath.Ext(logPath)) + ".policies"
}

func cutLast(text, sep string) (before, after string, found bool) {
	i := strings.LastIndex(text, sep)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(sep):], true
}

// keep sees that a policy is there before the first record of it in the present file. One
// that can't be kept is tried again with records after retryAfter, until it succeeds; only
// the first failure is returned.
func (p *policies) keep(e *policy.Evaluator) error {
	revision := e.Revision()
	last, failed := p.failed[revision]
	if p.noted[revision] || failed && time.Since(last) < retryAfter {
		return nil
	}
	if err := p.write(e); err != nil {
		p.failed[revision] = time.Now()
		if failed {
			return nil
		}
		return fmt.Errorf("keeping a policy that decided: %w", err)
	}
	p.noted[revision] = true
	delete(p.failed, revision)
	return nil
}

// write writes a policy, or renews the time of one that is there.
func (p *policies) write(e *policy.Evaluator) error {
	path := filepath.Join(p.dir, e.Revision()+suffix)
	now := time.Now()
	if err := os.Chtimes(path, now, now); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	files := bundle.Snapshot{}
	for name, text := range e.Sources() {
		files[name] = []byte(text)
	}
	var archive bytes.Buffer
	if err := files.WriteArchive(&archive); err != nil {
		return err
	}
	if err := os.MkdirAll(p.dir, 0o700); err != nil {
		return err
	}
	part := path + ".part"
	if err := os.WriteFile(part, archive.Bytes(), 0o600); err != nil {
		return err
	}
	return os.Rename(part, path)
}

// forget removes the policies that no file of the log uses any more: those noted before
// the last write to one that is gone. What can't be removed now is removed the next
// time.
func (p *policies) forget(lastWrite time.Time) {
	clear(p.noted)
	kept, err := os.ReadDir(p.dir)
	if err != nil {
		return
	}
	for _, file := range kept {
		if info, err := file.Info(); err == nil && info.ModTime().Before(lastWrite) {
			_ = os.Remove(filepath.Join(p.dir, file.Name()))
		}
	}
}

// Policy returns the files of the policy with a revision that decided what is in a
// log, tests left out. It returns fs.ErrNotExist, wrapped, when it is not kept.
func Policy(logPath, revision string) (bundle.Snapshot, error) {
	if revision == "" || revision != filepath.Base(revision) {
		return nil, fmt.Errorf("policy %q: %w", revision, fs.ErrNotExist)
	}
	file, err := os.Open(filepath.Join(policiesDir(logPath), revision+suffix))
	if err != nil {
		return nil, fmt.Errorf("reading a policy that decided: %w", err)
	}
	defer file.Close()
	return bundle.ReadArchive(file)
}
