package model

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"net/http"
	"slices"
)

// errLeft: whoever reads the answer wants no more of it.
var errLeft = errors.New("the rest of the answer is not read")

// Stream asks a model and returns its answer as it comes; the last event is the
// whole of it. A request that the server can't take is sent again: after a pause,
// in another form, or to the next model; but only while nothing of an answer has
// arrived, for one that has is paid. There is one error, at the end.
func (c *Client) Stream(ctx context.Context, r Request) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		err := c.ask(ctx, r, func(e Event) error {
			if !yield(e, nil) {
				return errLeft
			}
			return nil
		})
		if err != nil && !errors.Is(err, errLeft) {
			yield(Event{}, err)
		}
	}
}

// Chat asks a model and returns its whole answer.
func (c *Client) Chat(ctx context.Context, r Request) (Reply, error) {
	return Collect(c.Stream(ctx, r))
}

// Collect reads an answer to its end.
func Collect(events iter.Seq2[Event, error]) (Reply, error) {
	for e, err := range events {
		if err != nil {
			return Reply{}, err
		}
		if e.Reply != nil {
			return *e.Reply, nil
		}
	}
	return Reply{}, errNothing
}

// ask asks one model after the other.
func (c *Client) ask(ctx context.Context, r Request, pass func(Event) error) error {
	if r.Fallback == nil {
		r.Fallback = c.offers.of(r.Model).Fallback
	}
	var err error
	for _, name := range append([]string{r.Model}, r.Fallback...) {
		r.Model = name
		err = c.askOne(ctx, r, pass)
		if charged(err) && r.Lost != nil && !r.Lost() || err == nil || ctx.Err() != nil || !elsewhere(err) {
			return err
		}
	}
	return err
}

// charged reports whether a request is paid although it has no answer.
func charged(err error) bool {
	var r *Refusal
	return errors.Is(err, ErrBroken) || errors.Is(err, errTooLong) || errors.As(err, &r) && r.paid
}

// elsewhere reports whether another model may answer what this one did not:
// nothing of an answer has arrived, and the fault is not the request's or the
// user's.
func elsewhere(err error) bool {
	switch KindOf(err) {
	case Exhausted, Overflow, Declined:
		return false
	case "":
		return errors.Is(err, errSilent) || !errors.Is(err, ErrBroken) && !errors.Is(err, errTooLong) && !errors.Is(err, errLeft)
	}
	return true
}

// askOne asks a model, in the forms that its server may take. What a server does
// not know of the request's optional members is left out.
func (c *Client) askOne(ctx context.Context, r Request, pass func(Event) error) error {
	o := c.offers.of(r.Model)
	wire, err := o.codec()
	if err != nil {
		return err
	}
	if err := o.fits(r); err != nil {
		return err
	}
	r.MaxOutput = o.most(r.MaxOutput)
	var sent [][]byte
	kept := c.forms.of(r.Model)
	now := kept // what is sure of the form, and what is tried with it
	for i := 0; i < len(wire.forms); i++ {
		tried := now.with(wire.forms[i])
		body, failed := encode(wire.encode(r.as(tried), o, tried))
		if failed != nil {
			return failed
		}
		if slices.ContainsFunc(sent, func(other []byte) bool { return bytes.Equal(other, body) }) {
			continue // it leaves out what the request has not got
		}
		sent = append(sent, body)
		err = c.retry(ctx, func(ctx context.Context) error {
			return c.attempt(ctx, wire, o, r, body, pass)
		})
		if err == nil {
			if now.forgetful {
				tried.forgetful = kept.forgetful // what comes from now on it knows again
			}
			c.forms.set(r.Model, tried)
		}
		if !refusesForm(err) {
			return err
		}
		if cured := now.with(cureOf(err)); cured != now {
			now, i = cured, -1
		}
	}
	return err
}

// attempt sends a request once and passes the answer on.
func (c *Client) attempt(ctx context.Context, wire codec, o Offer, r Request, body []byte, pass func(Event) error) error {
	ctx, w := c.watch(ctx, o.first(c.opts.First))
	defer w.end()
	resp, err := c.send(ctx, http.MethodPost, wire.path, bytes.NewReader(body))
	if err != nil {
		return w.named(err)
	}
	defer resp.Body.Close()
	a := &answer{model: r.Model}
	take := func(a *answer, l line) (bool, error) {
		done, err := wire.event(a, l)
		for _, e := range a.events {
			w.arrived()
			if err := pass(e); err != nil {
				return false, err
			}
		}
		a.events = a.events[:0]
		return done, err
	}
	if err := readLines(resp.Body, max(maxStream, perToken*r.MaxOutput), a, take, w.alive); err != nil {
		return w.named(err)
	}
	reply, err := a.reply(r.MaxOutput, len(body))
	if err != nil {
		return err
	}
	w.end()
	if err := missed(r, reply.Usage); err != nil {
		return err
	}
	_ = pass(Event{Reply: &reply}) // whoever leaves now has all of it
	return nil
}
