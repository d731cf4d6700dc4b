package agent

import "github.com/svc-games/svc/engine/model"

// still is what a provider counts that counts no more, however long the conversation
// becomes: it has no room, and drops the beginning without a word.
type still struct {
	by    string // the model that was asked
	times int    // answers in a row with the count of the one before
	from  int    // how many bytes the conversation had at the first of them
}

// What is no growth of a conversation, in tokens, and what is, in bytes and answers. What
// a template leaves out of one can't come to the same count again and again.
const (
	sameTokens = 8
	moreBytes  = 4000
	moreTimes  = 2
	fewTokens  = 1024 // of what some say they read, which is anything
)

// read notes how long the conversation was at a provider, and returns how much that reads
// if it is no more, however long the conversation becomes; else 0.
func (t *talk) read(by string, u model.Usage) (full int) {
	if u.Estimated {
		return 0
	}
	now, size := u.Input+u.Cached+u.CacheWrite, t.size()
	if by == t.still.by && now >= t.known-sameTokens && now <= t.known+sameTokens {
		t.still.times++
	} else {
		t.still = still{by: by, from: size}
	}
	t.known, t.knownAt = now, size
	if now > fewTokens && t.still.times >= moreTimes && size-t.still.from >= moreBytes {
		return now
	}
	return 0
}
