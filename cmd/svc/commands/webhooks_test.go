package commands

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
)

const (
	fakeSecret   = "whsec_c2VjcmV0"
	fakeDelivery = "msg_01J00000000000000000000000"
)

// hooked has a fake service answer what is asked of the project's webhook. It returns what
// was asked.
func hooked(s *fakeService) (asked *[]string) {
	asked = new([]string)
	hook := api.Webhook{URL: "https://hooks.example.com/\x1b[2J", Events: []string{api.HookFailed}}
	shown := hook
	shown.Secret = fakeSecret
	dead := api.Delivery{ID: fakeDelivery, JobID: fakeJob, Event: api.HookFailed, State: api.DeliveryDead, Attempts: 9,
		Problem: "The receiver answered 500.\x1b[2J", CreatedAt: time.Unix(0, 0)}
	again := api.Delivery{ID: fakeDelivery, JobID: fakeJob, Event: api.HookFailed, State: api.DeliveryWaiting, CreatedAt: time.Unix(0, 0)}
	s.refuse = func(w http.ResponseWriter, r *http.Request) bool {
		part, of := strings.CutPrefix(r.URL.Path, "/v1/projects/"+fakeProject+"/webhook")
		if !of {
			return false
		}
		body, _ := io.ReadAll(r.Body)
		*asked = append(*asked, strings.TrimSpace(strings.Join([]string{r.Method, part, r.URL.RawQuery, string(body)}, " ")))
		switch r.Method + " " + part {
		case "POST ", "POST /secret":
			answer(w, 200, api.WebhookFound{Success: true, Data: shown})
		case "GET ":
			answer(w, 200, api.WebhookFound{Success: true, Data: hook})
		case "DELETE ":
			answer(w, 200, map[string]bool{"success": true})
		case "GET /deliveries":
			page := api.DeliveryList{Success: true, Data: []api.Delivery{dead}}
			if r.URL.Query().Get("after") == "" {
				page.NextCursor = fakeDelivery
			}
			answer(w, 200, page)
		case "POST /replay":
			answer(w, 200, api.DeliveryFound{Success: true, Data: again})
		default:
			return false
		}
		return true
	}
	return asked
}

func TestWebhookIsSetShownRotatedAndDropped(t *testing.T) {
	s := newFakeService(t)
	asked := hooked(s)
	const secretSaid = "The secret, which is not shown again:\n"
	for _, test := range []struct {
		args           []string
		asked          string
		stdout, stderr string
	}{
		{[]string{"set", fakeProject, "https://hooks.example.com/", "--events", "job.failed"},
			`POST   {"url":"https://hooks.example.com/","events":["job.failed"]}`, fakeSecret + "\n", secretSaid},
		{[]string{"set", fakeProject, "https://hooks.example.com/"}, `POST   {"url":"https://hooks.example.com/"}`, fakeSecret + "\n", secretSaid},
		{[]string{"show", fakeProject}, "GET", "https://hooks.example.com/", ""},
		{[]string{"rotate", fakeProject}, "POST /secret", fakeSecret + "\n", secretSaid},
		{[]string{"drop", fakeProject}, "DELETE", "", ""},
		{[]string{"replay", fakeProject, fakeDelivery}, `POST /replay  {"deliveryId":"` + fakeDelivery + `"}`, "waiting\n", ""},
	} {
		*asked = nil
		code, stdout, stderr := svc(append([]string{"webhooks"}, test.args...)...)
		if code != exitOK || !strings.HasPrefix(stdout, test.stdout) || stderr != test.stderr || strings.Contains(stdout, "\x1b") ||
			!slices.Equal(*asked, []string{test.asked}) {
			t.Errorf("%v: exit %d, asked %q\n%s%s", test.args, code, *asked, stdout, stderr)
		}
	}
	if _, stdout, stderr := svc("webhooks", "rotate", fakeProject, "--json"); stderr != "" || !strings.Contains(stdout, `"secret": "`+fakeSecret+`"`) {
		t.Errorf("as JSON: %s%s", stdout, stderr)
	}
}

func TestDeliveriesOfAWebhookAreListed(t *testing.T) {
	s := newFakeService(t)
	asked := hooked(s)
	code, stdout, stderr := svc("webhooks", "deliveries", fakeProject, "--state", "dead")
	if code != exitOK || strings.Count(stdout, fakeDelivery) != 2 || !strings.Contains(stdout, "job.failed  dead  9  The receiver answered 500.") || strings.Contains(stdout, "\x1b") {
		t.Errorf("exit %d: %q %s", code, stdout, stderr)
	}
	if want := []string{"GET /deliveries limit=100&state=dead", "GET /deliveries after=" + fakeDelivery + "&limit=100&state=dead"}; !slices.Equal(*asked, want) {
		t.Errorf("asked %q, want %q", *asked, want)
	}
	if code, stdout, _ := svc("webhooks", "deliveries", fakeProject, "--json"); code != exitOK || strings.Count(stdout, `"state": "dead"`) != 2 {
		t.Errorf("as JSON: exit %d: %s", code, stdout)
	}
}

func TestWebhooksRefusesWhatIsNoUse(t *testing.T) {
	s := newFakeService(t)
	asked := hooked(s)
	for _, args := range [][]string{{"set", fakeProject}, {"show"}, {"rotate"}, {"drop"}, {"deliveries"}, {"replay", fakeProject}} {
		if code, _, stderr := svc(append([]string{"webhooks"}, args...)...); code != exitUsage {
			t.Errorf("%v: exit %d: %s", args, code, stderr)
		}
	}
	if len(*asked) > 0 {
		t.Errorf("asked %q", *asked)
	}
	s.refuse = func(w http.ResponseWriter, _ *http.Request) bool {
		(&answers.Error{Status: 404, Message: "The project has no webhook."}).WriteTo(w)
		return true
	}
	if code, stdout, stderr := svc("webhooks", "show", fakeProject); code != exitError || stdout != "" || !strings.Contains(stderr, "The project has no webhook.") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
}
