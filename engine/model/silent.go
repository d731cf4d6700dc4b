package model

// What is known of servers that have little room and drop the beginning of what is longer
// without a word. They say that they read what fits, Ollama's newer ones half of it and
// two tokens more, and nothing else gives them away.
const (
	// perWord is more bytes than a text has to a token on average: of prose it has five,
	// of code three to four.
	perWord = 6
	// perCached is more still. A server that counts what it has not read before, and says
	// nothing of the rest, is taken for one that drops only beyond it.
	perCached = 10
	// leastRead is half of the least window that anyone gives a model. What is said of less
	// may be anything.
	leastRead = 1 << 10
)

// missed is why an answer is none: the server can't have read all of a request with
// tools. nil where it may have.
func missed(r Request, u Usage) error {
	read := u.read()
	if u.Estimated || len(r.Tools) == 0 || read <= leastRead {
		return nil
	}
	all, last := heft(r.System), 0
	for _, t := range r.Tools {
		all += heft(t.Name) + heft(t.Description) + heft(string(t.Parameters))/2 // some write them shorter
	}
	for _, m := range r.Messages {
		if m.Role == RoleAssistant {
			last = 0
		}
		n := heft(m.Text())
		for _, c := range m.Calls() {
			n += heft(c.Name) + heft(c.Arguments)
		}
		all, last = all+n, last+n
	}
	per := perWord
	if u.Cached == 0 && 2*read <= last+leastRead {
		per = perCached // it may be what is new, and no more
	}
	if all > per*read {
		return Missed(read)
	}
	return nil
}

// heft is how many bytes a text has of those that take tokens: what repeats counts once,
// and a byte of other scripts half, since they have several to a letter.
func heft(text string) int {
	n, before := 0, byte(0)
	for i := range len(text) {
		b := text[i]
		if b == '\n' || b == '\t' || b == '\r' {
			b = ' '
		}
		switch {
		case b >= 0x80:
			n++
		case b != before:
			n += 2
		}
		before = b
	}
	return n / 2
}
