package engine

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/engine/gen"
	"github.com/svc-games/svc/engine/swap"
	"github.com/svc-games/svc/test/wait"
)

// withGame serves an engine with a game, with the sources of its script.
func withGame(t *testing.T, g gen.Generator) *peer {
	t.Helper()
	volume := t.TempDir()
	for name, text := range map[string]string{
		"index.html": `<!doctype html><title>x</title><script src="game.js"></script>`, "src/main.js": `import { n } from "./n.js"; console.log(n);`, "src/n.js": "export const n = 1;\n", "game.js": "old",
	} {
		at := filepath.Join(volume, "workspace", "game", name)
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return serveConfig(t, Config{Volume: volume, Generator: g})
}

func sum(text string) string {
	s := sha256.Sum256([]byte(text))
	return hex.EncodeToString(s[:])
}

// save saves a file of which the editor began with was, "" for a new one.
func (p *peer) save(name, text, was string) *http.Response {
	p.t.Helper()
	header := http.Header{"If-None-Match": {"*"}}
	if was != "" {
		header = http.Header{"If-Match": {`"` + sum(was) + `"`}}
	}
	return p.do(http.MethodPut, contract.PathFile+"?path="+url.QueryEscape(name), []byte(text), header)
}

// file returns a file as it is, or was at a revision.
func (p *peer) file(query string) string {
	p.t.Helper()
	res := p.get(contract.PathFile + "?path=" + query)
	data, err := io.ReadAll(res.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	if res.StatusCode != http.StatusOK {
		return res.Status
	}
	return string(data)
}

func TestSavedFileIsBuiltAndCanBeTakenBack(t *testing.T) {
	p := withGame(t, held{make(chan struct{})})
	const was, is = "export const n = 1;\n", "export const n = 2;\n"
	res := p.save("src/n.js", is, was)
	if res.StatusCode != http.StatusOK {
		t.Fatalf("saving: %d", res.StatusCode)
	}
	saved := decode[contract.Saved](t, res)
	if saved.Head != 2 || saved.SHA256 != sum(is) || p.file("src/n.js") != is || !bytes.Contains([]byte(p.file("game.js")), []byte("2")) {
		t.Errorf("%+v, %q", saved, p.file("game.js"))
	}
	if got := p.file("src/n.js&rev=1"); got != was {
		t.Errorf("revision 1 holds %q", got)
	}
	list := decode[contract.Revisions](t, p.get(contract.PathRevisions))
	if len(list.Revisions) != 2 || list.Revisions[0].Author != contract.AuthorUser || list.Revisions[1].Kind != "import" {
		t.Errorf("%+v", list)
	}
	diff := decode[contract.Diff](t, p.get(contract.PathDiff+"?from=1"))
	if len(diff.Files) != 2 || diff.Files[0].Text != "" || !diff.Files[0].Made || diff.Files[1].Path != "src/n.js" {
		t.Errorf("%+v", diff)
	}
	if res := p.post(contract.PathRestore, contract.RestoreRequest{Rev: 1, Head: 1}); res.StatusCode != http.StatusConflict {
		t.Errorf("restoring over an unknown revision: %d", res.StatusCode)
	}
	back := decode[contract.Saved](t, p.post(contract.PathRestore, contract.RestoreRequest{Rev: 1, Head: 2}))
	if back.Head != 3 || p.file("src/n.js") != was || p.file("game.js") != "old" || p.file("src/n.js&rev=2") != is {
		t.Errorf("%+v, %q", back, p.file("src/n.js"))
	}
	archive, err := io.ReadAll(p.get(contract.PathRevisions + "/2/zip").Body)
	if err != nil {
		t.Fatal(err)
	}
	if files, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive))); err != nil || len(files.File) != 4 {
		t.Errorf("the ZIP of revision 2: %v", err)
	}
}

func TestFileThatWasChangedMeanwhileIsNotOverwritten(t *testing.T) {
	p := withGame(t, held{make(chan struct{})})
	const was = "export const n = 1;\n"
	if res := p.save("src/n.js", "export const n = 2;\n", was); res.StatusCode != http.StatusOK {
		t.Fatal(res.Status)
	}
	res := p.save("src/n.js", "export const n = 3;\n", was)
	conflict := decode[contract.Conflict](t, res)
	if res.StatusCode != http.StatusPreconditionFailed || conflict.SHA256 != sum("export const n = 2;\n") || conflict.Head != 2 {
		t.Errorf("%d, %+v", res.StatusCode, conflict)
	}
	if res := p.save("src/n.js", "new", ""); res.StatusCode != http.StatusPreconditionFailed {
		t.Errorf("a new file in place of one: %d", res.StatusCode)
	}
	if res := p.do(http.MethodPut, contract.PathFile+"?path=src/n.js", []byte("x"), nil); res.StatusCode != http.StatusPreconditionRequired {
		t.Errorf("without a precondition: %d", res.StatusCode)
	}
	if got := p.file("src/n.js"); got != "export const n = 2;\n" {
		t.Errorf("it holds %q", got)
	}
}

