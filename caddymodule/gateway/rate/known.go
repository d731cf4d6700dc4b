package rate

import "sync"

// Known remembers the keys that were seen last, a bounded number of them.
type Known[K comparable] struct {
	mu   sync.Mutex // guards keys
	keys *generations[K, struct{}]
}

// NewKnown returns an empty memory that holds at least size keys, and at most
// twice as many.
func NewKnown[K comparable](size int) *Known[K] {
	return &Known[K]{keys: newGenerations[K, struct{}](size)}
}

// Add remembers key.
func (k *Known[K]) Add(key K) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.keys.put(key, struct{}{})
}

// Has reports whether key is remembered.
func (k *Known[K]) Has(key K) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	_, ok := k.keys.get(key)
	return ok
}
