package model

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
)

// The wires that models are reached on, as the list of models names them.
const (
	ProtocolChat      = "chat"
	ProtocolResponses = "responses"
	ProtocolMessages  = "messages"
)

// codec speaks one wire.
type codec struct {
	path string // at the egress
	// forms are the ways to ask, the fullest first.
	forms []form
	// encode writes a request, to a model that can what the offer says.
	encode func(r Request, o Offer, f form) any
	// event takes one event of a stream in, or the whole of an answer that was
	// not streamed although it was asked to be. done: nothing more will come.
	event func(a *answer, data line) (done bool, err error)
}

var codecs = map[string]codec{
	ProtocolChat:      {"/v1/chat/completions", chatForms, encodeChat, chatEvent},
	ProtocolResponses: {"/v1/responses", laterForms, encodeResponses, responsesEvent},
	ProtocolMessages:  {"/v1/messages", laterForms, encodeMessages, messagesEvent},
}

// laterForms are those of the wires that have one name for everything.
var laterForms = []form{{}, {effortless: true}, {formless: true}, {effortless: true, formless: true}, {blind: true}, {forgetful: true}, {effortless: true, forgetful: true}}

// encode writes what is sent. Nothing in it is escaped without need: what a
// provider gave goes back as it was.
func encode(request any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(request); err != nil {
		return nil, fmt.Errorf("encoding the request: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// quoted is a text as JSON.
func quoted(text string) json.RawMessage {
	raw, err := encode(text)
	if err != nil {
		panic(err) // a string always encodes
	}
	return raw
}

// replayed returns the opaque part if it came from the model that is asked now,
// by an egress that passes such parts on.
func replayed(p Part, r Request, o Offer) *Opaque {
	if p.Opaque == nil || o.Protocol == "" || p.Opaque.Model != r.Model {
		return nil
	}
	return p.Opaque
}

// unseen stands for a picture that the model can't look at.
const unseen = "(a picture, which this model can't see)"

// seen returns parts and results without pictures where the model sees none.
func seen(m Message, o Offer) Message {
	if o.Vision {
		return m
	}
	m.Parts = slices.Clone(m.Parts)
	for i, p := range m.Parts {
		switch {
		case p.Image != nil:
			m.Parts[i] = Part{Text: unseen}
		case p.Result != nil && len(p.Result.Images) > 0:
			r := *p.Result
			r.Images = nil
			r.Text += "\n" + unseen
			m.Parts[i].Result = &r
		}
	}
	return m
}

// url is a picture as an address that holds all of it.
func (p Image) url() string {
	return "data:" + p.Type + ";base64," + base64.StdEncoding.EncodeToString(p.Data)
}

// object returns arguments as the JSON object that servers want in a history.
func object(arguments string) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal([]byte(arguments), &members) != nil || members == nil {
		return json.RawMessage("{}")
	}
	return json.RawMessage(arguments)
}

// as returns the request as a form has it, as far as its messages go.
func (r Request) as(f form) Request {
	if !f.blind && !f.forgetful {
		return r
	}
	r.Messages = slices.Clone(r.Messages)
	for i, m := range r.Messages {
		if f.blind {
			m = seen(m, Offer{})
		}
		if f.forgetful {
			m.Parts = slices.DeleteFunc(slices.Clone(m.Parts), func(p Part) bool { return p.Opaque != nil })
		}
		r.Messages[i] = m
	}
	return r
}
