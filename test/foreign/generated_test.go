package foreign

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/svc-games/svc/test/long"
	"github.com/svc-games/svc/test/rig"
	"github.com/svc-games/svc/test/wait"
)

const (
	oapiCodegen = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2"
	ogen        = "github.com/ogen-go/ogen/cmd/ogen@v1.24.0"
)

// generators make clients, each in its folder: what is run there with the document, and
// then with the service's address, for the whole flow, or with that of a stream, which it
// follows. The versions of those from npm are in typescript/package.json.
var generators = map[string]struct {
	folder string
	makes  func(document string) [][]string
	client []string
}{
	"oapi-codegen": {"oapi-codegen", func(document string) [][]string {
		return [][]string{
			{"go", "run", oapiCodegen, "-generate", "types,client", "-package", "api", "-o", "api/api.go", document},
			{"go", "vet", "./..."},
			{"go", "build", "-o", "client", "."},
		}
	}, []string{"./client"}},
	"ogen": {"ogen", func(document string) [][]string {
		return [][]string{
			{"go", "run", ogen, "--config", "ogen.yml", "--target", "api", "--package", "api", document},
			{"go", "vet", "./..."},
			{"go", "build", "-o", "client", "."},
		}
	}, []string{"./client"}},
	"hey-api": {"typescript", func(document string) [][]string {
		return [][]string{
			{"node_modules/.bin/openapi-ts", "-i", document, "-o", "heyapi", "-c", "@hey-api/client-fetch", "--silent"},
			{"node_modules/.bin/tsc", "-p", "heyapi.json"},
		}
	}, []string{"node", "out/heyapi.js"}},
	"openapi-typescript": {"typescript", func(document string) [][]string {
		return [][]string{
			{"node_modules/.bin/openapi-typescript", document, "-o", "types.d.ts"},
			{"node_modules/.bin/tsc", "-p", "openapifetch.json"},
		}
	}, []string{"node", "out/openapifetch.js"}},
}

// TestClientOfAGeneratorGoesThroughTheFlow: what generators make of the document
// compiles, and makes a project, submits, polls, reads typed events and downloads. The short
// form has one of them; for the others TestDocumentIsWhatGeneratorsTake stands there.
func TestClientOfAGeneratorGoesThroughTheFlow(t *testing.T) {
	g := rig.Launch(t, rig.Options{Env: []string{"SVC_RETRY_AFTER=1s"}})
	g.NewUser("foreign", "1000")
	key := g.NewKey("foreign")
	for name, generator := range generators {
		if name != "openapi-typescript" && !long.Asked() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			dir := generated(t, name)
			out := inFolder(t, dir, []string{"SVC_API_KEY=" + key.Secret}, generator.client[0], append(generator.client[1:], "http://"+g.Addr)...)
			var status, got, want string
			var read, last int
			if _, err := fmt.Sscan(out, &status, &read, &last, &got, &want); err != nil || status != "completed" || read != last || got != want {
				t.Errorf("the client says %q: %v", out, err)
			}
		})
	}
}

// made are the folders of clients that were made, which takes long.
var made = map[string]string{}

func TestMain(m *testing.M) {
	code := m.Run()
	for _, dir := range made {
		_ = os.RemoveAll(dir) // what is left lies among temporary files
	}
	os.Exit(code)
}

// generated makes the client of a generator, once, and returns its folder.
func generated(t *testing.T, name string) string {
	t.Helper()
	if dir := made[name]; dir != "" {
		return dir
	}
	dir, err := os.MkdirTemp("", "foreign")
	if err != nil {
		t.Fatal(err)
	}
	made[name] = dir
	copyFolder(t, generators[name].folder, dir)
	if err := os.MkdirAll(filepath.Join(dir, "api"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, step := range generators[name].makes(filepath.Join(rig.Root(t), "api", "openapi.yaml")) {
		inFolder(t, dir, nil, step[0], step[1:]...)
	}
	return dir
}

// foreignFolder copies a folder of test/foreign, so that nothing that is made is left in it.
func foreignFolder(t *testing.T, name string) string {
	t.Helper()
	dir := t.TempDir()
	copyFolder(t, name, dir)
	return dir
}

// copyFolder copies one into a directory. What it has from npm is installed once, beside the
// original.
func copyFolder(t *testing.T, name, dir string) {
	t.Helper()
	from := filepath.Join(rig.Root(t), "test", "foreign", name)
	if _, err := os.Stat(filepath.Join(from, "package.json")); err == nil {
		inFolder(t, from, nil, filepath.Join(rig.Root(t), "scripts", "npm-install"), ".")
		if err := os.Symlink(filepath.Join(from, "node_modules"), filepath.Join(dir, "node_modules")); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if entry.IsDir() {
			continue
		}
		data, err := os.ReadFile(filepath.Join(from, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, entry.Name()), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// inFolder runs a program and returns what it prints.
func inFolder(t *testing.T, dir string, env []string, program string, args ...string) string {
	t.Helper()
	ctx, cancel := wait.Within(t.Context(), 4*wait.Patience) // modules may have to come
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.Output()
	if err != nil {
		var said []byte
		if exit, is := err.(*exec.ExitError); is {
			said = exit.Stderr
		}
		t.Fatalf("%s: %v\n%s%s", cmd, err, out, said)
	}
	return string(out)
}
