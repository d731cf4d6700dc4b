package console_test

import (
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/svc-games/svc/sidecar/projects"
	"github.com/svc-games/svc/sidecar/site"
)

// attributes reads a project's attributes from the sidecar.
func (d *desk) attributes(projectID string) map[string]string {
	d.t.Helper()
	details, err := d.side.Catalog.Details(d.t.Context(), projectID)
	if err != nil {
		d.t.Fatal(err)
	}
	return details.Attributes
}

func TestOwnerSetsAndRemovesAttributes(t *testing.T) {
	d := open(t, site.Options{})
	e := d.estate("alice")
	alice, page := d.as("alice"), "/console/projects/"+e.projectID
	for _, step := range []struct {
		form url.Values
		want map[string]string
		says string
	}{
		{url.Values{"name": {"readers"}, "value": {"bob"}}, map[string]string{"readers": "bob"}, "The attribute is set"},
		{url.Values{"name": {"team"}, "value": {"<b>arcade"}}, map[string]string{"readers": "bob", "team": "<b>arcade"}, "&lt;b&gt;arcade"},
		{url.Values{"name": {"readers"}, "seen": {"bob"}, "value": {"bob,carol"}}, map[string]string{"readers": "bob,carol", "team": "<b>arcade"}, "bob,carol"},
		{url.Values{"name": {"readers"}, "seen": {"bob,carol"}, "value": {"x"}, "remove": {"yes"}}, map[string]string{"team": "<b>arcade"}, "The attribute is removed"},
	} {
		if p := alice.send(page+"/attributes", step.form); p.status != http.StatusOK || p.path != page || !p.has(step.says) {
			t.Errorf("%v: %d at %s\n%s", step.form, p.status, p.path, p.body)
		}
		if got := d.attributes(e.projectID); !maps.Equal(got, step.want) {
			t.Errorf("%v: the attributes are %v, want %v", step.form, got, step.want)
		}
	}
	if p := alice.get("/console/audit"); !p.has("changed the attributes of the project") || !p.has(`href="`+page+`"`) || !p.has("from: none, to: readers bob<") {
		t.Errorf("the audit page does not tell who may read what\n%s", p.body)
	}
	if p := d.as("bob").get("/console/audit"); p.has("attributes") {
		t.Error("somebody else's audit page shows the change")
	}
}

func TestStaleProjectPageTakesNoAttributeBack(t *testing.T) {
	d := open(t, site.Options{})
	e := d.estate("alice")
	alice, page := d.as("alice"), "/console/projects/"+e.projectID
	alice.send(page+"/attributes", url.Values{"name": {"readers"}, "value": {"bob"}})
	for name, form := range map[string]url.Values{
		"another value was shown": {"name": {"readers"}, "seen": {"carol"}, "value": {"carol,dave"}},
		"removing what changed":   {"name": {"readers"}, "seen": {"carol"}, "remove": {"yes"}},
		"it was not there":        {"name": {"readers"}, "value": {"mallory"}},
		"it is gone":              {"name": {"team"}, "seen": {"arcade"}, "value": {"x"}},
	} {
		p := alice.send(page+"/attributes", form)
		if p.status != http.StatusConflict || !p.has("was changed meanwhile") || !p.has(`name="seen" value="bob"`) {
			t.Errorf("%s: %d\n%s", name, p.status, p.body)
		}
	}
	if got := d.attributes(e.projectID); !maps.Equal(got, map[string]string{"readers": "bob"}) {
		t.Errorf("the attributes are %v", got)
	}
}

func TestRefusedAttributeIsShownAsTyped(t *testing.T) {
	d := open(t, site.Options{})
	e := d.estate("alice")
	alice := d.as("alice")
	for name, form := range map[string]url.Values{
		"no name":      {"name": {""}, "value": {"as typed"}},
		"a bad name":   {"name": {"1st"}, "value": {"as typed"}},
		"a long value": {"name": {"a"}, "value": {"as typed" + strings.Repeat("x", 512)}},
		"control":      {"name": {"a"}, "value": {"as typed\x00"}},
	} {
		p := alice.send("/console/projects/"+e.projectID+"/attributes", form)
		if p.status != http.StatusUnprocessableEntity || !p.has(`role="alert"`) || !p.has(`value="as typed`) {
			t.Errorf("%s: %d\n%s", name, p.status, p.body)
		}
	}
	if got := d.attributes(e.projectID); len(got) != 0 {
		t.Errorf("the attributes are %v", got)
	}
}

func TestOwnerReadsWhatTheOperatorSetAndSetsNoneOfIt(t *testing.T) {
	d := open(t, site.Options{})
	e := d.estate("alice")
	alice := d.as("alice")
	page := "/console/projects/" + e.projectID
	if alice.get(page).has("Set by the operator") {
		t.Error("the page has a list of nothing")
	}
	d.setAsAdmin(e.projectID, "networks", "192.0.2.0/24 <b>")
	if p := alice.get(page); !p.has("Set by the operator") || !p.has("<code>networks</code>") || !p.has("192.0.2.0/24 &lt;b&gt;") {
		t.Errorf("the page lacks the operator's attribute: %s", p.body)
	}
	if p := alice.send(page+"/attributes", url.Values{"name": {"networks"}, "value": {"0.0.0.0/0"}, "admin": {"true"}}); p.status != http.StatusOK {
		t.Errorf("%d", p.status)
	}
	details, err := d.side.Catalog.Details(t.Context(), e.projectID)
	if err != nil || details.AdminAttributes["networks"] != "192.0.2.0/24 <b>" || details.Attributes["networks"] != "0.0.0.0/0" {
		t.Errorf("%+v, %v", details, err)
	}
	if p := alice.get("/console/audit"); !p.has("changed the operator&#39;s attributes of the project") || !p.has("Operator (user id 7 on the server)") {
		t.Errorf("audit: %s", p.body)
	}
}

// setAsAdmin sets an attribute that no owner can set.
func (d *desk) setAsAdmin(projectID, name, value string) {
	d.t.Helper()
	_, err := d.side.Catalog.SetAttributes(d.t.Context(), projects.AttributeChange{
		Actor: "uid:7", ProjectID: projectID, Admin: true, Set: map[string]*string{name: &value},
	})
	if err != nil {
		d.t.Fatal(err)
	}
}
