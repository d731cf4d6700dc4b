// Package cassette keeps what models were asked and what they answered, and plays it
// again to whoever asks the same. Ids and what a provider has encrypted are replaced by
// stable words, so that a cassette says the same whoever recorded it; no credential is
// in what it gets.
package cassette

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Tape is one call of a model.
type Tape struct {
	Model string `json:"model"`
	Path  string `json:"path"` // "/chat/completions" for one
	// Roles are those of the conversation, in turn, and Tools the names of what is
	// offered.
	Roles []string `json:"roles"`
	Tools []string `json:"tools"`
	// Prompt has hashes of the parts that are the engine's own: system and tools.
	Prompt map[string]string `json:"prompt"`

	Request json.RawMessage `json:"request"`
	Status  int             `json:"status"`
	Type    string          `json:"type"` // of the answer's content
	Answer  string          `json:"answer"`
}

// New makes a tape of a call.
func New(path string, request []byte, status int, contentType string, answer []byte) (Tape, error) {
	var c cleaner
	body, err := c.object(request)
	if err != nil {
		return Tape{}, fmt.Errorf("reading a recorded request: %w", err)
	}
	t := of(path, body)
	if t.Request, err = json.Marshal(body); err != nil {
		return t, err
	}
	t.Status, t.Type, t.Answer = status, contentType, c.answer(answer)
	return t, nil
}

// of is what a request is known by.
func of(path string, body map[string]any) Tape {
	t := Tape{Path: path, Prompt: map[string]string{}, Roles: []string{}, Tools: []string{}}
	t.Model, _ = body["model"].(string)
	list, _ := body["messages"].([]any)
	if list == nil {
		list, _ = body["input"].([]any)
	}
	system := []any{body["system"], body["instructions"]}
	for _, m := range list {
		o, _ := m.(map[string]any)
		role, _ := o["role"].(string)
		if role == "" {
			role, _ = o["type"].(string)
		}
		t.Roles = append(t.Roles, role)
		if role == "system" || role == "developer" {
			system = append(system, o["content"])
		}
	}
	tools, _ := body["tools"].([]any)
	for _, tool := range tools {
		o, _ := tool.(map[string]any)
		if f, ok := o["function"].(map[string]any); ok {
			o = f
		}
		name, _ := o["name"].(string)
		t.Tools = append(t.Tools, name)
	}
	t.Prompt["system"], t.Prompt["tools"] = hash(system), hash(tools)
	return t
}

// hash is that of a part of a prompt. Marks for caches are not of it.
func hash(part any) string {
	raw, err := json.Marshal(unmarked(part))
	if err != nil {
		panic(err) // it was JSON
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:8])
}

func unmarked(v any) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = unmarked(e)
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for name, e := range v {
			if name != "cache_control" {
				out[name] = unmarked(e)
			}
		}
		return out
	}
	return v
}

// key is what a tape is found by, but for its prompt.
func (t Tape) key() string {
	return strings.Join([]string{t.Model, t.Path, strings.Join(t.Roles, ","), strings.Join(t.Tools, ",")}, "\n")
}

// stale returns the parts of the prompt that are not as they were recorded.
func (t Tape) stale(now Tape) []string {
	var parts []string
	for _, part := range []string{"system", "tools"} {
		if t.Prompt[part] != now.Prompt[part] {
			parts = append(parts, part)
		}
	}
	return parts
}

// name is that of a tape's file: the same call has the same one.
func (t Tape) name() string {
	sum := sha256.Sum256(append([]byte(t.Path), t.Request...))
	return fmt.Sprintf("%03d-%s.json", len(t.Roles), hex.EncodeToString(sum[:6]))
}

// Save writes a tape into a folder, which is made if need be, and returns its name.
func (t Tape) Save(folder string) (string, error) {
	raw, err := json.MarshalIndent(t, "", "  ")
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", fmt.Errorf("keeping a cassette: %w", err)
	}
	name := t.name()
	if err := os.WriteFile(filepath.Join(folder, name), append(raw, '\n'), 0o600); err != nil {
		return "", fmt.Errorf("keeping a cassette: %w", err)
	}
	return name, nil
}

// read reads the tapes of a folder, by name.
func read(folder string) (names []string, tapes []Tape, err error) {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("reading cassettes: %w", err)
	}
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".json" {
			continue
		}
		raw, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return nil, nil, fmt.Errorf("reading cassettes: %w", err)
		}
		var t Tape
		if err := json.Unmarshal(raw, &t); err != nil {
			return nil, nil, fmt.Errorf("reading the cassette %s: %w", e.Name(), err)
		}
		names, tapes = append(names, e.Name()), append(tapes, t)
	}
	return names, tapes, nil
}

// Members whose values differ from call to call, and whose values only the provider
// can read.
var (
	idMembers     = []string{"id", "call_id", "item_id", "tool_call_id", "tool_use_id", "request_id", "response_id", "system_fingerprint"}
	sealedMembers = []string{"encrypted_content", "signature", "thought_signature"}
	timeMembers   = []string{"created", "created_at", "completed_at"}
)

// cleaner replaces ids and sealed values by words, the same by the same.
type cleaner struct{ words map[string]string }

func (c *cleaner) word(kind, value string) string {
	if c.words == nil {
		c.words = map[string]string{}
	}
	if _, known := c.words[kind+value]; !known {
		c.words[kind+value] = fmt.Sprintf("%s-%d", kind, len(c.words)+1)
	}
	return c.words[kind+value]
}

func (c *cleaner) object(raw []byte) (map[string]any, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var body map[string]any
	if err := dec.Decode(&body); err != nil {
		return nil, err
	}
	c.clean(body)
	return body, nil
}

// clean replaces in the order of the members' names, so that words are the same each
// time.
func (c *cleaner) clean(v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			c.clean(e)
		}
	case map[string]any:
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names)
		sealed := v["type"] == "redacted_thinking" || v["type"] == "reasoning.encrypted"
		for _, name := range names {
			text, isText := v[name].(string)
			switch {
			case slices.Contains(timeMembers, name):
				v[name] = 0
			case isText && text != "" && slices.Contains(idMembers, name):
				v[name] = c.word("id", text)
			case isText && text != "" && (slices.Contains(sealedMembers, name) || sealed && name == "data"):
				v[name] = c.word("sealed", text)
			default:
				c.clean(v[name])
			}
		}
	}
}

// answer cleans an answer: one JSON document, or a stream of them.
func (c *cleaner) answer(raw []byte) string {
	if body, err := c.object(raw); err == nil {
		if clean, err := json.Marshal(body); err == nil {
			return string(clean)
		}
	}
	var out strings.Builder
	for line := range strings.Lines(string(raw)) {
		data, isData := strings.CutPrefix(line, "data:")
		if isData {
			if body, err := c.object([]byte(data)); err == nil {
				if clean, err := json.Marshal(body); err == nil {
					line = "data: " + string(clean) + "\n"
				}
			}
		}
		out.WriteString(line)
	}
	return out.String()
}
