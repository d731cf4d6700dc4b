package fakeprovider

import (
	"net/http"
	"strings"
	"sync"
)

// ByPath answers by the end of a request's path: "/chat/completions" for one.
func ByPath(answers map[string]Answer) Answer {
	return func(p *Provider, w http.ResponseWriter, r *http.Request, q Request) {
		for end, answer := range answers {
			if strings.HasSuffix(q.Path, end) {
				answer(p, w, r, q)
				return
			}
		}
		http.Error(w, "no answer is scripted for "+q.Path, http.StatusTeapot)
	}
}

// InTurn gives one answer after the other, and the last for ever.
func InTurn(answers ...Answer) Answer {
	var mu sync.Mutex // guards next
	next := 0
	return func(p *Provider, w http.ResponseWriter, r *http.Request, q Request) {
		mu.Lock()
		answer := answers[min(next, len(answers)-1)]
		next++
		mu.Unlock()
		answer(p, w, r, q)
	}
}

// Asked counts the requests so far whose path ends so.
func (p *Provider) Asked(end string) int {
	n := 0
	for _, q := range p.Requests() {
		if strings.HasSuffix(q.Path, end) {
			n++
		}
	}
	return n
}
