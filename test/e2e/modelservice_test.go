package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/sse"
	"github.com/svc-games/svc/engine/gen/playtest"
	"github.com/svc-games/svc/sidecar/keys"
	fakeprovider "github.com/svc-games/svc/test/fake/provider"
)

// credential is what the provider asks for. No one but the egress may know it.
const credential = "sk-the-providers-own-credential"

// slow bounds a job that models and a browser have a part in.
const slow = 5 * time.Minute

// Every answer of the writer costs 2 TIK: 1000 × 0.001 + 100 × 0.01.
var (
	answerUsage = &fakeprovider.Usage{PromptTokens: 1000, CompletionTokens: 100, TotalTokens: 1100}
	prices      = map[string]any{"generator.job": 1, "model.writer.input": 0.001, "model.writer.output": 0.01, "image": 2.5, "audio": 0.5}
)

// startWithModels starts a service whose engines may call the models at an
// address, and have a browser, or noBrowser.
func startWithModels(t *testing.T, f form, url, chromium string) *service {
	t.Helper()
	s := newService(t, f, "SVC_PRICES="+pricesFile(t))
	s.runEngines("process", map[string]any{"chromium": chromium}, modelsFile(t, url))
	s.secrets = append(s.secrets, credential)
	s.start()
	return s
}

// noBrowser is in place of a browser's path for engines that have none.
const noBrowser = "off"

