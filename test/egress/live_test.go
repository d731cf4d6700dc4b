package egress

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine-proxy/egress"
	"github.com/svc-games/svc/engine/gen"
	"github.com/svc-games/svc/engine/model"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/test/fake/foreign"
	"github.com/svc-games/svc/test/long"
)

// liveBriefs are what models are asked for that an operator pays for.
var liveBriefs = []string{
	"Two pendulums: cut the rope at the right moment so that the ball lands in the basket",
	"A snake in an orchard that grows with every apple",
	"Falling blocks: turn them, fill whole rows",
	"Tic-tac-toe against the computer, a match of three rounds",
	"Find the pairs of cards before the lamp goes out",
	"Tower defence: beetles follow a path, towers on stones shoot them",
	"Type the words before they fall to the ground",
	"Pinball with two flippers among the stars",
	"A lighthouse keeper turns the beam so that three ships find the harbour",
	"A quiet story of a letter that was never sent, with three endings",
	"A rhythm game: tap when the drop meets the ring",
	"A one-tap climber: a squirrel leaps from trunk to trunk",
}

// live is what a model made of the briefs.
type live struct {
	games, usable, first int // of first the first revision that was handed in passed
	steps, rounds        int // of rounds each played a revision
	tik                  api.TIK
	tokens               map[string]int64 // by the end of their unit
	took                 time.Duration
	failed               []string
}

// TestLiveModels has models that someone pays for write games; SVC_LIVE_MODELS names the
// file of the models, as SVC_EGRESS does. The run of all tests has none.
func TestLiveModels(t *testing.T) {
	file := os.Getenv("SVC_LIVE_MODELS")
	if file == "" {
		return
	}
	config, err := egress.ReadConfig(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("| model | games | usable | at the first try | steps | plays | read | of it cached | written | TIK | seconds |")
	for _, name := range writers(config) {
		t.Run(name, func(t *testing.T) {
			l := liveOf(t, config, name, liveBriefs)
			t.Logf("| %s |%s", name, l.row())
			for _, what := range l.failed {
				t.Logf("%s: %s", name, what)
			}
		})
	}
}

// What measures live models measures one that is not: each game and token is counted.
func TestLiveModelsAreCountedAsTheyWrite(t *testing.T) {
	long.Only(t) // TestForeignProviderAuthorsAGameOverEachWire has the same provider
	server := &foreign.Server{Wire: string(egress.ProtocolChat), Key: "sk-foreign"}
	at := httptest.NewServer(server)
	t.Cleanup(at.Close)
	config := egress.Config{Endpoints: []egress.Endpoint{{URL: at.URL + "/v1", Key: "sk-foreign", Chat: []string{"foreign/model:1"}}}}
	l := liveOf(t, config, "foreign/model:1", []string{"catch falling stars with a basket"})
	if l.games != 1 || l.usable != 1 || l.first > 1 || l.steps == 0 || l.rounds == 0 || l.tik <= 0 || l.tokens["input"] == 0 || l.tokens["output"] == 0 || l.took == 0 {
		t.Errorf("%+v", l)
	}
}

// writers are the models that write.
func writers(c egress.Config) (names []string) {
	for _, unit := range c.Units() {
		if name, is := strings.CutSuffix(strings.TrimPrefix(unit, "model."), ".input"); is {
			names = append(names, name)
		}
	}
	return names
}

func (l live) row() string {
	read := l.tokens["input"] + l.tokens["cached"] + l.tokens["cache_write"]
	return fmt.Sprintf(" %d | %d | %d | %d | %d | %d | %.0f %% | %d | %s | %.0f |", l.games, l.usable, l.first, l.steps, l.rounds, read,
		100*float64(l.tokens["cached"])/float64(max(1, read)), l.tokens["output"], l.tik, l.took.Seconds())
}

var stepsTaken = regexp.MustCompile(`The model took (\d+) steps`)

// liveOf has a model write a game of each brief, in a project of its own.
func liveOf(t *testing.T, config egress.Config, name string, briefs []string) live {
	t.Helper()
	l := live{tokens: map[string]int64{}}
	for _, brief := range briefs {
		r := newRigWith(t, func(c *egress.Config) { *c = config })
		if _, err := r.side.Keys().TopUp(t.Context(), "test", "alice", keys.Credit{TIK: 900_000_000 * api.MicroPerTIK}); err != nil {
			t.Fatal(err)
		}
		credential := filepath.Join(t.TempDir(), "token")
		if err := os.WriteFile(credential, []byte(token), 0o600); err != nil {
			t.Fatal(err)
		}
		w := r.engine(model.Options{}, judging(t), func(o *gen.Options) {
			o.Models = model.New(model.Options{Socket: r.socket, TokenFile: credential}) // whose pauses are real
		})
		w.lasts = time.Hour
		began := time.Now()
		o := w.work(brief, api.Settings{Model: name, ReasoningLevel: api.ReasoningMedium, GameType: api.GamePlatform})
		l.took += time.Since(began)
		l.count(o, brief)
		st, err := r.side.Keys().Statement(t.Context(), "alice", "", "")
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range st.Entries {
			if len(e.Units) > 0 {
				l.tik -= e.TIK
			}
			for _, u := range e.Units {
				l.tokens[u.Name[strings.LastIndexByte(u.Name, '.')+1:]] += u.Quantity
			}
		}
	}
	return l
}

// count adds a game.
func (l *live) count(o outcome, brief string) {
	l.games++
	first := true
	for _, e := range o.events {
		switch e.Type {
		case api.EventPlaytestResult:
			l.rounds++
			if first && e.Members["ok"] == true {
				l.first++
			}
			first = false
		case api.EventProgress:
			if m := stepsTaken.FindStringSubmatch(fmt.Sprint(e.Members["message"])); m != nil {
				var n int
				fmt.Sscan(m[1], &n)
				l.steps += n
			}
		}
	}
	if warned := o.warned(); o.record.Status == api.JobCompleted && !strings.Contains(warned, "wrote no game") {
		l.usable++
	} else {
		l.failed = append(l.failed, fmt.Sprintf("%q: %s: %s", brief, o.record.Status, warned))
	}
}
