package studio

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/sidecar"
)

const planText = "# Plan: <b>Taxi</b>\n\nA new game,\nat night.\n\n| what | choice |\n|---|---|\n| Mechanic | lane |\n\n- \"taxi\" chose it.\n\n" + closing + "\n"

func TestAPlanIsShownAsADocumentAndSentAsItWasRead(t *testing.T) {
	o := openStudio(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case contract.PathWorkspace:
			_ = json.NewEncoder(w).Encode(contract.Workspace{Head: 1, Files: []contract.WorkspaceFile{{Path: planFile, Bytes: 9}}})
		case contract.PathFile:
			w.Header().Set("ETag", `"sum"`)
			_, _ = io.WriteString(w, planText)
		default:
			emptyGame(w, r)
		}
	})
	sent := 0
	o.sidecar.replay = func(string) error {
		sent++
		return &answers.Error{Status: http.StatusUnprocessableEntity, Message: "refused for the test"}
	}
	_, page := o.send(o.at(""), nil)
	for _, want := range []string{"<h4><bdi>Plan: &lt;b&gt;Taxi&lt;/b&gt;</bdi></h4>", "<p><bdi>A new game, at night.</bdi></p>", "<bdi>Mechanic</bdi> <bdi>lane</bdi>", "Build this"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q:\n%s", want, page)
		}
	}
	for name, c := range map[string]struct {
		form url.Values
		want int
		sent int
	}{
		"another plan":    {url.Values{"sha256": {"old"}, "do": {"build"}, "comment": {"kept"}}, http.StatusConflict, 0},
		"nothing to plan": {url.Values{"sha256": {"sum"}, "do": {"plan"}}, http.StatusBadRequest, 0},
		"the plan":        {url.Values{"sha256": {"sum"}, "do": {"build"}, "comment": {"in rain"}, "once": {"ABCDEFGHIJKLMNOPQRSTUVWXYZ"}}, http.StatusUnprocessableEntity, 1},
	} {
		sent = 0
		res, page := o.send(o.at("/build"), c.form)
		if res.StatusCode != c.want || sent != c.sent || !strings.Contains(page, c.form.Get("comment")) {
			t.Errorf("%s: %d, sent %d\n%s", name, res.StatusCode, sent, page)
		}
	}
	prompt := planPrompt(planText, "in rain")
	if strings.Contains(prompt, "chatMode") || !strings.HasSuffix(prompt, "in rain") || !strings.Contains(prompt, "| Mechanic | lane |") {
		t.Errorf("%q", prompt)
	}
}

func TestTheQueueIsMovedByOnePlace(t *testing.T) {
	a, b, c := mint.NewJobID(time.Now()), mint.NewJobID(time.Now()), mint.NewJobID(time.Now())
	queue := strings.Join([]string{a, b, c}, ",")
	for _, m := range []struct {
		job, move string
		want      []string
	}{
		{b, "sooner", []string{b, a, c}}, {b, "later", []string{a, c, b}}, {a, "sooner", nil}, {c, "later", nil}, {b, "", nil}, {"x", "later", nil}, {mint.NewJobID(time.Now()), "later", nil},
	} {
		got, err := moved(queue, m.job, m.move)
		if !slices.Equal(got, m.want) || (err == nil) != (m.want != nil) {
			t.Errorf("%s %s: %v, %v", m.job, m.move, got, err)
		}
	}
	page := projectPage{Workspace: contract.Workspace{Running: c, Queued: []string{b, a}}}
	for _, id := range []string{c, b, a} { // the newest first
		page.Jobs = append(page.Jobs, sidecar.Job{Job: api.Job{JobID: id}})
	}
	if waits := page.Waiting(); page.Active().JobID != c || len(waits) != 2 || waits[0].JobID != b || !page.First(b) || page.First(a) || !page.Last(a) {
		t.Errorf("%s is active, %+v wait", page.Active().JobID, waits)
	}
	asked := ""
	o := openStudio(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != contract.PathQueue {
			emptyGame(w, r)
			return
		}
		data, _ := io.ReadAll(r.Body)
		if asked += string(data); len(asked) > len(data) {
			w.WriteHeader(http.StatusConflict)
			_, _ = io.WriteString(w, `{"error":"Other jobs wait by now."}`)
		}
	})
	form := url.Values{"queue": {queue}, "job": {b}, "move": {"later"}}
	if res, _ := o.send(o.at("/queue"), form); res.StatusCode != http.StatusSeeOther || asked != `{"jobs":["`+a+`","`+c+`","`+b+`"]}` {
		t.Errorf("%d, asked for %s", res.StatusCode, asked)
	}
	if res, page := o.send(o.at("/queue"), form); res.StatusCode != http.StatusConflict || !strings.Contains(page, "The order is as it was: Other jobs wait by now.") {
		t.Errorf("%d %s", res.StatusCode, page)
	}
}