func TestHostileNamesAndMadeFilesAreRefused(t *testing.T) {
	p := withGame(t, held{make(chan struct{})})
	for _, name := range []string{
		"", ".", "..", "../x", "/etc/passwd", "a/../../x", ".svc/settings.json", "SRC/n.js", "src/N.js", "src", "src/n.js/x", "a\nb", `a\b`, "con", "x.",
	} {
		if res := p.save(name, "x", ""); res.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("%q: %d", name, res.StatusCode)
		}
	}
	if res := p.save("game.js", "x", "old"); res.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("the script that is made: %d", res.StatusCode)
	}
	if res := p.save("big.txt", string(make([]byte, contract.MaxEdit+1)), ""); res.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("too much: %d", res.StatusCode)
	}
	if space := decode[contract.Workspace](t, p.get(contract.PathWorkspace)); len(space.Files) != 4 {
		t.Errorf("%+v", space.Files)
	}
}

func TestBrokenSourceIsSavedAndTheGameStaysPlayable(t *testing.T) {
	p := withGame(t, held{make(chan struct{})})
	saved := decode[contract.Saved](t, p.save("src/n.js", "export const n = ;\n", "export const n = 1;\n"))
	if len(saved.Problems) == 0 || saved.Problems[0].File != "src/n.js" || saved.Problems[0].Line != 1 {
		t.Errorf("%+v", saved.Problems)
	}
	if p.file("src/n.js") != "export const n = ;\n" || p.file("game.js") != "old" {
		t.Errorf("%q, %q", p.file("src/n.js"), p.file("game.js"))
	}
}

// typed makes a game of a prompt at once, when it may: without the files that have no text.
type typed struct {
	release chan struct{}
	files   map[string]string
}

func (g typed) Generate(ctx context.Context, req gen.Request, _ gen.Reporter) (gen.Result, error) {
	select {
	case <-ctx.Done():
		return gen.Result{}, ctx.Err()
	case <-g.release:
	}
	var changes []swap.Change
	for name, text := range g.files {
		changes = append(changes, swap.Change{Name: gen.Deliverable + "/" + name, Data: []byte(text), Delete: text == ""})
	}
	return gen.Result{Changed: true}, req.Change(changes, 0)
}

func TestWhatIsSavedWhileAJobWorksJoinsItsGame(t *testing.T) {
	release := make(chan struct{})
	p := withGame(t, typed{release, map[string]string{
		"lines.txt": "a\nb\nc\nd\nJOB\n", "same.txt": "job\n", "job.txt": "job\n", "index.html": "job",
	}})
	for name, text := range map[string]string{"lines.txt": "a\nb\nc\nd\ne\n", "same.txt": "text\n"} {
		if res := p.save(name, text, ""); res.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d", name, res.StatusCode)
		}
	}
	id := mint.NewJobID(time.Now())
	p.submit(id, "work")
	wait.Until(t, "the job runs", func() bool {
		return decode[contract.Workspace](t, p.get(contract.PathWorkspace)).Running == id
	})
	later := contract.Saved{}
	wait.Until(t, "it works", func() bool {
		res := p.save("mine.txt", "mine", "")
		if res.StatusCode != http.StatusOK {
			res = p.save("mine.txt", "mine", "mine")
		}
		later = decode[contract.Saved](t, res)
		return later.Later
	})
	if res := p.save("lines.txt", "MINE\nb\nc\nd\ne\n", "a\nb\nc\nd\ne\n"); res.StatusCode != http.StatusOK {
		t.Errorf("other lines: %d", res.StatusCode)
	}
	p.save("same.txt", "first\n", "text\n")
	if res := p.save("same.txt", "mine\n", "text\n"); res.StatusCode != http.StatusPreconditionFailed {
		t.Errorf("another tab's text: %d", res.StatusCode)
	}
	p.save("same.txt", "mine\n", "first\n")
	if got := p.file("same.txt"); got != "mine\n" {
		t.Errorf("while the job works it is %q", got)
	}
	if res := p.post(contract.PathRestore, contract.RestoreRequest{Rev: 1, Head: later.Head}); res.StatusCode != http.StatusConflict {
		t.Errorf("restoring while a job works: %d", res.StatusCode)
	}
	close(release)
	p.finish(id)
	wait.Until(t, "the edits have joined", func() bool {
		list := decode[contract.Revisions](t, p.get(contract.PathRevisions)).Revisions
		return strings.HasPrefix(list[0].Message, "Saved while a job worked")
	})
	for name, want := range map[string]string{
		"lines.txt": "MINE\nb\nc\nd\nJOB\n", "same.txt": "mine\n", "job.txt": "job\n", "mine.txt": "mine", "index.html": "job",
	} {
		if got := p.file(name); got != want {
			t.Errorf("%s holds %q, want %q", name, got, want)
		}
	}
	list := decode[contract.Revisions](t, p.get(contract.PathRevisions)).Revisions
	if list[1].Job != id || p.file(fmt.Sprintf("same.txt&rev=%d", list[1].ID)) != "job\n" || !strings.Contains(list[0].Message, "same.txt: its own") {
		t.Errorf("%+v", list[:2])
	}
}