// modelsFile says where the models are, and by which credential.
func modelsFile(t *testing.T, url string) string {
	t.Helper()
	key := filepath.Join(t.TempDir(), "models.key")
	if err := os.WriteFile(key, []byte(credential+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return jsonFile(t, map[string]any{"endpoints": []any{map[string]any{
		"url": url, "key_file": key, "chat": []string{"writer"}, "images": []string{"painter"}, "speech": []string{"speaker"},
	}}})
}

func pricesFile(t *testing.T) string { return jsonFile(t, prices) }

func jsonFile(t *testing.T, content any) string {
	t.Helper()
	raw, err := json.Marshal(content)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "file.json")
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// chromiumProgram is the browser itself: what Debian has on the PATH is a
// script that starts it.
func chromiumProgram(t *testing.T) string {
	t.Helper()
	const debian = "/usr/lib/chromium/chromium"
	if _, err := os.Stat(debian); err == nil {
		return debian
	}
	path, err := playtest.Find()
	if err != nil {
		t.Fatalf("%v: make deps installs what the tests need", err)
	}
	return path
}

// writes answers with calls of tools, in pieces and without ids, as some
// servers do.
func writes(calls ...fakeprovider.ToolCall) fakeprovider.Answer {
	return fakeprovider.Chat{Text: "I see.", Tools: calls, ArgumentsIn: 4, Every: 37, Usage: answerUsage}.Answer()
}

func tool(name string, arguments map[string]any) fakeprovider.ToolCall {
	raw, err := json.Marshal(arguments)
	if err != nil {
		panic(err) // of strings
	}
	return fakeprovider.ToolCall{Name: name, Arguments: string(raw)}
}

// concept is a reading of the brief with a wish that only the sources can meet.
var concept = fakeprovider.Chat{
	Text: "Sure:\n```json\n" + `{"mechanic":"gap","theme":"forest","hero":"duck","title":"Wobble","lives":3,"unmet":["it wobbles"]}` + "\n```", Usage: answerUsage,
}.Answer()

var wobble = tool("edit_file", map[string]any{
	"path": "src/mechanics/gap.js", "old": "X, s.y, s.r * 2.9", "new": "X, s.y + Math.sin(s.t * 9) * 3, s.r * 2.9",
})

var handIn = tool("done", map[string]any{"summary": "The duck wobbles now."})

// finishLong waits for the end of a job that takes its time.
func (s *service) finishLong(key apiKey, sub api.Submission) api.Job {
	s.t.Helper()
	var job api.Job
	s.within(slow, "the job has ended", func() bool {
		job = s.status(key, sub)
		return job.Status.Terminal()
	})
	return job
}

// jobLog reads the events of a job that has ended.
func (s *service) jobLog(key apiKey, sub api.Submission) []api.Event {
	s.t.Helper()
	resp := s.events(key, sub, "")
	reader := sse.NewReader(resp.Body)
	var out []api.Event
	for {
		event, err := reader.Next()
		if err == io.EOF {
			return out
		}
		if err != nil {
			s.t.Fatal(err)
		}
		var members map[string]any
		s.decode(event.Data, &members)
		out = append(out, api.Event{Type: fmt.Sprint(members["type"]), Members: members})
	}
}

// ofType are the members of a log's events of one type.
func ofType(log []api.Event, eventType string) []map[string]any {
	var out []map[string]any
	for _, e := range log {
		if e.Type == eventType {
			out = append(out, e.Members)
		}
	}
	return out
}

// statement returns a user's movements.
func (s *service) statement(user string) keys.Statement {
	s.t.Helper()
	var st keys.Statement
	s.decode([]byte(s.svc("admin", "user", "statement", user, "--json")), &st)
	return st
}

// tik is an amount for a comparison.
func tik(n float64) api.TIK { return api.TIK(math.Round(n * api.MicroPerTIK)) }

// nowhere fails the test where a text is in reach of an engine: its
// environment, its command line, what it and the service keep, or the log.
func (s *service) nowhere(text string) {
	s.t.Helper()
	for _, pid := range append(s.enginePIDs(), s.pids("svc-shim")...) {
		for _, name := range []string{"environ", "cmdline"} {
			raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, name))
			if err == nil && bytes.Contains(raw, []byte(text)) {
				s.t.Errorf("%s of an engine's process holds %q", name, text)
			}
		}
	}
	err := filepath.WalkDir(s.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return nil // it has gone, or is a socket
		}
		if raw, err := os.ReadFile(path); err == nil && bytes.Contains(raw, []byte(text)) {
			s.t.Errorf("%s holds %q", path, text)
		}
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

// charged checks what the owner "demo" has paid for one job with so many
// answers of the writer, four pictures and five sounds. Refused calls cost
// nothing.
func (s *service) charged(key apiKey, job api.Job, answers int64) {
	s.t.Helper()
	want := 1 + float64(answers)*2 + 4*2.5 + 5*0.5
	if job.TIKSpent != tik(want) {
		s.t.Errorf("the job spent %s, want %v", job.TIKSpent, want)
	}
	st := s.statement("demo")
	units := map[string]int64{}
	for _, e := range st.Entries {
		for _, u := range e.Units {
			units[u.Name] += u.Quantity
		}
	}
	wantUnits := map[string]int64{
		"audio": 5, "generator.job": 1, "image": 4, "model.writer.input": answers * 1000, "model.writer.output": answers * 100,
	}
	if !maps.Equal(units, wantUnits) || st.Balance != tik(1000-want) {
		s.t.Errorf("the statement has %v and a balance of %s", units, st.Balance)
	}
	if u := s.usage(key); u.TIKThisMonth != tik(want) {
		s.t.Errorf("the key spent %s this month", u.TIKThisMonth)
	}
}

// playsInABrowser opens an unpacked game as its player does.
func (s *service) playsInABrowser(dir string) {
	s.t.Helper()
	page := openGame(s.t, dir)
	if err := page.Tap(240, 360); err != nil {
		s.t.Fatal(err)
	}
	if state := runPage(s.t, page, "skilled", 20*60); state.Score < 1 {
		s.t.Errorf("20 seconds of skilled play score %v", state.Score)
	}
	shot(s.t, page, "model")
	if said := page.Console(); len(said) > 0 {
		s.t.Errorf("the console says %q", said)
	}
}

// pictured looks for the pictures that a playtest names among a job's files.
func (s *service) pictured(dir string, played map[string]any) {
	s.t.Helper()
	pictures, _ := played["pictures"].([]any)
	for _, name := range pictures {
		if got := s.read(filepath.Join(dir, fmt.Sprint(name))); !strings.HasPrefix(got, "\xff\xd8\xff") {
			s.t.Errorf("%v is no picture", name)
		}
	}
	if len(pictures) == 0 || len(pictures) > 8 {
		s.t.Errorf("the playtest names the pictures %v", pictures)
	}
}
