package e2e

import (
	"context"
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/test/long"
)

// TestWhatIsPlayedIsCountedHoweverThePageEnds: it is closed, left for another one, or its
// game crashes. A long run has a hundred of each.
func TestWhatIsPlayedIsCountedHoweverThePageEnds(t *testing.T) {
	times := int64(3)
	if long.Asked() {
		times = 100
	}
	f := inOneForm(t)
	s := start(t, f)
	key := s.newKey("alice")
	project := s.newProject(key)
	sub := s.generate(key, project, brief)
	if job := s.finish(key, sub); job.Status != api.JobCompleted {
		t.Fatalf("the job is %+v", job)
	}
	made := s.publish(key, project, sub.JobID)
	counted := func(name string) int64 { return s.overview(key, project).Events[name] }
	track := func(game *tab, name string) {
		game.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf("svc.track(%q, {}); undefined", name)))
	}
	for _, way := range []struct {
		name string
		end  func(player, game *tab)
		sent bool // before it ends: what is younger than 5 s is lost with a crash
	}{
		{"closed", func(player, _ *tab) { player.call(page.Close) }, false},
		{"left", func(player, _ *tab) { player.open("about:blank") }, false},
		{"crashed", func(player, game *tab) {
			game.call(page.Crash)
			player.open("about:blank")
		}, true},
	} {
		t.Run(way.name, func(t *testing.T) {
			b := newBrowser(t)
			ends := counted("session_end")
			for n := range times {
				player := b.tab("Content Security Policy")
				player.open("http://" + s.addr + made.Path)
				player.until(`document.readyState === "complete"`)
				game := player.frame()
				game.until("window.svc && svc.debug().ready")
				track(game, way.name)
				track(game, way.name)
				if way.sent {
					s.eventually("both are counted", func() bool { return counted(way.name) == 2*(n+1) })
					track(game, "unsent")
				}
				way.end(player, game)
				s.eventually("its game is gone", func() bool { return b.games(t) == 0 })
			}
			s.eventually("all are counted", func() bool { return counted(way.name) >= 2*times })
			if !way.sent {
				s.eventually("so are the ends", func() bool { return counted("session_end") >= ends+times })
			}
			if n, e, lost := counted(way.name), counted("session_end")-ends, s.overview(key, project).Total.Lost; n != 2*times || e > times || lost != 0 {
				t.Errorf("%d events and %d ends of %d sessions are counted, %d lost", n, e, times, lost)
			}
		})
	}
	t.Run("not to be followed", func(t *testing.T) { s.playedUnnamed(t, key, made) })
}

// playedUnnamed has somebody play who asks not to be followed.
func (s *service) playedUnnamed(t *testing.T, key apiKey, made api.Publication) {
	t.Helper()
	player := newBrowser(t).tab("Content Security Policy")
	player.unfollowed()
	before := s.overview(key, made.GameID).Total
	player.open("http://" + s.addr + made.Path)
	s.eventually("the play is counted", func() bool {
		player.do(chromedp.MouseClickXY(240, 300)) // in a frame of another process
		return s.overview(key, made.GameID).Total.Plays == before.Plays+1
	})
	kept, err := chromedp.Call(player.ctx, network.GetCookies, network.GetCookiesParams{})
	if err != nil || len(kept.Cookies) != 0 || value(player, chromedp.Evaluate[float64]("localStorage.length + sessionStorage.length")) != 0 {
		t.Errorf("the browser keeps %+v, %v", kept.Cookies, err)
	}
	if c := s.overview(key, made.GameID).Total; c.Players != before.Players {
		t.Errorf("counted %+v after %+v", c, before)
	}
}

// games are how many frames of games the browser has.
func (b *browser) games(t *testing.T) (n int) {
	t.Helper()
	infos, err := chromedp.Targets(b.ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, info := range infos {
		if info.Type == "iframe" {
			n++
		}
	}
	return n
}

// call has the tab do what it may not live to answer.
func (b *tab) call(cmd cdp.Command[cdp.Empty, cdp.Empty]) {
	b.t.Helper()
	ctx, cancel := context.WithCancel(b.ctx)
	b.t.Cleanup(cancel)
	go func() { _, _ = chromedp.Call(ctx, cmd, cdp.Empty{}) }()
}

// unfollowed has the tab's browser ask not to be followed.
func (b *tab) unfollowed() {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, network.SetExtraHTTPHeaders, network.SetExtraHTTPHeadersParams{Headers: network.Headers{"Sec-GPC": "1"}})
	if err == nil {
		_, err = chromedp.Call(b.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
			Source: "Object.defineProperty(Navigator.prototype, 'globalPrivacyControl', { get: () => true })",
		})
	}
	if err != nil {
		b.t.Fatal(err)
	}
}
