package e2e

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/mint"
)

func TestPublishedGameIsPlayedByAnybodyAndEachEventIsCountedOnce(t *testing.T) {
	f := inOneForm(t)
	s := start(t, f)
	key := s.newKey("alice")
	project := s.newProject(key)
	sub := s.generate(key, project, brief)
	if job := s.finish(key, sub); job.Status != api.JobCompleted {
		t.Fatalf("the job is %+v", job)
	}
	address := "http://" + s.addr + answers.PlayPath(project)
	s.wantPage(address, http.StatusNotFound)
	made := s.publish(key, project, sub.JobID)
	s.wantPage(address, http.StatusOK)
	s.wantPage(address+"/"+sub.JobID+"/picture.jpg", http.StatusOK)
	s.owner(key, "experiments", "draft", project, "speed", "1.25", "own")
	s.owner(key, "experiments", "start", project, "speed")

	player := newBrowser(t).tab("Content Security Policy")
	const plays = 2
	for n := range plays {
		player.open(address)
		if name := player.attribute("iframe", "name"); !strings.HasPrefix(name, `svc:{"gameId":"`+project) {
			t.Errorf("the frame is called %q", name)
		}
		if src := player.attribute("iframe", "src"); !strings.HasPrefix(src, "http://127.0.0.1:") {
			t.Errorf("the game is at %s", src)
		}
		s.eventually("the play is counted", func() bool {
			player.do(chromedp.MouseClickXY(240, 300)) // in a frame of another process
			return s.overview(key, project).Total.Plays == int64(n+1)
		})
	}
	player.open("about:blank") // which ends the last session
	s.eventually("the end of each session is counted", func() bool { return s.overview(key, project).Events["session_end"] == plays })
	read := s.overview(key, project)
	if c := read.Total; c.Sessions != plays || c.Players != 1 || c.NewPlayers != 1 || c.Lost != 0 || c.Runs < plays || read.Events["session_start"] != plays {
		t.Errorf("counted %+v, events %v", c, read.Events)
	}
	if len(read.Dropped) != 0 || len(read.Builds) != 1 || read.Builds[0].JobID != sub.JobID {
		t.Errorf("dropped %v, builds %+v", read.Dropped, read.Builds)
	}
	if read.Events["exposure"] != plays {
		t.Errorf("the game read its speed %d times, want once a play", read.Events["exposure"])
	}
	if said := s.owner(key, "analytics", "overview", project); !strings.Contains(said, sub.JobID) {
		t.Errorf("svc analytics overview says %s", said)
	}
	s.ownedBy(key, made)
	s.builtWithout(key, sub, made.Key, "/g/v1")
	if a := s.call(key, "DELETE", "/v1/projects/"+project+"/publish", nil); a.status != http.StatusOK {
		t.Errorf("taking it back: %d %s", a.status, a.body)
	}
	s.wantPage(address, http.StatusNotFound)
}

// ownedBy has the owner of a game that one player played replace its key, and ask players.
func (s *service) ownedBy(key apiKey, made api.Publication) {
	s.t.Helper()
	t, project, address := s.t, made.GameID, "http://"+s.addr+made.Path
	another := strings.TrimSpace(s.owner(key, "game", "rotate-key", project, "--keep-days", "0"))
	if another == made.Key || !mint.ValidPlayKey(another) {
		t.Errorf("svc game rotate-key says %s", another)
	}
	s.owner(key, "game", "settings", project, "--origins", "https://example.com", "--ask-consent")
	asking := newBrowser(t).tab("Content Security Policy")
	asking.open(address)
	if name := asking.attribute("iframe", "name"); !strings.Contains(name, another) || !strings.Contains(name, `"consent":"pending"`) || strings.Contains(name, `"player"`) {
		t.Errorf("before the player was asked the frame is called %q", name)
	}
	asking.do(chromedp.Click(chromedp.CSS("#consent button[value=yes]")))
	asking.until("!document.querySelector('#consent')")
	s.eventually("who consented is another player", func() bool {
		asking.do(chromedp.MouseClickXY(240, 300))
		return s.overview(key, project).Total.Players == 2
	})
	asking.open(address)
	if name := asking.attribute("iframe", "name"); strings.Contains(name, `"consent"`) || !strings.Contains(name, `"player"`) {
		t.Errorf("who consented is asked again: %q", name)
	}
}

