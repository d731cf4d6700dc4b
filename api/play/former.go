package play

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/svc-games/svc/api/answers"
)

// ParseFormer reads what the library of games sent that were made before there were
// batches: events of one or more sessions, each of which becomes a batch. Nothing in it
// says what was sent before. Its error is an *answers.Error with status 400.
func ParseFormer(body []byte, key string) ([]Batch, error) {
	var b struct {
		Game   string `json:"gameId"`
		Events []struct {
			Name    string          `json:"name"`
			Props   json.RawMessage `json:"props"`
			Session string          `json:"session"`
			At      float64         `json:"at"` // ms of the device's clock
		} `json:"events"`
	}
	if err := decode(body, &b); err != nil {
		return nil, err
	}
	if len(b.Events) > MaxEvents {
		return nil, answers.BadRequest("events must have at most %d elements.", MaxEvents)
	}
	var batches []Batch
	at := make(map[string]int) // of a session, in batches
	for _, e := range b.Events {
		i, there := at[e.Session]
		if !there {
			if i = len(batches); i == MaxSessions {
				return nil, answers.BadRequest("events must be of at most %d sessions.", MaxSessions)
			}
			at[e.Session] = i
			sum := sha256.Sum256([]byte("former:" + e.Session))
			batches = append(batches, Batch{Key: key, Game: b.Game, Stream: hex.EncodeToString(sum[:16]), Former: true})
		}
		one := &batches[i]
		event := Event{Seq: int64(len(one.Events) + 1), At: int64(e.At), Name: e.Name}
		event.Props, event.Refused = judge(e.Name, e.Props)
		one.Events = append(one.Events, event)
	}
	for i := range batches {
		batches[i].countFromFirst()
		if err := batches[i].check(); err != nil {
			return nil, err
		}
	}
	return batches, nil
}

// countFromFirst makes times of a device's clock such that count from the first of them.
// The last is that of sending. The device may have set its clock meanwhile.
func (b *Batch) countFromFirst() {
	first, last := b.Events[0].At, int64(0)
	for i := range b.Events {
		last = min(max(last, b.Events[i].At-first), MaxStream)
		b.Events[i].At = last
	}
	b.Sent = last
}
