package engine

import (
	"archive/zip"
	"bytes"
	"io"
	"net/http"
	"testing"

	"github.com/svc-games/svc/api/contract"
)

// zipped is a ZIP of files.
func zipped(t *testing.T, files ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for _, name := range files {
		w, err := archive.Create(name)
		if err == nil {
			_, err = w.Write([]byte("x"))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestProjectIsCopiedWholeAndIntoAnEmptyOneAlone(t *testing.T) {
	from := withGame(t, held{make(chan struct{})})
	const was = "export const n = 1;\n"
	if res := from.save("src/n.js", "export const n = 2;\n", was); res.StatusCode != http.StatusOK {
		t.Fatal(res.Status)
	}
	res := from.get(contract.PathRevisions + "/1/project")
	data, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s, %v", res.Status, err)
	}
	to := serveConfig(t, Config{Volume: t.TempDir(), Generator: held{make(chan struct{})}})
	for name, body := range map[string][]byte{
		"no ZIP": []byte("x"), "no files": zipped(t), "a file outside": zipped(t, "../x"), "a file beside the game": zipped(t, "game/index.html", "AGENTS.md"),
		"state of an engine": zipped(t, ".svc/draft.json"), "a path out of the game": zipped(t, "game/../../x"), "a file that is a folder": zipped(t, "game/a", "game/a/b"),
	} {
		if res := to.do(http.MethodPost, contract.PathImport, body, nil); res.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("%s: %s", name, res.Status)
		}
	}
	saved := decode[contract.Saved](t, to.do(http.MethodPost, contract.PathImport+"?from=0123456789abcdef01234567", data, nil))
	list := decode[contract.Revisions](t, to.get(contract.PathRevisions))
	if saved.Head != 1 || to.file("src/n.js") != was || to.file("game.js") != "old" || len(list.Revisions) != 1 ||
		list.Revisions[0].Message != "Copied from project 0123456789abcdef01234567" || list.Revisions[0].Author != contract.AuthorUser {
		t.Errorf("%+v, %+v", saved, list)
	}
	if res := to.do(http.MethodPost, contract.PathImport, data, nil); res.StatusCode != http.StatusConflict {
		t.Errorf("into a project with files: %s", res.Status)
	}
}

func TestQueueIsReorderedByItsOwnJobsAlone(t *testing.T) {
	p := withGame(t, held{make(chan struct{})})
	if res := p.post(contract.PathQueue, contract.Queue{Jobs: []string{"job_x"}}); res.StatusCode != http.StatusConflict {
		t.Errorf("a job that does not wait: %s", res.Status)
	}
	if res := p.post(contract.PathQueue, contract.Queue{}); res.StatusCode != http.StatusOK {
		t.Errorf("an empty queue: %s", res.Status)
	}
}
