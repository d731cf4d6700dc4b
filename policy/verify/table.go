package verify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/open-policy-agent/opa/v1/ast"
	"golang.org/x/sync/errgroup"

	"github.com/svc-games/svc/api/exact"
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
	limitUsages  = []string{"month reached", "running reached", "TIK reached", "all passed", "unlimited", "no limits"}
	tableActions = append(policy.Actions(), "teleport")
)

// TableProject is a project of the table. OwnerID is a string or null.
type TableProject struct {
	OwnerID    any               `json:"ownerId"`
	Attributes map[string]string `json:"attributes"`
	// AdminAttributes are those that no owner can set.
	AdminAttributes map[string]string `json:"adminAttributes,omitempty"`

	id string // "" is that of all projects
}

// Facts is one combination of facts, as the table prints them: "null", `""`
// for empty, "-" for a key or project that is null as a whole.
type Facts struct {
	Key      string `json:"key"` // its state
	User     string `json:"user"`
	Owner    string `json:"owner"` // with the attributes of the project
	Usage    string `json:"usage"`
	key      ast.Value
	project  ast.Value
	usage    ast.Value
	without  ast.Value // the user without a key; nil: there is none
	request  ast.Value // nil: nothing is known of it
	spelling string    // of the actions
	varied   bool      // near misses, literals and users without a key
	later    bool      // has a fact that inputs had not up to commit 95c541a
	target   ast.Value // nil: the action is about nobody
	since    int       // 1: no table up to commit f54341a has it, 2: none up to a968bcb, 3: none up to eae7943
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
	if err := exact.Decode(bytes.NewReader(text), into); err != nil {
		return fmt.Errorf("reading %s: %w", name, err)
	}
	return nil
}

// NewTable has e decide on every combination, those with the extra projects
// last. The literals of its rules are facts of the table, too.
func NewTable(ctx context.Context, e *policy.Evaluator, extra []TableProject) (Table, error) {
	table, _, err := wholeTable(ctx, e, extra)
	return table, err
}

// wholeTable is NewTable; cut says that the rules have more literals than it has rows for.
func wholeTable(ctx context.Context, e *policy.Evaluator, extra []TableProject) (t Table, cut bool, err error) {
	literals, cut := literalsOf(extra, e).singly()
	t, err = newTable(ctx, e, combinations(e.Reads(), literals, extra), runtime.GOMAXPROCS(0))
	return t, cut, err
}

// pairTable has e decide on what has two literals, or a fact's own value with one: each must
// have a decision, but no table that people read has them.
func pairTable(ctx context.Context, e *policy.Evaluator, extra []TableProject) (t Table, cut bool, err error) {
	pairs, cut := literalsOf(extra, e).inPairs(provenPairs)
	for i := range pairs {
		pairs[i].reads, pairs[i].varied = e.Reads(), true
	}
	t, err = newTable(ctx, e, pairs, runtime.GOMAXPROCS(0))
	return t, cut, err
}

// newTable decides on rows with so many processors.
func newTable(ctx context.Context, e *policy.Evaluator, all []candidate, workers int) (Table, error) {
	table := make(Table, len(all))
	var next atomic.Int64
	var group errgroup.Group
	for range workers {
		group.Go(func() error {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(all) {
					return nil
				}
				var err error
				if table[i], err = newRow(ctx, e, all[i]); err != nil {
					return err
				}
			}
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return table, nil
}

func newRow(ctx context.Context, e *policy.Evaluator, c candidate) (Row, error) {
	facts, err := c.facts()
	if err != nil {
		return Row{}, err
	}
	row := Row{Facts: facts, Cells: make([]Cell, len(tableActions))}
	for i, action := range tableActions {
		action = facts.spelt(action)
		d, err := e.DecideValue(ctx, facts.input(action))
		if ctx.Err() != nil {
			return Row{}, fmt.Errorf("deciding the table: %w", err)
		}
		row.Cells[i] = Cell{action, d, err}
	}
	return row, nil
}

// spelt is an action as the request names it.
func (f Facts) spelt(action policy.Action) policy.Action {
	return policy.Action(spelt(f.spelling, string(action)))
}

// input puts the facts and an action together.
func (f Facts) input(action policy.Action) ast.Value {
	input := ast.NewObject(
		ast.Item(ast.StringTerm("action"), ast.StringTerm(string(action))),
		ast.Item(ast.StringTerm("key"), ast.NewTerm(f.key)),
		ast.Item(ast.StringTerm("project"), ast.NewTerm(f.project)),
		ast.Item(ast.StringTerm("usage"), ast.NewTerm(f.usage)),
	)
	if f.without != nil {
		input.Insert(ast.StringTerm("user"), ast.NewTerm(f.without))
	}
	if f.target != nil {
		input.Insert(ast.StringTerm("target"), ast.NewTerm(f.target))
	}
	if f.request != nil {
		input.Insert(ast.StringTerm("request"), ast.NewTerm(f.request))
	}
	return input
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
	s := fmt.Sprint(v)
	if !plain(s) {
		return strconv.QuoteToASCII(s)
	}
	return s
}

// plain reports whether a text reads as what it is.
func plain(s string) bool {
	return strings.TrimSpace(s) == s && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
}

// String returns the table as tab-separated values: the facts, and the rule
// that decides each action.
func (t Table) String() string { return t.tsv(tableActions) }

func (t Table) tsv(actions []policy.Action) string {
	var out strings.Builder
	out.WriteString("key\tuser\towner\tusage")
	for _, action := range actions {
		out.WriteString("\t" + string(action))
	}
	out.WriteByte('\n')
	for _, row := range t {
		out.WriteString(row.Key + "\t" + row.User + "\t" + row.Owner + "\t" + row.Usage)
		for i, cell := range row.Cells {
			if slices.Contains(actions, tableActions[i]) {
				out.WriteString("\t" + cell.rule())
			}
		}
		out.WriteByte('\n')
	}
	return out.String()
}

// formerActions are those of the table up to commit 120c074.
var formerActions = []policy.Action{
	policy.ActionAuthenticate, policy.ActionCreateProject, policy.ActionListProjects, policy.ActionGetProject, policy.ActionDeleteProject,
	policy.ActionStatus, policy.ActionEvents, policy.ActionFiles, policy.ActionCancel, policy.ActionGenerate, "teleport",
}

// former reports whether golden is the part of the table that a former version of the
// program wrote, which knew fewer actions or rows. A policy that was proven with it
// stays proven.
func (t Table) former(golden string) bool {
	header, _, _ := strings.Cut(golden, "\n")
	var actions []policy.Action
	for _, name := range strings.Split(header, "\t") {
		if slices.Contains(tableActions, policy.Action(name)) {
			actions = append(actions, policy.Action(name))
		}
	}
	for _, action := range formerActions {
		if !slices.Contains(actions, action) {
			return false
		}
	}
	var part, earlier, known, last, singly Table
	for _, row := range t {
		if row.since < 3 {
			singly = append(singly, row)
		}
		if row.since < 2 {
			last = append(last, row)
		}
		if row.since < 1 {
			known = append(known, row)
		}
		if row.since < 1 && !row.later {
			earlier = append(earlier, row)
		}
		if !row.varied && slices.Contains(tableUsages, row.Usage) {
			part = append(part, row)
		}
	}
	return slices.ContainsFunc([]Table{t, singly, last, known, earlier, part}, func(t Table) bool { return golden == t.tsv(actions) })
}

func (c Cell) rule() string {
	if c.Err != nil {
		return "no decision"
	}
	return c.Decision.Rule
}
