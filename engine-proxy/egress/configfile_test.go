package egress_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/engine-proxy/egress"
)

func TestConfigurationFileIsReadStrictly(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "egress.json")
	read := func(text string) (egress.Config, error) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return egress.ReadConfig(path)
	}
	got, err := read(`{"endpoints":[{"url":"https://models.example/v1","key_file":"models.key","chat":["writer"]}],"timeout":"90s"}`)
	want := egress.Config{
		Timeout: 90 * time.Second, File: path,
		Endpoints: []egress.Endpoint{{
			URL: "https://models.example/v1", KeyFile: filepath.Join(filepath.Dir(path), "models.key"), Chat: []string{"writer"},
		}},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	for text, says := range map[string]string{
		`{"endpoints":[{"url":"https://models.example","writers":["writer"]}]}`:                                      `unknown field "writers"`,
		`{"endpoints":[{"url":"https://models.example","models":["writer"]}]}`:                                       "name, protocol, use",
		`{"endpoints":[{"url":"https://models.example","models":[{"name":"writer","ctx":5}]}]}`:                      `no member "ctx": it has name, protocol, use, context, max_output, vision, reasoning, cache, parallel, first_token, fallback, tik_per_job`,
		`{"endpoints":[{"url":"https://models.example","models":[{"name":"writer","protocol":"grpc"}]}]}`:            "chat, responses, messages",
		`{"endpoints":[{"url":"https://models.example","models":[{"name":"writer","reasoning":"hard"}]}]}`:           "none, effort, budget, adaptive",
		`{"endpoints":[{"url":"https://models.example","models":[{"name":"writer","cache":"yes"}]}]}`:                "auto, marks, none",
		`{"endpoints":[{"url":"https://models.example","models":[{"name":"writer","use":"video"}]}]}`:                "chat, images, speech",
		`{"endpoints":[{"url":"https://models.example","models":[{"name":"writer","context":10,"max_output":11}]}]}`: "more than context",
		`{"endpoints":[{"url":"https://models.example","models":[{"name":"w","first_token":"soon"}]}]}`:              "soon",
		`{"endpoints":[{"url":"https://models.example","models":[{"name":"w","tik_per_job":{"max":1}}]}]}`:           `unknown field "max"`,
		`{"endpoints":[{"url":"https://models.example","models":[{"name":"w","tik_per_job":{"low":-1}}]}]}`:          "whole TIK for low, medium and high",
		`{"endpoints":[{"url":"https://models.example","models":[{"name":"w","use":"images","tik_per_job":{}}]}]}`:   "only models of the use chat",
		`{"endpoints":[{"url":"https://models.example","models":[{"name":"writer"}],"chat":["writer"]}]}`:            "given twice",
		`{"endpoints":[],"timeout":"soon"}`: "soon",
		`{"endpoints":[]}`:                  "no endpoint",
		`{"endpoints":[]} {}`:               "data after the object",
	} {
		if _, err := read(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: got %v, want %q", text, err, says)
		}
	}
}
