package jobs_test

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen"
	"github.com/svc-games/svc/engine/gen/gentest"
	"github.com/svc-games/svc/engine/jobs"
	"github.com/svc-games/svc/engine/revs"
)

// edited is the project of the fixture whose sources a model has edited.
const edited = "a5cb47fefb0f68c500bfd948"

// formerVolume returns the volume of the edited project as 84ec793 left it.
func formerVolume(t *testing.T) string {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "test", "e2e", "testdata", "former", "84ec793.tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	raw, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for archive := tar.NewReader(raw); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return dir
		}
		if err != nil {
			t.Fatal(err)
		}
		name, ours := strings.CutPrefix(h.Name, "./projects/"+edited+"/")
		if !ours || h.Typeflag != tar.TypeReg {
			continue
		}
		data, err := io.ReadAll(archive)
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err = errors.Join(err, os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, data, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestEditedGameOf84ec793GoesOnAndKeepsItsSources(t *testing.T) {
	dir := formerVolume(t)
	before, err := os.ReadFile(filepath.Join(dir, "workspace", "game", "src", "mechanics", "gap.js"))
	if err != nil {
		t.Fatal(err)
	}
	g, err := gen.New(gen.Options{Frameworks: gentest.Frameworks(t)})
	if err != nil {
		t.Fatal(err)
	}
	m, err := jobs.Open(jobs.Config{Dir: dir, ProjectID: edited, Generator: g, Log: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Recover(); err != nil {
		t.Fatal(err)
	}
	e := run(t, &engine{Manager: m, t: t, dir: dir})
	lines, _, err := e.Feed(0)
	if err == nil {
		e.last = uint64(len(lines))
	}
	id := api.NewJobID(time.Now())
	if _, err := e.Submit(id, session, api.GenerateRequest{ProjectID: edited, Prompt: "make it faster"}); err != nil {
		t.Fatal(err)
	}
	if record := e.finish(id); record.Status != api.JobCompleted {
		t.Fatalf("%+v, %+v", record, record.Failure)
	}
	e.stop()
	s := history(t, dir)
	list := s.List()
	if len(list) != 2 || list[0].Kind != revs.Import || list[1].Kind != revs.Authored {
		t.Fatalf("%+v", list)
	}
	old, err := s.Files(1)
	if err != nil {
		t.Fatal(err)
	}
	now, err := s.Files(2)
	if err != nil {
		t.Fatal(err)
	}
	if string(now["game/src/mechanics/gap.js"]) != string(before) || !strings.Contains(string(before), "Math.sin(s.t * 9) * 3") {
		t.Error("the edit is lost")
	}
	for name, text := range old {
		if strings.HasPrefix(name, "game/src/") && name != "game/src/game.json" && string(now[name]) != string(text) {
			t.Errorf("%s is another", name)
		}
	}
	if string(old["game/src/game.json"]) == string(now["game/src/game.json"]) {
		t.Error("the game is not faster")
	}
}
