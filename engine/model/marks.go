package model

// messagesMark asks a provider to keep what was sent up to a block.
type messagesMark struct {
	Type string `json:"type"`
}

// maxMarks is how many the provider takes.
const maxMarks = 4

// mark puts the marks: on the system prompt, which stands behind the tools, and
// on the last block of the newest messages of the user's. The newest one has the
// results that this request is the first to send; the ones before are where the
// last requests' marks were, so that what those wrote is found again. The marks
// move with the conversation: ones that stay would leave all that follows
// unkept.
func (q *messagesRequest) mark() {
	left := maxMarks
	if n := len(q.System); n > 0 {
		q.System[n-1].Cache = &messagesMark{"ephemeral"}
		left--
	}
	for i := len(q.Messages) - 1; i >= 0 && left > 0; i-- {
		m := q.Messages[i]
		if m.Role != RoleUser {
			continue
		}
		if last := &m.Content[len(m.Content)-1]; last.raw == nil {
			last.Cache = &messagesMark{"ephemeral"}
			left--
		}
	}
}
