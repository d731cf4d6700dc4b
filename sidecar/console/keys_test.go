package console_test

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/site"
)

var shownSecret = regexp.MustCompile(`id="secret" readonly value="(sk-[^"]+)"`)

func TestSecretIsShownOnceAndNowhereElse(t *testing.T) {
	b := open(t, site.Options{}).as("alice")
	key, created := b.create("ci", "jobsPerDay", "3", "tikPerMonth", "2.5")
	match := shownSecret.FindStringSubmatch(created.body)
	if match == nil {
		t.Fatalf("no secret on the page\n%s", created.body)
	}
	secret := match[1]
	hash, ok := mint.ParseKey(secret)
	if !ok {
		t.Fatalf("secret %q is none", secret)
	}
	if identity, err := b.side.Authenticate(t.Context(), hash); err != nil || identity.KeyID != key.ID || !identity.Decision.Allow {
		t.Errorf("the secret opens %+v, %v", identity, err)
	}
	if created.header.Get("Cache-Control") != "no-store" {
		t.Errorf("Cache-Control %q", created.header.Get("Cache-Control"))
	}
	if *key.Limits.JobsPerDay != 3 || *key.Limits.TIKPerMonth != 2_500_000 || key.Limits.JobsPerMonth != nil {
		t.Errorf("limits %+v", key.Limits)
	}
	for _, path := range []string{"/console/keys", "/console/keys/" + key.ID, "/console/audit", "/console/usage"} {
		if p := b.get(path); p.has(secret) || p.status != http.StatusOK {
			t.Errorf("%s: status %d, secret %v", path, p.status, p.has(secret))
		}
	}
	if p := b.get("/console/keys/" + key.ID); !p.has(mint.MaskKey(secret)) {
		t.Error("the key's page has no masked form")
	}
}

func TestFormSentAgainMakesNoSecondKey(t *testing.T) {
	b := open(t, site.Options{}).as("alice")
	form := url.Values{"form": {formCode.FindStringSubmatch(b.get("/console/keys/new").body)[1]}, "name": {"ci"}}
	b.send("/console/keys", form)
	again := b.send("/console/keys", form)
	if again.status != http.StatusConflict || shownSecret.MatchString(again.body) || !again.has("shown again") {
		t.Errorf("status %d\n%s", again.status, again.body)
	}
	if list, err := b.side.Keys().Keys(t.Context(), "alice"); err != nil || len(list) != 1 {
		t.Errorf("%d keys, %v", len(list), err)
	}
}

func TestFormWhoseKeyWasNotMadeCanBeSentAgain(t *testing.T) {
	b := open(t, site.Options{}).as("alice")
	form := url.Values{"form": {formCode.FindStringSubmatch(b.get("/console/keys/new").body)[1]}, "name": {"ci"}}
	b.storeSQL("CREATE TRIGGER broken BEFORE INSERT ON keys BEGIN SELECT RAISE(ABORT, 'the disk is full'); END")
	if p := b.send("/console/keys", form); p.status != http.StatusServiceUnavailable || !p.has("Nothing was changed; try again") {
		t.Errorf("while the store fails: status %d\n%s", p.status, p.body)
	}
	b.storeSQL("DROP TRIGGER broken")
	if p := b.send("/console/keys", form); p.status != http.StatusOK || !shownSecret.MatchString(p.body) {
		t.Errorf("tried again: status %d\n%s", p.status, p.body)
	}
	if p := b.send("/console/keys", form); p.status != http.StatusConflict {
		t.Errorf("once the key is made: status %d", p.status)
	}
	if list, err := b.side.Keys().Keys(t.Context(), "alice"); err != nil || len(list) != 1 {
		t.Errorf("%d keys, %v", len(list), err)
	}
}

func TestRefusedFormKeepsWhatWasTyped(t *testing.T) {
	b := open(t, site.Options{}).as("alice")
	for name, tc := range map[string]struct {
		fields []string
		says   string
	}{
		"fraction":     {[]string{"jobsPerDay", "1.5"}, "Jobs per day can&#39;t be &#34;1.5&#34;"},
		"negative":     {[]string{"jobsPerMonth", "-1"}, "Jobs per month can&#39;t be &#34;-1&#34;"},
		"word":         {[]string{"maxConcurrentJobs", "many"}, "Jobs at once can&#39;t be"},
		"overflow":     {[]string{"jobsPerDay", "9223372036854775808"}, "Jobs per day can&#39;t be"},
		"tik places":   {[]string{"tikPerMonth", "0.0000001"}, "at most six places"},
		"blank name":   {[]string{"name", "   "}, "is not acceptable"},
		"long name":    {[]string{"name", strings.Repeat("x", 121)}, "is not acceptable"},
		"control name": {[]string{"name", "a\x00b"}, "is not acceptable"},
	} {
		t.Run(name, func(t *testing.T) {
			_, p := b.create("typed", append([]string{"tikPerMonth", "7"}, tc.fields...)...)
			if p.status != http.StatusUnprocessableEntity || !p.has(tc.says) || !p.has(`role="alert"`) {
				t.Errorf("status %d, want %q in\n%s", p.status, tc.says, p.body)
			}
			if tc.fields[0] != "tikPerMonth" && !p.has(`name="tikPerMonth" inputmode="decimal" autocomplete="off" value="7"`) {
				t.Error("what was typed is gone")
			}
		})
	}
	if list, err := b.side.Keys().Keys(t.Context(), "alice"); err != nil || len(list) != 0 {
		t.Errorf("%d keys, %v", len(list), err)
	}
}

