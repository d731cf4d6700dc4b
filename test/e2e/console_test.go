package e2e

import (
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/svc-games/svc/api"
)

// signIn makes a user and opens the console with a link of svc.
func (s *service) signIn(b *browser, user string) *tab {
	s.t.Helper()
	s.svc("admin", "user", "create", user, "--tik", "1000")
	tab := b.tab()
	s.signInAgain(tab, user)
	return tab
}

// signInAgain signs a user in, in a tab.
func (s *service) signInAgain(tab *tab, user string) {
	s.t.Helper()
	var link struct{ URL string }
	s.decode([]byte(s.svc("admin", "login-link", "--user", user, "--address", "http://"+s.addr, "--json")), &link)
	tab.open(strings.Replace(link.URL, "#", "?next=/console/keys#", 1))
	tab.until(`location.pathname == "/console/keys"`)
}

// createInConsole makes a key by the form and returns it; its page is shown.
func (s *service) createInConsole(b *tab, name string, limits ...string) apiKey {
	s.t.Helper()
	b.open("http://" + s.addr + "/console/keys/new")
	b.fill("input[name=name]", name)
	for i := 0; i < len(limits); i += 2 {
		b.fill("input[name="+limits[i]+"]", limits[i+1])
	}
	b.follow("main form button")
	key := apiKey{Secret: value(b, chromedp.Value(chromedp.CSS("#secret")))}
	href := b.attribute("[data-leave]", "href")
	key.ID = href[strings.LastIndex(href, "/")+1:]
	s.secrets = append(s.secrets, key.Secret)
	return key
}

// wantAnswer waits until the API says this to a key: it hears of a change within half
// a second, in the process of the console too.
func (s *service) wantAnswer(key apiKey, status int, reason string) {
	s.t.Helper()
	s.eventually(fmt.Sprintf("the API says %d %q", status, reason), func() bool {
		a := s.call(key, "GET", "/v1/projects", nil)
		var body struct{ Reason string }
		s.decode(a.body, &body)
		return a.status == status && body.Reason == reason
	})
}

func TestNewUserGoesTheWholeWayWithOnlyTheLink(t *testing.T) {
	inEveryForm(t, newUserGoesTheWholeWayWithOnlyTheLink)
}

func newUserGoesTheWholeWayWithOnlyTheLink(t *testing.T, f form) {
	s := start(t, f)
	b := s.signIn(newBrowser(t), "alice")
	b.look(1280, 900, "light")
	b.shows("main", "No keys yet")
	b.shot("empty")
	if got := value(b, chromedp.Location()); strings.Contains(got, "#") {
		t.Errorf("the address still has the code: %s", got)
	}

	key := s.createInConsole(b, "build server", "jobsPerDay", "2")
	printed := b.text("#curl")
	b.shot("created")
	b.do(chromedp.Click(chromedp.CSS("[data-copy=secret]")))
	b.until(`document.querySelector("[data-copy=secret]").textContent != "Copy"`)
	b.follow("[data-leave]")
	b.shows("main", "0 of 2")
	s.wantAnswer(key, http.StatusOK, "")

	var sub api.Submission
	s.eventually("the commands of the page make a job", func() bool {
		out, err := exec.Command("sh", "-c", printed).Output()
		if err != nil {
			t.Fatalf("%v\n%s", err, printed)
		}
		s.decode(out, &sub)
		return sub.JobID != "" // its engine was starting
	})
	b.open("http://" + s.addr + "/console/jobs/" + sub.JobID)
	s.finish(key, sub)
	b.until(`document.querySelector("[data-status]")?.textContent.includes("completed")`) // it loads itself anew
	if resp, err := http.Get(b.attribute("iframe", "src")); err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("the preview: %+v, %v", resp, err)
	} else {
		resp.Body.Close()
	}
	b.open("http://" + s.addr + "/console/keys/" + key.ID)
	b.shows("main", "1 of 2")
	b.shows("main", "1 job and 1 TIK in the last 30 days")
	b.shot("key")

	s.changeInConsole(b, key, sub.ProjectID)
	b.open("http://" + s.addr + "/console/audit")
	b.shows("main", "revoked the key")
	b.shot("audit")
	b.open("http://" + s.addr + "/console/statement")
	b.shows("main", "999")
}

// changeInConsole does all to a key that its page offers, and ends with its
// revocation.
func (s *service) changeInConsole(b *tab, key apiKey, project string) {
	s.t.Helper()
	b.follow(`a[href$="/disable"]`)
	b.shows("h1", "build server")
	b.shot("disable")
	b.follow("main form button")
	b.shows("main", "The key is disabled")
	s.wantAnswer(key, http.StatusUnauthorized, "disabled")
	b.follow(`form[action$="/enable"] button`)
	s.wantAnswer(key, http.StatusOK, "")
	b.fill(`form[action$="/name"] input`, "release server")
	b.follow(`form[action$="/name"] button`)
	b.shows("h1", "release server")
	b.fill("input[name=jobsPerDay]", "1")
	b.follow(`form[action$="/limits"] button`)
	b.shows("main", "1 of 1")
	if a := s.call(key, "POST", "/v1/generate", map[string]string{"projectId": project, "prompt": brief}); a.status != http.StatusTooManyRequests {
		s.t.Errorf("over the new limit: %d", a.status)
	}
	b.open("http://" + s.addr + "/console/keys/" + key.ID + "/revoke")
	b.shows("main", "This is for good")
	b.until(`document.activeElement.textContent === "Cancel"`) // a browser gives the focus after the page is shown
	b.follow("main form button")
	b.shows(".state", "revoked")
	s.wantAnswer(key, http.StatusUnauthorized, "revoked")
}

