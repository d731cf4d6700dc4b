package parity_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/policytest"
	"github.com/svc-games/svc/test/long"
)

// inputsOf returns how many of all inputs a policy decides on: each example on a fifth.
func inputsOf(name string, all int) int {
	if name == "shipped" {
		return all
	}
	return all / 5
}

// TestGeneratedInputsAreDecidedAsByStockOPA has the shipped policy decide on 1,000 inputs,
// in the long run on 20,000, and each example on a fifth. They are generated for each member
// of Input there is; one decides with the evaluator, the other with OPA's own library, which
// gets the rules as text and the input as JSON.
func TestGeneratedInputsAreDecidedAsByStockOPA(t *testing.T) {
	all := 1_000
	if long.Asked() {
		all = 20_000
	}
	for name, src := range map[string]fs.FS{
		"shipped": policy.Embedded(), "readers": os.DirFS(policytest.Example(t)),
		"hours": os.DirFS(policytest.ExampleOf(t, "hours")), "addresses": os.DirFS(policytest.ExampleOf(t, "addresses")),
		"suspended": os.DirFS(policytest.ExampleOf(t, "suspended")), "board": os.DirFS(policytest.ExampleOf(t, "board")),
	} {
		t.Run(name, func(t *testing.T) {
			ours, err := policy.NewEvaluator(src)
			if err != nil {
				t.Fatal(err)
			}
			options := []func(*rego.Rego){rego.Query(policy.Entrypoint)}
			for path, text := range ours.Sources() {
				options = append(options, rego.Module(path, text))
			}
			theirs, err := rego.New(options...).PrepareForEval(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			random := rand.New(rand.NewPCG(19, 20_000))
			statuses := map[int]int{}
			n := inputsOf(name, all)
			actions, allowed, ways := map[policy.Action]int{}, map[policy.Action]int{}, map[string]int{}
			for range n {
				in := generated(random)
				got, err := ours.Decide(t.Context(), in)
				if err != nil {
					t.Fatalf("%s: %v", shown(in), err)
				}
				want, err := stock(t, theirs, in)
				want.Reads = got.Reads // which OPA does not say
				if err != nil || !reflect.DeepEqual(got, want) {
					t.Fatalf("%s: got %+v, OPA says %+v, %v", shown(in), got, want, err)
				}
				statuses[got.Status]++
				if got.Allow {
					allowed[in.Action]++
					ways[wayOf(in)]++
				}
				if got.Allow && suspendedOrBoard(in) {
					actions[in.Action]++
				}
			}
			t.Logf("%d inputs, by status %v, allowed by way %v", n, statuses, ways)
			for _, way := range []string{"key", policy.ViaConsole, policy.ViaAdmin} {
				if ways[way] == 0 {
					t.Errorf("nothing was allowed by way of %s", way)
				}
			}
			for _, action := range policy.Actions() {
				others := action == policy.ActionReadOthersKeys || action == policy.ActionChangeOthersKeys // which all of these refuse
				if long.Asked() && (allowed[action] == 0) != others {
					t.Errorf("%s was allowed %d times", action, allowed[action])
				}
			}
			for _, status := range []int{200, 401, 403, 429} {
				if statuses[status] < n/100 {
					t.Errorf("%d inputs of %d have status %d: too few to prove something", statuses[status], n, status)
				}
			}
			if own := name == "suspended" || name == "board"; own && long.Asked() && len(actions) == 0 {
				t.Error("nothing was allowed by the rules of its own")
			}
		})
	}
}

// TestGeneratedInputsAreDecidedAsByOPAsProgram has OPA's own program decide on 20,000
// generated inputs by the shipped policy, and on a fifth by each example, in the long run
// alone: it takes half a minute to build, if it is not in Go's cache.
func TestGeneratedInputsAreDecidedAsByOPAsProgram(t *testing.T) {
	long.Only(t)
	stockOPA(t)
	for name, dir := range map[string]string{
		"shipped": "..", "readers": policytest.Example(t), "hours": policytest.ExampleOf(t, "hours"), "addresses": policytest.ExampleOf(t, "addresses"),
		"suspended": policytest.ExampleOf(t, "suspended"), "board": policytest.ExampleOf(t, "board"),
	} {
		t.Run(name, func(t *testing.T) {
			ours, err := policy.NewEvaluator(os.DirFS(dir))
			if err != nil {
				t.Fatal(err)
			}
			random := rand.New(rand.NewPCG(20_000, 19))
			inputs := make([]policy.Input, inputsOf(name, 20_000))
			for i := range inputs {
				inputs[i] = generated(random)
			}
			text, err := json.Marshal(inputs)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "inputs.json")
			if err := os.WriteFile(file, text, 0o600); err != nil {
				t.Fatal(err)
			}
			out, err := exec.Command("opa", "eval", "--format", "raw", "--input", file, "--data", filepath.Join(dir, "svc"),
				"[d | some i in input; d := data.svc.authz.decision with input as i]").Output()
			if err != nil {
				t.Fatal(err)
			}
			var theirs []policy.Decision
			if err := json.Unmarshal(out, &theirs); err != nil || len(theirs) != len(inputs) {
				t.Fatalf("OPA made %d decisions, %v", len(theirs), err)
			}
			for i, in := range inputs {
				got, err := ours.Decide(t.Context(), in)
				got.Reads = 0
				if err != nil || !reflect.DeepEqual(got, theirs[i]) {
					t.Fatalf("%s: got %+v, %v; OPA says %+v", shown(in), got, err, theirs[i])
				}
			}
		})
	}
}

