package egress

import (
	"strings"
	"unicode/utf8"

	"github.com/svc-games/svc/api/contract"
)

const (
	maxSpeechInput = 4096 // characters
	maxSpeechBytes = 32 << 20
)

// speechRequest holds the members of a request for speech that are passed on.
type speechRequest struct {
	Model          string   `json:"model"`
	Input          string   `json:"input"`
	Voice          string   `json:"voice"`
	Instructions   string   `json:"instructions,omitempty"`
	ResponseFormat string   `json:"response_format,omitempty"`
	Speed          *float64 `json:"speed,omitempty"`
}

func (e *Egress) readSpeech(body []byte) (*call, *refusal) {
	var q speechRequest
	if refused := decode(body, &q); refused != nil {
		return nil, refused
	}
	for name, text := range map[string]string{"input": q.Input, "instructions": q.Instructions} {
		if utf8.RuneCountInString(text) > maxSpeechInput {
			return nil, invalid("%s must have at most %d characters.", name, maxSpeechInput)
		}
	}
	if q.Input == "" {
		return nil, invalid("input must not be empty.")
	}
	out, refused := encode(q)
	if refused != nil {
		return nil, refused
	}
	return &call{model: q.Model, body: out, limit: units(contract.UnitAudio, 1), relay: relaySpeech}, nil
}

// relaySpeech passes a sound file on.
var relaySpeech = whole(
	func(kind string) bool { return strings.HasPrefix(kind, "audio/") || kind == "application/octet-stream" }, maxSpeechBytes,
	func(raw []byte) ([]byte, []contract.Unit, error) { return raw, units(contract.UnitAudio, 1), nil },
)
