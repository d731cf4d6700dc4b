package fakeprovider

import (
	"strings"
	"testing"
)

// TestWithoutMarksNothingIsCachedOnAnthropicsWire: what is cached is what a mark of an
// earlier request ended, near a mark of this one.
func TestWithoutMarksNothingIsCachedOnAnthropicsWire(t *testing.T) {
	const word, long = `{"type":"text","text":"`, 4000
	block := func(mark bool, letter string) string {
		if mark {
			return word + strings.Repeat(letter, long) + `","cache_control":{"type":"ephemeral"}}`
		}
		return word + strings.Repeat(letter, long) + `"}`
	}
	ask := func(blocks ...string) map[string]any {
		var body map[string]any
		decode(`{"messages":[{"role":"user","content":[`+strings.Join(blocks, ",")+`]}]}`, &body)
		return body
	}
	var far []string
	for range lookBack + 1 {
		far = append(far, block(false, "y"))
	}
	for name, c := range map[string]struct {
		first, next     map[string]any
		cached, written int // blocks
	}{
		"no marks":            {ask(block(false, "a")), ask(block(false, "a"), block(false, "b")), 0, 0},
		"a mark each":         {ask(block(true, "a")), ask(block(true, "a"), block(true, "b")), 1, 1},
		"the mark moves":      {ask(block(true, "a")), ask(block(false, "a"), block(true, "b")), 1, 1},
		"only the first":      {ask(block(true, "a")), ask(block(true, "a"), block(false, "b")), 1, 0},
		"a mark afterwards":   {ask(block(false, "a")), ask(block(true, "a"), block(true, "b")), 0, 2},
		"no mark afterwards":  {ask(block(true, "a")), ask(block(false, "a"), block(false, "b")), 0, 0},
		"another beginning":   {ask(block(true, "a")), ask(block(false, "x"), block(true, "a")), 0, 2},
		"more than it looks":  {ask(block(true, "a")), ask(append([]string{block(false, "a")}, append(far, block(true, "b"))...)...), 0, lookBack + 3},
		"as far as it looks":  {ask(block(true, "a")), ask(append([]string{block(false, "a")}, append(far[:lookBack-1], block(true, "b"))...)...), 1, lookBack},
		"the same once again": {ask(block(true, "a")), ask(block(true, "a")), 1, 0},
	} {
		var bills Billing
		bills.Bill(Request{Path: "/v1/messages", Body: c.first}, Turn{})
		got := bills.Bill(Request{Path: "/v1/messages", Body: c.next}, Turn{}).Took
		blocks := func(tokens int) int { return (tokens*4 + long/2) / (long + 40) }
		if blocks(got.Cached) != c.cached || blocks(got.Written) != c.written {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
