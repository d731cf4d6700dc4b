package egress

import (
	"encoding/json"

	"github.com/svc-games/svc/api/contract"
)

// maxTokensOfCall is more than any model reads or writes in one call; a usage
// above it is a mistake.
const maxTokensOfCall = 100_000_000

// maxPerToken bounds, in bytes, what a provider sends for one token; in a
// stream each has an envelope of its own.
const maxPerToken = 1 << 10

// counted are the tokens of a call; each is in one of the four.
type counted struct{ input, cached, written, output int64 }

func (c counted) credible() bool {
	for _, n := range []int64{c.input, c.cached, c.written, c.output} {
		if n < 0 || n > maxTokensOfCall {
			return false
		}
	}
	return c.input+c.cached+c.written > 0
}

// outOf is what a prompt of so many tokens is made of, those of the cache
// included; parts that can't be true are not believed.
func outOf(prompt, cached, written, output int64) counted {
	if cached < 0 || written < 0 || cached+written > prompt {
		cached, written = 0, 0
	}
	return counted{prompt - cached - written, cached, written, output}
}

// meter counts one call of a model that writes.
type meter struct {
	model       string
	input, most int64 // estimated tokens of the request, and the most to be written
	marked      bool  // the request asks to have its beginning kept
	sent        int64 // bytes of the request, which some answers repeat

	said  *counted // by the provider
	bytes int64    // of everything the model wrote
	began bool     // something was made that may be paid for
}

func (m *meter) maxAnswer() int64 { return maxPerToken*m.most + 3*m.sent + 1<<20 }

// wrote adds what the model wrote. Providers differ in what they send where:
// what is no text counts by its length.
func (m *meter) wrote(texts ...json.RawMessage) {
	for _, raw := range texts {
		m.bytes += length(raw)
	}
	m.began = m.began || m.bytes > 0
}

// length is that of a text, or of whatever stands in its place.
func length(raw json.RawMessage) int64 {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return int64(len(text))
	}
	return int64(len(raw))
}

// limit is what the call may cost at most. What is to be kept is written to a
// cache, and that is dearer than reading.
func (m *meter) limit() []contract.Unit {
	if m.marked {
		return m.cost(counted{written: m.input, output: m.most})
	}
	return m.cost(counted{input: m.input, output: m.most})
}

// total returns what a complete answer cost: what the provider says, else an
// estimate from above.
func (m *meter) total() []contract.Unit {
	n := counted{input: m.input, output: min((m.bytes+1)/2, m.most)}
	if m.said != nil && m.said.credible() {
		estimate := n.output
		n = *m.said
		if n.output == 0 && m.bytes > 0 {
			n.output = estimate
		}
	}
	return m.cost(n)
}

// cost names what was used. Input and output stand there always, what a cache had
// or was given where there was one.
func (m *meter) cost(n counted) []contract.Unit {
	out := units(inputUnit(m.model), n.input)
	if n.cached > 0 {
		out = append(out, units(cachedUnit(m.model), n.cached)...)
	}
	if n.written > 0 {
		out = append(out, units(cacheWriteUnit(m.model), n.written)...)
	}
	return append(out, units(outputUnit(m.model), n.output)...)
}
