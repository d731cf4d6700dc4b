package jobs_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen"
	"github.com/svc-games/svc/engine/revs"
)

// history returns the revisions of a volume that no engine has.
func history(t *testing.T, dir string) *revs.Store {
	t.Helper()
	s, _, err := revs.Open(filepath.Join(dir, "revs"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func kindsOf(s *revs.Store) []revs.Kind {
	var out []revs.Kind
	for _, r := range s.List() {
		out = append(out, r.Kind)
	}
	return out
}

func page(t *testing.T, s *revs.Store, id int) string {
	t.Helper()
	files, err := s.Files(id)
	if err != nil {
		t.Fatal(err)
	}
	return string(files[gen.Deliverable+"/index.html"])
}

func TestEachJobThatChangesTheGameLeavesARevision(t *testing.T) {
	e := start(t, t.TempDir(), script(write))
	ids := []string{e.submit("one"), e.submit("two"), e.submit("two")}
	for _, id := range ids {
		e.finish(id)
	}
	e.stop()
	s := history(t, e.dir)
	list := s.List()
	if len(list) != 2 || list[0].Job != ids[0] || list[1].Job != ids[1] || list[1].Author != string(api.ModelEmbedded) || list[1].Message != "A game." {
		t.Fatalf("%+v", list)
	}
	if page(t, s, 1) != "one" || page(t, s, 2) != "two" {
		t.Errorf("%q, %q", page(t, s, 1), page(t, s, 2))
	}
}

func TestVolumeWithoutAHistoryIsImportedAtItsFirstOpen(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"game/index.html": "old", ".svc/edits.json": `{"v":1,"files":{}}`, ".svc/skills/x/skill.json": "{}", "AGENTS.md": "a"} {
		path := filepath.Join(dir, "workspace", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	e := start(t, dir, script(write))
	e.finish(e.submit("new"))
	e = e.restart(script(write))
	e.stop()
	s := history(t, dir)
	if got := kindsOf(s); !slices.Equal(got, []revs.Kind{revs.Import, revs.Authored}) {
		t.Fatalf("%v", got)
	}
	files, err := s.Files(1)
	if err != nil || len(files) != 2 || string(files["game/index.html"]) != "old" {
		t.Errorf("%q, %v", files, err)
	}
}

func TestWhatSomeonePutIntoAProjectIsARevision(t *testing.T) {
	e := start(t, t.TempDir(), script(write))
	e.finish(e.submit("made"))
	e.stop()
	if err := os.WriteFile(filepath.Join(e.dir, "workspace", "game", "index.html"), []byte("by hand"), 0o600); err != nil {
		t.Fatal(err)
	}
	e = e.restart(script(write))
	e.finish(e.submit("made again"))
	e.stop()
	s := history(t, e.dir)
	if got := kindsOf(s); !slices.Equal(got, []revs.Kind{revs.Generated, revs.Import, revs.Authored}) || page(t, s, 2) != "by hand" {
		t.Errorf("%v, %q", got, page(t, s, 2))
	}
}

func TestCancelledJobLeavesWhatItProvedAsADraft(t *testing.T) {
	t.Parallel() // the game is made in earnest, which takes a while
	e, id := refining(t)
	if record, err := e.Cancel(t.Context(), id); err != nil || record.Status != api.JobCancelled {
		t.Fatalf("%+v, %v", record, err)
	}
	e.stop()
	s := history(t, e.dir)
	list := s.List()
	if len(list) != 1 || list[0].Kind != revs.Draft || list[0].Job != id || list[0].Author != "wise" || page(t, s, 1) == "" {
		t.Errorf("%+v", list)
	}
	if _, there := s.Head(); there {
		t.Error("the draft is the head")
	}
}

func TestKilledJobLeavesWhatItProvedAsARevision(t *testing.T) {
	t.Parallel()
	e, id := refining(t)
	next := start(t, copyVolume(t, e.dir), script(write))
	next.last = e.last
	next.finish(id)
	next.stop()
	s := history(t, next.dir)
	if list := s.List(); len(list) != 1 || list[0].Kind != revs.Generated || list[0].Job != id || page(t, s, 1) == "" {
		t.Errorf("%+v", list)
	}
}