// owner runs a command of svc with a key.
func (s *service) owner(key apiKey, args ...string) string {
	s.t.Helper()
	keyFile := filepath.Join(s.dir, "key")
	if err := os.WriteFile(keyFile, []byte(key.Secret), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return s.svc(append(args, "--api-key-file", keyFile, "--base-url", "http://"+s.addr)...)
}

func (s *service) wantPage(address string, status int) {
	s.t.Helper()
	resp, err := http.Get(address)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != status {
		s.t.Errorf("%s answers %d, want %d", address, resp.StatusCode, status)
	}
}

func (s *service) publish(key apiKey, project, job string) api.Publication {
	s.t.Helper()
	a := s.call(key, "POST", "/v1/projects/"+project+"/publish", map[string]string{"jobId": job})
	if a.status != http.StatusOK {
		s.t.Fatalf("publishing: %d %s", a.status, a.body)
	}
	var made api.Published
	s.decode(a.body, &made)
	return made.Data
}

func (s *service) overview(key apiKey, project string) api.Overview {
	s.t.Helper()
	a := s.call(key, "GET", "/v1/projects/"+project+"/analytics/overview?days=2", nil) // midnight may pass
	if a.status != http.StatusOK {
		s.t.Fatalf("overview: %d %s", a.status, a.body)
	}
	var found api.OverviewFound
	s.decode(a.body, &found)
	return found.Data
}

var playEndpoint = regexp.MustCompile(`data-endpoint="([^"]+)"`)

// endpoint is where plays of a published game are reported.
func (s *service) endpoint(made api.Publication) string {
	s.t.Helper()
	resp, err := http.Get("http://" + s.addr + made.Path)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	page, err := io.ReadAll(resp.Body)
	endpoint := playEndpoint.FindSubmatch(page)
	if err != nil || endpoint == nil {
		s.t.Fatalf("the game's page is %s, %v", page, err)
	}
	return string(endpoint[1])
}

// playedBy has a player play a published game in up to three days before now, without a browser.
func (s *service) playedBy(made api.Publication, player int) {
	s.t.Helper()
	endpoint := s.endpoint(made)
	for day := range 1 + player%3 {
		body := fmt.Sprintf(`{"v":1,"k":%q,"g":%q,"b":%q,"s":"%032x","p":"%032x","o":%d,"act":%d,"age":%d,"fun":{"a run":["start","score","end"]},
			"defs":{"score":{"score":"number"}},"e":[[1,0,"session_start",{}],[2,1000,"start",{}],[3,9000,"score",{"score":%s}],[4,%d,%q,{"score":%d}]]}`,
			made.Key, made.GameID, made.JobID, 100*player+day+1, 1000+player, 60_000+1000*player, 20_000+3000*player, day*24*3600_000,
			[]string{"4", `"x"`}[player%2], 12_000+1000*player, []string{"end", "quit"}[player/6], 5*player)
		resp, err := http.Post(endpoint+"/b", "text/plain", strings.NewReader(body))
		if err != nil {
			s.t.Fatal(err)
		}
		_ = resp.Body.Close() // nothing of it is read
		if resp.StatusCode != http.StatusOK {
			s.t.Fatalf("the batch is answered %d", resp.StatusCode)
		}
	}
}

// builtWithout looks in what was built for what a page of ours alone gives a game. The
// project's id is there: it is in the game's own.
func (s *service) builtWithout(key apiKey, sub api.Submission, given ...string) {
	s.t.Helper()
	files := s.download(key, sub)
	if _, err := files.Open("index.html"); err != nil {
		s.t.Errorf("what was built has no page: %v", err)
	}
	for _, file := range files.File {
		r, err := file.Open()
		if err != nil {
			s.t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			s.t.Fatal(err)
		}
		for _, word := range given {
			if strings.Contains(string(text), word) {
				s.t.Errorf("%s holds %s", file.Name, word)
			}
		}
	}
}
