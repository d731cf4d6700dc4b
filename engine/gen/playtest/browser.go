// Package playtest plays a finished game in headless Chromium, of whatever it is
// made: twice at a time under a clock of its own, with the game's player and without,
// and judges what it saw by the rules G02 to G13. It asks of a game to say what
// happens by svc's calls; what a game exposes by svc.expose it looks at as well.
//
// A check of a game is a file checks/NAME.json:
//
//	{"name", "kind"?, "seed"?, "frames"?, "inputs": [...], "expect": {...}}
//
// An input has the frame "at" which it comes, and key or keyUp (a name as of
// KeyboardEvent.key; a key without keyUp is held for four frames), down, up, move, tap or
// alt (true, at x and y of 0 to 1 of the game's box; tap may be the text of a button), or
// text (that is typed). An expectation has score {min, max}, ended, outcome, phase (ready,
// play or over), started (how often), text (that is seen) and state {path: value}.
package playtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/chromedp/chromedp"
)

// ErrNoBrowser is returned by Find on a machine without Chromium.
var ErrNoBrowser = errors.New("no chromium on the PATH")

// Find returns the path of the Chromium on the PATH.
func Find() (string, error) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", ErrNoBrowser
}

// Browser is one Chromium process.
type Browser struct {
	ctx     context.Context
	cancel  context.CancelFunc
	profile string // folder of its own
	hang    time.Duration
	boot    int // frames in which a game must be ready
}

// startTime is how long Chromium may take to start, on however busy a machine.
const startTime = time.Minute

// hangTime is how long a page may give no sign of life while its game is played.
// Between two of them lie two seconds of the game; more passes only where code
// does not come to an end.
const hangTime = time.Minute

// unused are features of the browser's own window, which no one looks at:
// pages of the address bar that are drawn anew with each tab.
const unused = "Translate,BlinkGenPropertyTrees,WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup,PreloadTopChromeWebUI"

// Start starts the Chromium at path, or for "" the one on the PATH, until ctx
// ends. Games get no network:
// every host name resolves to nothing.
func Start(ctx context.Context, path string) (*Browser, error) {
	if path == "" {
		var err error
		if path, err = Find(); err != nil {
			return nil, err
		}
	}
	profile, err := os.MkdirTemp("", "playtest")
	if err != nil {
		return nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path),
		chromedp.UserDataDir(profile),
		chromedp.WSURLReadTimeout(startTime),
		chromedp.NoSandbox, // an engine is confined as a whole, and in there has no user namespace to sandbox in
		chromedp.Flag("mute-audio", true),
		chromedp.Flag("hide-scrollbars", true),
		chromedp.Flag("use-angle", "swiftshader"),
		chromedp.Flag("enable-unsafe-swiftshader", true),
		// Without a graphics card, drawing is what takes the time. Games draw with
		// WebGL; the window around them needs none, is small, and stands still.
		chromedp.Flag("disable-gpu-compositing", true),
		chromedp.Flag("disable-features", unused),
		chromedp.Flag("window-size", "500,800"),
		chromedp.Flag("animation-duration-scale", "0"),
		// A confined engine can't start the processes that these would be.
		chromedp.Flag("no-zygote", true),
		chromedp.Flag("in-process-gpu", true),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND"),
		// WebRTC knows neither host names nor the policy of a page. The option has
		// had two names.
		chromedp.Flag("webrtc-ip-handling-policy", "disable_non_proxied_udp"),
		chromedp.Flag("force-webrtc-ip-handling-policy", "disable_non_proxied_udp"),
	)
	alloc, cancelAlloc := chromedp.NewExecAllocator(ctx, options...)
	bctx, cancelBrowser := chromedp.NewContext(alloc)
	b := &Browser{ctx: bctx, cancel: func() { cancelBrowser(); cancelAlloc() }, profile: profile, hang: hangTime, boot: bootFrames}
	if err := chromedp.Do(bctx, chromedp.Navigate("about:blank")); err != nil {
		b.Close()
		return nil, fmt.Errorf("starting chromium: %w", err)
	}
	return b, nil
}

// Close ends the process and removes what it leaves behind.
func (b *Browser) Close() {
	b.cancel()
	// A killed Chromium leaves the folder of its lock, to which its profile leads.
	if lock, err := os.Readlink(filepath.Join(b.profile, "SingletonSocket")); err == nil && strings.HasPrefix(filepath.Base(filepath.Dir(lock)), "org.chromium.") {
		_ = os.RemoveAll(filepath.Dir(lock)) // in the folder for what is temporary, at worst
	}
	_ = os.RemoveAll(b.profile)
}
