package e2e

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/systeminfo"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"github.com/svc-games/svc/test/long"
	"github.com/svc-games/svc/test/wait"
)

// pagesAtOnce is how many pages of a browser end in one go: it lives for a few minutes.
const pagesAtOnce = 20

// TestWhatAPageSaidIsCountedHoweverItEnds: the last events of a page that is closed, or
// left for another one, are counted, and its end; those of a page whose process is killed
// were counted if they were sent before. 100 pages each in a long run.
func TestWhatAPageSaidIsCountedHoweverItEnds(t *testing.T) {
	f := inOneForm(t)
	s := start(t, f)
	key := s.newKey("alice")
	project := s.newProject(key)
	sub := s.generate(key, project, brief)
	s.finish(key, sub)
	address, seen := "http://"+s.addr+s.publish(key, project, sub.JobID).Path, make(map[target.ID]bool)
	rounds, pages := 1, 3
	if long.Asked() {
		rounds, pages = 5, pagesAtOnce
	}
	said, ended := int64(0), int64(0)
	counted := func(what string) {
		t.Helper()
		s.eventually(what, func() bool {
			o := s.overview(key, project)
			return o.Events["jump"] >= said && o.Events["session_end"] >= ended*99/100
		})
	}
	for range rounds {
		b := newBrowser(t)
		for range pages {
			said, ended = said+1, ended+1
			tab := b.tab("Content Security Policy")
			b.tracks(tab, address, seen)
			if _, err := chromedp.Call(tab.ctx, page.Close, cdp.Empty{}); err != nil {
				t.Fatal(err)
			}
		}
		counted("what closed pages said is counted")

		b = newBrowser(t)
		left := b.tab("Content Security Policy")
		for range pages {
			said, ended = said+1, ended+1
			b.tracks(left, address, seen)
			left.open("about:blank")
		}
		counted("what pages said that were left is counted")

		b = newBrowser(t)
		for range pages {
			said++
			b.tracks(b.tab("Content Security Policy"), address, seen)
		}
		counted("what pages say is counted while they are open")
		b.killPages()
	}
	if o := s.overview(key, project); o.Events["jump"] != said || o.Events["session_start"] != int64(3*rounds*pages) {
		t.Errorf("counted are %v, want %d of %d pages", o.Events, said, 3*rounds*pages)
	}
}

// TestWhatIsPlayedWhileTheServiceIsAwayIsCountedOnceLater: the page around the game keeps
// it, and two pages at once send it when the player comes back.
func TestWhatIsPlayedWhileTheServiceIsAwayIsCountedOnceLater(t *testing.T) {
	f := inOneForm(t)
	s := start(t, f)
	key := s.newKey("alice")
	project := s.newProject(key)
	sub := s.generate(key, project, brief)
	s.finish(key, sub)
	address, seen := "http://"+s.addr+s.publish(key, project, sub.JobID).Path, make(map[target.ID]bool)
	b := newBrowser(t)
	away := b.tab("Content Security Policy")
	game := b.tracks(away, address, seen)
	s.eventually("the first event is counted", func() bool { return s.overview(key, project).Events["jump"] == 1 })
	_ = s.stop(os.Interrupt)
	if !value(game, chromedp.Evaluate[bool](`svc.track('jump', {}) && svc.track('jump', {}) && svc.track('jump', {})`)) {
		t.Error("the game may not say anything")
	}
	away.until("localStorage.length > 0")
	if _, err := chromedp.Call(away.ctx, page.Close, cdp.Empty{}); err != nil {
		t.Fatal(err)
	}
	s.start()
	for range 2 {
		b.tracks(b.tab("Content Security Policy"), address, seen)
	}
	s.eventually("all is counted", func() bool { return s.overview(key, project).Events["jump"] >= 6 })
	if o := s.overview(key, project); o.Events["jump"] != 6 || o.Events["session_start"] != 3 || o.Total.Lost != 0 {
		t.Errorf("counted are %v, %d lost", o.Events, o.Total.Lost)
	}
}

// tracks opens a game's page in a tab and has the game say something. It returns the
// game's frame.
func (b *browser) tracks(in *tab, address string, seen map[target.ID]bool) *tab {
	b.t.Helper()
	in.open(address)
	ctx, cancel := wait.Within(b.ctx, wait.Patience)
	defer cancel()
	var game *tab
	for game == nil {
		infos, err := chromedp.Targets(b.ctx)
		if err = errors.Join(err, ctx.Err()); err != nil {
			b.t.Fatalf("the page has no frame of another process: %v", err)
		}
		for _, info := range infos {
			if info.Type == "iframe" && !seen[info.TargetID] {
				seen[info.TargetID] = true
				ctx, cancel := chromedp.NewContext(in.ctx, chromedp.WithTargetID(info.TargetID))
				b.t.Cleanup(cancel)
				game = &tab{t: b.t, ctx: ctx}
			}
		}
	}
	game.until("window.svc && svc.debug().ready")
	if !value(game, chromedp.Evaluate[bool](`svc.track('jump', {})`)) {
		b.t.Error("the game may not say anything")
	}
	return game
}

// killPages kills the processes of all pages, as the kernel does for want of memory.
func (b *browser) killPages() {
	b.t.Helper()
	found, err := chromedp.CallBrowser(b.ctx, systeminfo.GetProcessInfo, cdp.Empty{})
	if err != nil {
		b.t.Fatal(err)
	}
	killed := 0
	for _, p := range found.ProcessInfo {
		if strings.EqualFold(p.Type, "renderer") {
			if err := syscall.Kill(int(p.ID), syscall.SIGKILL); err != nil {
				b.t.Fatal(err)
			}
			killed++
		}
	}
	if killed == 0 {
		b.t.Fatal("there is no page to kill")
	}
}