// wayOf returns how an input's user is known.
func wayOf(in policy.Input) string {
	if in.Key == nil && in.User != nil {
		return in.User.Via
	}
	return "key"
}

// suspendedOrBoard reports whether the shipped policy refuses an input that the examples of
// these names may allow.
func suspendedOrBoard(in policy.Input) bool {
	switch {
	case in.Key != nil:
		return in.Key.UserState == policy.UserSuspended || slices.Equal(in.Key.Scopes, []string{"board"})
	case in.User != nil:
		return in.User.State == policy.UserSuspended
	}
	return false
}

// stock decides with OPA's library.
func stock(t *testing.T, query rego.PreparedEvalQuery, in policy.Input) (d policy.Decision, err error) {
	t.Helper()
	var input any
	if err := json.Unmarshal([]byte(shown(in)), &input); err != nil {
		return d, err
	}
	results, err := query.Eval(t.Context(), rego.EvalInput(input))
	if err != nil {
		return d, err
	}
	if len(results) != 1 {
		return d, errors.New("there is no result")
	}
	text, err := json.Marshal(results[0].Expressions[0].Value)
	if err != nil {
		return d, err
	}
	return d, json.Unmarshal(text, &d)
}

func TestTheValueOfAnInputIsItsJSON(t *testing.T) {
	random := rand.New(rand.NewPCG(19, 2_000))
	for range 2_000 {
		in := generated(random)
		want, err := ast.ValueFromReader(strings.NewReader(shown(in)))
		if err != nil {
			t.Fatal(err)
		}
		if got := in.Value(); got.Compare(want) != 0 {
			t.Fatalf("got  %s\nwant %s", got, want)
		}
	}
}

