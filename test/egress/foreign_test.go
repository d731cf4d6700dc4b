package egress

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine-proxy/egress"
	"github.com/svc-games/svc/engine/model"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/test/fake/foreign"
	"github.com/svc-games/svc/test/long"
)

// A provider that knows nothing of the engine authors a game over each wire, with the
// service's defaults. The short run has one wire with the judge, and the others without.
func TestForeignProviderAuthorsAGameOverEachWire(t *testing.T) {
	for name, tc := range map[string]struct {
		wire   egress.Protocol
		can    egress.Abilities
		whole  bool
		judged bool
	}{
		"chat":                  {wire: egress.ProtocolChat, judged: true},
		"chat, that sees":       {wire: egress.ProtocolChat, can: egress.Abilities{Vision: true, Reasoning: "effort"}},
		"chat, no streams":      {wire: egress.ProtocolChat, whole: true},
		"responses":             {wire: egress.ProtocolResponses},
		"responses, that sees":  {wire: egress.ProtocolResponses, can: egress.Abilities{Vision: true, Reasoning: "effort"}},
		"responses, no streams": {wire: egress.ProtocolResponses, whole: true},
		"messages":              {wire: egress.ProtocolMessages},
		"messages, that thinks": {wire: egress.ProtocolMessages, can: egress.Abilities{Vision: true, Reasoning: "budget", Cache: "marks"}},
		"messages, no streams":  {wire: egress.ProtocolMessages, whole: true},
	} {
		t.Run(name, func(t *testing.T) {
			tc.can.Protocol = tc.wire
			server := &foreign.Server{Wire: string(tc.wire), Key: "sk-foreign", Whole: tc.whole}
			http := httptest.NewServer(server)
			t.Cleanup(http.Close)
			r := newRigWith(t, func(c *egress.Config) {
				c.Endpoints[0] = egress.Endpoint{URL: http.URL + "/v1", Key: "sk-foreign", Models: []egress.Model{{Name: "writer", Abilities: tc.can}}}
			})
			if _, err := r.side.Keys().TopUp(t.Context(), "test", "alice", keys.Credit{TIK: stageTIK}); err != nil {
				t.Fatal(err)
			}
			if tc.judged || long.Asked() {
				o := r.engine(model.Options{Attempts: 1}, judging(t)).work("catch falling stars with a basket", api.Settings{})
				o.checkGame("")
				if !strings.Contains(o.files["index.html"], "<title>Star basket</title>") {
					t.Errorf("after %d turns it is another game; refused were %q", server.Turns(), server.Refused())
				}
			} else if out := authored(t, r.client(), puppet(t, "snake")); !strings.Contains(string(out.Files["src/game.json"]), "Star basket") {
				t.Errorf("it wrote %v", out.Files.Names())
			}
			most := 0
			if tc.wire == egress.ProtocolChat {
				most = 1 // the younger name of the cap
			}
			if refused := server.Refused(); len(refused) > most {
				t.Errorf("it refused %q", refused)
			}
		})
	}
}
