package model

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// between is what the model says, where the user may not speak after a tool.
const between = "I see."

// unsaid stands for an answer without a word or a call, for which many servers have no
// place: one that was cut while it was thought of.
const unsaid = "(no words)"

// order has the user and the model speak in turns, and calls have ids of nine letters
// and digits.
func (q *chatRequest) order() {
	var out []chatMessage
	for _, m := range q.Messages {
		m.ToolCallID = nineOf(m.ToolCallID)
		for i, c := range m.ToolCalls {
			m.ToolCalls[i].ID = nineOf(c.ID)
		}
		var before string
		if len(out) > 0 {
			before = out[len(out)-1].Role
		}
		switch {
		case m.Role == RoleUser && before == RoleUser:
			last := &out[len(out)-1]
			last.Content = joined(last.Content, m.Content)
			continue
		case m.Role == RoleUser && before == RoleTool:
			out = append(out, chatMessage{Role: RoleAssistant, Content: between})
		}
		out = append(out, m)
	}
	q.Messages = out
}

// joined is what two messages say, one after the other.
func joined(a, b any) any {
	first, ok := a.(string)
	second, also := b.(string)
	if ok && also {
		return first + "\n\n" + second
	}
	return append(partsOf(a), partsOf(b)...)
}

// partsOf are the parts of a content, of a text too.
func partsOf(content any) []chatPart {
	if text, isText := content.(string); isText {
		return []chatPart{{Type: "text", Text: text}}
	}
	parts, _ := content.([]chatPart)
	return parts
}

// nineOf is an id in nine letters and digits: itself if it is that already.
func nineOf(id string) string {
	if id == "" || len(id) == 9 && idOf(id) == id && !strings.ContainsAny(id, "_-") {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:])[:9]
}
