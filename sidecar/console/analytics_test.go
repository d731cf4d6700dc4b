package console_test

import (
	"fmt"
	"html/template"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/svc-games/svc/sidecar/site"
)

// complete makes a job one that completed.
func (d *desk) complete(job string) {
	d.storeSQL("UPDATE jobs SET state = 'settled', status = 'completed', resolved_at = 1 WHERE id = '" + job + "'")
}

// play has a player play the published game of an estate: three runs a session.
func (d *desk) play(e estate, player int) {
	d.t.Helper()
	made, err := d.side.Publication(d.t.Context(), e.projectID)
	if err != nil {
		d.t.Fatal(err)
	}
	games, err := d.side.Play(site.PlayOptions{})
	if err != nil {
		d.t.Fatal(err)
	}
	body := fmt.Sprintf(`{"v":1,"k":%q,"g":%q,"b":%q,"s":"%032x","p":"%032x","o":90000,"act":80000,"fun":{"run":["start","end"]},
		"e":[[1,0,"session_start",{}],[2,1000,"start",{}],[3,60000,"end",{"score":12}]]}`, made.Key, e.projectID, e.jobID, 100+player, player)
	w := httptest.NewRecorder()
	games.Games().ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/g/v1/b", strings.NewReader(body)))
	if w.Code != http.StatusOK {
		d.t.Fatalf("the batch is answered %d %s", w.Code, w.Body)
	}
}

func TestGameIsPublishedWithAButtonAndTakenBack(t *testing.T) {
	d := open(t, site.Options{})
	e := d.estate("alice")
	alice := d.as("alice")
	job, project := "/console/jobs/"+e.jobID, "/console/projects/"+e.projectID
	if p := alice.send(project+"/publish", url.Values{"job": {e.jobID}}); p.status != http.StatusConflict || !p.has("Only the game of a completed job") {
		t.Errorf("a job that runs: %d", p.status)
	}
	if p := alice.send(project+"/publish", url.Values{"job": {"job_0"}}); p.status != http.StatusNotFound {
		t.Errorf("a job that is not there: %d", p.status)
	}
	d.complete(e.jobID)
	if p := alice.send(project+"/publish", url.Values{"job": {e.jobID}}); !p.has("The game is published.") || !p.has(`href="/play/`+e.projectID+`"`) {
		t.Errorf("publishing: %d\n%s", p.status, p.body)
	}
	if p := alice.get(job); p.status != http.StatusOK {
		t.Errorf("the job's page: %d", p.status)
	}
	if p := alice.send(project+"/unpublish", nil); !p.has("no longer published") || p.has(`href="/play/`) {
		t.Errorf("taking it back: %d", p.status)
	}
}

func TestViewsShowWhatWasPlayedWithDefinitionsAndCSV(t *testing.T) {
	d := open(t, site.Options{})
	e := d.estate("alice")
	d.complete(e.jobID)
	alice := d.as("alice")
	project := "/console/projects/" + e.projectID
	alice.send(project+"/publish", url.Values{"job": {e.jobID}})
	d.play(e, 1)
	d.play(e, 2)
	for view, wants := range map[string][]string{
		"overview":   {"Plays from 2026-11-14 to 2026-11-20: 2 in all", "<span class=\"figure\">2</span>", e.jobID, "Sessions in which a run began.", `class="mark"`},
		"live":       {"Sessions now", "session_start", `data-live="5"`},
		"engagement": {"Stickiness", "<bdi>1 min 4 s</bdi>", "Runs by score"},
		"retention":  {"First day", e.jobID, "until that day is over"},
		"funnels":    {"<bdi>run</bdi>", "<bdi>end</bdi>", "100.0 %"},
		"events":     {"session_start", "As declared by the game"},
		"costs":      {"Paid from 2026-11-20 to 2026-11-20: 4 in all", "In TIK", "What the whole month costs if it goes on like the month so far."},
	} {
		if view == "overview" || view == "engagement" || view == "retention" { // beside the figures of each build
			wants = append(wants, `<td class="long "><bdi>`+template.HTMLEscapeString(asked)+`</bdi>`, "The beginning of what that job was asked for")
		}
		p := alice.get(project + "/analytics/" + view)
		for _, want := range wants {
			if p.status != http.StatusOK || !p.has(want) {
				t.Errorf("%s: %d, without %q", view, p.status, want)
			}
		}
	}
	if p := alice.get(project + "/analytics/funnels?format=csv&table=steps"); !p.has("run,1,start,2,1,1,\nrun,2,end,2,1,1,") ||
		p.header.Get("Content-Disposition") != `attachment; filename="funnels-steps.csv"` {
		t.Errorf("CSV is\n%s", p.body)
	}
	if o, err := d.side.Overview(t.Context(), e.projectID, 7); err != nil || len(o.Builds) != 1 || o.Builds[0].Prompt != asked {
		t.Errorf("the overview is %+v, %v", o, err)
	}
	if p := alice.get(project + "/analytics/retention?format=csv&table=builds"); !p.has(`,"` + asked + `"`) {
		t.Errorf("CSV of builds is\n%s", p.body)
	}
	for path, want := range map[string]int{
		"/overview?days=91": http.StatusBadRequest, "/overview?format=csv&table=x": http.StatusBadRequest, "/rows": http.StatusNotFound, "/other": http.StatusNotFound,
	} {
		if p := alice.get(project + "/analytics" + path); p.status != want {
			t.Errorf("%s: %d, want %d", path, p.status, want)
		}
	}
	if p := alice.get(project + "/analytics"); !strings.HasSuffix(p.path, "/analytics/overview") {
		t.Errorf("the address of all views leads to %s", p.path)
	}
}

