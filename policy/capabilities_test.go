package policy

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

// deterministic renders the capabilities of this version of OPA without the
// builtins whose result may differ between two calls, one builtin a line.
func deterministic(t *testing.T) []byte {
	t.Helper()
	caps := ast.CapabilitiesForThisVersion(ast.CapabilitiesRegoVersion(ast.RegoV1))
	caps.Builtins = slices.DeleteFunc(slices.Clone(caps.Builtins), (*ast.Builtin).IsNondeterministic)
	caps.AllowNet = []string{}
	var out bytes.Buffer
	out.WriteString("{\n\"builtins\": [\n")
	for i, builtin := range caps.Builtins {
		line, err := json.Marshal(builtin)
		if err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			out.WriteString(",\n")
		}
		out.Write(line)
	}
	caps.Builtins = nil
	rest, err := json.Marshal(caps)
	if err != nil {
		t.Fatal(err)
	}
	out.WriteString("\n],\n")
	var members map[string]json.RawMessage
	if err := json.Unmarshal(rest, &members); err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"features", "future_keywords", "allow_net"} {
		if i > 0 {
			out.WriteString(",\n")
		}
		value := members[name]
		if name == "allow_net" {
			value = json.RawMessage("[]") // its empty form is omitted, and absent means everything
		}
		out.WriteString("\"" + name + "\": " + string(value))
	}
	out.WriteString("\n}\n")
	return out.Bytes()
}

func TestCapabilitiesAreThoseOfThisOPAWithoutNondeterministicBuiltins(t *testing.T) {
	want := deterministic(t)
	if *update {
		if err := os.WriteFile("capabilities.json", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile("capabilities.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("capabilities.json differs from this version of OPA; look at the change and run: go test ./policy -update")
	}
}

func TestPolicyCanNotCallWhatIsNotDeterministic(t *testing.T) {
	for _, call := range []string{`time.now_ns()`, `http.send({"method": "get", "url": "http://example.com"})`, `opa.runtime()`, `rand.intn("x", 2)`} {
		t.Run(call, func(t *testing.T) {
			_, err := NewEvaluator(oneFile("package svc.authz\n\ndecision := {\"x\": " + call + "}\n"))
			if err == nil || !strings.Contains(err.Error(), ".rego:3") || !strings.Contains(err.Error(), "depends on its input alone") {
				t.Errorf("got %v, want file, line and what to do", err)
			}
		})
	}
}
