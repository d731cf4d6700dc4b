package caddymodule_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/svc-games/svc/api/contract"
)

func init() { caddy.RegisterModule(panicker{}) }

// panicker stands where the proxy would and has a bug.
type panicker struct{}

func (panicker) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.test_panic", New: func() caddy.Module { return new(panicker) }}
}

func (panicker) ServeHTTP(http.ResponseWriter, *http.Request, caddyhttp.Handler) error {
	panic("a bug")
}

// TestAPanicBehindTheQuotaSettlesTheReservation: what panicked may have sent
// the job before, so the engine is asked.
func TestAPanicBehindTheQuotaSettlesTheReservation(t *testing.T) {
	for verdict, calls := range map[contract.FenceVerdict]string{
		contract.Fenced:   "reserve fence release",
		contract.Accepted: "reserve fence commit",
	} {
		t.Run(string(verdict), func(t *testing.T) {
			d := newFakeBackend(t)
			d.verdict, d.fenceErr = verdict, nil
			g := d.gateway(t, wholeAPI)
			g.replace([]byte(replaceHandler(t, string(g.config(globals, wholeAPI)), "reverse_proxy", `{"handler":"test_panic"}`)))
			resp, err := http.DefaultClient.Do(g.submission(t.Context()))
			if err == nil { // net/http closes the connection of a handler that panics
				_, _ = io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
				t.Errorf("the client got %d", resp.StatusCode)
			}
			<-d.settled
			d.wantCalls(t, calls)
		})
	}
}

// replaceHandler puts another handler in the place of the one of a name.
func replaceHandler(t *testing.T, config, name, with string) string {
	t.Helper()
	var tree any
	if err := json.Unmarshal([]byte(config), &tree); err != nil {
		t.Fatal(err)
	}
	var replacement any
	if err := json.NewDecoder(strings.NewReader(with)).Decode(&replacement); err != nil {
		t.Fatal(err)
	}
	var walk func(node any) any
	walk = func(node any) any {
		switch n := node.(type) {
		case map[string]any:
			if n["handler"] == name {
				return replacement
			}
			for key, value := range n {
				n[key] = walk(value)
			}
		case []any:
			for i, value := range n {
				n[i] = walk(value)
			}
		}
		return node
	}
	out, err := json.Marshal(walk(tree))
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
