package e2e

import (
	"fmt"
	"os"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/svc-games/svc/api"
)

// TestWhatIsPlayedWhileTheServiceIsAwayIsCountedOnce stops the service under a page that a
// player has open, and once more under one that is left before it is back.
func TestWhatIsPlayedWhileTheServiceIsAwayIsCountedOnce(t *testing.T) {
	f := inOneForm(t)
	s := start(t, f)
	key := s.newKey("alice")
	project := s.newProject(key)
	sub := s.generate(key, project, brief)
	if job := s.finish(key, sub); job.Status != api.JobCompleted {
		t.Fatalf("the job is %+v", job)
	}
	made := s.publish(key, project, sub.JobID)
	kept := fmt.Sprintf("localStorage.getItem('svc-kept:%s')", project)
	player := newBrowser(t).tab("Content Security Policy", "ERR_CONNECTION_REFUSED")
	player.open("http://" + s.addr + made.Path)
	s.eventually("the play is counted", func() bool {
		player.do(chromedp.MouseClickXY(240, 300)) // in a frame of another process
		return s.overview(key, project).Total.Plays == 1
	})
	game := player.frame()
	away := func(events int) {
		t.Helper()
		if err := s.stop(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		for n := range events {
			game.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf("svc.track('away', { n: %d }); undefined", n)))
		}
		s.eventually("the page around the game keeps it", func() bool {
			game.do(goOnline)
			return value(player, chromedp.Evaluate[bool](fmt.Sprintf(`!!%s?.includes('{\\"n\\":%d}')`, kept, events-1)))
		})
	}
	const first, second = 20, 3
	away(first)
	s.start()
	s.eventually("what was played while it was away is counted", func() bool {
		game.do(goOnline)
		return s.overview(key, project).Events["away"] == first
	})
	player.until(kept + " === null")

	away(second)
	player.open("about:blank")
	s.start()
	player.open("http://" + s.addr + made.Path)
	s.eventually("the next page brings what the one before could not send", func() bool {
		return s.overview(key, project).Events["away"] == first+second
	})
	if c := s.overview(key, project).Total; c.Players != 1 || c.Lost != 0 {
		t.Errorf("counted %+v", c)
	}

	game = player.frame()
	game.until("window.svc && svc.debug().ready")
	game.do(chromedp.Evaluate[chromedp.Void]("svc.track('unsent', {}); undefined"))
	player.do(chromedp.Click(chromedp.CSS("#forget")))
	player.until(`document.querySelector("#done").textContent.startsWith("Nothing is kept")`)
	sessions := s.overview(key, project).Total.Sessions
	player.open("http://" + s.addr + made.Path)
	if left := value(player, chromedp.Evaluate[string](kept+" || ''")); left != "" {
		t.Errorf("the browser keeps %s of a player who is forgotten", left)
	}
	s.eventually("the next page is counted", func() bool { return s.overview(key, project).Total.Sessions > sessions })
	if c := s.overview(key, project).Total; c.Players != 0 {
		t.Errorf("of a player who is forgotten are counted %+v", c)
	}
}

// goOnline has the game's library send at once.
var goOnline = chromedp.Evaluate[chromedp.Void]("dispatchEvent(new Event('online')); undefined")
