package verify

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"runtime"
	"slices"
	"strconv"
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

// Difference is what changes from one policy to another.
type Difference struct {
	// Changes are the cells of the table that change.
	Changes []Change
	// Conditions are those under which allow holds, of both policies.
	Conditions []Condition
	// Rules are those that differ in what the table and the conditions may not
	// show, by file and line: what refusals say, and how they are chosen.
	Rules []string
	// Mask are the rules that differ of what the decision log does not show, or shows in
	// another way; no decision changes by them.
	Mask []string
	// Cut says what was left out of the table, whose rows would be too many.
	Cut []string

	values map[string]int // of each fact, near misses and literals left out
}

// None reports whether no decision changes, nor what of it is recorded.
func (d Difference) None() bool {
	return len(d.Changes) == 0 && !d.Conditional() && len(d.Rules) == 0 && len(d.Mask) == 0
}

// Conditional reports whether allow holds under other conditions.
func (d Difference) Conditional() bool {
	return slices.ContainsFunc(d.Conditions, func(c Condition) bool { return c.In != Both })
}

// What is said of a table that is not whole.
var (
	cutSingly  = fmt.Sprintf("only the first %d rows with a literal were tried: the rules have more", most)
	cutInPairs = cutAt(mostPairs)
)

func cutAt(most int) string {
	return fmt.Sprintf("only the first %d rows with two literals were tried: the rules have more", most)
}

// Diff compares two policies. The table has the projects of both, and the literals of
// both, singly and in pairs.
func Diff(ctx context.Context, from, to fs.FS) (Difference, error) {
	p, err := readPair(from, to)
	if err != nil {
		return Difference{}, err
	}
	tables, cut, err := p.tables(ctx, runtime.GOMAXPROCS(0), true)
	if err != nil {
		return Difference{}, err
	}
	d := Difference{Changes: compareTables(tables[0], tables[1]), Cut: cut, values: tables[0].values()}
	if d.Conditions, err = compareConditions(ctx, from, to); err != nil {
		return Difference{}, err
	}
	d.Rules = compareRules(p.evaluators[0], p.evaluators[1], policy.Entrypoint)
	d.Mask = Masks(p.evaluators[0], p.evaluators[1])
	return d, nil
}

// Changed counts the cells of the table that change from one policy to another, and says
// whether all were tried; those with two literals are left out, of which few change where
// many do. It takes one processor, and leaves the others to whoever decides.
func Changed(ctx context.Context, from, to fs.FS) (cells int, whole bool, err error) {
	p, err := readPair(from, to)
	if err != nil {
		return 0, false, err
	}
	tables, cut, err := p.tables(ctx, 1, false)
	if err != nil {
		return 0, false, err
	}
	return len(compareTables(tables[0], tables[1])), len(cut) == 0, nil
}

// pair is two policies, and the projects of both.
type pair struct {
	evaluators [2]*policy.Evaluator
	projects   []TableProject
}

func readPair(from, to fs.FS) (pair, error) {
	var p pair
	for i, src := range []fs.FS{from, to} {
		more, err := ReadProjects(src)
		if err != nil {
			return p, err
		}
		for _, project := range more {
			if !slices.ContainsFunc(p.projects, func(other TableProject) bool { return other.text() == project.text() }) {
				p.projects = append(p.projects, project)
			}
		}
		if p.evaluators[i], err = policy.NewEvaluator(src); err != nil {
			return p, err
		}
	}
	return p, nil
}

// tables are those of both policies with the same rows, and what was left out of them.
func (p pair) tables(ctx context.Context, workers int, inPairs bool) (tables [2]Table, cut []string, err error) {
	all := literalsOf(p.projects, p.evaluators[0], p.evaluators[1])
	literals, some := all.singly()
	if some {
		cut = append(cut, cutSingly)
	}
	if inPairs {
		two, some := all.inPairs(mostPairs)
		if literals = append(literals, two...); some {
			cut = append(cut, cutInPairs)
		}
	}
	candidates := combinations(all.reads, literals, p.projects)
	for i, e := range p.evaluators {
		if tables[i], err = newTable(ctx, e, candidates, workers); err != nil {
			return tables, nil, err
		}
	}
	return tables, cut, nil
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
// facts that the changed rows have in common; near misses and literals last.
func (d Difference) Summary() []string {
	type outcomes struct {
		from, to string
		varied   bool
	}
	groups := map[outcomes][]Change{}
	for _, c := range d.Changes {
		key := outcomes{c.Old, c.New, c.varied}
		groups[key] = append(groups[key], c)
	}
	order := slices.SortedFunc(maps.Keys(groups), func(a, b outcomes) int {
		return cmp.Or(strings.Compare(strconv.FormatBool(a.varied), strconv.FormatBool(b.varied)), len(groups[b])-len(groups[a]), strings.Compare(a.from, b.from), strings.Compare(a.to, b.to))
	})
	var lines []string
	for _, key := range order {
		lines = append(lines, fmt.Sprintf("%s: %s: %s -> %s", change.Count(len(groups[key]), "row"), d.common(groups[key]), key.from, key.to))
	}
	return lines
}

// dimensions are the facts of a change.
var dimensions = []struct {
	name string
	of   func(Facts, policy.Action) string
}{
	{"key", func(f Facts, _ policy.Action) string { return f.Key }},
	{"user", func(f Facts, _ policy.Action) string { return f.User }},
	{"owner", func(f Facts, _ policy.Action) string { return f.Owner }},
	{"usage", func(f Facts, _ policy.Action) string { return f.Usage }},
	{"action", func(_ Facts, a policy.Action) string { return text(string(a)) }},
}

// values counts the values that the table has of each fact.
func (t Table) values() map[string]int {
	counts := map[string]int{}
	for _, dimension := range dimensions {
		values := map[string]bool{}
		for _, row := range t {
			if row.varied {
				continue
			}
			for _, cell := range row.Cells {
				values[dimension.of(row.Facts, cell.Action)] = true
			}
		}
		counts[dimension.name] = len(values)
	}
	return counts
}

// common names the values of each fact in changes, in the table's order.
func (d Difference) common(changes []Change) string {
	var words []string
	for _, dimension := range dimensions {
		var values []string
		for _, c := range changes {
			if value := dimension.of(c.Facts, c.Action); !slices.Contains(values, value) {
				values = append(values, value)
			}
		}
		const most = 5 // of literals, which may be many
		word := dimension.name + "=" + strings.Join(values, "|")
		switch {
		case !changes[0].varied && len(values) == d.values[dimension.name]:
			word = "any " + dimension.name
		case changes[0].varied && len(values) > most:
			word = fmt.Sprintf("%s=%s and %d more", dimension.name, strings.Join(values[:most], "|"), len(values)-most)
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}
