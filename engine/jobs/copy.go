package jobs

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/gamezip"
	"github.com/svc-games/svc/engine/gen"
	"github.com/svc-games/svc/engine/revs"
)

// Errors of Import.
var (
	ErrImport   = errors.New("this is no project")
	ErrNotEmpty = errors.New("the project has files already")
)

// ProjectAt returns all files of the project as they were at a revision.
func (m *Manager) ProjectAt(rev int) (map[string][]byte, error) { return m.history.Files(rev) }

// Import makes the files in a ZIP of another project this one's, which has none. from says
// whose they are.
func (m *Manager) Import(ctx context.Context, data []byte, from string) (contract.Saved, error) {
	files, err := unpacked(data)
	if err != nil {
		return contract.Saved{}, fmt.Errorf("%w: %w", ErrImport, err)
	}
	return m.byHand(ctx, func() (contract.Saved, error) {
		there, err := m.projectFiles()
		if err != nil {
			return contract.Saved{}, err
		}
		if len(there) > 0 {
			return contract.Saved{}, ErrNotEmpty
		}
		changes, err := gen.Restore(m.space.Root(), files)
		if err != nil {
			return contract.Saved{}, err
		}
		if err := m.changeKept(changes, revisionOf(changes, files)); err != nil {
			return contract.Saved{}, err
		}
		message := "Copied"
		if api.ValidProjectID(from) {
			message += " from project " + from
		}
		head, err := m.keep(revs.Revision{Kind: revs.Import, Author: contract.AuthorUser, Message: message})
		return contract.Saved{Head: head, Problems: []contract.Problem{}}, err
	}, func() (contract.Saved, error) { return contract.Saved{}, ErrWorking }, false)
}

// unpacked returns the files of a ZIP, which must be those of a project and no more than
// one may have.
func unpacked(data []byte) (revs.Files, error) {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	if len(archive.File) == 0 || len(archive.File) > gamezip.MaxFiles {
		return nil, fmt.Errorf("it has %d files", len(archive.File))
	}
	files, left := revs.Files{}, int64(gamezip.MaxBytes)
	for _, f := range archive.File {
		if !gen.OfProject(f.Name) || !f.Mode().IsRegular() {
			return nil, fmt.Errorf("%q is no file of a project", f.Name)
		}
		content, err := f.Open()
		if err != nil {
			return nil, err
		}
		data, err := io.ReadAll(io.LimitReader(content, left+1))
		if err = errors.Join(err, content.Close()); err != nil {
			return nil, err
		}
		if left -= int64(len(data)); left < 0 {
			return nil, errors.New("its files are too large")
		}
		files[f.Name] = data
	}
	return files, revs.Check(files)
}
