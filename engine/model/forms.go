package model

import (
	"errors"
	"sync"
)

// form says what of a request is left out or said otherwise, for servers that don't
// know it. What is refused is not charged.
type form struct {
	renamed    bool // the most to write goes by its other name
	effortless bool
	formless   bool // no schema of the answer
	// lentThought and lentSignature put something in the place of what a server
	// asks for and another model did not give.
	lentThought, lentSignature bool
	blind                      bool // no pictures
	forgetful                  bool // nothing is replayed: the provider does not know its own again
	// ordered: the user and the model speak in turns, and ids of calls are nine letters
	// and digits, as Mistral and the templates of its models have it.
	ordered bool
}

// with is the form that leaves out what either does.
func (f form) with(g form) form {
	return form{
		renamed: f.renamed || g.renamed, effortless: f.effortless || g.effortless, formless: f.formless || g.formless,
		lentThought: f.lentThought || g.lentThought, lentSignature: f.lentSignature || g.lentSignature,
		blind: f.blind || g.blind, forgetful: f.forgetful || g.forgetful, ordered: f.ordered || g.ordered,
	}
}

// cures are the forms that servers say themselves would be taken, by the reason of
// their refusal.
var cures = map[string]form{
	reasonOrder:   {ordered: true},
	reasonUnknown: {forgetful: true},
	reasonBlind:   {blind: true},
}

// cureOf is the form that the server would take; none that it says nothing of.
func cureOf(err error) form {
	var r *Refusal
	if !errors.As(err, &r) {
		return form{}
	}
	return cures[r.Reason]
}

// remembered is the form of a request that each model took last: it is the first one to
// try the next time.
type remembered[F any] struct {
	mu    sync.Mutex // guards taken
	taken map[string]F
}

func (r *remembered[F]) of(model string) F {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.taken[model]
}

func (r *remembered[F]) set(model string, form F) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.taken == nil {
		r.taken = map[string]F{}
	}
	r.taken[model] = form
}

// refusesForm reports whether another form of the same request may be taken.
func refusesForm(err error) bool { return KindOf(err) == Form }
