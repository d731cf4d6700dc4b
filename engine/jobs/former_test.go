package jobs_test

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/engine/jobs"
	"github.com/svc-games/svc/engine/revs"
)

// Projects of the fixture: one whose sources a model has edited, and one whose sources
// are as they were generated.
const (
	edited = "a5cb47fefb0f68c500bfd948"
	plain  = "0beb22df4730768dcb174f3b"
)

// formerVolume returns the volume of a project as 84ec793 left it.
func formerVolume(t *testing.T, id string) string {
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
		name, ours := strings.CutPrefix(h.Name, "./projects/"+id+"/")
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
	dir := formerVolume(t, edited)
	before, err := os.ReadFile(filepath.Join(dir, "workspace", "game", "src", "mechanics", "gap.js"))
	if err != nil {
		t.Fatal(err)
	}
	if record := changeFormer(t, dir, edited, "make it faster"); record.Status != api.JobCompleted {
		t.Fatalf("%+v, %+v", record, record.Failure)
	}
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

// changeFormer runs a job of the embedded generator on a former volume.
func changeFormer(t *testing.T, dir, id, prompt string) contract.JobRecord {
	t.Helper()
	m, err := jobs.Open(jobs.Config{Dir: dir, ProjectID: id, Generator: embedded(t), Log: zap.NewNop()})
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
	job := mint.NewJobID(time.Now())
	if _, err := e.Submit(job, session, api.GenerateRequest{ProjectID: id, Prompt: prompt}); err != nil {
		t.Fatal(err)
	}
	record := e.finish(job)
	e.stop()
	return record
}

func TestGameOf84ec793ThatNobodyEditedStaysGenerated(t *testing.T) {
	dir := formerVolume(t, plain)
	if record := changeFormer(t, dir, plain, "make it faster"); record.Status != api.JobCompleted {
		t.Fatalf("%+v, %+v", record, record.Failure)
	}
	if got := kindsOf(history(t, dir)); !slices.Equal(got, []revs.Kind{revs.Import, revs.Generated}) {
		t.Errorf("%v", got)
	}
}

func TestGameOf84ec793ThatSomeoneEditedByHandKeepsTheEdits(t *testing.T) {
	for what, prepare := range map[string]func(dir string) error{
		"ZIP there": func(string) error { return nil },
		"ZIP dropped": func(dir string) error {
			zips, err := filepath.Glob(filepath.Join(dir, "jobs", "*", "files.zip"))
			for _, name := range zips {
				err = errors.Join(err, os.Remove(name))
			}
			return err
		},
	} {
		dir := formerVolume(t, plain)
		edit(t, dir, "src/core/math.js")
		if err := prepare(dir); err != nil {
			t.Fatal(err)
		}
		changeFormer(t, dir, plain, "make it faster")
		s := history(t, dir)
		if got := kindsOf(s); !slices.Equal(got, []revs.Kind{revs.Import, revs.Authored}) {
			t.Fatalf("%s: %v", what, got)
		}
		if files, err := s.Files(2); err != nil || !strings.HasPrefix(string(files["game/src/core/math.js"]), byHand) {
			t.Errorf("%s: the edit is lost: %v", what, err)
		}
	}
}
