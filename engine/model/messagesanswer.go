package model

import (
	"encoding/json"
)

// Types of blocks that are replayed.
const (
	kindThinking = "thinking"
	kindRedacted = "redacted_thinking"
)

// messagesEventData is an event of a stream, or a whole answer.
type messagesEventData struct {
	Type    string            `json:"type"`
	Index   int               `json:"index"`
	Message messagesAnswer    `json:"message"`
	Block   json.RawMessage   `json:"content_block"`
	Delta   messagesDelta     `json:"delta"`
	Usage   *messagesUsage    `json:"usage"`
	Error   json.RawMessage   `json:"error"`
	Content []json.RawMessage `json:"content"`
	Stop    string            `json:"stop_reason"`
}

type messagesAnswer struct {
	Usage *messagesUsage `json:"usage"`
}

type messagesDelta struct {
	Type      string `json:"type"`
	Text      string `json:"text"`
	Arguments string `json:"partial_json"`
	Thinking  string `json:"thinking"`
	Signature string `json:"signature"`
	Stop      string `json:"stop_reason"`
}

type messagesUsage struct {
	Input      int `json:"input_tokens"`
	Cached     int `json:"cache_read_input_tokens"`
	CacheWrite int `json:"cache_creation_input_tokens"`
	Output     int `json:"output_tokens"`
}

func messagesEvent(a *answer, l line) (done bool, err error) {
	var e messagesEventData
	if err := l.into(&e); err != nil {
		return false, err
	}
	if given(e.Error) {
		return false, a.failure(l.data)
	}
	switch e.Type {
	case "message_start":
		a.messagesUsage(e.Message.Usage)
	case "content_block_start":
		return false, a.messagesBlock(e.Index, e.Block, l)
	case "content_block_delta":
		return false, a.messagesDelta(e.Index, e.Delta, l)
	case "message_delta":
		a.messagesUsage(e.Usage)
		return false, a.messagesStop(e.Delta.Stop)
	case "message_stop":
		return true, nil
	case "message":
		a.messagesUsage(e.Usage)
		for i, raw := range e.Content {
			if err := a.messagesBlock(i, raw, l); err != nil {
				return false, err
			}
		}
		return true, a.messagesStop(e.Stop)
	case "": // what no server of this wire says
		return false, ErrBroken
	}
	return false, nil // a sign of life, or something new
}

// messagesUsage takes in what is told: some at the beginning, the rest at the end.
func (a *answer) messagesUsage(u *messagesUsage) {
	if u == nil {
		return
	}
	for _, n := range []struct {
		into *int
		said int
	}{{&a.usage.Input, u.Input}, {&a.usage.Cached, u.Cached}, {&a.usage.CacheWrite, u.CacheWrite}, {&a.usage.Output, u.Output}} {
		if n.said > 0 {
			*n.into = n.said
		}
	}
}

func (a *answer) messagesStop(reason string) error {
	a.ended = a.ended || reason != ""
	switch reason {
	case "max_tokens", "model_context_window_exceeded":
		a.cut = true
	case "refusal":
		return &Refusal{Reason: reasonDeclined}
	}
	return nil
}

// messagesBlock begins a block, or takes a whole one in.
func (a *answer) messagesBlock(at int, raw json.RawMessage, l line) error {
	var b struct {
		Type      string          `json:"type"`
		Text      string          `json:"text"`
		ID        string          `json:"id"`
		Name      string          `json:"name"`
		Input     json.RawMessage `json:"input"`
		Thinking  string          `json:"thinking"`
		Signature string          `json:"signature"`
	}
	if json.Unmarshal(raw, &b) != nil {
		return ErrBroken
	}
	switch b.Type {
	case "text":
		return a.say(kindText, at, b.Text, l)
	case "tool_use":
		call, err := a.begin(at, b.ID, b.Name)
		var members map[string]json.RawMessage
		if err == nil && json.Unmarshal(b.Input, &members) == nil && len(members) > 0 {
			err = a.argue(call, string(b.Input), l) // whole, and no pieces will come
		}
		return err
	case kindThinking:
		a.block(kindThinking, at)
		return a.messagesDelta(at, messagesDelta{Type: "thinking_delta", Thinking: b.Thinking, Signature: b.Signature}, l)
	case kindRedacted:
		return a.keep(kindRedacted, at, raw)
	}
	return nil
}

func (a *answer) messagesDelta(at int, d messagesDelta, l line) error {
	switch d.Type {
	case "text_delta":
		return a.say(kindText, at, d.Text, l)
	case "input_json_delta":
		call, err := a.begin(at, "", "")
		if err != nil {
			return err
		}
		return a.argue(call, d.Arguments, l)
	case "thinking_delta", "signature_delta":
		a.block(kindThinking, at).signature += d.Signature
		return a.say(kindThinking, at, d.Thinking, l)
	}
	return nil
}
