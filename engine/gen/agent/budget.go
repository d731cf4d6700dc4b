package agent

import (
	"bytes"
	"encoding/json"

	"github.com/svc-games/svc/engine/model"
)

// priceOfOutput is what a token costs that is written, in those that are read.
const priceOfOutput = 4

// price is what an answer took, in tokens that are read: as most providers count
// those of caches, and those that are written.
func price(u model.Usage) int {
	return u.Input + u.Cached/10 + u.CacheWrite*5/4 + u.Output*priceOfOutput
}

// pay counts what an answer of a model took, "" for one of which it is not known.
func (s *session) pay(by string, u model.Usage) {
	s.usage.Add(u)
	p, known := s.task.Limits.Prices[by]
	if !known {
		p = s.dearest()
	}
	s.spent += p.Of(u)
}

// dearest is the most that a token may cost of those models that may answer.
func (s *session) dearest() model.Price {
	var most model.Price
	for _, p := range s.task.Limits.Prices {
		most.Input = max(most.Input, p.Input, p.Cached, p.CacheWrite)
		most.Output = max(most.Output, p.Output)
	}
	most.Cached, most.CacheWrite = most.Input, most.Input
	return most
}

// affords is how many tokens the next answer may have, or why there is none. What it
// costs stays within the TIK, also if it breaks off and is charged at its limit.
func (s *session) affords() (most int, stop Stop) {
	limits := s.task.Limits
	left := limits.Tokens - price(s.usage)
	switch {
	case limits.Unknown != nil:
		s.refusal = limits.Unknown
		return 0, StopProvider
	case s.steps == limits.Steps:
		return 0, StopSteps
	case left < leastAnswer*priceOfOutput:
		return 0, StopTokens
	}
	most = min(left/priceOfOutput, limits.Answer)
	if limits.TIK == 0 {
		return most, ""
	}
	rest := limits.TIK - s.spent - s.toRead()
	if output := s.dearest().Output; output > 0 {
		most = int(min(int64(most), rest/output))
	}
	if rest < 0 || most < min(leastAnswer, limits.Answer) {
		return 0, StopTIK
	}
	return most, ""
}

// Bounds of what wires put around the parts of a request, in bytes, and of how many
// tokens the egress takes a picture for.
const (
	aroundRequest = 512
	aroundPart    = 128
	tokensOfShot  = 5000
)

// mostRead is how many tokens the conversation and the tools are at most, as the egress
// counts a call that breaks off: by its bytes on the wire, whichever that is.
func (s *session) mostRead() int {
	size, shots := aroundRequest+quoted(s.talk.system), 0
	for _, t := range s.offers {
		size += aroundPart + quoted(t.Name) + quoted(t.Description) + len(t.Parameters)
	}
	for _, m := range s.talk.list {
		size += aroundPart
		for _, p := range m.Parts {
			more, seen := weight(p)
			size, shots = size+aroundPart+more, shots+seen
		}
	}
	return max(size/bytesPerToken+shots*tokensOfShot, s.talk.tokens())
}

// weight is how many bytes a part has at most, and how many pictures.
func weight(p model.Part) (size, shots int) {
	size = quoted(p.Text)
	if p.Image != nil {
		shots++
	}
	if p.Call != nil {
		size += quoted(p.Call.ID) + quoted(p.Call.Name) + quoted(p.Call.Arguments)
	}
	if p.Result != nil {
		size += quoted(p.Result.ID) + quoted(p.Result.Text) + aroundPart*len(p.Result.Images)
		shots += len(p.Result.Images)
	}
	if p.Opaque != nil {
		size += len(p.Opaque.Raw)
	}
	return size, shots
}

// quoted is how many bytes a text has as a string of JSON.
func quoted(text string) int {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // every text has a form
	return b.Len()
}

// toRead is what reading them costs at most, in millionths of a TIK.
func (s *session) toRead() int64 { return s.dearest().Input * int64(s.mostRead()) }

// spendsMostOf reports whether a share of the TIK, of a hundred, is spent of what can be
// spent before the last answer.
func (s *session) spendsMostOf(share int64) bool {
	limits := s.task.Limits
	return limits.TIK > 0 && s.spent >= (limits.TIK-s.toRead()-leastAnswer*s.dearest().Output)/100*share
}
