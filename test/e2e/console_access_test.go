package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/test/long"
)

func TestKeyIsMadeWithTheKeyboardAlone(t *testing.T) {
	f := inOneForm(t)
	s := start(t, f)
	b := s.signIn(newBrowser(t), "alice")
	b.reach("Create your first key")
	b.leave(chromedp.KeyEvent(kb.Enter))
	b.until(`document.activeElement.name == "name"`)
	b.press("keyboard")
	b.reach("maxConcurrentJobs")
	b.press("1")
	b.reach("Create key")
	b.leave(chromedp.KeyEvent(kb.Enter))
	b.shows("h1", "keyboard")
	secret := value(b, chromedp.Value(chromedp.CSS("#secret")))
	s.secrets = append(s.secrets, secret)
	if _, ok := mint.ParseKey(secret); !ok {
		t.Error("no key was made")
	}
}

func TestAllButLiveProgressWorksWithoutJavaScript(t *testing.T) {
	f := inOneForm(t)
	s := start(t, f)
	b := newBrowser(t).tab()
	s.svc("admin", "user", "create", "alice", "--tik", "1000")
	var link struct{ URL string }
	s.decode([]byte(s.svc("admin", "login-link", "--user", "alice", "--address", "http://"+s.addr, "--json")), &link)
	if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	b.open(strings.Replace(link.URL, "#", "?next=/console/keys#", 1)) // the code behind "#" is for scripts
	b.fill("input[name=code]", link.URL)
	b.follow("main form button")
	b.shows("main", "No keys yet")

	key := s.createInConsole(b, "no scripts", "jobsPerDay", "5")
	b.shows("noscript", "SVC_API_KEY="+key.Secret)
	b.shot("created-noscript")
	b.follow("[data-leave]")
	sub := s.generate(key, s.newProject(key), brief)
	s.finish(key, sub)

	at := "http://" + s.addr + "/console/"
	b.open(at + "keys")
	b.shows("main", "1 of 5")
	b.fill("input[name=q]", "nothing like it")
	b.follow("form.filter button")
	b.shows("main", "No key matches")
	b.open(at + "keys/" + key.ID)
	b.fill("input[name=jobsPerDay]", "7")
	b.follow(`form[action$="/limits"] button`)
	b.shows("main", "1 of 7")
	b.follow(`a[href$="/revoke"]`)
	b.follow("main form button")
	b.shows(".state", "revoked")
	b.open(at + "projects/" + sub.ProjectID)
	b.fill(`form:last-of-type input[name=name]`, "readers")
	b.fill(`form:last-of-type input[name=value]`, "bob")
	b.follow("main form:last-of-type button")
	b.shows("main", "The attribute is set")
	b.open(at + "jobs/" + sub.JobID)
	b.shows("[data-status]", "completed")
	for path, says := range map[string]string{"usage": "By key", "statement": "Top-up", "audit": "changed the attributes"} {
		b.open(at + path)
		b.shows("main", says)
	}
}

