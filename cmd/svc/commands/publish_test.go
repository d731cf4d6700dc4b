package commands

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
)

func TestThePrintedAddressOfAGameIsItsPage(t *testing.T) {
	newFakeService(t)
	site := os.Getenv("SVC_BASE_URL")
	for _, base := range []string{site, site + "/", site + "/v1", site + "/v1/", strings.Replace(site, "//", "//user:word@", 1)} {
		code, stdout, stderr := svc("publish", fakeJob, "--base-url", base)
		if code != exitOK || stdout != site+answers.PlayPath(fakeProject)+"\n" {
			t.Errorf("%s: exit %d: %q %s", base, code, stdout, stderr)
		}
	}
}

// settings has the fake service answer what is sent to the game's settings, key and
// experiments, and notes the bodies.
func settings(s *fakeService, bodies *[]string) {
	s.refuse = func(w http.ResponseWriter, r *http.Request) bool {
		body, _ := io.ReadAll(r.Body)
		var said any
		switch strings.TrimPrefix(r.URL.Path, "/v1/projects/"+fakeProject+"/") {
		case "publish/settings":
			said = api.PlaySettings{Origins: []string{"https://a.example\x1b"}, TIKPerMonth: 2_500_000}
		case "publish/key":
			said = api.Publication{Key: "pk-another"}
		case "experiments":
			said = []api.Experiment{{ID: "speed", State: api.ExperimentWinner, Winner: "1.25", Values: []api.ExperimentValue{{Value: "own", Percent: 50}, {Value: "1.25", Percent: 50}}}}
		case "board":
			said = api.BoardRules{Better: api.BetterLower, Rewards: []api.RewardRule{}}
		default:
			return false
		}
		*bodies = append(*bodies, r.Method+" "+strings.TrimSpace(string(body)))
		data, err := json.Marshal(said)
		if err != nil {
			panic(err)
		}
		answer(w, 200, map[string]any{"success": true, "data": json.RawMessage(data)})
		return true
	}
}

func TestGameAndItsExperimentsAreSetByCommands(t *testing.T) {
	s := newFakeService(t)
	var bodies []string
	settings(s, &bodies)
	for _, tc := range []struct {
		args, sent, prints string
	}{
		{"game settings ID", "GET ", "reports: https://a.example \nTIK per month: 2.5\nasks for consent: false\n"},
		{"game settings ID --origins https://a.example,http://b --tik-per-month 2.5", `POST {"origins":["https://a.example","http://b"],"tikPerMonth":2.5}`, "reports"},
		{"game settings ID --origins= --ask-consent=false", `POST {"origins":[],"askConsent":false}`, "reports"},
		{"game rotate-key ID", `POST {"keepDays":30}`, "pk-another\n"},
		{"game rotate-key ID --keep-days 0", `POST {"keepDays":0}`, "pk-another\n"},
		{"experiments list ID", "GET ", "speed  winner 1.25  own (50 %), 1.25 (50 %)\n"},
		{"experiments draft ID speed own 1.25 --percents 90,10", `POST {"id":"speed","state":"draft","values":["own","1.25"],"percents":[90,10]}`, "speed"},
		{"experiments start ID speed", `POST {"id":"speed","state":"running"}`, "speed"},
		{"experiments stop ID speed", `POST {"id":"speed","state":"stopped"}`, "speed"},
		{"experiments winner ID speed 1.25", `POST {"id":"speed","state":"winner","winner":"1.25"}`, "speed"},
		{"experiments remove ID speed", `POST {"id":"speed","state":"removed"}`, "speed"},
	} {
		bodies = nil
		code, stdout, stderr := svc(strings.Fields(strings.Replace(tc.args, "ID", fakeProject, 1))...)
		if code != exitOK || !strings.HasPrefix(stdout, tc.prints) || len(bodies) != 1 || bodies[0] != tc.sent {
			t.Errorf("%s: exit %d, sent %q, prints %q %s", tc.args, code, bodies, stdout, stderr)
		}
	}
	for input, sent := range map[string]string{`{"better":"lower","least":3}`: `POST {"better":"lower","least":3,"rewards":[]}`, `{"better":"best"}`: "", `{"Least":3}`: ""} {
		bodies = nil
		code, stdout, stderr := svcWithInput(input, "board", "set", fakeProject, "-")
		if sent == "" && code != exitUsage || sent != "" && (code != exitOK || len(bodies) != 1 || bodies[0] != sent || !strings.Contains(stdout, `"better": "lower"`)) {
			t.Errorf("the rules %s: exit %d, sent %q, prints %q %s", input, code, bodies, stdout, stderr)
		}
	}
	for _, args := range []string{"experiments draft ID speed own", "experiments draft ID 1x own 2", "game settings ID --tik-per-month -1"} {
		if code, _, stderr := svc(strings.Fields(strings.Replace(args, "ID", fakeProject, 1))...); code != exitUsage {
			t.Errorf("%s: exit %d %s", args, code, stderr)
		}
	}
}
