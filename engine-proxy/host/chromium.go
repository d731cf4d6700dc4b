package host

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/svc-games/svc/engine-proxy/driver/process/confine"
)

// envChromium names the browser of engines where no option does: its path, or
// "off" for none.
const envChromium = "SVC_ENGINE_CHROMIUM"

// noChromium is the option's value for no browser.
const noChromium = "off"

// chromiums are where Debian and Ubuntu keep the program itself.
var chromiums = []string{"/usr/lib/chromium/chromium", "/usr/lib/chromium-browser/chromium-browser"}

// chromium returns the browser that plays games, "" for none. One that nobody
// named is used where it is installed and the machine has Landlock: a browser
// that runs generated code must reach no more than its engine may.
func (p *Process) chromium() string {
	named := cmp.Or(p.Chromium, os.Getenv(envChromium))
	switch {
	case named == noChromium:
		return ""
	case named != "":
		return named
	case confine.Look().Landlock == 0:
		return ""
	}
	for _, path := range chromiums {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
	}
	return ""
}

// checkBrowser refuses a browser that can't be used: every job would go without
// one, for no reason that the log of the start tells.
func checkBrowser(path string) error {
	if path == "" {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("driver process: chromium: %w: name the program, or off for no browser", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("driver process: chromium: %w", err)
	}
	if !info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0 {
		return fmt.Errorf("driver process: chromium: %s is not a program", path)
	}
	start := make([]byte, 2)
	if _, err := io.ReadFull(f, start); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return fmt.Errorf("driver process: chromium: %w", err)
	}
	if string(start) == "#!" {
		return fmt.Errorf("driver process: chromium: %s is a script, which engines can't run: name the program that it starts, like %s", path, chromiums[0])
	}
	return nil
}