func TestFormMakesAKeyThatMayOnlyRead(t *testing.T) {
	d := open(t, site.Options{})
	alice := d.as("alice")
	key, p := alice.create("board", "scope", "read", "labels", " team=arcade, stage=test ")
	if p.status != http.StatusOK || !slices.Equal(key.Scopes, []string{"read"}) || key.Labels["team"] != "arcade" || key.Labels["stage"] != "test" {
		t.Errorf("%d: %+v", p.status, key)
	}
	if p := alice.get("/console/keys/" + key.ID); !p.has("scopes: read · stage=test · team=arcade") {
		t.Errorf("the key's page does not say so:\n%s", p.body)
	}
	for _, labels := range []string{"team", "a=1, a=2", "a b=1"} {
		key, p := alice.create("refused", "scope", "read", "labels", labels)
		if p.status != http.StatusUnprocessableEntity || key.ID != "" || !p.has(`value="read" selected`) {
			t.Errorf("labels %q: %d, made %q", labels, p.status, key.ID)
		}
	}
}

func TestTwentyKeysAreTheMostAndThePageSaysSoBefore(t *testing.T) {
	b := open(t, site.Options{}).as("alice")
	for i := range keys.MaxPerUser {
		if i == 14 && b.get("/console/keys").has("of 20 keys are taken") {
			t.Error("14 keys: the limit is mentioned")
		}
		if _, err := b.side.Keys().Create(t.Context(), "test", "alice", "key"+strconv.Itoa(i), policy.Limits{}); err != nil {
			t.Fatal(err)
		}
		if i == 15 && !b.get("/console/keys").has("16 of 20 keys are taken") {
			t.Error("16 keys: the limit is not mentioned")
		}
	}
	list := b.get("/console/keys")
	if !list.has("All 20 keys are taken") || list.has(`href="/console/keys/new"`) {
		t.Error("the list offers a key that can't be made")
	}
	if p := b.get("/console/keys/new"); p.has(`name="form"`) || !p.has("Revoke one to make room") {
		t.Error("the form is there though it can't be sent")
	}
	p := b.send("/console/keys", url.Values{"form": {"x"}, "name": {"one more"}})
	if p.status != http.StatusUnprocessableEntity {
		t.Errorf("one more: status %d", p.status)
	}
}

func TestKeyIsRenamedLimitedDisabledEnabledAndRevoked(t *testing.T) {
	b := open(t, site.Options{}).as("alice")
	key, _ := b.create("ci")
	at := "/console/keys/" + key.ID
	step := func(path string, form url.Values, says string) keys.Key {
		t.Helper()
		if p := b.send(at+path, form); p.status != http.StatusOK || p.path != at || !p.has(says) {
			t.Errorf("%s: status %d at %s, want %q", path, p.status, p.path, says)
		}
		return b.key(key.ID)
	}
	if now := step("/name", url.Values{"name": {"build"}}, "The name is changed."); now.Name != "build" {
		t.Errorf("name %q", now.Name)
	}
	now := step("/limits", url.Values{"version": {"2"}, "jobsPerDay": {"9"}}, "The limits are changed.")
	if now.Limits.JobsPerDay == nil || *now.Limits.JobsPerDay != 9 {
		t.Errorf("limits %+v", now.Limits)
	}
	if p := b.get(at + "/disable"); !p.has("Disable the key <bdi>build</bdi>") || !p.has("autofocus>Cancel") {
		t.Error("disabling is not asked for by name")
	}
	if now := step("/disable", nil, "The key is disabled"); now.State != policy.KeyDisabled {
		t.Errorf("state %s", now.State)
	}
	if now := step("/enable", nil, "The key works again."); now.State != policy.KeyActive {
		t.Errorf("state %s", now.State)
	}
	if p := b.get(at + "/revoke"); !p.has("Revoke the key <bdi>build</bdi>") || !p.has("This is for good") {
		t.Error("revoking is not asked for by name")
	}
	if now := step("/revoke", nil, "The key is revoked for good."); now.State != policy.KeyRevoked {
		t.Errorf("state %s", now.State)
	}
	p := b.send(at+"/enable", nil)
	if p.status != http.StatusConflict || !p.has("The key is revoked, which is final") || b.key(key.ID).State != policy.KeyRevoked {
		t.Errorf("enabling a revoked key: status %d", p.status)
	}
	for _, what := range []string{"created the key", "renamed the key", "changed the limits of the key", "to: jobs per day 9", "disabled the key", "enabled the key", "revoked the key"} {
		if !b.get("/console/audit").has(what) {
			t.Errorf("the audit page does not say %q", what)
		}
	}
}

