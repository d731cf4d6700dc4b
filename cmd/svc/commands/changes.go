package commands

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// specFile holds a game's values; their changes are shown one by one.
const specFile = "src/game.json"

// maxChanges bounds the changes that are printed for people.
const maxChanges = 40

// changes is the difference between two games.
type changes struct {
	Files  []fileChange  `json:"files"`
	Values []valueChange `json:"values"` // of src/game.json
	fresh  bool          // there was no game before
}

// fileChange is a file that was added, changed or removed.
type fileChange struct {
	Change string `json:"change"` // added, changed or removed
	Path   string `json:"path"`
	Before int64  `json:"bytesBefore"`
	After  int64  `json:"bytesAfter"`
}

// valueChange is a value of the game that differs. Before or After is empty
// when the value was added or removed; otherwise it is JSON.
type valueChange struct {
	Path   string `json:"path"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// compareDirs returns what turns the game in before into the one in after.
// There is no game before when that is "" or does not exist.
func compareDirs(before, after string) (*changes, error) {
	old, err := hashFiles(before)
	if err != nil {
		return nil, err
	}
	current, err := hashFiles(after)
	if err != nil {
		return nil, err
	}
	c := &changes{Files: []fileChange{}, Values: []valueChange{}, fresh: len(old) == 0}
	both := maps.Clone(old)
	maps.Copy(both, current)
	for _, path := range slices.Sorted(maps.Keys(both)) {
		was, existed := old[path]
		is, exists := current[path]
		change := "changed"
		switch {
		case was == is:
			continue
		case !existed:
			change = "added"
		case !exists:
			change = "removed"
		}
		c.Files = append(c.Files, fileChange{Change: change, Path: path, Before: was.bytes, After: is.bytes})
	}
	if c.fresh {
		return c, nil
	}
	oldValues, err := readValues(filepath.Join(before, specFile))
	if err != nil {
		return nil, err
	}
	values, err := readValues(filepath.Join(after, specFile))
	if err != nil {
		return nil, err
	}
	c.Values = compareValues(oldValues, values)
	return c, nil
}

func compareValues(before, after map[string]string) []valueChange {
	differences := []valueChange{}
	both := maps.Clone(before)
	maps.Copy(both, after)
	for _, path := range slices.Sorted(maps.Keys(both)) {
		if before[path] != after[path] {
			differences = append(differences, valueChange{Path: path, Before: before[path], After: after[path]})
		}
	}
	return differences
}

// readValues returns the leaves of a JSON file by path, such as "rules.lives",
// each as JSON. A file that does not exist, or is no JSON after an edit by
// hand, has none.
func readValues(path string) (map[string]string, error) {
	values := map[string]string{}
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return values, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading values of the game: %w", err)
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var root any
	if err := dec.Decode(&root); err != nil {
		return values, nil
	}
	return values, addLeaves(values, "", root)
}

func addLeaves(values map[string]string, path string, v any) error {
	switch v := v.(type) {
	case map[string]any:
		for name, child := range v {
			below := name
			if path != "" {
				below = path + "." + name
			}
			if err := addLeaves(values, below, child); err != nil {
				return err
			}
		}
	case []any:
		for i, child := range v {
			if err := addLeaves(values, path+"["+strconv.Itoa(i)+"]", child); err != nil {
				return err
			}
		}
	default:
		text, err := json.Marshal(v)
		if err != nil {
			return fmt.Errorf("encoding value %s: %w", path, err)
		}
		values[path] = string(text)
	}
	return nil
}

// lines is the difference for people; a first game has none.
func (c *changes) lines() []string {
	if c.fresh {
		return nil
	}
	if len(c.Files) == 0 {
		return []string{"no file changed"}
	}
	var lines []string
	for _, f := range c.Files {
		bytes := fmt.Sprintf("%d bytes", f.After)
		switch f.Change {
		case "changed":
			bytes = fmt.Sprintf("%d → %d bytes", f.Before, f.After)
		case "removed":
			bytes = fmt.Sprintf("%d bytes", f.Before)
		}
		lines = append(lines, fmt.Sprintf("%-8s %s  %s", f.Change, printable(f.Path), bytes))
	}
	lines = bounded(lines, "files")
	var values []string
	for _, v := range c.Values {
		values = append(values, shorten("  "+printable(v.Path+": "+cmp.Or(v.Before, "(none)")+" → "+cmp.Or(v.After, "(none)")), maxDetail))
	}
	return append(lines, bounded(values, "values")...)
}

func bounded(lines []string, of string) []string {
	if len(lines) <= maxChanges {
		return lines
	}
	return append(lines[:maxChanges:maxChanges], fmt.Sprintf("and %d more %s", len(lines)-maxChanges, of))
}
