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

const oapiCodegen = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2"

// TestClientOfAGeneratorGoesThroughTheFlow: what oapi-codegen makes of the document
// compiles, and submits, polls and reads typed events.
func TestClientOfAGeneratorGoesThroughTheFlow(t *testing.T) {
	long.Only(t) // TestOpenAPIDocumentAndItsExamplesAreValid is the short one
	root := rig.Root(t)
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(root, "test", "foreign", "oapi-codegen"))); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "api"), 0o755); err != nil {
		t.Fatal(err)
	}
	inFolder(t, dir, nil, "go", "run", oapiCodegen, "-generate", "types,client", "-package", "api", "-o", "api/api.go", filepath.Join(root, "api", "openapi.yaml"))
	inFolder(t, dir, nil, "go", "vet", "./...")

	g := rig.Launch(t, rig.Options{Env: []string{"SVC_RETRY_AFTER=1s"}})
	g.NewUser("foreign", "1000")
	out := inFolder(t, dir, []string{"SVC_API_KEY=" + g.NewKey("foreign").Secret}, "go", "run", ".", "http://"+g.Addr)
	var status string
	var read, last int
	if _, err := fmt.Sscan(out, &status, &read, &last); err != nil || status != "completed" || read != last {
		t.Errorf("the client says %q: %v", out, err)
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
		t.Fatalf("%s: %v\n%s", cmd, err, said)
	}
	return string(out)
}
