package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/play"
	"github.com/svc-games/svc/api/requests"
	"github.com/svc-games/svc/test/wait"
)

// TestRunOfAPlayerIsVerifiedAndAForgedOneIsOnNoBoard: what a player did in the browser is
// played again by an engine, and comes to the same score there.
func TestRunOfAPlayerIsVerifiedAndAForgedOneIsOnNoBoard(t *testing.T) {
	f := inOneForm(t)
	s := start(t, f)
	key := s.newKey("alice")
	project := s.newProject(key)
	sub := s.generate(key, project, brief)
	if job := s.finish(key, sub); job.Status != api.JobCompleted {
		t.Fatalf("the job is %+v", job)
	}
	made := s.publish(key, project, sub.JobID)
	player := newBrowser(t).tab("Content Security Policy")
	player.open("http://" + s.addr + made.Path)
	s.eventually("a run is on the board", func() bool {
		player.do(chromedp.MouseClickXY(240, 300)) // in a frame of another process
		return len(s.places(key, project)) == 1
	})
	s.eventually("it is verified", func() bool { return s.places(key, project)[0] == play.NoteVerified })
	game := player.frame()
	s.eventually("the game shows it so", func() bool {
		player.do(chromedp.MouseClickXY(240, 300))
		return value(game, chromedp.Evaluate[bool](`(document.querySelector('[role=status]')?.textContent || '').includes(' ✓ ←')`))
	})

	for forger, tape := range []string{
		`{"v":1,"run":0,"steps":600,"tall":true,"given":{},"changes":""}`,
		`{"v":1,"run":0,"steps":1e300,"tall":true,"given":{},"changes":"` + strings.Repeat(";B1;B0", 1000) + `"}`,
	} {
		if a := s.forge(made, forger+1, tape); a.State != play.StateAccepted || a.Note != play.NoteWaits || a.Rank == nil || *a.Rank != 1 {
			t.Errorf("a forged run is answered %+v", a)
		}
	}
	// The one that claims more time than the service saw may be an honest one's, until it
	// comes to another end before.
	runs := map[any]float64{}
	s.eventually("the forged runs were played again", func() bool {
		clear(runs)
		for _, row := range s.boardTable(key, project, "replays") {
			runs[row[0]] = row[1].(float64)
		}
		return runs[play.StateRefused] >= 1 && runs[play.StateRefused]+runs["unverified"] >= 2
	})
	forged := 0.0
	for _, row := range s.boardTable(key, project, play.WindowAll) {
		if row[2].(float64) < 1_000_000 {
			continue
		}
		if forged++; row[3] == play.NoteVerified {
			t.Errorf("a forged run is verified: %v", row)
		}
	}
	if forged != 2-runs[play.StateRefused] {
		t.Errorf("%v forged runs are on the board, of %v", forged, runs)
	}
}

// frame is the frame that the tab's page has the game in, or soon will: that of another
// process may come after the page is complete.
func (b *tab) frame() *tab {
	b.t.Helper()
	var id target.ID
	wait.Until(b.t, "the page has a frame of another process", func() bool {
		infos, err := chromedp.Targets(b.ctx)
		if err != nil {
			b.t.Fatal(err)
		}
		for _, info := range infos {
			if info.Type == "iframe" {
				id = info.TargetID
			}
		}
		return id != ""
	})
	ctx, cancel := chromedp.NewContext(b.ctx, chromedp.WithTargetID(id))
	b.t.Cleanup(cancel)
	frame := &tab{t: b.t, ctx: ctx}
	frame.do(chromedp.Evaluate[chromedp.Void]("undefined")) // attached by what has a bound it would be as long as that
	return frame
}

// boardTable are the rows of a table of what a game's owner sees of its board.
func (s *service) boardTable(key apiKey, project, name string) [][]any {
	s.t.Helper()
	a := s.call(key, "GET", "/v1/projects/"+project+"/analytics/"+api.ViewBoard, nil)
	if a.status != http.StatusOK {
		s.t.Fatalf("the board: %d %s", a.status, a.body)
	}
	var found api.ViewFound
	s.decode(a.body, &found)
	table, err := requests.TableOf(found.Data, name)
	if err != nil {
		s.t.Fatal(err)
	}
	return table.Rows
}

// places say of each run on a game's board whether it is verified.
func (s *service) places(key apiKey, project string) (verified []string) {
	s.t.Helper()
	for _, row := range s.boardTable(key, project, play.WindowAll) {
		verified = append(verified, row[3].(string))
	}
	return verified
}

// forge reports a run that nobody played, with a score that nobody has.
func (s *service) forge(made api.Publication, player int, tape string) (a play.ScoreAnswer) {
	s.t.Helper()
	log, err := json.Marshal(tape)
	if err != nil {
		s.t.Fatal(err)
	}
	body := fmt.Sprintf(`{"v":1,"k":%q,"g":%q,"b":%q,"s":"%032x","p":"%032x","o":90000,"run":1,"score":%d,"outcome":"win","ms":60000,"log":%s}`,
		made.Key, made.GameID, made.JobID, 100+player, player, 1_000_000*player, log)
	resp, err := http.Post(s.endpoint(made)+"/s", "text/plain", strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	said, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		s.t.Fatalf("the run is answered %d %s, %v", resp.StatusCode, said, err)
	}
	s.decode(said, &a)
	return a
}
