package foreign

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/test/long"
	"github.com/svc-games/svc/test/rig"
)

// submitters are HTTP clients that people use, told that they may send a POST again: the
// program, to which the address and the body are added. The versions of those from npm and
// of Go are in clients; curl and urllib3 are Debian's.
var submitters = map[string][]string{
	"got":              {"node", "submit.mjs", "got"},
	"ky":               {"node", "submit.mjs", "ky"},
	"axios-retry":      {"node", "submit.mjs", "axios-retry"},
	"undici":           {"node", "submit.mjs", "undici"},
	"urllib3":          {"/usr/bin/python3", "-B", "submit.py"},
	"go-retryablehttp": {"./clients"},
	"curl": {"sh", "-c", `curl -sS --retry 20 --retry-all-errors -H "X-API-Key: $SVC_API_KEY" -H "Idempotency-Key: curl" "$0" -d "$1" |
		sed -n 's/.*"jobId":"\([^"]*\)".*/\1/p'`}, // it also prints what it does not take for an answer
}

// troubles are what happens to the service once it has said that an engine starts.
var troubles = map[string]func(t testing.TB, g *rig.Gateway) error{
	"cold start":    func(testing.TB, *rig.Gateway) error { return nil },
	"graceful stop": func(t testing.TB, g *rig.Gateway) error { return errors.Join(g.Stop(), startAgain(t, g)) },
	"kill":          func(t testing.TB, g *rig.Gateway) error { return errors.Join(g.Kill(), startAgain(t, g)) },
	"reload":        reload,
}

// TestClientsThatSendAgainMakeOneJob: at a cold start they wait as long as the service says,
// whatever becomes of it meanwhile, and an answer that was lost makes no second job.
func TestClientsThatSendAgainMakeOneJob(t *testing.T) {
	dir, all := "", map[string][]string{"curl": submitters["curl"]}
	if long.Asked() {
		dir, all = foreignFolder(t, "clients"), submitters
		inFolder(t, dir, nil, "go", "build", "-o", "clients", ".")
	}
	g := rig.Launch(t, rig.Options{Env: []string{"SVC_RETRY_AFTER=1s", "SVC_ENGINE_START_DELAY=3s"}})
	g.NewUser("foreign", "1000")
	key := g.NewKey("foreign")
	for name, command := range all {
		for happens, trouble := range troubles {
			if happens != "cold start" && !long.Asked() {
				continue
			}
			t.Run(name+"/"+happens, func(t *testing.T) {
				project := g.NewProject(key)
				lossy := newLossy(t, g, trouble)
				body := fmt.Sprintf(`{"projectId":%q,"prompt":"a duck"}`, project)
				out := inFolder(t, dir, []string{"SVC_API_KEY=" + key.Secret}, command[0], append(command[1:], lossy.base+"/v1/generate", body)...)
				lossy.check()
				var list api.JobList
				g.Decode(g.Call(key, "GET", "/v1/generate?projectId="+project, nil).Body, &list)
				if len(list.Data) != 1 || list.Data[0].JobID != strings.TrimSpace(out) {
					t.Fatalf("it says %q, and the jobs are %+v", out, list.Data)
				}
				g.Finish(key, api.Submission{JobID: list.Data[0].JobID, ProjectID: project})
				g.Call(key, "DELETE", "/v1/projects/"+project, nil) // so that no engine is one too many
			})
		}
	}
}

// lossy is what lies between a client and the service: it makes trouble at the first answer
// that an engine starts, and loses the first one that accepts a job.
type lossy struct {
	*testing.T
	base    string
	trouble chan error // its end, once it was made

	mu                        sync.Mutex // guards the following fields
	starting, accepted, early int        // answers 503, answers 200, and requests before Retry-After was over
	due                       time.Time
}

func newLossy(t *testing.T, g *rig.Gateway, trouble func(testing.TB, *rig.Gateway) error) *lossy {
	l := &lossy{T: t, trouble: make(chan error, 1)}
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: g.Addr})
	proxy.ErrorHandler = func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) } // as if it weren't there
	proxy.ModifyResponse = func(res *http.Response) error {
		l.mu.Lock()
		defer l.mu.Unlock()
		switch res.StatusCode {
		case http.StatusServiceUnavailable:
			if l.starting++; l.starting == 1 {
				go func() { l.trouble <- trouble(t, g) }()
			}
			wait, err := time.ParseDuration(res.Header.Get("Retry-After") + "s")
			l.due = time.Now().Add(wait)
			return err
		case http.StatusOK:
			l.accepted++
			if l.accepted == 1 {
				panic(http.ErrAbortHandler)
			}
		}
		return nil
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l.mu.Lock()
		if time.Now().Before(l.due) {
			l.early++
		}
		l.mu.Unlock()
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	l.base = server.URL
	return l
}

// check waits for the end of the trouble, and says what the client did that it should not.
func (l *lossy) check() {
	l.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.starting == 0 || l.accepted < 2 {
		l.Fatalf("the engine started at %d answers, and %d accepted the job", l.starting, l.accepted)
	}
	if err := <-l.trouble; err != nil {
		l.Fatal(err)
	}
	if l.early > 0 {
		l.Errorf("it asked %d times before it should", l.early)
	}
}
