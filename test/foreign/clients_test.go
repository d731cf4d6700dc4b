package foreign

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/test/long"
	"github.com/svc-games/svc/test/rig"
	"github.com/svc-games/svc/test/wait"
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

// TestClientsThatSendAgainMakeOneJob: at a cold start they wait as long as the service says,
// and an answer that was lost makes no second job.
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
		t.Run(name, func(t *testing.T) {
			project := g.NewProject(key)
			lossy := newLossy(t, g.Addr)
			body := fmt.Sprintf(`{"projectId":%q,"prompt":"a duck"}`, project)
			out := inFolder(t, dir, []string{"SVC_API_KEY=" + key.Secret}, command[0], append(command[1:], lossy.base+"/v1/generate", body)...)
			var list api.JobList
			g.Decode(g.Call(key, "GET", "/v1/generate?projectId="+project, nil).Body, &list)
			if len(list.Data) != 1 || list.Data[0].JobID != strings.TrimSpace(out) {
				t.Errorf("it says %q, and the jobs are %+v", out, list.Data)
			}
			lossy.mu.Lock()
			defer lossy.mu.Unlock()
			if lossy.starting == 0 || lossy.accepted < 2 {
				t.Errorf("the engine started at %d answers, and %d accepted the job", lossy.starting, lossy.accepted)
			}
			if lossy.early > 0 {
				t.Errorf("it asked %d times before it should", lossy.early)
			}
		})
	}
}

// lossy is what lies between a client and the service, and loses the first answer that
// accepts a job.
type lossy struct {
	base string

	mu                        sync.Mutex // guards the following fields
	starting, accepted, early int        // answers 503, answers 200, and requests before Retry-After was over
	due                       time.Time
}

func newLossy(t *testing.T, service string) *lossy {
	l := new(lossy)
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: service})
	proxy.ModifyResponse = func(res *http.Response) error {
		l.mu.Lock()
		defer l.mu.Unlock()
		switch res.StatusCode {
		case http.StatusServiceUnavailable:
			l.starting++
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

// unpackers read a ZIP, the name of which is added, and print the name and the SHA-256 of
// each file. unzip and bsdtar, which is tar on some systems, are Debian's.
var unpackers = map[string][]string{
	"adm-zip":        {"node", "unzip.mjs", "adm-zip"},
	"fflate":         {"node", "unzip.mjs", "fflate"},
	"jszip":          {"node", "unzip.mjs", "jszip"},
	"yauzl":          {"node", "unzip.mjs", "yauzl"},
	"@zip.js/zip.js": {"node", "unzip.mjs", "@zip.js/zip.js"},
	"Python":         {"python3", "-B", "unzip.py"},
	"unzip":          {"sh", "-eu", "unzip.sh", "unzip"},
	"bsdtar":         {"sh", "-eu", "unzip.sh", "bsdtar"},
}

// TestReadersOfOthersUnpackAGame: what they find in it are the same files.
func TestReadersOfOthersUnpackAGame(t *testing.T) {
	dir, all := filepath.Join(rig.Root(t), "test", "foreign", "clients"), map[string][]string{"Python": unpackers["Python"]}
	if long.Asked() {
		dir, all = foreignFolder(t, "clients"), unpackers
	}
	g := rig.Launch(t, rig.Options{Env: []string{"SVC_RETRY_AFTER=1s"}})
	g.NewUser("foreign", "1000")
	key := g.NewKey("foreign")
	sub := g.Generate(key, g.NewProject(key))
	if job := g.Finish(key, sub); job.Status != api.JobCompleted {
		t.Fatalf("the job ended %s", job.Status)
	}
	var raw []byte
	wait.Until(t, "the files are answered", func() bool {
		a := g.Call(key, "GET", "/v1/generate/"+sub.JobID+"/files?projectId="+sub.ProjectID, nil)
		raw = a.Body
		return a.Status == http.StatusOK
	})
	file := filepath.Join(t.TempDir(), "game.zip")
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	want := listed(t, raw)
	for name, command := range all {
		got := strings.Split(strings.TrimSpace(inFolder(t, dir, nil, command[0], append(command[1:], file)...)), "\n")
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%s finds\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

func listed(t *testing.T, raw []byte) (files []string) {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, fmt.Sprintf("%s %x", f.Name, sha256.Sum256(content)))
	}
	slices.Sort(files)
	return files
}
