package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// Errors of an answer.
var (
	// ErrBroken: an answer began and did not come to its end, or is none. It is
	// paid for at its limit, and the client does not ask again by itself.
	ErrBroken = errors.New("the model's answer broke off")
	// errTooLong and errNothing would come again.
	errTooLong = errors.New("the model's answer is too long")
	errNothing = fmt.Errorf("%w: the model's answer is empty", ErrBroken)
)

// kinds of blocks, beside those of opaque parts.
const (
	kindText    = "text"
	kindCall    = "call"
	kindThought = "thought" // reasoning that is shown, and not replayed
)

// block is a part of an answer that is being put together.
type block struct {
	kind      string
	at        int    // the wire's number of it
	text      []byte // of a text or of reasoning; a call's arguments
	call      Call
	extra     json.RawMessage // opaque: what goes with the text, or all of it
	signature string          // of reasoning
	passed    int             // bytes of text that events have
}

// answer puts an answer together.
type answer struct {
	model   string // that is asked
	blocks  []*block
	details []*detail   // of a chat answer's reasoning
	indexes map[int]int // of a chat answer's calls: which was the last to have it
	size    int
	ended   bool // it is complete but for its usage
	cut     bool
	usage   Usage
	events  []Event // that have not been passed on
}

// count is how many blocks there are of a kind.
func (a *answer) count(kind string) int {
	n := 0
	for _, b := range a.blocks {
		if b.kind == kind {
			n++
		}
	}
	return n
}

// block returns the block of that kind and number, a new one at the end if there
// is none.
func (a *answer) block(kind string, at int) *block {
	for _, b := range a.blocks {
		if b.kind == kind && b.at == at {
			return b
		}
	}
	b := &block{kind: kind, at: at}
	a.blocks = append(a.blocks, b)
	return b
}

// grow counts what an answer holds.
func (a *answer) grow(n int) error {
	if a.size += n; a.size > maxText || len(a.blocks) > maxBlocks {
		return errTooLong
	}
	return nil
}

// say adds to a text, or to reasoning, and has an event tell of the characters
// that are complete.
func (a *answer) say(kind string, at int, more string, from line) error {
	if more == "" {
		return nil
	}
	b := a.block(kind, at)
	b.text = from.append(b.text, more)
	whole := len(b.text) - unfinished(b.text)
	if text := characters(b.text[b.passed:max(whole, b.passed)]); text != "" {
		if kind == kindText {
			a.events = append(a.events, Event{Text: text})
		} else {
			a.events = append(a.events, Event{Thought: text})
		}
	}
	b.passed = max(whole, b.passed)
	return a.grow(len(more))
}

// begin begins a call, or names one that has begun.
func (a *answer) begin(at int, id, name string) (*block, error) {
	b := a.block(kindCall, at)
	if name == b.call.Name {
		name = "" // some tell it with each piece
	}
	if id != "" {
		b.call.ID = id
	}
	if name != "" {
		if b.call.Name == "" {
			a.events = append(a.events, Event{Begun: name})
		}
		b.call.Name += name
	}
	if at < 0 || at >= maxCalls {
		return nil, fmt.Errorf("%w: tool call %d is out of place", ErrBroken, at)
	}
	return b, a.grow(len(id) + len(name))
}

// argue adds to a call's arguments.
func (a *answer) argue(b *block, more string, from line) error {
	b.text = from.append(b.text, more)
	return a.grow(len(more))
}

// keep puts an opaque part into the answer.
func (a *answer) keep(kind string, at int, raw json.RawMessage) error {
	a.block(kind, at).extra = append(json.RawMessage(nil), raw...)
	return a.grow(len(raw))
}

// reply returns the answer as it is at its end. most is what the model was
// allowed to write, and request how many bytes it was sent.
func (a *answer) reply(most, request int) (Reply, error) {
	r := Reply{Model: a.model, Usage: a.usage}
	written := 0
	if err := a.settle(); err != nil {
		return Reply{}, err
	}
	for _, b := range a.blocks {
		text := characters(b.text)
		written += len(text) + len(b.extra)
		switch {
		case b.kind == kindThought, b.kind == kindText && text == "", b.kind == kindThinking && b.signature == "":
		case b.kind == kindText:
			r.Parts = append(r.Parts, Part{Text: text})
		case b.kind == kindCall:
			c := b.call
			c.Arguments = text
			if c.ID == "" {
				c.ID = "call_" + strconv.Itoa(len(r.Calls()))
			}
			written += len(c.Name)
			r.Parts = append(r.Parts, Part{Call: &c})
			if b.extra != nil {
				r.Parts = append(r.Parts, a.opaque(kindExtra, b.extra))
			}
		case b.kind == kindPlain && len(a.details) > 0: // they say the same, and more
		case b.kind == kindReasoning, b.kind == kindPlain:
			r.Parts = append(r.Parts, a.opaque(b.kind, quoted(text)))
		case b.kind == kindThinking:
			raw := `{"type":"thinking","thinking":` + string(quoted(text)) + `,"signature":` + string(quoted(b.signature)) + `}`
			r.Parts = append(r.Parts, a.opaque(b.kind, json.RawMessage(raw)))
		default:
			r.Parts = append(r.Parts, a.opaque(b.kind, b.extra))
		}
	}
	r.Parts = followed(r.Parts)
	if r.Usage == (Usage{}) {
		r.Usage = Usage{Input: (request + 1) / 2, Output: (written + 1) / 2, Estimated: true}
	}
	r.Cut = a.cut || most > 2 && !r.Usage.Estimated && r.Usage.Output >= most-2
	r.markCut()
	if r.Text() == "" && len(r.Calls()) == 0 && !r.Cut {
		return Reply{}, errNothing
	}
	return r, nil
}

// followed leaves out reasoning at the end: of an answer that was cut there.
// Providers refuse reasoning that nothing follows, and such without a signature.
func followed(parts []Part) []Part {
	for n := len(parts); n > 0; n-- {
		o := parts[n-1].Opaque
		if o == nil || o.Kind != kindItem && o.Kind != kindThinking && o.Kind != kindRedacted {
			return parts[:n]
		}
	}
	return nil
}

func (a *answer) opaque(kind string, raw json.RawMessage) Part {
	return Part{Opaque: &Opaque{Model: a.model, Kind: kind, Raw: raw}}
}

// markCut marks the call that an answer ended in. Servers differ in whether they
// say so, and some complete the JSON of a call that was cut.
func (r *Reply) markCut() {
	for i := len(r.Parts) - 1; i >= 0; i-- {
		p := r.Parts[i]
		switch {
		case p.Opaque != nil:
			continue
		case p.Call == nil:
			return
		case p.Call.Arguments != "" && !json.Valid([]byte(p.Call.Arguments)):
			r.Cut = true
		}
		p.Call.Cut = r.Cut
		return
	}
}
