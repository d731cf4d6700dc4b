package commands

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/svc-games/svc/client"
)

// manifestName is the file by which svc knows a directory that it filled, and
// the files in it that it wrote.
const manifestName = ".svc-game.json"

// manifest says what svc unpacked into a directory.
type manifest struct {
	ProjectID string            `json:"projectId"`
	JobID     string            `json:"jobId"`
	Files     map[string]string `json:"files"` // SHA-256 by path
}

// checkTarget returns an error when unpacking into dir would destroy something
// that svc did not write: dir must be absent, empty, or as svc left it. With
// force, what it holds does not matter.
func checkTarget(dir string, force bool) error {
	target, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("finding directory: %w", err)
	}
	if here, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(target, here); err == nil && filepath.IsLocal(rel) {
			return fmt.Errorf("%s contains the current directory and can't be replaced; give another one", dir)
		}
	}
	info, err := os.Lstat(target)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("looking at %s: %w", dir, err)
	case !info.IsDir():
		return fmt.Errorf("%s is not a directory", dir)
	case force:
		return nil
	}
	files, err := hashFiles(target)
	if err != nil {
		return err
	}
	known, err := readManifest(target)
	if err != nil {
		return err
	}
	foreign := slices.Sorted(maps.Keys(files))
	foreign = slices.DeleteFunc(foreign, func(path string) bool { return known.Files[path] == files[path].sum })
	if len(foreign) == 0 {
		return nil
	}
	const most = 3
	names := strings.Join(foreign[:min(len(foreign), most)], ", ")
	if len(foreign) > most {
		names += ", …"
	}
	return fmt.Errorf("%s holds files that svc did not write, or that were changed since: %s; "+
		"move them away, name another directory or give --force", dir, printable(names))
}

func readManifest(dir string) (manifest, error) {
	var m manifest
	text, err := os.ReadFile(filepath.Join(dir, manifestName))
	if errors.Is(err, os.ErrNotExist) {
		return m, nil
	}
	if err != nil {
		return m, fmt.Errorf("reading manifest: %w", err)
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, fmt.Errorf("reading manifest of %s: %w", dir, err)
	}
	return m, nil
}

func writeManifest(dir string, job client.Job) error {
	files, err := hashFiles(dir)
	if err != nil {
		return err
	}
	m := manifest{ProjectID: job.ProjectID, JobID: job.ID, Files: map[string]string{}}
	for path, file := range files {
		m.Files[path] = file.sum
	}
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding manifest: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, manifestName), append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("writing manifest: %w", err)
	}
	return nil
}

// replaceDir makes fresh the directory target, whose old content it moves to
// aside. When it fails, target is as before.
func replaceDir(target, fresh, aside string) error {
	moved := false
	if err := os.Rename(target, aside); err == nil {
		moved = true
	} else if !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("moving earlier game away: %w", err)
	}
	if err := os.Rename(fresh, target); err != nil {
		if moved {
			err = errors.Join(err, os.Rename(aside, target))
		}
		return fmt.Errorf("moving game into place: %w", err)
	}
	return nil
}

// fileInfo is a file as far as comparing takes it.
type fileInfo struct {
	bytes int64
	sum   string
}

// hashFiles returns the files below dir by slash-separated path, without the
// manifest. A dir that is "" or does not exist has none. What is no regular file has no
// sum, and so is never one that svc wrote.
func hashFiles(dir string) (map[string]fileInfo, error) {
	files := map[string]fileInfo{}
	if dir == "" {
		return files, nil
	}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		if name == manifestName {
			return nil
		}
		if !entry.Type().IsRegular() {
			files[name] = fileInfo{sum: "not a file"}
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(content)
		files[name] = fileInfo{bytes: int64(len(content)), sum: hex.EncodeToString(sum[:])}
		return nil
	})
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("reading files of %s: %w", dir, err)
	}
	return files, nil
}
