package jobs

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/pmezard/go-difflib/difflib"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine/gen"
)

// maxDiff bounds a file of which differences are shown line by line, in bytes: the
// time that it takes grows with the square of its lines.
const maxDiff = 256 << 10

// Diff returns how the game differs between two revisions; 0 is the present.
func (m *Manager) Diff(from, to int) (contract.Diff, error) {
	out := contract.Diff{Files: []contract.FileDiff{}}
	old, err := m.gameAt(from)
	if err != nil {
		return out, err
	}
	now, err := m.gameAt(to)
	if err != nil {
		return out, err
	}
	all := maps.Clone(old)
	maps.Copy(all, now)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		was, before := old[name]
		is, after := now[name]
		if before && after && bytes.Equal(was, is) {
			continue
		}
		f := contract.FileDiff{Path: name, Op: "changed", Made: gen.Made(now, name)}
		switch {
		case !before:
			f.Op = "added"
		case !after:
			f.Op = "deleted"
		}
		if !f.Made {
			if f.Text, err = unified(was, is); err != nil {
				return out, fmt.Errorf("comparing %s: %w", name, err)
			}
		}
		out.Files = append(out.Files, f)
	}
	return out, nil
}

// unified returns the differences of two texts, "" for what is none or too long.
func unified(was, is []byte) (string, error) {
	for _, data := range [][]byte{was, is} {
		if len(data) > maxDiff || !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
			return "", nil
		}
	}
	return difflib.GetUnifiedDiffString(difflib.UnifiedDiff{A: lines(was), B: lines(is), Context: 3})
}

func lines(text []byte) []string {
	if len(text) == 0 {
		return nil
	}
	return difflib.SplitLines(string(text))
}