func TestSecretIsNotShownAgainAfterGoingBack(t *testing.T) {
	f := inOneForm(t)
	s := start(t, f)
	b := s.signIn(newBrowser(t), "alice")
	key := s.createInConsole(b, "ci")
	b.do(chromedp.Click(chromedp.CSS("[data-copy=secret]")))
	b.follow("[data-leave]")
	shown := value(b, chromedp.Location())
	b.do(chromedp.Evaluate[chromedp.Void]("history.back()"))
	// The browser has kept nothing: it asks whether to send the form again.
	b.until(fmt.Sprintf("location.href != %q && document.readyState == 'complete'", shown))
	if html := value(b, chromedp.Evaluate[string]("document.documentElement.outerHTML")); strings.Contains(html, key.Secret) {
		t.Error("the secret is shown again")
	}
	b.open("http://" + s.addr + "/console/keys")
	if rows := value(b, chromedp.Evaluate[int](`document.querySelectorAll("table.keys tbody tr").length`)); rows != 1 {
		t.Errorf("%d keys", rows)
	}
}

func TestPageAsksBeforeASecretIsLostUnsaved(t *testing.T) {
	f := inOneForm(t)
	s := start(t, f)
	b := s.signIn(newBrowser(t), "alice")
	s.createInConsole(b, "ci")
	b.do(chromedp.Click(chromedp.CSS("h1"))) // a page that nobody touched may not ask
	opened := value(b, chromedp.WaitEvent(page.JavascriptDialogOpening, nil,
		chromedp.Evaluate[chromedp.Void](`setTimeout(() => { location.href = "/console/keys" })`)))
	if opened.Type != "beforeunload" {
		t.Errorf("the browser asks %q", opened.Type)
	}
	if _, err := chromedp.Call(b.ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: true}); err != nil {
		t.Fatal(err)
	}
}

func TestTwoTabsEditingOneKey(t *testing.T) {
	f := inOneForm(t)
	s := start(t, f)
	br := newBrowser(t)
	one := s.signIn(br, "alice")
	key := s.createInConsole(one, "ci")
	one.do(chromedp.Click(chromedp.CSS("[data-copy=secret]")))
	one.follow("[data-leave]")
	two := br.tab()
	two.open("http://" + s.addr + "/console/keys/" + key.ID)

	one.fill("input[name=jobsPerDay]", "3")
	one.follow(`form[action$="/limits"] button`)
	two.fill("input[name=jobsPerDay]", "99")
	two.follow(`form[action$="/limits"] button`)
	two.shows("[role=alert]", "was changed meanwhile")
	two.shows("main", "0 of 3") // as it is
	if typed := value(two, chromedp.Value(chromedp.CSS("input[name=jobsPerDay]"))); typed != "99" {
		t.Errorf("the field holds %q", typed)
	}
	two.follow(`form[action$="/limits"] button`) // knowing it now
	two.shows("main", "0 of 99")
}

// TestPageIsLeftWhenItsSessionEnds looks at a job whose engine says nothing more:
// only the session's end can end the stream of its events.
func TestPageIsLeftWhenItsSessionEnds(t *testing.T) {
	inEveryForm(t, pageIsLeftWhenItsSessionEnds)
}

func pageIsLeftWhenItsSessionEnds(t *testing.T, f form) {
	s := start(t, f)
	br := newBrowser(t)
	one := s.signIn(br, "alice")
	_, jobs := s.openStream(s.newKey("alice"), 4)
	release := s.holdEngines()
	defer release()
	one.open("http://" + s.addr + "/console/jobs/" + jobs[3].JobID)
	two := br.tab()
	two.open("http://" + s.addr + "/console/keys")
	two.leave(chromedp.Evaluate[chromedp.Void](`document.querySelector('form[action="/console/logout"]').requestSubmit()`)) // in a menu
	one.until(`location.pathname == "/console/login"`)
}

func TestRevokedKeyIsRefusedWhileThePageStillShowsIt(t *testing.T) {
	f := inOneForm(t)
	s := start(t, f)
	b := s.signIn(newBrowser(t), "alice")
	key := s.createInConsole(b, "ci")
	b.do(chromedp.Click(chromedp.CSS("[data-copy=secret]")))
	b.follow("[data-leave]")
	s.svc("admin", "key", "revoke", key.ID)
	b.shows(".state", "active")
	s.wantAnswer(key, http.StatusUnauthorized, "revoked")
	b.follow(`a[href$="/disable"]`)
	b.follow("main form button")
	b.shows("[role=alert]", "revoked")
	b.shows(".state", "revoked")
}
