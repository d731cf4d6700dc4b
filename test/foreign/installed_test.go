package foreign

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-games/svc/test/long"
	"github.com/svc-games/svc/test/rig"
)

// typedProgram is refused unless the types come with the package.
const typedProgram = `import { Client, type Event } from "@svc-games/client";
export const percent = (event: Event): number => (event.type === "job.progress" ? event.percent : 0);
// @ts-expect-error: it has no such option
new Client({ apiKey: "sk-x", key: "sk-x" });
`

// TestClientLibrariesAreInstalledAndUsed: npm and pip make packages of their folders, and
// install those where there is nothing else; then the programs of their READMEs have a game.
func TestClientLibrariesAreInstalledAndUsed(t *testing.T) {
	long.Only(t) // TestAPIPageIsTrueInEachLanguage has the same programs use the folders
	g := rig.Launch(t, rig.Options{Env: []string{"SVC_RETRY_AFTER=1s"}})
	g.NewUser("foreign", "1000")
	env := []string{"SVC_BASE_URL=http://" + g.Addr, "SVC_API_KEY=" + g.NewKey("foreign").Secret}
	clients := filepath.Join(rig.Root(t), "client")
	completed := func(t *testing.T, said string) {
		t.Helper()
		if lines := strings.Split(strings.TrimSpace(said), "\n"); !strings.HasPrefix(lines[len(lines)-1], "completed ") {
			t.Errorf("the program says %q", said)
		}
	}

	t.Run("TypeScript", func(t *testing.T) {
		packed, dir := t.TempDir(), foreignFolder(t, "typescript") // which has the compiler
		name := inFolder(t, packed, nil, "npm", "pack", "--silent", filepath.Join(clients, "typescript"))
		write(t, filepath.Join(packed, "package.json"), `{"private": true}`)
		inFolder(t, packed, nil, "npm", "install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", "./"+strings.TrimSpace(name))
		write(t, filepath.Join(packed, "flow.mjs"), programOf(t, filepath.Join(clients, "typescript", "README.md"), "js"))
		completed(t, inFolder(t, packed, env, "node", "flow.mjs"))
		write(t, filepath.Join(packed, "program.mts"), typedProgram)
		inFolder(t, packed, nil, filepath.Join(dir, "node_modules", ".bin", "tsc"),
			"--noEmit", "--strict", "--target", "es2022", "--module", "nodenext", "program.mts")
	})

	t.Run("Python", func(t *testing.T) {
		// Debian's, of which pip and setuptools are; of its own the environment has nothing.
		source, dir, own := filepath.Join(t.TempDir(), "python"), t.TempDir(), t.TempDir()
		if err := os.CopyFS(source, os.DirFS(filepath.Join(clients, "python"))); err != nil { // a build leaves its folders there
			t.Fatal(err)
		}
		inFolder(t, dir, nil, "/usr/bin/python3", "-m", "venv", "--system-site-packages", "--without-pip", own)
		python := filepath.Join(own, "bin", "python")
		inFolder(t, dir, nil, python, "-m", "pip", "install", "--quiet", "--no-index", "--no-build-isolation", source)
		if err := os.RemoveAll(source); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, "flow.py"), programOf(t, filepath.Join(clients, "python", "README.md"), "python"))
		completed(t, inFolder(t, dir, env, python, "flow.py"))
		const typed = `import os, svc_client; print(os.path.exists(os.path.join(os.path.dirname(svc_client.__file__), "py.typed")))`
		if said := inFolder(t, dir, nil, python, "-c", typed); said != "True\n" {
			t.Errorf("that the package has py.typed is %s", said)
		}
	})
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// programOf is the first program of a page in a language.
func programOf(t *testing.T, page, language string) string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```"+language+"\n")
	program, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatalf("%s has no program in %s", page, language)
	}
	return program
}
