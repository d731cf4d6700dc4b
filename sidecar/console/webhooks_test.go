package console_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/site"
)

// ended returns another job of an estate, which is completed.
func (d *desk) ended(e estate) string {
	d.t.Helper()
	id := mint.NewJobID(d.now())
	if _, err := d.side.Reserve(d.t.Context(), sidecar.Reservation{JobID: id, KeyID: e.keyID, ProjectID: e.projectID}); err != nil {
		d.t.Fatal(err)
	}
	if err := d.side.EndJob(d.t.Context(), contract.JobRecord{JobID: id, ProjectID: e.projectID, Status: api.JobCompleted}); err != nil {
		d.t.Fatal(err)
	}
	return id
}

func TestOwnersSeeDeliveriesAndReplayThem(t *testing.T) {
	d := open(t, site.Options{})
	e := d.estate("alice")
	alice, at := d.as("alice"), "/console/projects/"+e.projectID+"/webhook"
	if p := alice.get(at); p.status != http.StatusOK || !p.has("svc webhooks set "+e.projectID) || !p.has("Nothing was posted.") {
		t.Errorf("without a webhook: %d\n%s", p.status, p.body)
	}
	// Nothing is ever posted there: the name is of no host.
	hook, err := d.side.SetWebhook(t.Context(), e.projectID, api.WebhookRequest{URL: "https://hooks.invalid/in/hidden-part?t=hidden-part", Events: api.HookEvents()})
	if err != nil {
		t.Fatal(err)
	}
	job := d.ended(e)
	id := api.DeliveryID(job)
	d.storeSQL(`UPDATE webhook_deliveries SET state = 'dead', attempts = 9, problem = 'The receiver answered 500.', ended_at = due_at`)
	p := alice.get(at)
	for _, text := range []string{"https://hooks.invalid<", api.HookCompleted, job, "dead", ">9<", "The receiver answered 500.", `value="` + id + `"`} {
		if !p.has(text) {
			t.Errorf("the page lacks %q:\n%s", text, p.body)
		}
	}
	if p.has(hook.Secret) || p.has("hidden-part") {
		t.Error("the page shows a secret")
	}
	if p := alice.get(at + "?state=delivered"); p.has(job) || !p.has("No delivery is delivered.") {
		t.Errorf("delivered are\n%s", p.body)
	}
	for _, query := range []string{"?state=x", "?after=x"} {
		if p := alice.get(at + query); p.status != http.StatusBadRequest {
			t.Errorf("%s: %d", query, p.status)
		}
	}
	if p := d.as("bob").send(at, url.Values{"delivery": {id}}); p.status != http.StatusNotFound {
		t.Errorf("somebody else's delivery: %d", p.status)
	}
	if p := alice.get(at + "?state=dead"); !p.has(job) {
		t.Error("somebody else replayed the delivery")
	}
	if p := alice.send(at, url.Values{"delivery": {"msg_01J0000000000000000000000A"}}); p.status != http.StatusNotFound {
		t.Errorf("a delivery no one made: %d", p.status)
	}
	if p := alice.send(at, url.Values{"delivery": {id}}); p.status != http.StatusOK || p.path != at || !p.has("posted again") || !p.has("waiting") {
		t.Errorf("the replay: %d at %s\n%s", p.status, p.path, p.body)
	}
	if p := alice.get(at + "?state=dead"); p.has(job) {
		t.Error("the replayed delivery is dead")
	}
}

func TestDeliveriesHavePages(t *testing.T) {
	d := open(t, site.Options{})
	e := d.estate("alice")
	alice, at := d.as("alice"), "/console/projects/"+e.projectID+"/webhook"
	if _, err := d.side.SetWebhook(t.Context(), e.projectID, api.WebhookRequest{URL: "https://hooks.invalid/", Events: api.HookEvents()}); err != nil {
		t.Fatal(err)
	}
	var jobs []string
	for range 26 {
		jobs = append(jobs, d.ended(e))
		d.pass(time.Second)
	}
	first, older := alice.get(at), "?after="+api.DeliveryID(jobs[1])
	if first.has(jobs[0]) || !first.has(jobs[1]) || !first.has(older) {
		t.Errorf("the first page:\n%s", first.body)
	}
	if p := alice.get(at + older); !p.has(jobs[0]) || p.has(jobs[1]) || !p.has("Newest") {
		t.Errorf("the second page:\n%s", p.body)
	}
}
