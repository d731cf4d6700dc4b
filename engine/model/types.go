package model

import (
	"encoding/json"
	"slices"
	"strings"
)

// Roles of messages. What the engine itself says is Request.System.
const (
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleTool      = "tool" // results of calls
)

// Request is what a model is asked, on whatever wire it is reached.
type Request struct {
	Model string
	// Fallback names the models to ask instead, one after the other, while
	// nothing of an answer has arrived.
	Fallback []string
	System   string
	Tools    []Tool
	Messages []Message
	// MaxOutput is the most tokens that the model may write; 0 leaves it to the
	// egress.
	MaxOutput int
	Effort    string // how hard to think: low, medium or high; "" leaves it open
	// Cache says that the conversation goes on: what is sent now will be sent
	// again, and is worth keeping where keeping it has its price.
	Cache bool
	// Lost is called for each model that was asked and gave no answer although it
	// is paid, at its limit at most, and reports whether another may be asked. nil
	// means that it may.
	Lost func() bool `json:"-"`
	// Schema is that of the JSON document that the answer's text shall be.
	// Models may not keep to it.
	Schema json.RawMessage
}

// Tool is one that the model may have called.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage // a JSON schema
}

// Message is one of a conversation.
type Message struct {
	Role  string
	Parts []Part
}

// Part is a piece of a message: what of it is set, and Text if nothing is.
type Part struct {
	Text   string
	Image  *Image
	Call   *Call
	Result *Result
	Opaque *Opaque
}

// Image is a picture to look at.
type Image struct {
	Type string // media type: image/png for one
	Data []byte
}

// Call is a tool that the model wants called.
type Call struct {
	ID        string // made up when the model gave none
	Name      string
	Arguments string // JSON, as far as the model can
	// Cut: the answer ended within this call. What its arguments say is not what
	// the model meant.
	Cut bool
}

// Result is what a tool says to a call.
type Result struct {
	ID     string // the call's
	Text   string
	Images []Image
}

// Opaque is what a provider wants back as it was: reasoning, signatures. It is
// sent to the model that it came from, and to no other one.
type Opaque struct {
	Model string
	Kind  string // the member, or the type of the block, that it was
	Raw   json.RawMessage
}

// TextMessage is a message that is nothing but a text.
func TextMessage(role, text string) Message {
	return Message{Role: role, Parts: []Part{{Text: text}}}
}

// ResultMessage is a tool's result.
func ResultMessage(id, text string) Message {
	return Message{Role: RoleTool, Parts: []Part{{Result: &Result{ID: id, Text: text}}}}
}

// isText reports whether a part is a text.
func (p Part) isText() bool {
	return p.Image == nil && p.Call == nil && p.Result == nil && p.Opaque == nil
}

// Text returns the texts of a message and of its results.
func (m Message) Text() string {
	var b strings.Builder
	for _, p := range m.Parts {
		b.WriteString(p.Text)
		if p.Result != nil {
			b.WriteString(p.Result.Text)
		}
	}
	return b.String()
}

// Calls returns the calls of a message.
func (m Message) Calls() []Call {
	var calls []Call
	for _, p := range m.Parts {
		if p.Call != nil {
			calls = append(calls, *p.Call)
		}
	}
	return calls
}

// results returns the results of a message.
func (m Message) results() []Result {
	var list []Result
	for _, p := range m.Parts {
		if p.Result != nil {
			list = append(list, *p.Result)
		}
	}
	return list
}

// Reply is a whole answer.
type Reply struct {
	Model string // that gave it
	Parts []Part // in the order in which they came
	// Cut: the model reached the most that it may write. Text, or the last
	// call's arguments, may end anywhere.
	Cut   bool
	Usage Usage
}

// NewReply is an answer of a text and calls, without what is empty.
func NewReply(text string, calls ...Call) Reply {
	var r Reply
	if text != "" {
		r.Parts = append(r.Parts, Part{Text: text})
	}
	for _, c := range calls {
		r.Parts = append(r.Parts, Part{Call: &c})
	}
	return r
}

// Message returns the reply as the next message of the conversation.
func (r Reply) Message() Message {
	return Message{Role: RoleAssistant, Parts: slices.Clone(r.Parts)}
}

// Text returns what the answer says.
func (r Reply) Text() string { return r.Message().Text() }

// Calls returns the calls of an answer, in their order.
func (r Reply) Calls() []Call { return r.Message().Calls() }

// Usage is what an answer took, in tokens, each of them counted once: as the
// server says, else estimated from above at two bytes each.
type Usage struct {
	Input      int // read, and neither of the next two
	Cached     int // read from the provider's cache
	CacheWrite int // read, and put into the cache
	Output     int // written, reasoning included
	Estimated  bool
}

// usageOf reads a usage whose input is all that was read.
func usageOf(input, cached, written, output int) Usage {
	cached = min(max(cached, 0), input)
	written = min(max(written, 0), input-cached)
	return Usage{Input: input - cached - written, Cached: cached, CacheWrite: written, Output: output}
}

// Total is how many tokens were read and written.
func (u Usage) Total() int { return u.Input + u.Cached + u.CacheWrite + u.Output }

// read is how many tokens of a request the server says that there were.
func (u Usage) read() int { return u.Input + u.Cached + u.CacheWrite }

// Add adds what another answer took.
func (u *Usage) Add(more Usage) {
	u.Input += more.Input
	u.Cached += more.Cached
	u.CacheWrite += more.CacheWrite
	u.Output += more.Output
	u.Estimated = u.Estimated || more.Estimated
}

// Event is a piece of an answer as it comes. One of its members is set.
type Event struct {
	Text    string // more of the text
	Thought string // more of the reasoning, to be shown and not to be kept
	Begun   string // the name of a tool whose call begins
	Reply   *Reply // the whole answer, the last event
}
