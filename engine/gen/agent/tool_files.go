package agent

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/svc-games/svc/engine/gen/author"
)

const (
	maxHits  = 50  // of a search
	maxPaths = 16  // that are read at once
	maxLines = 800 // of a file that is read without a range
)

const pathParameter = `"path":{"type":"string"}`

// readTools look at the game and at skills.
var readTools = []tool{
	{"list_files", "Lists the files of the game, and of the skills, or those of a folder, with their sizes in bytes.", `"folder":{"type":"string"}`, nil, always, with(listFiles)},
	{"read_file", "Returns files with their lines numbered, 24 kB in all at most; start and end are lines of the first.",
		`"paths":{"type":"array","items":{"type":"string"}},"start":{"type":"integer"},"end":{"type":"integer"}`, nil, always, with(readFiles)},
	{"search_files", "Finds the lines that match a regular expression (RE2), at most 50.", `"pattern":{"type":"string"}`, []string{"pattern"}, always, with(searchFiles)},
}

// writeTools change the game's own files.
var writeTools = []tool{
	{"write_file", "Makes or replaces a file (64 kB at most), or adds to its end with append, and says what is wrong with its syntax.",
		pathParameter + `,"content":{"type":"string"},"append":{"type":"boolean"}`, []string{"path", "content"}, nil, with(writeFile)},
	{"edit_file", "Replaces pieces of a file, in order, all or none. Each old must stand in it exactly once, without line numbers.",
		pathParameter + `,"edits":{"type":"array","items":{"type":"object","properties":{"old":{"type":"string"},"new":{"type":"string"}},"required":["old","new"]}}`, []string{"path"}, nil, with(editFile)},
	{"delete_file", "Deletes a file of yours.", pathParameter, []string{"path"}, nil, with(deleteFile)},
}

func listFiles(_ context.Context, s *session, a struct{ Folder string }) (result, error) {
	folder := strings.TrimLeft(a.Folder, "./")
	tree := s.game.tree(folder)
	if tree == "" && folder != "" {
		return bad(fmt.Errorf("there is no file in %q", author.Clip(a.Folder, 200))), nil
	}
	return good("%s", limited(tree, maxResult)), nil
}

type readArguments struct {
	Path       string // some models send one
	Paths      []string
	Start, End int
}

func readFiles(_ context.Context, s *session, a readArguments) (result, error) {
	if a.Path != "" {
		a.Paths = append(a.Paths, a.Path)
	}
	if len(a.Paths) == 0 || len(a.Paths) > maxPaths {
		return bad(fmt.Errorf("paths must name 1 to %d files", maxPaths)), nil
	}
	var b strings.Builder
	for i, name := range a.Paths {
		data, err := s.game.read(name)
		if err != nil {
			return bad(err), nil
		}
		lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
		from, to := 0, len(lines)
		if i == 0 {
			from = max(a.Start, 1) - 1
			if a.End > 0 {
				to = min(a.End, to)
			}
		}
		if from >= to {
			return bad(fmt.Errorf("%s has %d lines", name, len(lines))), nil
		}
		if len(a.Paths) > 1 {
			fmt.Fprintf(&b, "== %s\n", name)
		}
		last := min(to, from+maxLines)
		b.WriteString(numbered(lines, from, last))
		if last < to {
			fmt.Fprintf(&b, "… %d more lines\n", to-last)
		}
	}
	return good("%s", limited(b.String(), maxRead)), nil
}

func searchFiles(_ context.Context, s *session, a struct{ Pattern string }) (result, error) {
	pattern, err := regexp.Compile(a.Pattern)
	if err != nil {
		return bad(fmt.Errorf("the pattern can't be read: %w", err)), nil
	}
	var b strings.Builder
	hits := 0
	for _, name := range s.game.names() {
		data, err := s.game.read(name)
		if err != nil {
			return bad(err), nil
		}
		for i, line := range strings.Split(string(data), "\n") {
			if !pattern.MatchString(line) {
				continue
			}
			if hits++; hits > maxHits {
				return good("%s… and more: search for less", limited(b.String(), maxResult)), nil
			}
			fmt.Fprintf(&b, "%s:%d: %s\n", name, i+1, author.Clip(line, 200))
		}
	}
	if hits == 0 {
		return good("Nothing matches."), nil
	}
	return good("%s", limited(b.String(), maxResult)), nil
}

type writeArguments struct {
	Path, Content string
	Append        bool
}

func writeFile(ctx context.Context, s *session, a writeArguments) (result, error) {
	content := a.Content
	if a.Append {
		data, err := s.game.read(a.Path)
		if err != nil {
			return bad(err), nil
		}
		content = string(data) + content
	}
	if err := s.game.write(a.Path, content); err != nil {
		return bad(err), nil
	}
	s.clumsy[a.Path] = 0
	faults, err := s.syntax(ctx, a.Path, content)
	return good("Wrote %d bytes; the file has %d.%s", len(a.Content), len(content), faults), err
}

// maxClumsy is how many edits of a file may fail before the model is told to
// write it whole.
const maxClumsy = 2

type replacement struct {
	Old string
	New *string
}

type editArguments struct {
	Path        string
	Edits       []replacement
	replacement // some models send one alone
}

func editFile(ctx context.Context, s *session, a editArguments) (result, error) {
	if len(a.Edits) == 0 {
		a.Edits = []replacement{a.replacement}
	}
	data, err := s.game.read(a.Path)
	if err != nil {
		return bad(err), nil
	}
	text := string(data)
	for i, e := range a.Edits {
		if e.New == nil {
			err = errors.New("the argument new is missing")
		} else {
			text, err = replaced(text, e.Old, *e.New)
		}
		if err != nil {
			if len(a.Edits) > 1 {
				err = fmt.Errorf("nothing was changed: in edit %d %w", i+1, err)
			}
			break
		}
	}
	if err == nil {
		err = s.game.write(a.Path, text)
	}
	if err != nil {
		if s.clumsy[a.Path]++; s.clumsy[a.Path] >= maxClumsy && s.game.writable(a.Path) == nil {
			err = fmt.Errorf("%w\nRead the file and write it whole with write_file", err)
		}
		return bad(err), nil
	}
	s.clumsy[a.Path] = 0
	faults, err := s.syntax(ctx, a.Path, text)
	return good("Done.%s", faults), err
}

func deleteFile(_ context.Context, s *session, a struct{ Path string }) (result, error) {
	if err := s.game.remove(a.Path); err != nil {
		return bad(err), nil
	}
	return good("Deleted."), nil
}

// syntax says what the compiler makes of a file on its own.
func (s *session) syntax(ctx context.Context, name, content string) (string, error) {
	if strings.HasSuffix(name, ".md") {
		return "", nil
	}
	problems, err := s.verifier.Syntax(ctx, name, content)
	var b strings.Builder
	for _, p := range problems {
		fmt.Fprintf(&b, "\nLine %d: %s", p.Line, p.Text)
	}
	return limited(b.String(), 1<<10), err
}
