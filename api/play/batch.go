package play

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
)

// Batch is a part of a stream of events. A stream is one load of a game's page.
type Batch struct {
	Key      string `json:"k"`
	Game     string `json:"g"`
	Build    string `json:"b"`
	Stream   string `json:"s"` // 32 hexadecimal characters
	Player   string `json:"p"` // the same, or ""
	Token    string `json:"t"`
	Sent     int64  `json:"o"`   // ms of the stream's clock
	Age      int64  `json:"age"` // ms that it lay on the device
	Active   int64  `json:"act"` // ms of the stream so far
	Client   Client `json:"c"`
	Machine  bool   `json:"m"` // no person plays
	Variants Texts  `json:"x"`
	// Definitions and Funnels are what the game declared since the batch before.
	Definitions map[string]Texts    `json:"defs"`
	Funnels     map[string][]string `json:"fun"`
	Events      []Event             `json:"e"`

	// Former marks a batch of the former library, which numbers no events: they follow
	// what the stream has.
	Former bool `json:"-"`
}

// Texts are named texts.
type Texts map[string]string

// Client is what is known of a player's device.
type Client struct {
	Device   string `json:"d"` // touch, mouse, pad
	Language string `json:"l"`
	Width    int    `json:"w"`
	Height   int    `json:"h"`
}

// Event is one event of a batch.
type Event struct {
	Seq   int64 // in its stream, from 1
	At    int64 // ms of the stream's clock
	Name  string
	Props json.RawMessage
	// Refused is why it can't be kept, "" when it can.
	Refused Cause
}

// UnmarshalJSON reads [seq, at, name, props].
func (e *Event) UnmarshalJSON(data []byte) error {
	var props json.RawMessage
	row := []any{&e.Seq, &e.At, &e.Name, &props}
	if err := json.Unmarshal(data, &row); err != nil {
		return err
	}
	if len(row) != 4 {
		return errors.New("an event has four parts")
	}
	e.Props, e.Refused = judge(e.Name, props)
	return nil
}

// MarshalJSON writes what UnmarshalJSON reads.
func (e Event) MarshalJSON() ([]byte, error) {
	return json.Marshal([]any{e.Seq, e.At, e.Name, e.Props})
}

// ParseBatch reads a batch. Its error is an *answers.Error with status 400.
func ParseBatch(body []byte) (Batch, error) {
	var b struct {
		Version int `json:"v"`
		Batch
	}
	if err := decode(body, &b); err != nil {
		return Batch{}, err
	}
	if b.Version != 1 {
		return Batch{}, answers.BadRequest("v must be 1.")
	}
	return b.Batch, b.check()
}

func decode(body []byte, into any) error {
	if !utf8.Valid(body) {
		return answers.BadRequest("The body is not valid UTF-8.")
	}
	d := json.NewDecoder(bytes.NewReader(body))
	if err := d.Decode(into); err != nil {
		return answers.BadRequest("The body is not a batch of events.")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return answers.BadRequest("There is data after the batch.")
	}
	return nil
}

// check refuses what no library sends.
func (b *Batch) check() error {
	switch {
	case !api.ValidProjectID(b.Game):
		return answers.BadRequest("g is not the id of a game.")
	case b.Build != "" && !api.ValidJobID(b.Build):
		return answers.BadRequest("b is not the id of a job.")
	case !validID(b.Stream):
		return answers.BadRequest("s must be 32 hexadecimal characters.")
	case b.Player != "" && !validID(b.Player):
		return answers.BadRequest("p must be 32 hexadecimal characters.")
	case b.Sent < 0 || b.Age < 0 || b.Active < 0:
		return answers.BadRequest("o, age and act must not be negative.")
	case len(b.Events) == 0 || len(b.Events) > MaxEvents:
		return answers.BadRequest("e must have 1 to %d events.", MaxEvents)
	}
	for i, e := range b.Events {
		if e.Seq < 1 || e.Seq > MaxSeq || i > 0 && e.Seq <= b.Events[i-1].Seq || e.At < 0 {
			return answers.BadRequest("e must be in order, from 1 to %d.", MaxSeq)
		}
	}
	// What is beyond these is too late all the same, and a sum of larger ones is no time.
	b.Sent, b.Age = min(b.Sent, MaxStream+MaxAge), min(b.Age, MaxAge+1)
	b.clean()
	return nil
}

