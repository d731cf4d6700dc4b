package rate

// generations is a map that never holds more than twice size entries: when
// the young generation is full it becomes the old one, and the old one goes.
// An entry that is used moves to the young one, so what is lost was not used
// for at least size other entries. It is not safe for concurrent use.
type generations[K comparable, V any] struct {
	size       int
	young, old map[K]V
}

func newGenerations[K comparable, V any](size int) *generations[K, V] {
	return &generations[K, V]{size: size, young: make(map[K]V)}
}

func (g *generations[K, V]) get(key K) (V, bool) {
	v, ok := g.young[key]
	if ok {
		return v, true
	}
	if v, ok = g.old[key]; ok {
		g.put(key, v)
	}
	return v, ok
}

func (g *generations[K, V]) put(key K, v V) {
	if _, there := g.young[key]; !there && len(g.young) >= g.size {
		g.old, g.young = g.young, make(map[K]V)
	}
	g.young[key] = v
}
