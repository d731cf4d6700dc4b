package verify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/svc-games/svc/policy"
)

// TableFile is where a policy keeps its exhaustive table.
const TableFile = "testdata/decisions.golden.tsv"

// ProjectsFile may list projects that a policy's table has besides the usual
// ones: a JSON array of objects with ownerId and attributes. A rule about
// attributes shows in no row without it.
const ProjectsFile = "table.json"

// absent stands for a key or project that is null as a whole.
type absent struct{}

// The dimensions of the table.
var (
	tableStates = []any{policy.KeyActive, policy.KeyDisabled, policy.KeyRevoked, "", "ACTIVE", nil}
	tableUsers  = []any{"user-1", "", nil}
	tableOwners = []TableProject{
		{OwnerID: "user-1"}, {OwnerID: "user-2"}, {OwnerID: ""}, {OwnerID: nil}, {OwnerID: absent{}},
	}
	tableUsages  = []string{"below", "day reached", "all reached", "malformed", "null"}
	tableActions = append(policy.Actions(), "teleport")
)

// TableProject is a project of the table. OwnerID is a string or null.
type TableProject struct {
	OwnerID    any               `json:"ownerId"`
	Attributes map[string]string `json:"attributes"`
}

// Facts is one combination of facts, as the table prints them: "null", `""`
// for empty, "-" for a key or project that is null as a whole.
type Facts struct {
	Key     string `json:"key"` // its state
	User    string `json:"user"`
	Owner   string `json:"owner"` // with the attributes of the project
	Usage   string `json:"usage"`
	key     ast.Value
	project ast.Value
	usage   ast.Value
}

// Row is the decisions about one combination of facts.
type Row struct {
	Facts
	Cells []Cell
}

// Cell is the decision about an action, or why there is none.
type Cell struct {
	Action   policy.Action
	Decision policy.Decision
	Err      error
}

// Table is a policy's decisions about all combinations of facts.
type Table []Row

// ReadProjects reads ProjectsFile from src, if it is there.
func ReadProjects(src fs.FS) ([]TableProject, error) {
	var projects []TableProject
	err := readJSON(src, ProjectsFile, &projects)
	return projects, err
}

// readJSON reads a file of a policy, if it is there.
func readJSON(src fs.FS, name string, into any) error {
	text, err := fs.ReadFile(src, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading %s: %w", name, err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields() // a misspelt one would mean something else than was written
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("reading %s: %w", name, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("reading %s: there is more after its end", name)
	}
	return nil
}

// NewTable has e decide on every combination, those with the extra projects
// last.
func NewTable(ctx context.Context, e *policy.Evaluator, extra []TableProject) (Table, error) {
	combinations, err := combinations(extra)
	if err != nil {
		return nil, err
	}
	table := make(Table, 0, len(combinations))
	for _, facts := range combinations {
		row := Row{Facts: facts, Cells: make([]Cell, len(tableActions))}
		for i, action := range tableActions {
			d, err := e.DecideValue(ctx, facts.input(action))
			if ctx.Err() != nil {
				return nil, fmt.Errorf("deciding the table: %w", err)
			}
			row.Cells[i] = Cell{action, d, err}
		}
		table = append(table, row)
	}
	return table, nil
}

func combinations(extra []TableProject) ([]Facts, error) {
	var all []Facts
	var failed error
	value := func(v any) ast.Value {
		converted, err := ast.InterfaceToValue(v)
		failed = errors.Join(failed, err)
		return converted
	}
	for _, project := range slices.Concat(tableOwners, extra) {
		owner := value(project.facts())
		for _, name := range tableUsages {
			used := value(usage(name))
			for _, user := range tableUsers {
				for _, state := range tableStates {
					all = append(all, Facts{text(state), text(user), project.text(), name, value(key(state, user)), owner, used})
				}
			}
			all = append(all, Facts{text(absent{}), text(absent{}), project.text(), name, ast.NullValue, owner, used})
		}
	}
	if failed != nil {
		return nil, fmt.Errorf("making the table: %w", failed)
	}
	return all, nil
}

// input puts the facts and an action together.
func (f Facts) input(action policy.Action) ast.Value {
	return ast.NewObject(
		ast.Item(ast.StringTerm("action"), ast.StringTerm(string(action))),
		ast.Item(ast.StringTerm("key"), ast.NewTerm(f.key)),
		ast.Item(ast.StringTerm("project"), ast.NewTerm(f.project)),
		ast.Item(ast.StringTerm("usage"), ast.NewTerm(f.usage)),
	)
}

func key(state, user any) any {
	return map[string]any{
		"id": "key_1", "userId": user, "state": state,
		"limits": map[string]any{"jobsPerDay": 5, "jobsPerMonth": 50, "maxConcurrentJobs": 2, "tikPerMonth": 100},
	}
}

func usage(name string) any {
	used := func(today, month, running, tik any) map[string]any {
		return map[string]any{"jobsToday": today, "jobsThisMonth": month, "runningJobs": running, "tikThisMonth": tik}
	}
	switch name {
	case "below":
		return used(4, 49, 1, 99)
	case "day reached":
		return used(5, 49, 1, 99)
	case "all reached":
		return used(5, 50, 2, 100)
	case "malformed":
		return used("0", nil, true, []any{})
	}
	return nil
}

func (p TableProject) facts() any {
	if p.OwnerID == any(absent{}) {
		return nil
	}
	return map[string]any{"id": "p1", "ownerId": p.OwnerID, "attributes": p.Attributes}
}

func (p TableProject) text() string {
	words := []string{text(p.OwnerID)}
	for _, name := range slices.Sorted(maps.Keys(p.Attributes)) {
		words = append(words, name+"="+p.Attributes[name])
	}
	return strings.Join(words, " ")
}

func text(v any) string {
	switch v {
	case nil:
		return "null"
	case "":
		return `""`
	case absent{}:
		return "-"
	}
	return fmt.Sprint(v)
}

// String returns the table as tab-separated values: the facts, and the rule
// that decides each action.
func (t Table) String() string {
	var out strings.Builder
	out.WriteString("key\tuser\towner\tusage")
	for _, action := range tableActions {
		out.WriteString("\t" + string(action))
	}
	out.WriteByte('\n')
	for _, row := range t {
		out.WriteString(row.Key + "\t" + row.User + "\t" + row.Owner + "\t" + row.Usage)
		for _, cell := range row.Cells {
			out.WriteString("\t" + cell.rule())
		}
		out.WriteByte('\n')
	}
	return out.String()
}

func (c Cell) rule() string {
	if c.Err != nil {
		return "no decision"
	}
	return c.Decision.Rule
}
