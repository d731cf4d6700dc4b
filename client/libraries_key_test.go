package client

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
)

// keyJS and keyPy print what keys that are copied wrongly bring: the first is fine.
const (
	keyJS = `
import { Client } from "./typescript/index.js";
for (const apiKey of ["\t sk-test\r\n", "sk-secret\nsk-secret", "sk-…", " \n", undefined]) {
  try {
    for await (const job of new Client({ apiKey, baseURL: process.env.SVC_BASE_URL }).jobs()) console.log(job.jobId);
  } catch (error) {
    console.log(error.message);
  }
}`
	keyPy = `
import os, sys
sys.path.insert(0, "python")
from svc_client import Client
for key in ["\t sk-test\r\n", "sk-secret\nsk-secret", "sk-…", " \n", None]:
    try:
        for job in Client(key, os.environ["SVC_BASE_URL"]).jobs():
            print(job["jobId"])
    except Exception as error:
        print(error)`
)

// TestKeyIsTakenAsAFileHasItAndOneThatIsNoneIsNotShown: white space around a key makes no
// difference, and what no header can hold is refused before it is sent, without its text.
func TestKeyIsTakenAsAFileHasItAndOneThatIsNoneIsNotShown(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Authorization"); got != "Bearer "+testKey {
			t.Errorf("Authorization %q", got)
		}
		writeJSON(w, http.StatusOK, api.JobList{Success: true, Data: []api.Job{{JobID: testJob}}})
	}))
	defer server.Close()
	for name, command := range map[string][]string{
		"apiKey":  {"node", "--input-type=module", "-e", keyJS},
		"api_key": {"python3", "-B", "-c", keyPy},
	} {
		want := testJob + strings.ReplaceAll("\nan NAME has visible ASCII characters alone\nan NAME has visible ASCII characters alone\n"+
			"an NAME is required\nan NAME is required\n", "NAME", name)
		if got := printed(t, server.URL, command...); got != want {
			t.Errorf("%s:\n%swant\n%s", command[0], got, want)
		}
	}
	c, err := New(Options{APIKey: "\t" + testKey + "\r\n", BaseURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range c.Jobs(t.Context(), JobQuery{}) {
		if err != nil {
			t.Error(err)
		}
	}
	if _, err := New(Options{APIKey: "sk-secret\nsk-secret"}); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("two keys: %v", err)
	}
}

// TestIdempotencyKeyThatCanNotBeSentIsRefusedAtOnce: it isn't taken for a lost connection,
// which is waited out.
func TestIdempotencyKeyThatCanNotBeSentIsRefusedAtOnce(t *testing.T) {
	c, clock := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("it was asked") })
	own := WithIdempotencyKey("order 17\n")
	_, generated := c.Generate(t.Context(), api.GenerateRequest{}, own)
	_, created := c.CreateProject(t.Context(), api.ProjectRequest{}, own)
	for _, err := range []error{generated, created} {
		if !errors.Is(err, ErrBadRequest) || !strings.Contains(err.Error(), "Idempotency-Key") {
			t.Errorf("it says %v", err)
		}
	}
	if len(clock.slept) > 0 {
		t.Errorf("waited %v", clock.slept)
	}
}
