package model

import (
	"errors"
	"fmt"
	"testing"

	fakeprovider "github.com/svc-games/svc/test/fake/provider"
)

// TestReasonInAStreamsLastEventIsWhatTheEndIsAbout: an egress says there why an answer
// that had begun broke off. It is paid once, and nobody else is asked.
func TestReasonInAStreamsLastEventIsWhatTheEndIsAbout(t *testing.T) {
	begun := map[string]string{
		ProtocolChat:      `data: {"choices":[{"index":0,"delta":{"content":"I look"}}]}`,
		ProtocolResponses: `data: {"type":"response.output_text.delta","output_index":0,"delta":"I look"}`,
		ProtocolMessages:  `data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"I look"}}`,
	}
	for reason, kind := range map[string]Kind{
		"context_length_exceeded": Overflow, "content_filter": Declined, "content_policy_violation": Declined,
		"provider_broke": "", "provider_quota": "", "provider_refused": "", "rate_limited": "", "Overflow!": "",
	} {
		for protocol, event := range begun {
			last := fmt.Sprintf("event: error\ndata: {\"error\":\"It ends.\",\"reason\":%q}\n\n", reason)
			d := open(t, byModel(map[string]fakeprovider.Answer{
				"m": fakeprovider.Body("text/event-stream", event+"\n\n"+last), "other": fakeprovider.Says("mine"),
			})).known(Offer{Protocol: protocol})
			r, lost := begin(), 0
			r.Fallback, r.Lost = []string{"other"}, func() bool { lost++; return true }
			_, err := d.Chat(t.Context(), r)
			if KindOf(err) != kind || errors.Is(err, ErrBroken) != (kind == "") || lost != 1 || len(d.provider.Requests()) != 1 {
				t.Errorf("%s, %s: %v after %d lost and %d requests", reason, protocol, err, lost, len(d.provider.Requests()))
			}
		}
	}
}
