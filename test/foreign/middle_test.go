package foreign

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/svc-games/svc/test/long"
	"github.com/svc-games/svc/test/rig"
)

// TestClientLibrariesGoThroughTheFlowWithPrismBetween: the clients do what they do without
// it, and in all that they send and get Prism finds nothing that is not as the document says.
func TestClientLibrariesGoThroughTheFlowWithPrismBetween(t *testing.T) {
	long.Only(t) // TestClientLibrariesGoThroughTheWholeFlow, and TestRequestsMadeOfTheDocumentAreAnsweredAsItSays
	g := rig.Launch(t, rig.Options{Env: []string{"SVC_RETRY_AFTER=1s"}})
	g.NewUser("foreign", "1000")
	key := g.NewKey("foreign")
	between := prism(t, "proxy", "http://"+g.Addr, "--errors")
	for name, command := range map[string][]string{
		"TypeScript":    {"node", filepath.Join(rig.Root(t), "client", "typescript", "flow.mjs")},
		"Python":        {"python3", "-B", filepath.Join(rig.Root(t), "client", "python", "flow.py")},
		"Python, async": {"python3", "-B", filepath.Join(rig.Root(t), "client", "python", "flow.py"), "async"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMiddle(t, between, g.Addr)
			out := inFolder(t, t.TempDir(), []string{"SVC_BASE_URL=" + m.base, "SVC_API_KEY=" + key.Secret}, command[0], command[1:]...)
			var said flowSaid
			g.Decode([]byte(out), &said)
			if said.wrong() || said.Refused != http.StatusUnprocessableEntity { // by Prism, of which it is the 422
				t.Errorf("the client says %s", out)
			}
			m.saw("projects", "generate", "models", "status", "events", "files", "publish", "overview")
		})
	}
	t.Run("Go", func(t *testing.T) {
		m := newMiddle(t, between, g.Addr)
		goFlow(t, m.base, key.Secret)
		m.saw("projects", "generate", "status", "events", "files")
	})
}

// middle stands between a client and the service and has Prism validate all that passes.
// Two answers would not come through it as they are: it reads a ZIP as text, and passes a
// stream on when it has ended. Those the service gives, and Prism is asked for them besides.
type middle struct {
	*testing.T
	base           string
	prism          string
	asked, service *httputil.ReverseProxy
	beside         sync.WaitGroup
	mu             sync.Mutex // guards the following field
	kinds          map[string]bool
}

func newMiddle(t *testing.T, prism, service string) *middle {
	m := &middle{T: t, prism: prism, kinds: map[string]bool{}}
	m.asked = httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: prism})
	m.service = httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: service})
	m.service.FlushInterval = -1
	m.asked.ModifyResponse = func(res *http.Response) error {
		raw, err := io.ReadAll(res.Body)
		res.Body = io.NopCloser(bytes.NewReader(raw))
		if res.StatusCode != http.StatusUnprocessableEntity && bytes.Contains(raw, []byte("stoplight.io/prism/errors")) {
			t.Errorf("%s %s: %.1500s", res.Request.Method, res.Request.URL.Path, raw)
		}
		return err
	}
	server := httptest.NewServer(m)
	t.Cleanup(func() {
		server.Close()
		m.beside.Wait()
	})
	m.base = server.URL
	return m
}

func (m *middle) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r.Header.Set("Accept-Encoding", "identity") // Prism unpacks what is packed, and says that it still is
	kind := path.Base(r.URL.Path)
	m.mu.Lock()
	m.kinds[kind] = true
	m.mu.Unlock()
	if kind != "events" && kind != "files" {
		m.asked.ServeHTTP(w, r)
		return
	}
	header, address := r.Header.Clone(), r.URL.RequestURI()
	m.beside.Go(func() {
		if err := m.validate(address, header, kind == "events"); err != nil {
			m.Errorf("GET %s: %v", r.URL.Path, err)
		}
	})
	m.service.ServeHTTP(w, r)
}

// validate has Prism ask for what the service is asked for besides.
func (m *middle) validate(address string, header http.Header, stream bool) error {
	req, err := http.NewRequestWithContext(m.Context(), http.MethodGet, "http://"+m.prism+address, nil)
	if err != nil {
		return err
	}
	req.Header = header
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	switch {
	case err != nil:
		return err
	case stream && res.StatusCode != http.StatusNoContent:
		return onlyStream(raw)
	case res.StatusCode/100 != 2:
		return fmt.Errorf("%d %.1500s", res.StatusCode, raw)
	}
	return nil
}

// onlyStream returns an error unless all that Prism finds wrong with a stream is that it is
// one: Prism holds the whole text to the schema of an event.
func onlyStream(raw []byte) error {
	var found struct{ Validation []struct{ Message string } }
	if err := json.Unmarshal(raw, &found); err != nil || len(found.Validation) == 0 {
		return fmt.Errorf("%.500s: %w", raw, err)
	}
	for _, v := range found.Validation {
		if v.Message != "Response body must be object" && v.Message != "Response body must match exactly one schema in oneOf" {
			return fmt.Errorf("%s", v.Message)
		}
	}
	return nil
}

// saw waits until all is validated, and fails the test when the last parts of what was
// asked for are not all among it.
func (m *middle) saw(kinds ...string) {
	m.Helper()
	m.beside.Wait()
	m.mu.Lock()
	defer m.mu.Unlock()
	var unseen []string
	for _, kind := range kinds {
		if !m.kinds[kind] {
			unseen = append(unseen, kind)
		}
	}
	if len(unseen) > 0 {
		m.Errorf("no %s passed", strings.Join(unseen, ", "))
	}
}
