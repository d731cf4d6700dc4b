package revs_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/engine/revs"
)

// logged makes a history of n revisions and returns the lines of its log.
func logged(t *testing.T, n int) (dir string, lines []string) {
	t.Helper()
	dir = t.TempDir()
	s := open(t, dir)
	for i := range n {
		commit(t, s, revs.Generated, revs.Files{"game/a": fmt.Append(nil, i+1)})
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return dir, readLog(t, dir)
}

func readLog(t *testing.T, dir string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "revs.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

func writeLog(t *testing.T, dir string, lines []string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "revs.jsonl"), []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestRevisionOfAKindOfALaterVersionStaysWithAllThatItSays(t *testing.T) {
	dir, lines := logged(t, 4)
	lines[2] = strings.Replace(strings.Replace(lines[2], `"generated"`, `"proposal"`, 1), "{", `{"review":"before",`, 1)
	lines[3] = strings.Replace(lines[3], `"generated"`, `"proposal"`, 1)
	writeLog(t, dir, lines)
	s := open(t, dir)
	if files, err := s.Files(3); err != nil || string(files["game/a"]) != "3" {
		t.Errorf("%q, %v", files, err)
	}
	if head, _ := s.Head(); head.ID != 2 {
		t.Errorf("the head is %+v", head)
	}
	if r := commit(t, s, revs.Generated, revs.Files{"game/a": []byte("5")}); r.ID != 5 {
		t.Errorf("the next is %+v", r)
	}
	if err := s.Trim(revs.Limits{Revisions: 3, Bytes: 1 << 20, Files: 100}); err != nil {
		t.Fatal(err)
	}
	if now := readLog(t, dir); len(now) != 3 || now[0] != lines[2] {
		t.Errorf("the log is %q", now)
	}
}

func TestLineThatCantBeReadCostsNoOtherRevision(t *testing.T) {
	for _, spoilt := range []string{"{", "\x00\x00", "{}", `{"id":1,"tree":"x"}`, ""} {
		dir, lines := logged(t, 4)
		lines[1] = spoilt
		writeLog(t, dir, lines)
		before := objects(t, dir)
		s := open(t, dir)
		if list := s.List(); len(list) != 3 || list[2].ID != 4 {
			t.Fatalf("%q: %+v", spoilt, list)
		}
		if err := s.Trim(revs.Limits{}); !errors.Is(err, revs.ErrDamaged) {
			t.Errorf("%q: trimmed: %v", spoilt, err)
		}
		if now := readLog(t, dir); !slices.Equal(now, lines) || !slices.Equal(objects(t, dir), before) {
			t.Errorf("%q: the log is %q", spoilt, now)
		}
		commit(t, s, revs.Generated, revs.Files{"game/a": []byte("5")})
		if files, err := open(t, dir).Files(5); err != nil || string(files["game/a"]) != "5" {
			t.Errorf("%q: %q, %v", spoilt, files, err)
		}
	}
}

func TestIDOfALineThatCantBeReadIsNotGivenAgain(t *testing.T) {
	dir, lines := logged(t, 3)
	writeLog(t, dir, []string{lines[0], lines[1], "{"})
	if r := commit(t, open(t, dir), revs.Generated, revs.Files{"game/a": []byte("4")}); r.ID != 4 {
		t.Errorf("%+v", r)
	}
}

func TestCommitThatFailsLeavesNothingBehind(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	first := commit(t, s, revs.Generated, revs.Files{"game/a": []byte("1")})
	before := objects(t, dir)
	many := revs.Files{"game/obstacle": []byte("x")}
	for i := range 20 {
		many[fmt.Sprint("game/", i)] = fmt.Append(nil, "many", i)
	}
	const sumOfX = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
	if err := os.Mkdir(filepath.Join(dir, "objects", sumOfX), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, added, err := s.Commit(revs.Revision{Kind: revs.Generated}, many, nil); err == nil || added {
		t.Fatal("a folder stands where an object belongs, and the revision was stored")
	}
	if now := objects(t, dir); !slices.Equal(now, before) {
		t.Errorf("%d objects were there, and are %d", len(before), len(now))
	}
	if r := commit(t, s, revs.Generated, many); r.ID != first.ID+1 {
		t.Errorf("%+v", r)
	}
}

func TestHistoryWhoseLogCantBeOpenedGoesOnOnceItCan(t *testing.T) {
	dir, lines := logged(t, 3)
	s := open(t, dir)
	log := filepath.Join(dir, "revs.jsonl")
	if err := errors.Join(os.Remove(log), os.MkdirAll(filepath.Join(log, "x"), 0o700)); err != nil {
		t.Fatal(err)
	}
	if err := s.Trim(revs.Limits{Revisions: 2, Bytes: 1 << 20, Files: 100}); err == nil {
		t.Error("a folder was replaced")
	}
	files := revs.Files{"game/a": []byte("4")}
	if _, _, err := s.Commit(revs.Revision{Kind: revs.Generated}, files, nil); err == nil {
		t.Error("a revision was stored in a folder")
	}
	if files, err := s.Files(3); err != nil || string(files["game/a"]) != "3" {
		t.Errorf("%q, %v", files, err)
	}
	if err := os.RemoveAll(log); err != nil {
		t.Fatal(err)
	}
	writeLog(t, dir, lines)
	if r := commit(t, s, revs.Generated, files); r.ID != 4 || len(s.List()) != 4 {
		t.Errorf("%+v", r)
	}
}
