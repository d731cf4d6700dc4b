package revs_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/svc-games/svc/engine/revs"
)

func open(t interface {
	Helper()
	Fatal(...any)
}, dir string) *revs.Store {
	t.Helper()
	s, _, err := revs.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func commit(t *testing.T, s *revs.Store, kind revs.Kind, files revs.Files) revs.Revision {
	t.Helper()
	r, _, err := s.Commit(revs.Revision{Kind: kind, Job: "job_1", Author: "embedded", Message: "m", Time: time.Unix(1, 0).UTC()}, files, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func same(a, b revs.Files) bool { return maps.EqualFunc(a, b, bytes.Equal) }

func objects(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, "objects"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestAFileOfARevisionIsReadWithoutTheOthers(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	r := commit(t, s, revs.Generated, revs.Files{"game/a": []byte("one"), "game/b": []byte("two")})
	sum := sha256.Sum256([]byte("two"))
	if err := os.Remove(filepath.Join(dir, "objects", hex.EncodeToString(sum[:]))); err != nil {
		t.Fatal(err)
	}
	if data, err := s.File(r.ID, "game/a"); err != nil || string(data) != "one" {
		t.Errorf("%q, %v", data, err)
	}
	for name, want := range map[string]error{"game/b": revs.ErrDamaged, "game/c": fs.ErrNotExist} {
		if _, err := s.File(r.ID, name); !errors.Is(err, want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := s.File(r.ID+1, "game/a"); !errors.Is(err, revs.ErrUnknown) {
		t.Errorf("no revision: %v", err)
	}
}

func TestRestoreIsANewRevisionWithTheOldFiles(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	old := revs.Files{"game/index.html": []byte("one"), ".svc/game.json": []byte("{}")}
	first := commit(t, s, revs.Generated, old)
	second := commit(t, s, revs.Authored, revs.Files{"game/index.html": []byte("two")})
	files, err := s.Files(first.ID)
	if err != nil {
		t.Fatal(err)
	}
	third := commit(t, s, revs.Restore, files)
	if third.Tree != first.Tree || !slices.Equal(third.Parents, []int{second.ID}) || third.ID != 3 {
		t.Errorf("restored %+v", third)
	}
	if n := len(objects(t, dir)); n != 5 { // two trees, three contents
		t.Errorf("%d objects", n)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again := open(t, dir)
	if got := again.List(); len(got) != 3 || got[1].Tree != second.Tree || got[2].Kind != revs.Restore || got[0].Author != "embedded" {
		t.Errorf("opened again: %+v", got)
	}
	if got, err := again.Files(second.ID); err != nil || string(got["game/index.html"]) != "two" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestDraftNeverBecomesTheHead(t *testing.T) {
	s := open(t, t.TempDir())
	files := revs.Files{"game/a": []byte("a")}
	if draft := commit(t, s, revs.Draft, files); draft.Parents != nil {
		t.Errorf("the first draft has parents %v", draft.Parents)
	}
	if head, there := s.Head(); there {
		t.Errorf("the head is %+v", head)
	}
	first := commit(t, s, revs.Generated, files)
	draft := commit(t, s, revs.Draft, revs.Files{"game/a": []byte("b")})
	if head, _ := s.Head(); head.ID != first.ID || !slices.Equal(draft.Parents, []int{first.ID}) {
		t.Errorf("head %+v, draft %+v", head, draft)
	}
}

func TestFilesOfTheHeadMakeNoRevision(t *testing.T) {
	s := open(t, t.TempDir())
	files := revs.Files{"game/a": []byte("a")}
	first := commit(t, s, revs.Generated, files)
	got, added, err := s.Commit(revs.Revision{Kind: revs.Authored}, files, nil)
	if err != nil || added || got.ID != first.ID || len(s.List()) != 1 {
		t.Errorf("%+v, %v, %v", got, added, err)
	}
}

func TestHostilePathsAreRefused(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	for _, name := range []string{
		"", ".", "..", "/etc/passwd", "../x", "game/../../x", "game//x", "game/x/", `game\x`, "C:/x", "game/\x00", "game/a\nb",
		"game/con", ".git/config", ".svc", ".svc/../x", ".svc/.x", "game/.x", "game/x.",
	} {
		if _, _, err := s.Commit(revs.Revision{Kind: revs.Generated}, revs.Files{name: []byte("x")}, nil); !errors.Is(err, revs.ErrPath) {
			t.Errorf("%q: %v", name, err)
		}
	}
	for what, files := range map[string]revs.Files{
		"two names of one file":    {"game/A": nil, "game/a": nil},
		"a file that is a folder":  {"game/a": nil, "game/a/b": nil},
		"one by another name":      {"game/A": nil, "game/a/b": nil},
		"a file in place of state": {".svc/a": nil, ".svc/a/b": nil},
	} {
		if _, _, err := s.Commit(revs.Revision{Kind: revs.Generated}, files, nil); !errors.Is(err, revs.ErrPath) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if left := objects(t, dir); len(left) != 0 || len(s.List()) != 0 {
		t.Errorf("objects %v, revisions %v", left, s.List())
	}
}

func TestWithoutRoomThereIsNoRevision(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	full := errors.New("full")
	_, added, err := s.Commit(revs.Revision{Kind: revs.Generated}, revs.Files{"game/a": []byte("abc")}, func(n int64, files int) error {
		if n < 3 || files != 2 {
			t.Errorf("asked for %d bytes, %d files", n, files)
		}
		return full
	})
	if added || !errors.Is(err, full) || len(objects(t, dir)) != 0 {
		t.Errorf("%v, %v", added, err)
	}
}

func TestObjectThatIsNotWhatItsNameSaysIsNeverHandedOut(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	r := commit(t, s, revs.Generated, revs.Files{"game/a": []byte("a")})
	commit(t, s, revs.Generated, revs.Files{"game/a": []byte("b")})
	for _, name := range objects(t, dir) {
		path := filepath.Join(dir, "objects", name)
		was, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("evil"), 0o600); err != nil {
			t.Fatal(err)
		}
		files, err := s.Files(r.ID)
		if (err == nil && string(files["game/a"]) != "a") || err != nil && !errors.Is(err, revs.ErrDamaged) {
			t.Errorf("%q, %v", files, err)
		}
		if err := os.WriteFile(path, was, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Files(9); !errors.Is(err, revs.ErrUnknown) {
		t.Errorf("a revision that there is not: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, "objects", r.Tree)); err != nil {
		t.Fatal(err)
	}
	before := objects(t, dir)
	again := open(t, dir)
	if err := again.Trim(revs.Limits{}); !errors.Is(err, revs.ErrDamaged) || !slices.Equal(before, objects(t, dir)) {
		t.Errorf("of a damaged history objects were removed: %v", err)
	}
}

// anyFiles draws a set of files, of few names and contents so that they recur.
func anyFiles(t *rapid.T) revs.Files {
	return rapid.MapOfN(
		rapid.SampledFrom([]string{"game/a", "game/b/c", "game/b/d", ".svc/game.json", "game/é"}),
		rapid.SliceOfN(rapid.ByteRange('a', 'c'), 0, 3), 0, 5).Draw(t, "files")
}

func TestWhatIsKeptIsWhatWasCommitted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "revs")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		s := open(t, dir)
		committed, last := map[int]revs.Files{}, 0
		t.Repeat(map[string]func(*rapid.T){
			"commit": func(t *rapid.T) {
				kind := rapid.SampledFrom([]revs.Kind{revs.Generated, revs.Authored, revs.Draft, revs.Restore, revs.Import}).Draw(t, "kind")
				files := anyFiles(t)
				r, added, err := s.Commit(revs.Revision{Kind: kind}, files, nil)
				if err != nil {
					t.Fatal(err)
				}
				if added {
					if r.ID <= last {
						t.Fatalf("revision %d follows %d", r.ID, last)
					}
					committed[r.ID], last = files, r.ID
				}
			},
			"reopen": func(t *rapid.T) {
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				s = open(t, dir)
			},
			"trim": func(t *rapid.T) {
				limits := revs.Limits{Revisions: rapid.IntRange(0, 8).Draw(t, "revisions"), Bytes: rapid.Int64Range(0, 2000).Draw(t, "bytes"), Files: 1000}
				before := s.List()
				head, _ := s.Head()
				if err := s.Trim(limits); err != nil {
					t.Fatal(err)
				}
				after, _ := s.Head()
				if after.ID != head.ID || len(before) > 0 && s.List()[len(s.List())-1].ID != last {
					t.Fatalf("head %d became %d", head.ID, after.ID)
				}
				if n := len(s.List()); n > max(limits.Revisions, 2) {
					t.Fatalf("%d revisions are left of at most %d", n, limits.Revisions)
				}
				for _, r := range before {
					if !slices.ContainsFunc(s.List(), func(k revs.Revision) bool { return k.ID == r.ID }) {
						delete(committed, r.ID)
					}
				}
			},
			"": func(t *rapid.T) {
				if len(s.List()) != len(committed) {
					t.Fatalf("%d revisions, want %d", len(s.List()), len(committed))
				}
				for _, r := range s.List() {
					if files, err := s.Files(r.ID); err != nil || !same(files, committed[r.ID]) {
						t.Fatalf("revision %d holds %q, %v; want %q", r.ID, files, err, committed[r.ID])
					}
				}
			},
		})
	})
}

func TestAfterATrimNoObjectIsLeftThatNoRevisionReaches(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	for i := range 20 {
		commit(t, s, revs.Generated, revs.Files{"game/a": fmt.Append(nil, i), "game/same": []byte("same")})
	}
	if err := s.Trim(revs.Limits{Revisions: 3, Bytes: 1 << 20, Files: 1000}); err != nil {
		t.Fatal(err)
	}
	if n := len(objects(t, dir)); n != 7 { // three trees, three contents, one that they share
		t.Errorf("%d objects", n)
	}
	if list := s.List(); len(list) != 3 || list[0].ID != 18 {
		t.Errorf("%+v", list)
	}
	if r := commit(t, s, revs.Generated, revs.Files{"game/a": []byte("next")}); r.ID != 21 || r.Parents[0] != 20 {
		t.Errorf("the next is %+v", r)
	}
}

func TestATornLogIsCutToItsLastWholeRevision(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	for i := range 4 {
		commit(t, s, revs.Generated, revs.Files{"game/a": []byte(strings.Repeat("x", i))})
	}
	log, err := os.ReadFile(filepath.Join(dir, "revs.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for at := len(log); at >= 0; at -= 7 {
		if err := os.WriteFile(filepath.Join(dir, "revs.jsonl"), log[:at], 0o600); err != nil {
			t.Fatal(err)
		}
		torn := open(t, dir)
		if want := bytes.Count(log[:at], []byte("\n")); len(torn.List()) != want {
			t.Fatalf("cut at %d: %d revisions, want %d", at, len(torn.List()), want)
		}
		for _, r := range torn.List() {
			if files, err := torn.Files(r.ID); err != nil || len(files["game/a"]) != r.ID-1 {
				t.Fatalf("cut at %d: revision %d holds %q, %v", at, r.ID, files, err)
			}
		}
	}
}
