package decisionlog

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/svc-games/svc/policy"
)

// masking is the shipped policy with a mask.
func masking(t *testing.T, mask string) *policy.Evaluator {
	t.Helper()
	src := fstest.MapFS{"system/log/mask.rego": {Data: []byte("# METADATA\n# schemas:\n#   - input: schema.record\npackage system.log\n\n" + mask + "\n")}}
	err := fs.WalkDir(policy.Embedded(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(policy.Embedded(), path)
		src[path] = &fstest.MapFile{Data: text}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	e, err := policy.NewEvaluator(src)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestMaskOfThePolicyIsApplied(t *testing.T) {
	e := masking(t, `mask contains "/input/project/attributes/team" if input.input.action == "generate"

mask contains {"op": "upsert", "path": "/input/key/userId", "value": "someone"} if input.result.allow

mask contains "/input/nothing/here"`)
	line, err := render(entry(t, e))
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		Input struct {
			Key struct {
				UserID string `json:"userId"`
			} `json:"key"`
			Project struct {
				Attributes map[string]string `json:"attributes"`
			} `json:"project"`
		} `json:"input"`
		Erased []string `json:"erased"`
		Masked []string `json:"masked"`
	}
	if err := json.Unmarshal(line, &r); err != nil {
		t.Fatal(err)
	}
	if r.Input.Key.UserID != "someone" || len(r.Input.Project.Attributes) != 0 ||
		!reflect.DeepEqual(r.Erased, []string{"/input/project/attributes/team"}) || !reflect.DeepEqual(r.Masked, []string{"/input/key/userId"}) {
		t.Errorf("record %s", line)
	}
	if bytes.Contains(line, []byte("arcade")) || bytes.Contains(line, []byte(`"userId":"user-1"`)) {
		t.Errorf("the record shows what is masked: %s", line)
	}
	// Whoever reads it must not take what is left for the facts.
	if _, err := Decode(line); err == nil || !strings.Contains(err.Error(), "masked at /input/project/attributes/team") {
		t.Errorf("decoding a masked record: %v", err)
	}
}

// TestOfWhatCanNotBeMaskedIsWrittenThatItWas: what is not recorded must not happen, and
// what a mask was to hide must not be shown.
func TestOfWhatCanNotBeMaskedIsWrittenThatItWas(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	l := openLog(t, Options{Path: path, Sample: 1, Mode: Required})
	for _, mask := range []string{
		`mask contains "/labels/host"`, `mask contains {"op": "hash", "path": "/input/key"}`, `mask contains 1`,
		`mask contains sprintf("/input/%d", [to_number(input.input.action)])`,
		`mask := "all"`,
	} {
		e := entry(t, masking(t, mask))
		e.RequestID = "request-1"
		if err := TryMask(e.Evaluator, e.Input, e.Decision); err == nil {
			t.Errorf("%s can be applied", mask)
		}
		if err := l.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil || bytes.Count(text, []byte("\n")) != 5 || bytes.Count(text, []byte(`"request_id":"request-1"`)) != 5 {
		t.Errorf("%s, %v", text, err)
	}
	for _, hidden := range []string{"user-1", "arcade", `"input":`, `"result":`} {
		if bytes.Contains(text, []byte(hidden)) {
			t.Errorf("it shows %s: %s", hidden, text)
		}
	}
	if n := value(t, l.o.Counters.unmasked); n != 5 {
		t.Errorf("%g records counted as unmasked, want 5", n)
	}
}
