package revs_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/svc-games/svc/engine/contract/killpoint"
	"github.com/svc-games/svc/engine/revs"
)

// storyEnv names the folder of the history that this process, started by a test,
// writes.
const storyEnv = "SVC_REVS_STORY"

func TestMain(m *testing.M) {
	killpoint.MainIfAsked()
	if dir := os.Getenv(storyEnv); dir != "" {
		if err := story(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// few are the limits of the story.
var few = revs.Limits{Revisions: 3, Bytes: 1 << 20, Files: 100}

// state is what revision n of the story holds.
func state(n int) revs.Files {
	return revs.Files{"game/a": fmt.Append(nil, "a", n), "game/b": fmt.Append(nil, "b", n/2), ".svc/game.json": []byte("{}")}
}

// story goes on to the sixth revision, of which it keeps three, and says each that
// is stored.
func story(dir string) error {
	s, _, err := revs.Open(dir)
	if err != nil {
		return err
	}
	for {
		next := 1
		if head, there := s.Head(); there {
			next = head.ID + 1
		}
		if next > 6 {
			return errors.Join(s.Trim(few), s.Close())
		}
		if _, _, err := s.Commit(revs.Revision{Kind: revs.Generated}, state(next), nil); err != nil {
			return err
		}
		fmt.Println(next)
		if err := s.Trim(few); err != nil {
			return err
		}
	}
}

// play runs the story until the point at which it is killed, negative for none.
func play(t *testing.T, dir string, kill int) (said string, points []killpoint.Point) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), storyEnv+"="+dir)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	var mu sync.Mutex // guards points
	attach, err := killpoint.Command(cmd, dir, func(p killpoint.Point) bool {
		mu.Lock()
		defer mu.Unlock()
		points = append(points, p)
		return len(points)-1 != kill
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := attach(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil && kill < 0 {
		t.Fatalf("%v: %s", err, errs.String())
	}
	mu.Lock()
	defer mu.Unlock()
	return out.String(), points
}

func TestNoRevisionIsLostOrTornAtAnyWrite(t *testing.T) {
	_, points := play(t, t.TempDir(), -1)
	if len(points) < 50 {
		t.Fatalf("the story passes %d writes", len(points))
	}
	for kill, p := range points {
		if p.Call == "fsync" {
			continue // changes nothing that a kill leaves
		}
		dir := t.TempDir()
		said, _ := play(t, dir, kill)
		s := open(t, dir)
		stored := strings.Count(said, "\n")
		head, _ := s.Head()
		if head.ID < stored || head.ID > stored+1 {
			t.Fatalf("killed at %d: revision %d was stored, the head is %d", kill, stored, head.ID)
		}
		for _, r := range s.List() {
			if files, err := s.Files(r.ID); err != nil || !same(files, state(r.ID)) {
				t.Fatalf("killed at %d: revision %d holds %q, %v", kill, r.ID, files, err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		play(t, dir, -1)
		s = open(t, dir)
		if list := s.List(); len(list) != 3 || list[2].ID != 6 || len(objects(t, dir)) != 3+3+2+1 {
			t.Fatalf("killed at %d: the story ends with %+v, %d objects", kill, list, len(objects(t, dir)))
		}
	}
}
