package model

import (
	"encoding/json"
)

// kindItem is an item of reasoning, which is replayed.
const kindItem = "reasoning_item"

// responsesEventData is an event of a stream, or a whole answer.
type responsesEventData struct {
	Type     string          `json:"type"`
	At       int             `json:"output_index"`
	Delta    json.RawMessage `json:"delta"`
	Item     json.RawMessage `json:"item"`
	Response responsesAnswer `json:"response"`
	Error    json.RawMessage `json:"error"`
	Object   string          `json:"object"`
}

type responsesAnswer struct {
	Status     string            `json:"status"`
	Error      json.RawMessage   `json:"error"`
	Output     []json.RawMessage `json:"output"`
	Incomplete struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
	Usage *struct {
		Input   int `json:"input_tokens"`
		Output  int `json:"output_tokens"`
		Total   int `json:"total_tokens"`
		Details struct {
			Cached  int `json:"cached_tokens"`
			Written int `json:"cache_write_tokens"`
		} `json:"input_tokens_details"`
	} `json:"usage"`
}

// responsesItem is what is known of an item.
type responsesItem struct {
	Type      string          `json:"type"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Content   []struct {
		Text    string `json:"text"`
		Refusal string `json:"refusal"`
	} `json:"content"`
	Encrypted string `json:"encrypted_content"`
}

func responsesEvent(a *answer, l line) (done bool, err error) {
	var e responsesEventData
	if err := l.into(&e); err != nil {
		return false, err
	}
	if given(e.Error) || e.Type == "error" {
		return false, a.failure(l.data)
	}
	switch e.Type {
	case "response.output_item.added":
		return false, a.responsesItem(e.At, e.Item, l, false)
	case "response.output_item.done":
		return false, a.responsesItem(e.At, e.Item, l, true)
	case "response.output_text.delta", "response.refusal.delta":
		return false, a.say(kindText, e.At, text(e.Delta), l)
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		return false, a.say(kindThought, e.At, text(e.Delta), l)
	case "response.function_call_arguments.delta":
		call, err := a.begin(e.At, "", "")
		if err != nil {
			return false, err
		}
		return false, a.argue(call, text(e.Delta), l)
	case "response.completed", "response.incomplete":
		return true, a.responsesEnd(e.Response, l)
	case "response.failed":
		return false, a.failure(e.Response.Error)
	case "":
		var whole responsesAnswer
		if e.Object != "response" || l.into(&whole) != nil {
			return false, ErrBroken // what no server of this wire says
		}
		return true, a.responsesEnd(whole, l)
	}
	return false, nil // a sign of life, or something new
}

// responsesItem takes in what an item says of itself, when it begins and when it
// is whole.
func (a *answer) responsesItem(at int, raw json.RawMessage, l line, whole bool) error {
	var item responsesItem
	if json.Unmarshal(raw, &item) != nil {
		return nil // of another shape: none that is used
	}
	switch item.Type {
	case "function_call":
		if a.block(kindCall, at).call.Name != "" {
			item.Name = "" // told when it began
		}
		b, err := a.begin(at, item.CallID, item.Name)
		if err == nil && whole && len(b.text) == 0 {
			err = a.argue(b, text(item.Arguments), l)
		}
		return err
	case "message":
		if !whole || len(a.block(kindText, at).text) > 0 {
			return nil
		}
		for _, c := range item.Content {
			if err := a.say(kindText, at, c.Text+c.Refusal, l); err != nil {
				return err
			}
		}
	case "reasoning":
		if whole && item.Encrypted != "" {
			return a.keep(kindItem, at, stripped(raw))
		}
	}
	return nil
}

// responsesEnd takes in the answer as it is in the end. Some servers tell here
// alone what it holds.
func (a *answer) responsesEnd(r responsesAnswer, l line) error {
	a.ended = true
	if r.Status == "failed" || r.Status == "cancelled" {
		return a.failure(r.Error)
	}
	if len(a.blocks) > 0 {
		r.Output = nil // the events told
	}
	for at, raw := range r.Output {
		if err := a.responsesItem(at, raw, l, true); err != nil {
			return err
		}
	}
	if u := r.Usage; u != nil && u.Input > 0 && u.Output >= 0 {
		a.usage = usageOf(u.Input, u.Details.Cached, u.Details.Written, max(u.Output, u.Total-u.Input))
	}
	switch {
	case r.Incomplete.Reason == "content_filter":
		return &Refusal{Reason: reasonDeclined}
	case r.Status == "incomplete" || r.Incomplete.Reason != "":
		a.cut = true
	}
	return nil
}

// stripped is an item of reasoning without its id, by which a server that stored
// nothing would look for it, and without its state.
func stripped(raw json.RawMessage) json.RawMessage {
	var item struct {
		Type      string          `json:"type"`
		Summary   json.RawMessage `json:"summary"`
		Content   json.RawMessage `json:"content,omitempty"`
		Encrypted json.RawMessage `json:"encrypted_content"`
	}
	if json.Unmarshal(raw, &item) != nil {
		return nil
	}
	if !given(item.Summary) {
		item.Summary = json.RawMessage("[]")
	}
	if !given(item.Content) {
		item.Content = nil
	}
	out, err := encode(item)
	if err != nil {
		return nil
	}
	return out
}
