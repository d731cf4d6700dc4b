package fakeprovider

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
)

// Billing counts what requests take as a server does that caches prefixes: what one of
// the earlier requests began with is cached. On Anthropic's wire that is what one of
// them marked, and this one finds again behind a mark of its own, and what marks ask for
// is written to the cache. The output is counted at four bytes a token.
type Billing struct {
	mu   sync.Mutex // guards what follows
	seen []string
	kept map[string]bool // what marks of earlier requests ended
	all  Took
}

// Took is what all requests so far took.
func (b *Billing) Took() Took {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all
}

// Bill returns an answer with what it takes.
func (b *Billing) Bill(q Request, t Turn) Turn {
	b.mu.Lock()
	defer b.mu.Unlock()
	var took *Took
	if strings.HasSuffix(q.Path, "/messages") {
		took = b.marked(q.Body)
	} else {
		took = b.known(q.Body)
	}
	took.Output = (len(t.Text)+len(t.Reasoning))/4 + 1
	for _, c := range t.Tools {
		took.Output += len(c.Arguments) / 4
	}
	if t.Cut {
		took.Output = most(q.Body)
	}
	b.all = Took{b.all.Input + took.Input, b.all.Cached + took.Cached, b.all.Written + took.Written, b.all.Output + took.Output}
	t.Took = took
	return t
}

// known is what is read of a request where all of it is kept.
func (b *Billing) known(body map[string]any) *Took {
	prompt, longest := promptOf(body), 0
	for _, before := range b.seen {
		longest = max(longest, common(prompt, before))
	}
	b.seen = append(b.seen, prompt)
	took := &Took{Cached: longest / 4, Input: (len(prompt)-longest)/4 + 1}
	if strings.Contains(string(marshal(body)), `"cache_control"`) {
		took.Written, took.Input = took.Input, 0
	}
	return took
}

// most is what a request lets a model write.
func most(body map[string]any) int {
	for _, name := range []string{"max_tokens", "max_completion_tokens", "max_output_tokens"} {
		if n, given := body[name].(float64); given {
			return int(n)
		}
	}
	return 0
}

// Billed answers with the n-th turn to the n-th request, and what it takes.
func Billed(turn func(n int) Turn) Answer {
	var bills Billing
	var n atomic.Int64
	return func(p *Provider, w http.ResponseWriter, r *http.Request, q Request) {
		bills.Bill(q, turn(int(n.Add(1)-1))).Answer()(p, w, r, q)
	}
}

// promptOf is what a cache sees of a request: tools, system, conversation, and
// not the marks.
func promptOf(body map[string]any) string {
	var out strings.Builder
	for _, name := range []string{"tools", "system", "instructions"} {
		out.Write(marshal(unmarkedCopy(body[name])))
	}
	for _, name := range []string{"messages", "input"} {
		for _, m := range list(body[name]) {
			out.Write(marshal(unmarkedCopy(m)))
		}
	}
	return out.String()
}

func unmarkedCopy(v any) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = unmarkedCopy(e)
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for name, e := range v {
			if name != "cache_control" {
				out[name] = unmarkedCopy(e)
			}
		}
		return out
	}
	return v
}

// common is how many bytes two texts begin with alike, in the blocks of a cache.
func common(a, b string) int {
	const block = 512
	n := 0
	for n+block <= min(len(a), len(b)) && a[n:n+block] == b[n:n+block] {
		n += block
	}
	return n
}
