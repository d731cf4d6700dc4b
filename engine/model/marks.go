package model

import "slices"

// mark asks a provider to keep what was sent up to a part.
type mark struct {
	Type string `json:"type"`
}

// maxMarks is how many the provider takes: one for what never changes, and the
// others for the newest messages. The last has the results that this request is
// the first to send; the ones before are where the last requests' marks were, so
// that what those wrote is found again. The marks move with the conversation:
// ones that stay would leave all that follows unkept.
const maxMarks = 4

// mark puts the marks: on the system prompt, which stands behind the tools, and
// on the last block of the newest messages of the user's.
func (q *messagesRequest) mark() {
	left := maxMarks
	if n := len(q.System); n > 0 {
		q.System[n-1].Cache = &mark{"ephemeral"}
		left--
	}
	for i := len(q.Messages) - 1; i >= 0 && left > 0; i-- {
		m := q.Messages[i]
		if m.Role != RoleUser {
			continue
		}
		if last := &m.Content[len(m.Content)-1]; last.raw == nil {
			last.Cache = &mark{"ephemeral"}
			left--
		}
	}
}

// mark puts the marks of a router that hands them on to such a provider: on the
// system prompt, and on the newest messages that are not the model's.
func (q *chatRequest) mark() {
	left := maxMarks
	set := func(m *chatMessage) {
		parts, ok := m.Content.([]chatPart)
		if text, isText := m.Content.(string); isText && text != "" {
			parts, ok = []chatPart{{Type: "text", Text: text}}, true
		}
		if !ok || len(parts) == 0 {
			return
		}
		parts = slices.Clone(parts)
		parts[len(parts)-1].Cache = &mark{"ephemeral"}
		m.Content = parts
		left--
	}
	if len(q.Messages) > 0 && q.Messages[0].Role == "system" {
		set(&q.Messages[0])
	}
	own := true // the message after is not of the same turn
	for i := len(q.Messages) - 1; i > 0 && left > 0; i-- {
		m := &q.Messages[i]
		if m.Role != RoleAssistant && own {
			set(m)
		}
		own = m.Role == RoleAssistant
	}
}
