package fakeprovider

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
)

// Billing counts what requests take as a server does that caches prefixes: what one of
// the earlier requests began with is cached, the rest is written to the cache where
// marks ask for it. The output is counted at four bytes a token.
type Billing struct {
	mu   sync.Mutex // guards what follows
	seen []string
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
	prompt := promptOf(q.Body)
	b.mu.Lock()
	defer b.mu.Unlock()
	longest := 0
	for _, before := range b.seen {
		longest = max(longest, common(prompt, before))
	}
	b.seen = append(b.seen, prompt)
	took := &Took{Cached: longest / 4, Input: (len(prompt)-longest)/4 + 1, Output: (len(t.Text)+len(t.Reasoning))/4 + 1}
	for _, c := range t.Tools {
		took.Output += len(c.Arguments) / 4
	}
	if t.Cut {
		took.Output = most(q.Body)
	}
	if strings.Contains(string(marshal(q.Body)), `"cache_control"`) {
		took.Written, took.Input = took.Input, 0
	}
	b.all = Took{b.all.Input + took.Input, b.all.Cached + took.Cached, b.all.Written + took.Written, b.all.Output + took.Output}
	t.Took = took
	return t
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
