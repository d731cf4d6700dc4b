package fakeprovider

import "strings"

// lookBack is how many blocks before a mark a cache looks for what it has.
const lookBack = 20

// marked is what is read of a request on Anthropic's wire, and what of it is kept.
func (b *Billing) marked(body map[string]any) *Took {
	prompt := blocksOf(body)
	read, cached := len(prompt.text), 0
	for _, mark := range prompt.marks {
		for at := mark; at >= max(0, mark-lookBack); at-- {
			if end := prompt.ends[at]; b.kept[prompt.text[:end]] {
				cached = max(cached, end)
				break
			}
		}
	}
	written := cached
	if b.kept == nil {
		b.kept = map[string]bool{}
	}
	for _, mark := range prompt.marks {
		end := prompt.ends[mark]
		b.kept[prompt.text[:end]] = true
		written = max(written, end)
	}
	return &Took{Cached: cached / 4, Written: (written - cached) / 4, Input: (read-written)/4 + 1}
}

// blocks are a request in the order in which a cache sees it: tools, system, messages.
type blocks struct {
	text  string
	ends  []int // of the blocks in text
	marks []int // which of them are marked
}

func blocksOf(body map[string]any) blocks {
	var b blocks
	var said strings.Builder
	add := func(before string, v any) {
		said.WriteString(before)
		said.Write(marshal(unmarkedCopy(v)))
		b.ends = append(b.ends, said.Len())
		if object(v)["cache_control"] != nil {
			b.marks = append(b.marks, len(b.ends)-1)
		}
	}
	for _, t := range list(body["tools"]) {
		add("tool", t)
	}
	for _, s := range listOf(body["system"]) {
		add("system", s)
	}
	for _, m := range list(body["messages"]) {
		role := text(object(m)["role"])
		for _, c := range listOf(object(m)["content"]) {
			add(role, c)
		}
	}
	b.text = said.String()
	return b
}

// listOf is a content as a list, of a text too.
func listOf(v any) []any {
	if s, isText := v.(string); isText {
		return []any{s}
	}
	return list(v)
}
