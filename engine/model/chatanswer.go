package model

import (
	"cmp"
	"encoding/json"
	"errors"
)

// chatChunk is an event of a stream, or a whole answer.
type chatChunk struct {
	Choices []struct {
		Delta        chatDelta  `json:"delta"`
		Message      *chatDelta `json:"message"`
		FinishReason string     `json:"finish_reason"`
	} `json:"choices"`
	Usage *struct {
		Input   int `json:"prompt_tokens"`
		Output  int `json:"completion_tokens"`
		Total   int `json:"total_tokens"`
		Details struct {
			Cached  int `json:"cached_tokens"`
			Written int `json:"cache_write_tokens"`
		} `json:"prompt_tokens_details"`
		Hits int `json:"prompt_cache_hit_tokens"` // DeepSeek's
	} `json:"usage"`
	Error json.RawMessage `json:"error"`
}

type chatDelta struct {
	Content   chatContent       `json:"content"`
	Refusal   string            `json:"refusal"`
	Reasoning string            `json:"reasoning_content"`
	Plain     string            `json:"reasoning"`
	Details   []json.RawMessage `json:"reasoning_details"`
	Extra     json.RawMessage   `json:"extra_content"`
	ToolCalls []chatDeltaCall   `json:"tool_calls"`
}

// chatContent is what is said: a text, or, of some that reason, a list of texts and
// thoughts.
type chatContent struct{ text, thought string }

// UnmarshalJSON reads either. What is neither says nothing.
func (c *chatContent) UnmarshalJSON(raw []byte) error {
	var list []struct {
		Text     string      `json:"text"`
		Thinking chatContent `json:"thinking"`
	}
	if json.Unmarshal(raw, &c.text) == nil || json.Unmarshal(raw, &list) != nil {
		return nil
	}
	for _, part := range list {
		c.text += part.Text
		c.thought += part.Thinking.text + part.Thinking.thought
	}
	return nil
}

type chatDeltaCall struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name string `json:"name"`
		// A string, in pieces; some servers send an object at once.
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
	Extra json.RawMessage `json:"extra_content"`
}

func chatEvent(a *answer, l line) (done bool, err error) {
	var c chatChunk
	if err := l.into(&c); err != nil {
		return false, err
	}
	if given(c.Error) {
		return false, a.failure(l.data)
	}
	if u := c.Usage; u != nil && u.Input > 0 && u.Output >= 0 {
		a.usage = usageOf(u.Input, max(u.Details.Cached, u.Hits), u.Details.Written, max(u.Output, u.Total-u.Input))
	}
	if len(c.Choices) == 0 {
		return false, nil // usage, or a sign of life
	}
	choice := c.Choices[0]
	d := choice.Delta
	if choice.Message != nil {
		d = *choice.Message
	}
	a.ended = a.ended || choice.FinishReason != ""
	a.cut = a.cut || choice.FinishReason == "length"
	if choice.FinishReason == "content_filter" && d.Content.text == "" && len(a.blocks) == 0 {
		return false, &Refusal{Reason: reasonDeclined}
	}
	return false, a.chatDelta(d, l, choice.Message != nil)
}

// chatDelta takes in what a chunk adds.
func (a *answer) chatDelta(d chatDelta, l line, whole bool) error {
	d.Content.text = cmp.Or(d.Content.text, d.Refusal)
	if d.Reasoning != "" {
		d.Plain = ""
	}
	err := errors.Join(a.say(kindReasoning, 0, d.Reasoning, l), a.say(kindPlain, 0, d.Plain, l), a.say(kindThought, 0, d.Content.thought, l))
	for _, raw := range d.Details {
		if err == nil {
			err = a.detail(raw, l, whole)
		}
	}
	if err == nil && given(d.Extra) {
		err = a.keep(kindExtra, 0, d.Extra)
	}
	if err == nil {
		err = a.say(kindText, 0, d.Content.text, l)
	}
	for i, part := range d.ToolCalls {
		if err == nil {
			err = a.chatCall(a.place(part, i, whole), part, l)
		}
	}
	return err
}

// place is the number of the call that a part belongs to, in the order in which they
// began; -1 for one that is out of place.
func (a *answer) place(part chatDeltaCall, i int, whole bool) int {
	begun := a.count(kindCall)
	switch {
	case part.Index != nil:
		return a.indexed(*part.Index, part)
	case whole || begun == 0:
		return i
	}
	last := a.block(kindCall, begun-1)
	if part.Function.Name != "" && last.call.Name != "" {
		return begun // a server that numbers nothing begins another one
	}
	return begun - 1
}

// indexed is the number of the call that has an index. Some servers give each call the
// same one: another call has another id, or begins when the last one has all that it
// takes.
func (a *answer) indexed(index int, part chatDeltaCall) int {
	begun := a.count(kindCall)
	if at, known := a.indexes[index]; known {
		b := a.block(kindCall, at)
		another := json.Valid(b.text)
		if part.ID != "" && b.call.ID != "" {
			another = part.ID != b.call.ID
		}
		if !another || part.Function.Name == "" || b.call.Name == "" {
			return at
		}
	} else if index < 0 || index > begun {
		return -1
	}
	if a.indexes == nil {
		a.indexes = map[int]int{}
	}
	a.indexes[index] = begun
	return begun
}

func (a *answer) chatCall(at int, part chatDeltaCall, l line) error {
	b, err := a.begin(at, part.ID, part.Function.Name)
	if err != nil {
		return err
	}
	if given(part.Extra) {
		b.extra = append(json.RawMessage(nil), part.Extra...)
	}
	return a.argue(b, text(part.Function.Arguments), l)
}

// text is what a JSON value says: a string itself, anything else as it stands.
func text(raw json.RawMessage) string {
	var s string
	if !given(raw) {
		return ""
	}
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// given reports whether a member is there.
func given(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }
