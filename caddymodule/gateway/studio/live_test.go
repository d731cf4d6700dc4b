package studio

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/svc-games/svc/caddymodule/gateway"
	"github.com/svc-games/svc/caddymodule/gateway/rate"
	engineproxy "github.com/svc-games/svc/engine-proxy"
)

func TestBridgeComesBeforeTheScriptsOfAGame(t *testing.T) {
	page := `<!doctype html><title>x</title><script>const a = 1;</script><SCRIPT defer src="lib/a.js"></SCRIPT><script src='game.js'></script>`
	got := string(watched([]byte(page)))
	want := `<!doctype html><title>x</title><script>const a = 1;</script><script crossorigin src="../bridge.js"></script>` + "\n" +
		`<script crossorigin defer src="lib/a.js"></SCRIPT><script crossorigin src='game.js'></script>`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if again := string(watched([]byte("no scripts"))); again != "no scripts" || len(bridge) == 0 || strings.Contains(string(bridge), "eval(") {
		t.Errorf("%q", again)
	}
}

func TestALinkToAGameWhoseEngineStartsOpensByItself(t *testing.T) {
	o := openStudio(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<p>the game")) })
	o.Locator.RetryAfter = time.Second
	o.engines.submit = &engineproxy.StartingError{State: engineproxy.StateStarting}
	live := func(name string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		o.Live(w, httptest.NewRequest(http.MethodGet, "/", nil), o.sidecar.projects[0], name)
		return w
	}
	if w := live("2/index.html"); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "1" || !strings.Contains(w.Body.String(), `http-equiv="refresh"`) {
		t.Errorf("the page: %d %s", w.Code, w.Body)
	}
	if w := live("2/game.js"); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" || strings.Contains(w.Body.String(), "<") {
		t.Errorf("a script: %d %s", w.Code, w.Body)
	}
	o.engines.submit = nil
	if w := live("2/index.html"); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "the game") {
		t.Errorf("ready: %d %s", w.Code, w.Body)
	}
}

func TestALivePreviewShowsWhatAJobHasBuilt(t *testing.T) {
	var asked []string
	o := openStudio(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Query().Get("path")+"@"+r.URL.Query().Get("rev"))
	})
	for _, name := range []string{"built/index.html", "now/a.js", "3/a.js", "built/../a.js", "other/a.js", "-1/a.js"} {
		o.Live(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil), o.sidecar.projects[0], name)
	}
	if want := []string{"index.html@built", "a.js@", "a.js@3"}; !slices.Equal(asked, want) {
		t.Errorf("the engine is asked for %q, want %q", asked, want)
	}
}

// TestAFileOfAGameIsAnsweredWhateverHangs: what it hangs at is the store here.
func TestAFileOfAGameIsAnsweredWhateverHangs(t *testing.T) {
	o := openStudio(t, func(http.ResponseWriter, *http.Request) {})
	o.sidecar.hangs = true
	synctest.Test(t, func(t *testing.T) {
		begun, w := time.Now(), httptest.NewRecorder()
		o.Live(w, httptest.NewRequest(http.MethodGet, "/", nil), o.sidecar.projects[0], "now/game.js")
		if took := time.Since(begun); w.Code != http.StatusServiceUnavailable || took > callTimeout {
			t.Errorf("%d after %s", w.Code, took)
		}
	})
}

// timed is a writer that has deadlines.
type timed struct {
	*httptest.ResponseRecorder
	deadline time.Time
	at       time.Time // the deadline when something was written
}

func (w *timed) SetWriteDeadline(at time.Time) error { w.deadline = at; return nil }

func (w *timed) Write(p []byte) (int, error) {
	w.at = w.deadline
	return w.ResponseRecorder.Write(p)
}

// TestWhoReadsNothingOfAGameKeepsNoRoomOfItsOwner: and the connection is as it was for what
// is asked for on it next.
func TestWhoReadsNothingOfAGameKeepsNoRoomOfItsOwner(t *testing.T) {
	o := openStudio(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("the game")) })
	w := &timed{ResponseRecorder: httptest.NewRecorder()}
	o.Live(w, httptest.NewRequest(http.MethodGet, "/", nil), o.sidecar.projects[0], "now/game.js")
	if left := time.Until(w.at); w.Body.String() != "the game" || left <= 0 || left > sendTimeout {
		t.Errorf("%q is written with %s left", w.Body, left)
	}
	if !w.deadline.IsZero() {
		t.Errorf("the connection's deadline is %s afterwards", w.deadline)
	}
}

func TestNobodyHasAProjectsGameReadWithoutEnd(t *testing.T) {
	o := openStudio(t, func(http.ResponseWriter, *http.Request) {})
	begun := time.Now()
	still := func() time.Time { return begun }
	o.Rates = gateway.NewRates(rate.NewLocal[string](10, still), still)
	status := func(project string) int {
		w := httptest.NewRecorder()
		o.Live(w, httptest.NewRequest(http.MethodHead, "/", nil), project, "2/x.js")
		return w.Code
	}
	for range liveRate.Burst {
		if got := status(o.sidecar.projects[0]); got != http.StatusOK {
			t.Fatalf("within the rate: %d", got)
		}
	}
	if got := status(o.sidecar.projects[0]); got != http.StatusServiceUnavailable {
		t.Errorf("over the rate: %d", got)
	}
	if got := status(o.sidecar.projects[1]); got != http.StatusOK {
		t.Errorf("another project: %d", got)
	}
}