func shown(in policy.Input) string {
	text, err := json.Marshal(in)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// generated returns an input whose members are likely to agree with one another, and are
// otherwise near misses, empty, absent or enormous.
func generated(r *rand.Rand) policy.Input {
	var in policy.Input
	fill(r, reflect.ValueOf(&in).Elem(), "")
	actions := policy.Actions()
	in.Action = actions[r.IntN(len(actions))]
	switch r.IntN(7) {
	case 0, 1, 5: // limits are of submissions alone
		in.Action = policy.ActionGenerate
	case 2:
		in.Action = policy.Action(pick(r, texts))
	case 3:
		in.Action = pick(r, []policy.Action{policy.ActionAdminRead, policy.ActionAdminWrite})
	}
	switch r.IntN(3) { // most requests have a key, or a user without one
	case 0:
		in.User = nil
	case 1:
		in.Key = nil
	}
	if in.Key != nil && r.IntN(2) == 0 {
		in.Key.Scopes = []string{pick(r, []string{policy.ScopeFull, policy.ScopeFull, policy.ScopeFull, policy.ScopeRead, "board"})}
	}
	if in.Key != nil && in.Project != nil && r.IntN(5) == 0 { // one's own project, within limits
		in.User, in.Key.ID, in.Key.UserID, in.Key.State, in.Key.UserState = nil, "key_1", "user-1", policy.KeyActive, policy.UserActive
		in.Key.Limits, in.Usage, in.Project.OwnerID = policy.Limits{}, &policy.Usage{}, in.Key.UserID
	}
	if in.User != nil && r.IntN(5) > 0 {
		in.User.ID = "user-1"
	}
	if in.Key == nil && in.User != nil && in.Project != nil && r.IntN(5) == 0 { // one's own project, in the console
		in.User.ID, in.User.State, in.User.Via, in.Project.OwnerID = "user-1", policy.UserActive, policy.ViaConsole, "user-1"
	}
	if admins := in.Action == policy.ActionAdminRead || in.Action == policy.ActionAdminWrite; in.User != nil && (r.IntN(4) == 0) != admins {
		in.User.Via = policy.ViaAdmin
	}
	return in
}

// Values of members.
var (
	texts = []string{
		"user-1", "user-2", "user-10", "user-", " user-1", "USER-1", "us\u0435r-1", "user-1,user-2", "", "null", "\x00", `a"b`,
		"active", "disabled", "revoked", "suspended", "Active", "active ", "activ",
		"06:00-22:00", "22:00-06:00", "06:00-22:0", "192.0.2.0/24", "2001:db8::/32, 192.0.2.0/25", "192.0.2.0/33",
	}
	sizes = []int64{0, 0, 1, 1, 2, 3, 5, 10, 999_999, 1_000_000, 1 << 40}
	names = []string{"readers", "team", "public", "user-1", "hours", "networks", ""}
	// A client's address and the time are always well-formed.
	addresses = []string{"192.0.2.1", "192.0.2.255", "192.0.3.0", "2001:db8::1", "::1", ""}
	times     = []string{"2026-11-25T12:00:00Z", "2026-11-25T05:59:59Z", "2026-11-25T22:00:00Z", ""}
)

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// fill gives a value and all in it a content. name is that of its field.
func fill(r *rand.Rand, v reflect.Value, name string) {
	switch v.Kind() {
	case reflect.Pointer:
		if absent := r.IntN(8) == 0; !absent {
			v.Set(reflect.New(v.Type().Elem()))
			fill(r, v.Elem(), name)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(r, v.Field(i), v.Type().Field(i).Name)
			}
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range r.IntN(4) {
			content := reflect.New(v.Type().Elem()).Elem()
			fill(r, content, "")
			v.SetMapIndex(reflect.ValueOf(pick(r, names)).Convert(v.Type().Key()), content)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), r.IntN(3), 3))
		for i := range v.Len() {
			fill(r, v.Index(i), name)
		}
	case reflect.String:
		usual := map[string]string{
			"State": policy.KeyActive, "UserState": policy.UserActive, "Scopes": policy.ScopeFull, "UserID": "user-1", "OwnerID": "user-1",
			"Via": policy.ViaConsole,
		}[name]
		switch {
		case name == "IP":
			v.SetString(pick(r, addresses))
		case name == "Time":
			v.SetString(pick(r, times))
		case name == "Scopes" && r.IntN(4) == 0:
			v.SetString(pick(r, []string{policy.ScopeRead, "board"}))
		case name == "UserState" && r.IntN(5) == 0:
			v.SetString(policy.UserSuspended)
		case usual != "" && r.IntN(5) > 0:
			v.SetString(usual)
		default:
			v.SetString(pick(r, texts))
		}
	case reflect.Int, reflect.Int64:
		v.SetInt(pick(r, sizes))
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	default:
		panic("the input has a member of another kind: " + name + " " + v.Type().String())
	}
}