// clean leaves out what a game declared that can't be kept. Its events are counted all
// the same: who made the game may not be the one who misses them.
func (b *Batch) clean() {
	maps.DeleteFunc(b.Definitions, func(name string, members Texts) bool {
		for member, kind := range members {
			if !validMember(member) || kind != "string" && kind != "number" && kind != "boolean" {
				return true
			}
		}
		return !validName(name) || len(members) > MaxProps
	})
	maps.DeleteFunc(b.Funnels, func(id string, steps []string) bool {
		return !short(id) || len(steps) > MaxSteps || slices.ContainsFunc(steps, func(step string) bool { return !validName(step) })
	})
	maps.DeleteFunc(b.Variants, func(name, value string) bool { return !short(name) || !short(value) })
	atMost(b.Definitions, MaxDefinitions)
	atMost(b.Funnels, MaxFunnels)
	atMost(b.Variants, MaxVariants)
	if !short(b.Client.Device) || !short(b.Client.Language) {
		b.Client = Client{}
	}
}

// atMost leaves the first members of a map.
func atMost[V any](m map[string]V, most int) {
	if len(m) <= most {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(m))[most:] {
		delete(m, name)
	}
}

// judge returns the props of an event as they are kept, or why it is not.
func judge(name string, props json.RawMessage) (json.RawMessage, Cause) {
	switch {
	case !validName(name):
		return nil, CauseName
	case len(props) > MaxEventSize:
		return nil, CauseSize
	case len(props) == 0 || string(props) == "null":
		return json.RawMessage("{}"), ""
	}
	var members map[string]any
	if err := json.Unmarshal(props, &members); err != nil || len(members) > MaxProps {
		return nil, CauseProps
	}
	for member, value := range members {
		if !validMember(member) || !validValue(value) {
			return nil, CauseProps
		}
	}
	if own, there := essentials[name]; there {
		return own.only(members)
	}
	return props, ""
}

// essentials are the props of the library's own events. They are free, so that nothing
// else is kept with them.
var essentials = map[string]Texts{
	SessionStart: {"width": "number", "height": "number"}, SessionEnd: {"seconds": "number"}, Heartbeat: {}, Exposure: {"k": "string", "v": "string"},
}

// only returns those members that are declared.
func (t Texts) only(members map[string]any) (json.RawMessage, Cause) {
	maps.DeleteFunc(members, func(name string, value any) bool { return t[name] == "" || t[name] != kindOf(value) })
	text, err := json.Marshal(members)
	if err != nil {
		return nil, CauseProps
	}
	return text, ""
}

// kindOf names the kind of a member as games declare it, "" for none that may be.
func kindOf(value any) string {
	switch value.(type) {
	case string:
		return "string"
	case float64:
		return "number"
	case bool:
		return "boolean"
	}
	return ""
}

func validValue(value any) bool {
	switch v := value.(type) {
	case string:
		return utf8.RuneCountInString(v) <= MaxText && !strings.ContainsRune(v, 0)
	case float64:
		return !math.IsInf(v, 0) && !math.IsNaN(v)
	case bool:
		return true
	}
	return false
}

// Fits reports whether props are what a definition declares: each of its members, of
// its kind. Others may be there besides.
func (t Texts) Fits(props json.RawMessage) bool {
	var members map[string]any
	if err := json.Unmarshal(props, &members); err != nil {
		return false
	}
	for name, kind := range t {
		if kind == "" || kindOf(members[name]) != kind {
			return false
		}
	}
	return true
}

// validName reports whether s is [a-z][a-z0-9_]{0,39}.
func validName(s string) bool {
	if s == "" || len(s) > MaxName || s[0] < 'a' || s[0] > 'z' {
		return false
	}
	for _, c := range []byte(s) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' {
			return false
		}
	}
	return true
}

// validMember reports whether s may name a member: people write them in capitals too.
func validMember(s string) bool { return s != "" && short(s) }

// short reports whether s is a text of at most MaxName characters.
func short(s string) bool {
	return utf8.RuneCountInString(s) <= MaxName && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' })
}

// validID reports whether s is 32 hexadecimal characters.
func validID(s string) bool {
	if len(s) != 32 {
		return false
	}
	for _, c := range []byte(s) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