func TestSecondTabCanNotOverwriteLimitsUnseen(t *testing.T) {
	b := open(t, site.Options{}).as("alice")
	key, _ := b.create("ci")
	at := "/console/keys/" + key.ID
	b.send(at+"/limits", url.Values{"version": {"1"}, "jobsPerDay": {"3"}})
	p := b.send(at+"/limits", url.Values{"version": {"1"}, "jobsPerDay": {"99"}})
	if p.status != http.StatusConflict || !p.has("The key was changed meanwhile") || !p.has(`name="jobsPerDay" inputmode="numeric" autocomplete="off" value="99"`) {
		t.Errorf("status %d\n%s", p.status, p.body)
	}
	if now := b.key(key.ID); *now.Limits.JobsPerDay != 3 {
		t.Errorf("limit %d", *now.Limits.JobsPerDay)
	}
	if !p.has(`name="version" value="2"`) {
		t.Error("the page has no version to go on with")
	}
}

func TestListIsFilteredAndSortedByItsAddress(t *testing.T) {
	b := open(t, site.Options{}).as("alice")
	// What is looked for is longer than what is shown of a key on either side of its
	// mask: the letters there are random, and three of them are a word now and then.
	for _, name := range []string{"beta", "alphabet", "gamma"} {
		b.create(name)
	}
	revoked, _ := b.create("delta")
	b.send("/console/keys/"+revoked.ID+"/revoke", nil)
	order := func(path string) string {
		var names []string
		for _, match := range regexp.MustCompile(`class="name" href="[^"]+"><bdi>(\w+)<`).FindAllStringSubmatch(b.get(path).body, -1) {
			names = append(names, match[1])
		}
		return strings.Join(names, " ")
	}
	for path, want := range map[string]string{
		"/console/keys?sort=name":                "alphabet beta delta gamma",
		"/console/keys?sort=name&order=down":     "gamma delta beta alphabet",
		"/console/keys?state=revoked":            "delta",
		"/console/keys?q=PHABET":                 "alphabet",
		"/console/keys?q=" + revoked.Masked[3:]:  "delta",
		"/console/keys?sort=nothing&state=funny": order("/console/keys"),
		"/console/keys?q=omega":                  "",
	} {
		if got := order(path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	if p := b.get("/console/keys?q=omega"); !p.has("No key matches") {
		t.Error("an empty result is not explained")
	}
}

func TestHostileNamesAreText(t *testing.T) {
	b := open(t, site.Options{}).as("alice")
	project, err := b.side.CreateProject(context.Background(), "alice", api.ProjectRequest{Name: `"><img src=x onerror=alert(1)>`, Template: "blank", Description: "</p><script>x</script>"})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{`<script>alert(1)</script>`, `"><svg onload=x>`, "\u202egnp.exe", strings.Repeat("🎮", 120), `{{.}}`, `javascript:alert(1)`} {
		key, _ := b.create(name)
		if key.ID == "" {
			t.Fatalf("%q was not taken", name)
		}
		for _, path := range []string{"/console/keys", "/console/keys/" + key.ID, "/console/keys/" + key.ID + "/revoke", "/console/usage", "/console/audit"} {
			p := b.get(path)
			if p.status != http.StatusOK || strings.Contains(p.body, "<script>alert") || strings.Contains(p.body, "<svg onload") {
				t.Errorf("%s with %q: status %d", path, name, p.status)
			}
			// What turns the direction of text does so in its own box alone.
			for _, line := range strings.Split(p.body, "\n") {
				if strings.Contains(line, "\u202e") && !strings.Contains(line, "<bdi>") && !strings.Contains(line, "value=") &&
					!strings.Contains(line, "<title>") {
					t.Errorf("%s: not isolated: %s", path, line)
				}
			}
		}
	}
	for _, path := range []string{"/console/projects", "/console/projects/" + project.ID} {
		if p := b.get(path); p.status != http.StatusOK || p.has("<img src=x") || p.has("<script>x") {
			t.Errorf("%s: status %d", path, p.status)
		}
	}
}
