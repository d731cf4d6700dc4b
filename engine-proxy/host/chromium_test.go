package host

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-games/svc/engine-proxy/driver/process/confine"
)

func TestInstalledChromiumIsUsedUnlessItIsOff(t *testing.T) {
	installed := filepath.Join(t.TempDir(), "chromium")
	if err := os.WriteFile(installed, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	former := chromiums
	t.Cleanup(func() { chromiums = former })
	chromiums = []string{"/nonexistent/chromium", installed}
	found := installed
	if confine.Look().Landlock == 0 {
		found = "" // engines here could not keep a browser in
	}
	for _, tc := range []struct{ option, env, want string }{
		{"", "", found}, {"off", "", ""}, {"", "off", ""}, {"/opt/x", "off", "/opt/x"}, {"", "/opt/y", "/opt/y"}, {"off", "/opt/y", ""},
	} {
		t.Setenv(envChromium, tc.env)
		if got := (&Process{Chromium: tc.option}).chromium(); got != tc.want {
			t.Errorf("option %q, environment %q: %q, want %q", tc.option, tc.env, got, tc.want)
		}
	}
	chromiums = nil
	t.Setenv(envChromium, "")
	if got := new(Process).chromium(); got != "" {
		t.Errorf("where none is installed: %q", got)
	}
}

func TestBrowserThatCanNotBeUsedIsRefusedAtTheStart(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string, mode os.FileMode) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for path, want := range map[string]string{
		"":                                    "",
		write("program", "\x7fELF", 0o755):    "",
		write("script", "#!/bin/sh\n", 0o755): "is a script",
		write("text", "\x7fELF", 0o644):       "is not a program",
		filepath.Join(dir, "absent"):          "no such file",
		dir:                                   "is not a program",
	} {
		switch err := checkBrowser(path); {
		case want == "" && err != nil:
			t.Errorf("%s is refused: %v", path, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}
