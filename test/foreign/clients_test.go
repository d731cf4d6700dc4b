package foreign

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/test/long"
	"github.com/svc-games/svc/test/rig"
	"github.com/svc-games/svc/test/wait"
)

// unpackers read a ZIP, the name of which is added, and print the name and the SHA-256 of
// each file. unzip and bsdtar, which is tar on some systems, are Debian's.
var unpackers = map[string][]string{
	"adm-zip":        {"node", "unzip.mjs", "adm-zip"},
	"fflate":         {"node", "unzip.mjs", "fflate"},
	"jszip":          {"node", "unzip.mjs", "jszip"},
	"yauzl":          {"node", "unzip.mjs", "yauzl"},
	"@zip.js/zip.js": {"node", "unzip.mjs", "@zip.js/zip.js"},
	"Python":         {"python3", "-B", "unzip.py"},
	"unzip":          {"sh", "-eu", "unzip.sh", "unzip"},
	"bsdtar":         {"sh", "-eu", "unzip.sh", "bsdtar"},
}

// TestReadersOfOthersUnpackAGame: what they find in it are the same files.
func TestReadersOfOthersUnpackAGame(t *testing.T) {
	dir, all := filepath.Join(rig.Root(t), "test", "foreign", "clients"), map[string][]string{"Python": unpackers["Python"]}
	if long.Asked() {
		dir, all = foreignFolder(t, "clients"), unpackers
	}
	g := rig.Launch(t, rig.Options{Env: []string{"SVC_RETRY_AFTER=1s"}})
	g.NewUser("foreign", "1000")
	key := g.NewKey("foreign")
	sub := g.Generate(key, g.NewProject(key))
	if job := g.Finish(key, sub); job.Status != api.JobCompleted {
		t.Fatalf("the job ended %s", job.Status)
	}
	var raw []byte
	wait.Until(t, "the files are answered", func() bool {
		a := g.Call(key, "GET", "/v1/generate/"+sub.JobID+"/files?projectId="+sub.ProjectID, nil)
		raw = a.Body
		return a.Status == http.StatusOK
	})
	file := filepath.Join(t.TempDir(), "game.zip")
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	want := listed(t, raw)
	for name, command := range all {
		got := strings.Split(strings.TrimSpace(inFolder(t, dir, nil, command[0], append(command[1:], file)...)), "\n")
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%s finds\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

func listed(t *testing.T, raw []byte) (files []string) {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, fmt.Sprintf("%s %x", f.Name, sha256.Sum256(content)))
	}
	slices.Sort(files)
	return files
}
