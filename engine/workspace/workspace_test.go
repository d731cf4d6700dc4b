package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/swap"
)

func openIn(t *testing.T, dir string) *Workspace {
	t.Helper()
	w, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

func apply(t *testing.T, w *Workspace, req api.GenerateRequest) Inherited {
	t.Helper()
	got, err := w.Apply(req, nil)
	if err != nil {
		t.Fatalf("Apply: %v", err)
	}
	return got
}

func TestInstructionsHoldUntilTheyAreSentAgain(t *testing.T) {
	dir := t.TempDir()
	text := func(s string) *string { return &s }
	for i, tc := range []struct {
		sent *string
		want string
	}{
		{nil, ""}, {text("Be terse."), "Be terse."}, {nil, "Be terse."},
		{text("Be verbose."), "Be verbose."}, {text(""), ""}, {text(""), ""}, {nil, ""},
	} {
		w := openIn(t, dir)
		if got := apply(t, w, api.GenerateRequest{Instructions: tc.sent}).Instructions; got != tc.want {
			t.Errorf("step %d: %q, want %q", i, got, tc.want)
		}
		stored, err := os.ReadFile(filepath.Join(dir, "AGENTS.md"))
		if string(stored) != tc.want || (tc.want == "") != errors.Is(err, fs.ErrNotExist) {
			t.Errorf("step %d: AGENTS.md is %q, %v", i, stored, err)
		}
	}
}

func TestSettingsAreStickyAndHaveDefaults(t *testing.T) {
	yes, no := true, false
	dir := t.TempDir()
	got := apply(t, openIn(t, dir), api.GenerateRequest{}).Settings
	if got.GameType != api.GameShort || got.Model != "" || got.ReasoningLevel != api.ReasoningMedium ||
		got.DimensionMode != api.Dimension2D || *got.AIImages || *got.AIAudio || *got.VisualQAActive || got.ChatMode != api.ChatAgent {
		t.Errorf("defaults: %+v", got)
	}
	apply(t, openIn(t, dir), api.GenerateRequest{Settings: api.Settings{GameType: api.GamePlatform, AIImages: &yes, AIAudio: &yes}})
	apply(t, openIn(t, dir), api.GenerateRequest{Settings: api.Settings{ChatMode: api.ChatPlan, AIAudio: &no}})
	got = apply(t, openIn(t, dir), api.GenerateRequest{}).Settings
	if got.GameType != api.GamePlatform || !*got.AIImages || *got.AIAudio || got.ChatMode != api.ChatPlan || got.Model != "" {
		t.Errorf("after two changes: %+v", got)
	}
}

func TestASkillWithFilesIsStoredAndReplacedByItsKey(t *testing.T) {
	dir := t.TempDir()
	w := openIn(t, dir)
	apply(t, w, api.GenerateRequest{Skills: []api.Skill{
		{Key: "jump", Title: "Jumping", Files: []api.SkillFile{{Path: "a/b.js", Content: "1"}, {Path: "a/b.js.tmp", Content: "2"}}},
		{Key: "idea", Title: "Only words", Prompt: "p"},
	}})
	files := filepath.Join(dir, ".svc", "skills", "jump", "files")
	for name, want := range map[string]string{"a/b.js": "1", "a/b.js.tmp": "2"} {
		if got, err := os.ReadFile(filepath.Join(files, name)); string(got) != want {
			t.Errorf("%s is %q, %v", name, got, err)
		}
	}
	apply(t, w, api.GenerateRequest{Skills: []api.Skill{
		{Key: "jump", Title: "Jumping better", Files: []api.SkillFile{{Path: "c.js", Content: "3"}}},
	}})
	if _, err := os.Stat(filepath.Join(files, "a")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file of the replaced skill: %v", err)
	}
	if got, err := os.ReadFile(filepath.Join(files, "..", "skill.json")); !strings.Contains(string(got), "Jumping better") {
		t.Errorf("skill.json is %s, %v", got, err)
	}
	entries, err := os.ReadDir(filepath.Join(dir, ".svc", "skills"))
	if err != nil || len(entries) != 1 {
		t.Errorf("stored skills: %v, %v", entries, err)
	}
}

func TestSkillReplacesTheOneWhoseKeyDiffersInCapitalsAlone(t *testing.T) {
	dir := t.TempDir()
	w := openIn(t, dir)
	for _, key := range []string{"jump", "run", "Jump"} {
		apply(t, w, api.GenerateRequest{Skills: []api.Skill{{Key: key, Title: "t", Files: []api.SkillFile{{Path: key + ".js", Content: "x"}}}}})
	}
	entries, err := os.ReadDir(filepath.Join(dir, ".svc", "skills"))
	if err != nil || len(entries) != 2 || entries[0].Name() != "Jump" || entries[1].Name() != "run" {
		t.Errorf("stored skills: %v, %v", entries, err)
	}
}

func TestNothingIsWrittenOutsideTheWorkspace(t *testing.T) {
	outside := t.TempDir()
	dir := t.TempDir()
	for _, name := range []string{".svc", "AGENTS.md"} {
		if err := os.Symlink(outside+"/"+name, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(outside, ".svc"), 0o700); err != nil {
		t.Fatal(err)
	}
	w := openIn(t, dir)
	if _, err := w.Apply(api.GenerateRequest{Settings: api.Settings{ChatMode: api.ChatPlan}}, nil); err == nil {
		t.Error("settings went through a link")
	}
	text := "text"
	if _, err := w.Apply(api.GenerateRequest{Instructions: &text}, nil); err == nil {
		t.Error("a project whose settings lie outside was used")
	}
	if err := os.Remove(filepath.Join(dir, ".svc")); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Apply(api.GenerateRequest{Instructions: &text}, nil); err != nil {
		t.Errorf("instructions in place of a link: %v", err)
	}
	if _, err := os.Lstat(filepath.Join(outside, "AGENTS.md")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("AGENTS.md outside: %v", err)
	}
	if left, err := os.ReadDir(filepath.Join(outside, ".svc")); err != nil || len(left) != 0 {
		t.Errorf("outside: %v, %v", left, err)
	}
}

func TestChangesThatTheDiskInterruptedAreNeverSeenHalf(t *testing.T) {
	dir := t.TempDir()
	w := openIn(t, dir)
	// A folder in a file's place is what a disk without room is: the change can't
	// be made now.
	obstacle := filepath.Join(dir, "b")
	if err := os.MkdirAll(filepath.Join(obstacle, "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	both := []swap.Change{{Name: "a", Data: []byte("1")}, {Name: "b", Data: []byte("1")}}
	if err := w.Change(both, nil); err == nil {
		t.Fatal("the change is made")
	}
	seen := func() (content string, err error) {
		err = w.Read(func(root *os.Root) error {
			for _, name := range []string{"a", "b", "c"} {
				data, err := root.ReadFile(name)
				if err != nil && !errors.Is(err, fs.ErrNotExist) {
					return err
				}
				content += string(data) + " "
			}
			return nil
		})
		return content, err
	}
	if content, err := seen(); err == nil {
		t.Errorf("half a change is read: %q", content)
	}
	later := []swap.Change{{Name: "c", Data: []byte("2")}}
	if err := w.Change(later, nil); err == nil {
		t.Error("another change is made over half a one")
	}
	if err := os.RemoveAll(obstacle); err != nil {
		t.Fatal(err)
	}
	if err := w.Change(later, nil); err != nil {
		t.Fatal(err)
	}
	if content, err := seen(); err != nil || content != "1 1 2 " {
		t.Errorf("%q, %v", content, err)
	}
}