func TestFileThatClashesWithOneOfTheJobKeepsNoOtherOut(t *testing.T) {
	release := make(chan struct{})
	p := withGame(t, typed{release, map[string]string{"src/enemy.js": "job\n", "art": "job\n", "index.html": "job"}})
	id := mint.NewJobID(time.Now())
	p.submit(id, "work")
	wait.Until(t, "the job runs", func() bool {
		return decode[contract.Workspace](t, p.get(contract.PathWorkspace)).Running == id
	})
	was := ""
	wait.Until(t, "it works", func() bool {
		res := p.save("mine.txt", "mine", was)
		was = "mine"
		return decode[contract.Saved](t, res).Later
	})
	for _, name := range []string{"src/Enemy.js", "art/fox.txt"} {
		if res := p.save(name, "mine\n", ""); res.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d", name, res.StatusCode)
		}
	}
	p.save("mine.txt", "mine too", "mine")
	close(release)
	p.finish(id)
	var list []contract.Revision
	wait.Until(t, "the edit has joined", func() bool {
		list = decode[contract.Revisions](t, p.get(contract.PathRevisions)).Revisions
		return strings.HasPrefix(list[0].Message, "Left out")
	})
	if draft := list[1]; draft.Kind != "draft" || p.file(fmt.Sprintf("src/Enemy.js&rev=%d", draft.ID)) != "mine\n" ||
		p.file(fmt.Sprintf("art/fox.txt&rev=%d", draft.ID)) != "mine\n" || !strings.Contains(list[0].Message, "art/fox.txt, src/Enemy.js") {
		t.Errorf("%+v", list[:2])
	}
	if got := p.file("src/enemy.js") + p.file("art") + p.file("mine.txt"); got != "job\njob\nmine too" {
		t.Errorf("the game holds %q", got)
	}
	if saved := decode[contract.Saved](t, p.save("mine.txt", "mine now", "mine too")); saved.Later || saved.Head <= list[0].ID {
		t.Errorf("saved afterwards: %+v", saved)
	}
}

func TestADeletionThatTheJobStoodAgainstIsNamed(t *testing.T) {
	release := make(chan struct{})
	p := withGame(t, typed{release, map[string]string{"kept.txt": "job\n", "undone.txt": "", "mine.txt": "", "index.html": "job"}})
	for _, name := range []string{"kept.txt", "undone.txt", "mine.txt", "gone.txt"} {
		if res := p.save(name, "text\n", ""); res.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d", name, res.StatusCode)
		}
	}
	id := mint.NewJobID(time.Now())
	p.submit(id, "work")
	was := "text\n"
	wait.Until(t, "it works", func() bool {
		res := p.save("mine.txt", "mine\n", was)
		was = "mine\n"
		return decode[contract.Saved](t, res).Later
	})
	p.save("undone.txt", "other\n", "text\n")
	p.save("undone.txt", "text\n", "other\n")
	p.save("mine.txt", "still mine\n", "mine\n")
	for _, name := range []string{"kept.txt", "gone.txt"} {
		header := http.Header{"If-Match": {`"` + sum("text\n") + `"`}}
		res := p.do(http.MethodDelete, contract.PathFile+"?path="+name, nil, header)
		if saved := decode[contract.Saved](t, res); !saved.Later {
			t.Fatalf("deleting %s: %d %+v", name, res.StatusCode, saved)
		}
	}
	close(release)
	p.finish(id)
	var list []contract.Revision
	wait.Until(t, "the edits have joined", func() bool {
		list = decode[contract.Revisions](t, p.get(contract.PathRevisions)).Revisions
		return strings.HasPrefix(list[0].Message, "Not deleted, as the job changed them: kept.txt.")
	})
	const missing = "404 Not Found"
	for query, want := range map[string]string{
		"kept.txt": "job\n", fmt.Sprintf("kept.txt&rev=%d", list[1].ID): missing, "gone.txt": missing, "undone.txt": missing, "mine.txt": "still mine\n",
	} {
		if got := p.file(query); got != want {
			t.Errorf("%s holds %q, want %q", query, got, want)
		}
	}
	if list[1].Kind != "draft" {
		t.Errorf("%+v", list[:2])
	}
}
