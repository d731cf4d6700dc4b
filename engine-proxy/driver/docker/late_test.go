package docker

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/moby/moby/client"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/internal/driverkit"
)

// A daemon that learns of an end before it learns why says the cause among its events
// alone.
func TestWantOfMemoryThatTheDaemonLearnsLateIsTheCauseOfTheEnd(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		event  string
		reason driver.Reason
	}{
		"said late": {`{"Type":"container","Action":"oom","Actor":{"ID":"c1"},"timeNano":1}` + "\n", driver.ReasonOOM},
		"never":     {"", driver.ReasonKilled},
	} {
		end := time.Date(2026, 11, 20, 12, 0, 0, 5, time.UTC)
		daemon := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case strings.HasSuffix(r.URL.Path, "/containers/c1/json"):
				w.Header().Set("Content-Type", "application/json")
				fmt.Fprintf(w, `{"Id":"c1","State":{"Status":"exited","ExitCode":137,"OOMKilled":false,"FinishedAt":%q},"Config":{"Labels":{%q:"i1"}}}`,
					end.Format(time.RFC3339Nano), driverkit.LabelInstance)
			case strings.HasSuffix(r.URL.Path, "/events"):
				if q := r.URL.Query(); q.Get("since") != fmt.Sprintf("%d.000000005", end.Unix()-1) || q.Get("until") != fmt.Sprintf("%d.000000005", end.Unix()+1) || !strings.Contains(q.Get("filters"), "oom") {
					t.Errorf("%s: asked for %s", name, r.URL)
				}
				w.Header().Set("Content-Type", "application/json")
				fmt.Fprint(w, tc.event)
			default: // the handshake
				w.Header().Set("Api-Version", "1.44")
			}
		}))
		t.Cleanup(daemon.Close)
		api, err := client.New(client.WithHost("tcp://" + strings.TrimPrefix(daemon.URL, "http://")))
		if err != nil {
			t.Fatal(err)
		}
		d := &Driver{api: api}
		obs, err := d.Inspect(t.Context(), newHandle("c1", "p1", "i1"))
		if err != nil || obs.Exit == nil || obs.Exit.Reason != tc.reason {
			t.Errorf("%s: %+v, %v", name, obs.Exit, err)
		}
	}
}
