package caddymodule_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	_ "github.com/caddyserver/caddy/v2/modules/standard"

	"github.com/svc-games/svc/caddymodule"
)

func adapt(t testing.TB, text string) (string, error) {
	t.Helper()
	out, warnings, err := caddyconfig.GetAdapter("caddyfile").Adapt([]byte(text), map[string]any{"filename": "Caddyfile"})
	for _, w := range warnings {
		if !strings.Contains(w.Message, "not formatted") {
			t.Errorf("warning: %s", w)
		}
	}
	return string(out), err
}

// handlers returns the names of all handlers in a configuration, in order.
func handlers(t *testing.T, config string) []string {
	t.Helper()
	var names []string
	dec := json.NewDecoder(strings.NewReader(config))
	var last json.Token
	for {
		tok, err := dec.Token()
		if err != nil {
			return names
		}
		if last == "handler" {
			names = append(names, tok.(string))
		}
		last = tok
	}
}

// update rewrites the expected halves of the golden files:
//
//	go test ./caddymodule -run Golden -update
var update = flag.Bool("update", false, "rewrite the golden files of the adapt tests")

const goldenSeparator = "----------\n"

// TestGoldenFilesOfEveryDirective adapts the Caddyfile before the separator
// and wants the JSON, or the part of an error, after it.
func TestGoldenFilesOfEveryDirective(t *testing.T) {
	files, err := filepath.Glob("testdata/adapt/*.caddyfiletest")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".caddyfiletest"), func(t *testing.T) {
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			text, want, found := strings.Cut(string(raw), goldenSeparator)
			if !found {
				t.Fatalf("%s has no %q", path, goldenSeparator)
			}
			if formatted := string(caddyfile.Format([]byte(text))); formatted != text {
				t.Errorf("the Caddyfile is not formatted; it should be\n%s", formatted)
			}
			got, err := adapt(t, text)
			if err == nil {
				got = indented(t, got)
			}
			says := strings.TrimSpace(want)
			if err != nil && says != "" && strings.Contains(err.Error(), says) {
				return
			}
			if err != nil {
				got = err.Error() + "\n"
			}
			if *update {
				if err := os.WriteFile(path, []byte(text+goldenSeparator+got), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if got != want {
				t.Errorf("adapts to\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// TestGoldenFileOfTheShippedCaddyfile shows what a change to the Caddyfile
// changes in the configuration.
func TestGoldenFileOfTheShippedCaddyfile(t *testing.T) {
	for _, entry := range os.Environ() {
		if name, _, _ := strings.Cut(entry, "="); strings.HasPrefix(name, "SVC_") {
			t.Setenv(name, "") // puts it back in the end
			os.Unsetenv(name)
		}
	}
	text, err := os.ReadFile("../Caddyfile")
	if err != nil {
		t.Fatal(err)
	}
	got, err := adapt(t, string(text))
	if err != nil {
		t.Fatal(err)
	}
	got = indented(t, got)
	const path = "testdata/adapt/shipped.json"
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the shipped Caddyfile adapts to\n%s\nwant\n%s", got, want)
	}
}

func indented(t *testing.T, config string) string {
	t.Helper()
	var out bytes.Buffer
	if err := json.Indent(&out, []byte(config), "", "\t"); err != nil {
		t.Fatal(err)
	}
	return out.String() + "\n"
}

func TestShippedCaddyfileIsFormattedAndHoldsTheWholeChain(t *testing.T) {
	text, err := os.ReadFile("../Caddyfile")
	if err != nil {
		t.Fatal(err)
	}
	if string(caddyfile.Format(text)) != string(text) {
		t.Error("Caddyfile is not formatted by caddy fmt")
	}
	config, err := adapt(t, string(text))
	if err != nil {
		t.Fatal(err)
	}
	got := handlers(t, config)
	want := []string{"svc_auth", "svc_access", "svc_projects", "svc_engine", "svc_quota", "reverse_proxy", "svc_error"}
	var ours []string
	for _, name := range got {
		if slices.Contains(want, name) {
			ours = append(ours, name)
		}
	}
	if !slices.Equal(ours, want) {
		t.Errorf("handlers are %v", got)
	}
}

// TestOptionsOfTheShorthandAreThoseOfItsSteps: to change one needs no chain of one's own.
func TestOptionsOfTheShorthandAreThoseOfItsSteps(t *testing.T) {
	short, err := adapt(t, ":8080 {\n\tsvc_api {\n\t\trate 5 10\n\t\tfailed_rate off\n\t\tmax_body 1MiB\n\t\thold 4s\n\t\ttimeout 20s\n\t\tdeadline 6s\n\t}\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	chain := strings.NewReplacer(
		"\tsvc_auth\n", "\tsvc_auth {\n\t\trate 5 10\n\t\tfailed_rate off\n\t}\n",
		"\tsvc_access\n", "\tsvc_access {\n\t\tmax_body 1MiB\n\t}\n",
		"\tsvc_engine\n", "\tsvc_engine {\n\t\thold 4s\n\t}\n",
		"\tsvc_quota\n", "\tsvc_quota {\n\t\ttimeout 20s\n\t\tdeadline 6s\n\t}\n",
	).Replace(caddymodule.Chain)
	long, err := adapt(t, ":8080 {\n\thandle /v1/* {\n"+chain+"\n\t}\n\thandle_errors {\n"+caddymodule.ErrorChain+"\n\t}\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	if short != long || strings.Count(short, "failed_rate") != 1 || !strings.Contains(short, "per_second") {
		t.Errorf("the shorthand is\n%s\nwritten out it is\n%s", short, long)
	}
	for option, want := range map[string]string{
		"rate 5 10 15":         "svc_api: rate takes requests a second",
		"hold soon":            "svc_api: hold",
		"hold 1s\n\t\thold 2s": "svc_api: hold is given twice",
	} {
		if _, err := adapt(t, ":8080 {\n\tsvc_api {\n\t\t"+option+"\n\t}\n}\n"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", option, err, want)
		}
	}
}

func TestChainWrittenOutMeansWhatTheShorthandMeans(t *testing.T) {
	short, err := adapt(t, ":8080 {\n\tsvc_api\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	long, err := adapt(t, ":8080 {\n\thandle /v1/* {\n"+caddymodule.Chain+"\n\t}\n\thandle_errors {\n"+caddymodule.ErrorChain+"\n\t}\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	if short != long {
		t.Errorf("the shorthand is\n%s\nwritten out it is\n%s", short, long)
	}
}
