package egress

import (
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/engine-proxy/egress"
	"github.com/svc-games/svc/engine-proxy/egress/cassette"
	"github.com/svc-games/svc/engine/gen/agent"
	"github.com/svc-games/svc/engine/model"
	fakeprovider "github.com/svc-games/svc/test/fake/provider"
	"github.com/svc-games/svc/test/puppets"
)

// plays answers by cassettes.
func plays(p *cassette.Player) fakeprovider.Answer {
	return func(_ *fakeprovider.Provider, w http.ResponseWriter, r *http.Request, q fakeprovider.Request) {
		p.Play(w, r.URL.Path, q.Body)
	}
}

func TestRecordedGameIsPlayedAgainToTheByteWithoutItsProvider(t *testing.T) {
	t.Parallel()
	const secret = "sk-secret-of-the-provider-0123456789"
	p := puppet(t, "snake")
	for _, name := range []string{"DeepSeek", "Gemini", "responses", "budget"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, folder := wires[name], t.TempDir()
			a := puppets.Act(p.Script(nil), w.rules.Manner)
			live := stage(t, w.rules, w.can, a.Answer(), func(c *egress.Config) {
				c.Record, c.Endpoints[0].Key = folder, secret
			})
			live.provider.Key = secret
			first := authored(t, live.client(), p)
			player, err := cassette.Open(filepath.Join(folder, "writer"))
			if err != nil || player.Len() != a.Steps() {
				t.Fatalf("%d cassettes of %d steps, %v", player.Len(), a.Steps(), err)
			}
			checkClean(t, folder, secret, live.provider.URL, "s001_0", fakeprovider.Sign("Step 1: what comes next? – 好"))
			again := stage(t, fakeprovider.Rules{}, w.can, plays(player))
			again.provider.Answer(plays(player)) // it checks no signature of its own
			second := authored(t, again.client(), p)
			if !maps.EqualFunc(first.Files, second.Files, slices.Equal) || first.Usage != second.Usage || first.Summary != second.Summary {
				t.Errorf("it is another game: %+v, %+v", first.Usage, second.Usage)
			}
			stale(t, again.client(), player)
		})
	}
}

// checkClean fails where a cassette holds what no one else shall have.
func checkClean(t *testing.T, folder string, not ...string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range not {
			if strings.Contains(string(raw), text) {
				t.Errorf("%s holds %q", filepath.Base(file), text)
			}
		}
	}
}

// stale asks with another prompt.
func stale(t *testing.T, c *model.Client, player *cassette.Player) {
	t.Helper()
	task := taskOf(t, puppet(t, "snake"))
	task.Manual += "\nOne more rule."
	out, err := agent.Run(t.Context(), c, trusting{}, trusting{}, task)
	if err != nil || out.Stop != agent.StopProvider {
		t.Errorf("it ended with %q, %v", out.Stop, err)
	}
	if list := player.Stale(); len(list) != 1 || !strings.Contains(list[0], "system changed since it was recorded") {
		t.Errorf("stale are %q", list)
	}
}
