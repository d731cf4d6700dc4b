package e2e

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/svc-games/svc/api"
)

// TestPageOfAGameIsAccessible looks at it on a phone and on a wide screen, with what it asks
// a player and without.
func TestPageOfAGameIsAccessible(t *testing.T) {
	f := inOneForm(t)
	axe := axeCore(t)
	s := start(t, f)
	key := s.newKey("alice")
	project := s.newProject(key)
	sub := s.generate(key, project, brief)
	if job := s.finish(key, sub); job.Status != api.JobCompleted {
		t.Fatalf("the job is %+v", job)
	}
	made := s.publish(key, project, sub.JobID)
	player := newBrowser(t).tab("Content Security Policy")
	player.letScripts()
	for _, asks := range []bool{false, true} {
		if asks {
			s.owner(key, "game", "settings", project, "--ask-consent")
		}
		for _, size := range [][2]int64{{390, 844}, {320, 640}, {1280, 800}} {
			t.Run(fmt.Sprintf("%d/%t", size[0], asks), func(t *testing.T) {
				player.look(size[0], size[1], "dark")
				player.open("http://" + s.addr + made.Path)
				if asks {
					player.until(`document.querySelector("#consent button")`)
				}
				player.do(chromedp.Click(chromedp.CSS("#report")))
				player.accessible(t, axe)
				if high := value(player, chromedp.Evaluate[float64](`document.querySelector("iframe").clientHeight / innerHeight`)); high < 0.5 {
					t.Errorf("the game has %.2f of the screen's height", high)
				}
				player.shot(fmt.Sprintf("play-%t-%d", asks, size[0]))
			})
		}
	}
}
