package webhooks_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/webhook"
)

// The programs print for each post of standard input whether their library takes it.
const (
	referenceJS = `
import { readFileSync } from "node:fs";
import { Webhook } from "standardwebhooks";
for (const { headers, body, secret } of JSON.parse(readFileSync(0, "utf8"))) {
  let taken = "taken";
  try { new Webhook(secret).verify(body, headers); } catch { taken = "refused"; }
  console.log(taken);
}`
	// Python's library of the scheme is not to be had here: this is the one of our client.
	clientPy = `
import json, sys
from svc_client import WebhookError, verify_webhook
for post in json.load(sys.stdin):
    try:
        verify_webhook(post["headers"], post["body"].encode(), post["secret"])
        print("taken")
    except WebhookError:
        print("refused")`
)

// vector is a post, and whether a receiver takes it.
type vector struct {
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
	Secret  string            `json:"secret"`
	want    string
}

// TestReferenceLibrariesVerifyDeliveries has the scheme's own libraries look at what the
// sender posted.
func TestReferenceLibrariesVerifyDeliveries(t *testing.T) {
	f, r := on(t), newReceiver(t)
	former := f.set(f.project, r.URL)
	made, err := f.registry.RotateWebhook(t.Context(), f.project)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second is posted by a clock that is ahead by more than the tolerance
		f.end(f.project, api.JobCompleted)
		f.sender().Once(t.Context())
		f.pass(2 * webhook.Tolerance)
	}
	posts := r.got()
	if len(posts) != 2 {
		t.Fatalf("%d posts", len(posts))
	}
	now, ahead := posts[0], posts[1]
	other := now.header.Clone()
	other.Set(webhook.HeaderID, ahead.header.Get(webhook.HeaderID))
	const taken, refused = "taken", "refused"
	vectors := []vector{
		asVector(now.header, now.body, made.Secret, taken),
		asVector(now.header, now.body, former, taken),
		asVector(now.header, now.body, webhook.NewSecret(), refused),
		asVector(now.header, append(bytes.Clone(now.body), ' '), made.Secret, refused),
		asVector(other, now.body, made.Secret, refused),
		asVector(ahead.header, ahead.body, made.Secret, refused),
	}
	var want []string
	for i, v := range vectors {
		want = append(want, v.want)
		if got := takenByGo(t, v); got != v.want {
			t.Errorf("Go's library, post %d: %s, want %s", i, got, v.want)
		}
	}
	for name, got := range map[string][]string{"JavaScript's library": takenByJS(t, vectors), "the Python client": takenByPy(t, vectors)} {
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	library, err := standardwebhooks.NewWebhook(made.Secret)
	if err != nil {
		t.Fatal(err)
	}
	signature, err := library.Sign(now.header.Get(webhook.HeaderID), f.clock().Add(-4*webhook.Tolerance), now.body)
	if err != nil || strings.Fields(now.header.Get(webhook.HeaderSignature))[0] != signature {
		t.Errorf("the library signs otherwise: %s, %v", signature, err)
	}
}

func asVector(h http.Header, body []byte, secret, want string) vector {
	v := vector{map[string]string{}, string(body), secret, want}
	for _, name := range []string{webhook.HeaderID, webhook.HeaderTimestamp, webhook.HeaderSignature} {
		v.Headers[strings.ToLower(name)] = h.Get(name)
	}
	return v
}

func takenByGo(t *testing.T, v vector) string {
	t.Helper()
	library, err := standardwebhooks.NewWebhook(v.Secret)
	if err != nil {
		t.Fatal(err)
	}
	h := http.Header{}
	for name, value := range v.Headers {
		h.Set(name, value)
	}
	if library.Verify([]byte(v.Body), h) != nil {
		return "refused"
	}
	return "taken"
}

// takenByJS installs what is pinned for it, where it is not.
func takenByJS(t *testing.T, vectors []vector) []string {
	t.Helper()
	dir := repository(t, "test", "webhooks")
	if out, err := exec.CommandContext(t.Context(), repository(t, "scripts", "npm-install"), dir).CombinedOutput(); err != nil {
		t.Fatalf("installing JavaScript's library: %v\n%s", err, out)
	}
	return verdicts(t, dir, vectors, "node", "--input-type=module", "-e", referenceJS)
}

func takenByPy(t *testing.T, vectors []vector) []string {
	t.Helper()
	return verdicts(t, repository(t, "client", "python"), vectors, "python3", "-B", "-c", clientPy)
}

func verdicts(t *testing.T, dir string, vectors []vector, name string, args ...string) []string {
	t.Helper()
	input, err := json.Marshal(vectors)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(input)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
	return strings.Fields(string(out))
}

// repository returns the path of a part of the repository.
func repository(t *testing.T, parts ...string) string {
	t.Helper()
	dir, err := os.Getwd() // a package's tests run in its directory
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(append([]string{dir, "..", ".."}, parts...)...)
}
