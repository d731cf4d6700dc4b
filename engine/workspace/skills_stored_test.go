package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/skills"
)

// withSkills is a workspace with three stored skills.
func withSkills(t *testing.T) (*Workspace, string) {
	t.Helper()
	dir := t.TempDir()
	w, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	_, err = w.Apply(api.GenerateRequest{Prompt: "x", Skills: []api.Skill{
		{Key: "double-jump", Title: "Double jump", Prompt: "a runner that jumps", Engine: "phaser", Files: []api.SkillFile{{Path: "src/jump.js", Content: "jump()"}}},
		{Key: "tower", Title: "Tower of blocks", Files: []api.SkillFile{{Path: "a.js", Content: "a"}}},
		{Key: "orbit", Title: "Orbit camera", Engine: "three", Files: []api.SkillFile{{Path: "o.js", Content: "o"}}},
		{Key: "passing", Title: "Jumping for this job alone"},
	}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return w, dir
}

func keys(list []api.Skill) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = s.Key
	}
	return out
}

func TestStoredSkillComesBackToARequestLikeIt(t *testing.T) {
	w, _ := withSkills(t)
	for prompt, want := range map[string][]string{
		"a fox jumping over logs": {"double-jump"}, "a tower of boxes": {"tower"}, "a fish in the sea": {},
	} {
		got, err := w.Apply(api.GenerateRequest{Prompt: prompt}, nil)
		if err != nil || !slices.Equal(keys(got.Skills), want) {
			t.Errorf("%q: %q, %v, want %q", prompt, keys(got.Skills), err, want)
		}
		for _, s := range got.Skills {
			if len(s.Files) != 1 || s.Files[0].Content == "" {
				t.Errorf("%q: %s has files %+v", prompt, s.Key, s.Files)
			}
		}
	}
	got, err := w.Apply(api.GenerateRequest{Prompt: "orbit around", Settings: api.Settings{DimensionMode: api.Dimension3D}}, nil)
	if err != nil || !slices.Equal(keys(got.Skills), []string{"orbit"}) {
		t.Errorf("in 3D: %q, %v", keys(got.Skills), err)
	}
}

func TestSkillThatIsSentComesOnce(t *testing.T) {
	w, _ := withSkills(t)
	sent := []api.Skill{{Key: "mine", Title: "Mine"}, {Key: "double-jump", Title: "Double jump, better"}}
	got, err := w.Apply(api.GenerateRequest{Prompt: "a fox jumping over logs", Skills: sent}, nil)
	if err != nil || !slices.Equal(keys(got.Skills), []string{"mine", "double-jump"}) || got.Skills[1].Title != "Double jump, better" {
		t.Errorf("%q, %v", keys(got.Skills), err)
	}
}

func TestWhatASuccessfulRunTaughtIsKeptWithinBounds(t *testing.T) {
	w, dir := withSkills(t)
	for i := range maxLearned + 5 {
		if err := w.Learn(api.Skill{Key: fmt.Sprintf("k%02d", i), Title: "learned", Files: []api.SkillFile{{Path: "game.json", Content: "{}"}}}, nil); err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(dir, skillsDir, fmt.Sprintf("auto-k%02d", i))
		at := time.Date(2000, 1, 1, 12, i, 0, 0, time.UTC) // before that of the next, which is this moment
		if err := os.Chtimes(name, at, at); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(filepath.Join(dir, skillsDir))
	if err != nil {
		t.Fatal(err)
	}
	var learned, sent int
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), skills.LearnedPrefix) {
			learned++
		} else {
			sent++
		}
	}
	if learned != maxLearned || sent != 3 {
		t.Errorf("%d learned, %d sent", learned, sent)
	}
	if _, err := os.Stat(filepath.Join(dir, skillsDir, "auto-k36")); err != nil {
		t.Errorf("the newest is gone: %v", err)
	}
}

func TestFolderThatIsNoSkillIsPassedOver(t *testing.T) {
	w, dir := withSkills(t)
	for name, content := range map[string]string{
		"broken": "{", "renamed": `{"key":"other","title":"jump jump jump"}`, "empty": "",
	} {
		folder := filepath.Join(dir, skillsDir, name)
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "skill.json"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, filepath.Join(dir, skillsDir, "double-jump", "files", "link.js")); err != nil {
		t.Fatal(err)
	}
	got, err := w.Apply(api.GenerateRequest{Prompt: "jump"}, nil)
	if err != nil || !slices.Equal(keys(got.Skills), []string{"double-jump"}) {
		t.Fatalf("%q, %v", keys(got.Skills), err)
	}
	for _, f := range got.Skills[0].Files {
		if strings.Contains(f.Content, "secret") || f.Path == "link.js" {
			t.Errorf("a link was followed: %+v", f)
		}
	}
}