// TestOwnerIsWarnedWhereTheGameIsPublishedAndWhereItsCostsAre: events that nobody pays for
// are not kept, and don't come back.
func TestOwnerIsWarnedWhereTheGameIsPublishedAndWhereItsCostsAre(t *testing.T) {
	d := open(t, site.Options{})
	e := d.estate("alice")
	d.complete(e.jobID)
	alice := d.as("alice")
	project := "/console/projects/" + e.projectID
	const warning = "holds no further block of events"
	balance := func(micro string) {
		d.storeSQL("INSERT INTO balances (user_id, tik) VALUES ('alice', " + micro + ") ON CONFLICT (user_id) DO UPDATE SET tik = excluded.tik")
	}
	balance("0")
	if p := alice.get(project); p.has(warning) {
		t.Error("it is said of a game that is not published")
	}
	if p := alice.send(project+"/publish", url.Values{"job": {e.jobID}}); !p.has(warning) {
		t.Errorf("the project's page says nothing of it\n%s", p.body)
	}
	if p := alice.get(project + "/analytics/costs"); !p.has(warning) {
		t.Errorf("the costs say nothing of it\n%s", p.body)
	}
	balance("100000000")
	if p := alice.get(project); p.has(warning) {
		t.Error("it is said after a top-up")
	}
}

func TestBoardAndRewardsAreSetByForms(t *testing.T) {
	d := open(t, site.Options{})
	e := d.estate("alice")
	alice := d.as("alice")
	project := "/console/projects/" + e.projectID
	if p := alice.send(project+"/board", url.Values{"better": {"lower"}, "least": {"3"}, "perSecond": {"0.5"}}); !p.has(`<option value="lower" selected>`) || !p.has(`value="0.5"`) {
		t.Errorf("setting the board: %d", p.status)
	}
	add := url.Values{"id": {"ten"}, "name": {"<b>Ten</b>"}, "icon": {"★"}, "kind": {"score"}, "least": {"10"}, "often": {"daily"}}
	if p := alice.send(project+"/rewards", add); !p.has("★ &lt;b&gt;Ten&lt;/b&gt;") || !p.has("a score of 10, once a day") || !p.has(`value="0.5"`) {
		t.Errorf("adding a reward: %d\n%s", p.status, p.body)
	}
	for _, change := range [][2]string{{"id", "Ten"}, {"name", ""}, {"kind", "tik"}, {"least", ""}, {"least", "NaN"}, {"least", "1e16"}} {
		bad := url.Values{}
		for name, values := range add {
			bad[name] = values
		}
		bad.Set(change[0], change[1])
		if p := alice.send(project+"/rewards", bad); p.status != http.StatusUnprocessableEntity {
			t.Errorf("%s %q: %d", change[0], change[1], p.status)
		}
	}
	if p := alice.send(project+"/rewards", url.Values{"id": {"ten"}, "remove": {"yes"}}); p.status != http.StatusOK || p.has("a score of 10") {
		t.Errorf("removing a reward: %d", p.status)
	}
}

