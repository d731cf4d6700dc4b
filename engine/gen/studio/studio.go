// Package studio has models make the pictures and sounds of a game. What they
// send is not trusted and never shipped as it is, where that can be helped:
// pictures and WAVs are decoded within bounds, cut to what a game needs, and
// encoded anew. What can't be used is left to the generator, which paints and
// synthesises.
package studio

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/svc-games/svc/engine/model"
)

// Patience is how long all that a game needs may take together.
const Patience = 3 * time.Minute

// atOnce is how many models are asked at the same time.
const atOnce = 3

// Models make pictures and sounds; *model.Client does.
type Models interface {
	Offers(ctx context.Context) ([]model.Offer, error)
	Paint(ctx context.Context, p model.Picture) ([]byte, error)
	Record(ctx context.Context, s model.Sound) ([]byte, error)
}

// Studio asks the models that the operator named first. A part without a model
// is "".
type Studio struct {
	models         Models
	Images, Sounds string // names of models
}

// Open looks which models there are.
func Open(ctx context.Context, models Models) (*Studio, error) {
	offers, err := models.Offers(ctx)
	if err != nil {
		return nil, err
	}
	s := &Studio{models: models}
	for _, o := range offers {
		switch {
		case o.Use == model.UseImages && s.Images == "":
			s.Images = o.Name
		case o.Use == model.UseSpeech && s.Sounds == "":
			s.Sounds = o.Name
		}
	}
	return s, nil
}

// Kind is what an asset is for.
type Kind int

// The kinds.
const (
	Figure Kind = iota
	Background
	Effect
	Music
)

// Order is an asset that is wanted.
type Order struct {
	Name   string // of the asset in the game
	Kind   Kind
	Prompt string
	W, H   int // pixels, of a background
}

// Made is an asset as a game ships it, or why there is none.
type Made struct {
	Ext  string // of the file: .png, .jpg, .wav, .mp3 or .ogg
	Data []byte
	Err  error
}

// errSkipped: the model failed before, so that it was not asked again.
var errSkipped = errors.New("the model failed before")

// Make has all orders made, some at a time. Its error is ctx's, or
// model.ErrExhausted; what else went wrong is in each result.
func (s *Studio) Make(ctx context.Context, orders []Order) ([]Made, error) {
	timed, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	made := make([]Made, len(orders))
	var down, exhausted atomic.Bool
	var wait sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	for i, o := range orders {
		wait.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if down.Load() || timed.Err() != nil {
				made[i].Err = errSkipped
				return
			}
			made[i] = s.make(timed, o)
			if errors.Is(made[i].Err, model.ErrExhausted) {
				exhausted.Store(true)
			}
			if failed(made[i].Err) {
				down.Store(true)
			}
		})
	}
	wait.Wait()
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case exhausted.Load():
		return nil, model.ErrExhausted
	}
	return made, nil
}

// failed reports whether an error is the model's, and not about what was asked
// of it or what it made.
func failed(err error) bool {
	return err != nil && !errors.Is(err, model.ErrRefused) && !errors.Is(err, ErrUnusable)
}

func (s *Studio) make(ctx context.Context, o Order) (m Made) {
	var file []byte
	switch o.Kind {
	case Figure:
		file, m.Err = s.models.Paint(ctx, model.Picture{Model: s.Images, Prompt: o.Prompt, Size: "1024x1024", Transparent: true})
		if m.Err == nil {
			m.Ext = ".png"
			m.Data, m.Err = CutOut(file)
		}
	case Background:
		file, m.Err = s.models.Paint(ctx, model.Picture{Model: s.Images, Prompt: o.Prompt, Size: canvas(o)})
		if m.Err == nil {
			m.Ext = ".jpg"
			m.Data, m.Err = Cover(file, o.W, o.H)
		}
	default:
		file, m.Err = s.models.Record(ctx, model.Sound{Model: s.Sounds, Prompt: o.Prompt})
		if m.Err == nil {
			m.Ext, m.Data, m.Err = Mastered(file, o.Kind == Music)
		}
	}
	return m
}

// canvas is the size to ask for, of those that image models know.
func canvas(o Order) string {
	switch {
	case o.H > o.W:
		return "1024x1536"
	case o.W > o.H:
		return "1536x1024"
	}
	return "1024x1024"
}
