package verify

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/change"
)

// Change is a cell of the table that two policies decide differently.
type Change struct {
	Facts
	Action policy.Action `json:"action"`
	Old    string        `json:"old"` // status and rule
	New    string        `json:"new"`
}

// Diff returns the cells of the table that change from one policy to another.
// The table has the projects of both.
func Diff(ctx context.Context, from, to fs.FS) ([]Change, error) {
	var projects []TableProject
	for _, src := range []fs.FS{from, to} {
		more, err := ReadProjects(src)
		if err != nil {
			return nil, err
		}
		for _, project := range more {
			if !slices.ContainsFunc(projects, func(p TableProject) bool { return p.text() == project.text() }) {
				projects = append(projects, project)
			}
		}
	}
	var tables [2]Table
	for i, src := range []fs.FS{from, to} {
		e, err := policy.NewEvaluatorFS(src)
		if err != nil {
			return nil, err
		}
		if tables[i], err = NewTable(ctx, e, projects); err != nil {
			return nil, err
		}
	}
	return compareTables(tables[0], tables[1]), nil
}

// compareTables compares two tables of the same combinations.
func compareTables(from, to Table) []Change {
	var changes []Change
	for i, row := range from {
		for j, before := range row.Cells {
			after := to[i].Cells[j]
			if from, to, differ := change.Between(before.decision(), after.decision()); differ {
				changes = append(changes, Change{Facts: row.Facts, Action: before.Action, Old: from, New: to})
			}
		}
	}
	return changes
}

// decision is nil when there was none.
func (c Cell) decision() *policy.Decision {
	if c.Err != nil {
		return nil
	}
	return &c.Decision
}

// Summary groups changes: one line for each old and new outcome, with the
// facts that the changed rows have in common.
func Summary(changes []Change) []string {
	type outcomes struct{ from, to string }
	groups := map[outcomes][]Change{}
	for _, c := range changes {
		key := outcomes{c.Old, c.New}
		groups[key] = append(groups[key], c)
	}
	order := slices.SortedFunc(maps.Keys(groups), func(a, b outcomes) int {
		return cmp.Or(len(groups[b])-len(groups[a]), strings.Compare(a.from, b.from), strings.Compare(a.to, b.to))
	})
	var lines []string
	for _, key := range order {
		lines = append(lines, fmt.Sprintf("%s: %s: %s -> %s", change.Count(len(groups[key]), "row"), common(groups[key]), key.from, key.to))
	}
	return lines
}

// dimensions are the facts of a change and how many values the table has of
// each; 0 is not known.
var dimensions = []struct {
	name   string
	values int
	of     func(Change) string
}{
	{"key", len(tableStates) + 1, func(c Change) string { return c.Key }},
	{"user", len(tableUsers) + 1, func(c Change) string { return c.User }},
	{"owner", 0, func(c Change) string { return c.Owner }},
	{"usage", len(tableUsages), func(c Change) string { return c.Usage }},
	{"action", len(tableActions), func(c Change) string { return string(c.Action) }},
}

// common names the values of each fact in changes, in the table's order.
func common(changes []Change) string {
	var words []string
	for _, dimension := range dimensions {
		var values []string
		for _, c := range changes {
			if value := dimension.of(c); !slices.Contains(values, value) {
				values = append(values, value)
			}
		}
		word := dimension.name + "=" + strings.Join(values, "|")
		if len(values) == dimension.values {
			word = "any " + dimension.name
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}