// axeCore is the script that finds what keeps people from a page.
func axeCore(t *testing.T) string {
	t.Helper()
	axe, err := os.ReadFile(filepath.Join(root(t), "test", "console", "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatalf("%v: run scripts/npm-install test/console", err)
	}
	return string(axe)
}

// accessible fails the test for what axe finds on the page that is shown, of which the tab
// takes the script past the page's policy, and for a page that is too wide.
func (b *tab) accessible(t *testing.T, axe string) {
	t.Helper()
	if _, err := chromedp.Run(b.ctx, chromedp.Evaluate[chromedp.Void](axe+"; undefined")); err != nil {
		t.Fatal(err)
	}
	found, err := chromedp.Run(b.ctx, chromedp.Evaluate[json.RawMessage](
		`axe.run({iframes: false}).then((r) => r.violations.map((v) => [v.id, v.nodes.map((n) => n.html + " " + n.failureSummary)]))`,
		chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatal(err)
	}
	if string(found) != "[]" {
		t.Errorf("axe finds %s", found)
	}
	if over, err := chromedp.Run(b.ctx, chromedp.Evaluate[int]("document.documentElement.scrollWidth - innerWidth")); err != nil || over > 0 {
		t.Errorf("the page is %d pixels too wide, %v", over, err)
	}
}

// letScripts has the pages that are opened next run what a test brings.
func (b *tab) letScripts() {
	b.t.Helper()
	if _, err := chromedp.Call(b.ctx, page.SetBypassCSP, page.SetBypassCSPParams{Enabled: true}); err != nil {
		b.t.Fatal(err)
	}
}

// looked has a view of the studio shown at two sizes, and finds no fault of accessibility.
func (b *tab) looked(t *testing.T, axe, name string) {
	t.Helper()
	for scheme, size := range map[string][2]int64{"light": {1280, 800}, "dark": {390, 844}} {
		b.look(size[0], size[1], scheme)
		b.settled()
		b.accessible(t, axe)
		b.shot(fmt.Sprintf("studio-%s-%s-%d", name, scheme, size[0]))
	}
	b.look(1280, 800, "light")
}

// settled waits until colours have changed to those of another scheme.
func (b *tab) settled() {
	b.t.Helper()
	value(b, chromedp.Evaluate[bool](`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
		.then(() => Promise.allSettled(document.getAnimations().map((one) => one.finished))).then(() => true)`, chromedp.EvalAwaitPromise))
}

func TestConsoleIsAccessible(t *testing.T) {
	f := inOneForm(t)
	axe := axeCore(t)
	s := start(t, f)
	b := s.signIn(newBrowser(t), "alice")
	b.letScripts()
	key := s.createInConsole(b, "\u202ehostile <b>name</b> "+strings.Repeat("🎮", 40), "jobsPerDay", "2", "tikPerMonth", "1")
	b.do(chromedp.Click(chromedp.CSS("[data-copy=secret]")))
	b.follow("[data-leave]")
	sub := s.generate(key, s.newProject(key), brief)
	s.finish(key, sub)
	s.svc("admin", "project", "attributes", sub.ProjectID, "readers=bob,carol", "team=arcade")
	made := s.publish(key, sub.ProjectID, sub.JobID)
	for player := range 12 {
		s.playedBy(made, player)
	}
	planner := s.newKey("alice") // the other one has its limits reached
	planned := s.newProject(planner)
	s.finish(planner, s.submit(planner, map[string]any{"projectId": planned, "prompt": brief, "settings": api.Settings{ChatMode: api.ChatPlan}}))
	views := "projects/" + sub.ProjectID + "/analytics/"
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{320, 1280} {
			if !long.Asked() && (scheme == "light") != (width == 320) {
				continue // each page in both schemes and at both widths
			}
			b.look(width, 800, scheme)
			for name, path := range map[string]string{
				"keys": "keys", "new": "keys/new", "key": "keys/" + key.ID, "confirm": "keys/" + key.ID + "/revoke", "usage": "usage",
				"statement": "statement", "projects": "projects", "project": "projects/" + sub.ProjectID, "job": "jobs/" + sub.JobID,
				"overview": views + "overview?days=30", "live": views + "live", "engagement": views + "engagement", "retention": views + "retention",
				"funnels": views + "funnels", "events": views + "events", "costs": views + "costs", "board": views + "board", "experiments": views + "experiments",
				"studio": "studio", "studio-project": "studio/" + sub.ProjectID, "studio-file": "studio/" + sub.ProjectID + "?file=src/game.json",
				"studio-diff": "studio/" + sub.ProjectID + "/diff?from=1", "studio-missing": "studio/nothing", "studio-home": "studio?q=nothing", "webhook": "projects/" + sub.ProjectID + "/webhook", "studio-share": "projects/" + sub.ProjectID + "/share?rev=1",
				"studio-picture": "studio/" + sub.ProjectID + "?file=playtest/mid.jpg", "studio-plan": "studio/" + planned, "studio-new": "studio/" + s.newProject(planner),
				"audit": "audit", "missing": "nothing", "filtered": "keys?q=nothing", "signin": "login",
			} {
				t.Run(fmt.Sprintf("%s/%d/%s", scheme, width, name), func(t *testing.T) {
					b.open("http://" + s.addr + "/console/" + path)
					b.accessible(t, axe)
					b.shot(fmt.Sprintf("%s-%s-%d", name, scheme, width))
				})
			}
		}
	}
}
