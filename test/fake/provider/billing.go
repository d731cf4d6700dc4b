package fakeprovider

import (
	"net/http"
	"strings"
	"sync"
)

// Billed answers with what a server that caches prefixes would say that it took:
// what one of the earlier requests began with is cached, the rest is written to
// the cache where marks ask for it. The output is counted at four bytes a token.
func Billed(turn func(n int) Turn) Answer {
	var mu sync.Mutex // guards what follows
	var seen []string
	n := 0
	return func(p *Provider, w http.ResponseWriter, r *http.Request, q Request) {
		prompt := promptOf(q.Body)
		mu.Lock()
		longest := 0
		for _, before := range seen {
			longest = max(longest, common(prompt, before))
		}
		seen = append(seen, prompt)
		t := turn(n)
		n++
		mu.Unlock()
		took := &Took{Cached: longest / 4, Input: (len(prompt)-longest)/4 + 1, Output: (len(t.Text)+len(t.Reasoning))/4 + 1}
		for _, c := range t.Tools {
			took.Output += len(c.Arguments) / 4
		}
		if strings.Contains(string(marshal(q.Body)), `"cache_control"`) {
			took.Written, took.Input = took.Input, 0
		}
		t.Took = took
		t.Answer()(p, w, r, q)
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