func TestExperimentIsRunAndDecidedByForms(t *testing.T) {
	d := open(t, site.Options{})
	e := d.estate("alice")
	alice := d.as("alice")
	project := "/console/projects/" + e.projectID
	for _, form := range []url.Values{
		{"id": {"1x"}, "values": {"1, 2"}}, {"id": {"speed"}, "values": {"1"}}, {"id": {"speed"}, "values": {"1, 1"}}, {"id": {"speed"}, "values": {"1,2,3,4,5,6"}},
	} {
		if p := alice.send(project+"/experiments", form); p.status != http.StatusUnprocessableEntity {
			t.Errorf("%v: %d", form, p.status)
		}
	}
	if p := alice.send(project+"/experiments", url.Values{"id": {"speed"}, "values": {"1, <b>"}}); !p.has("not begun") || !p.has("1, &lt;b&gt;") {
		t.Errorf("a draft: %d\n%s", p.status, p.body)
	}
	move := func(name, value string) page {
		return alice.send(project+"/experiment", url.Values{"id": {"speed"}, name: {value}})
	}
	if p := move("to", "stopped"); p.status != http.StatusConflict || !p.has("is draft can&#39;t become stopped") {
		t.Errorf("stopping a draft: %d\n%s", p.status, p.body)
	}
	if p := move("to", "running"); !p.has("none: fewer than 100 players of a variant") || !p.has("Give all <bdi>&lt;b&gt;</bdi>") {
		t.Errorf("starting: %d", p.status)
	}
	if p := alice.send(project+"/experiments", url.Values{"id": {"speed"}, "values": {"1, 3"}}); p.status != http.StatusConflict {
		t.Errorf("changing one that runs: %d", p.status)
	}
	if p := move("winner", "<b>"); !p.has("all get &lt;b&gt;") {
		t.Errorf("deciding: %d", p.status)
	}
	if p := move("to", "removed"); p.status != http.StatusOK || p.has("<code>speed</code>") {
		t.Errorf("removing: %d", p.status)
	}
}

func TestGameIsSetAndItsKeyRotatedByForms(t *testing.T) {
	d := open(t, site.Options{})
	e := d.estate("alice")
	alice := d.as("alice")
	project := "/console/projects/" + e.projectID
	if p := alice.get(project); p.has("Settings of the game") {
		t.Error("a game that is not published has settings")
	}
	if p := alice.send(project+"/game-key", nil); p.status != http.StatusNotFound {
		t.Errorf("the key of a game that is not published: %d", p.status)
	}
	d.complete(e.jobID)
	alice.send(project+"/publish", url.Values{"job": {e.jobID}})
	form := url.Values{"origins": {"https://Example.com/\nhttp://a.example:81"}, "tik": {"2.5"}, "ask": {"yes"}}
	p := alice.send(project+"/game", form)
	if !p.has("The game&#39;s settings are saved.") || !p.has("https://example.com\nhttp://a.example:81\n</textarea>") || !p.has(`value="2.5"`) || !p.has(`value="yes" checked`) {
		t.Errorf("the settings: %d\n%s", p.status, p.body)
	}
	for name, value := range map[string]string{"origins": "example.com", "tik": "-1"} {
		bad := url.Values{"origins": {""}, "tik": {"1"}}
		bad.Set(name, value)
		if p := alice.send(project+"/game", bad); p.status != http.StatusUnprocessableEntity {
			t.Errorf("%s %q: %d", name, value, p.status)
		}
	}
	if p := alice.send(project+"/game-key", url.Values{"now": {"yes"}}); !p.has("The game has another key.") || p.has("Former ones go on") {
		t.Errorf("a key that ends now: %d", p.status)
	}
	if p := alice.send(project+"/game-key", nil); !p.has("Former ones go on until") {
		t.Errorf("a key that goes on: %d\n%s", p.status, p.body)
	}
}
