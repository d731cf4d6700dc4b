package gen

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"

	"github.com/svc-games/svc/engine/gen/agent"
	"github.com/svc-games/svc/engine/gen/art"
	"github.com/svc-games/svc/engine/gen/brief"
	"github.com/svc-games/svc/engine/gen/build"
	"github.com/svc-games/svc/engine/gen/catalog"
	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/gen/look"
	"github.com/svc-games/svc/engine/gen/playtest"
	"github.com/svc-games/svc/engine/gen/spec"
	"github.com/svc-games/svc/engine/gen/studio"
	"github.com/svc-games/svc/engine/gen/synth"
)

// playhouse plays games as their authors ask; playtest.Pool does.
type playhouse interface {
	Try(ctx context.Context, g playtest.Game, t playtest.Trial) (playtest.Showing, error)
	TryCheck(ctx context.Context, g playtest.Game, check []byte) (why string, err error)
	Paint(ctx context.Context, figure brief.Drawn) ([]byte, error)
}

// theatre is where an author's game is played, and its pictures and sounds are made.
type theatre struct {
	g      *embedded
	req    Request
	rep    Reporter
	house  playhouse
	effort effort
	style  look.Style
	models *studio.Studio // nil until a picture or sound is wanted
}

// stageFor is an author's stage; nil where no browser plays.
func (g *embedded) stageFor(ctx context.Context, req Request, rep Reporter) *agent.Stage {
	house, ok := g.browser.(playhouse)
	if !ok {
		return nil
	}
	t := &theatre{g: g, req: req, rep: rep, house: house, effort: effortOf(req.Settings), style: styleOf(req)}
	return &agent.Stage{Theatre: t, Sees: g.offerOf(ctx, req.Settings.Model).Vision, Eyes: t.effort.visual}
}

// built is a revision that can be played, or an agent.Refusal.
func (t *theatre) built(ctx context.Context, files compile.Files) (playtest.Game, error) {
	files = maps.Clone(files)
	err := t.g.compiles(ctx, files, t.effort)
	var out build.Output
	if err == nil {
		out, err = build.Bundle(ctx, build.Options{Read: files.Read, Entry: compile.Entry, Target: build.Game})
	}
	if err != nil {
		v, err := faults(err)
		if err != nil || len(v.Findings) == 0 {
			return playtest.Game{}, errors.Join(err, ctx.Err())
		}
		return playtest.Game{}, agent.Refusal{Why: "it does not build, so that nothing was played: " + clipped(v.Findings[0])}
	}
	files[compile.Script] = out.Script
	w, h := fieldOf(files)
	return playtest.Game{Files: files, Width: w, Height: h}, nil
}

// fieldOf is the size of a game: what its data says, else that of its format.
func fieldOf(files compile.Files) (w, h int) {
	var data struct {
		Size     struct{ W, H int }
		Format   spec.Format
		Mechanic string
	}
	if json.Unmarshal(files[compile.DataFile], &data) != nil || data.Size.W < 240 || data.Size.W > 2000 || data.Size.H < 240 || data.Size.H > 2000 {
		return catalog.Field(spec.Spec{Format: data.Format, Mechanic: data.Mechanic})
	}
	return data.Size.W, data.Size.H
}

// Try implements agent.Theatre. What the game says of itself holds no secret: it is cut
// to size afterwards, and a piece of one would not be known for it.
func (t *theatre) Try(ctx context.Context, files compile.Files, trial playtest.Trial) (playtest.Showing, error) {
	game, err := t.built(ctx, files)
	if err != nil {
		return playtest.Showing{}, err
	}
	shown, err := t.house.Try(ctx, game, trial)
	if err != nil {
		return shown, inconclusive(ctx, err)
	}
	conceal(&shown)
	return shown, nil
}

// conceal masks all words of a game's own.
func conceal(shown *playtest.Showing) {
	texts := []*string{&shown.Trouble}
	for i := range shown.Console {
		texts = append(texts, &shown.Console[i])
	}
	for i := range shown.Events {
		texts = append(texts, &shown.Events[i].Outcome)
	}
	for i := range shown.Scenes {
		s := &shown.Scenes[i]
		texts = append(texts, &s.State, &s.Phase)
		if s.Screen == nil {
			continue
		}
		for j := range s.Screen.HUD {
			texts = append(texts, &s.Screen.HUD[j].Role, &s.Screen.HUD[j].Text)
		}
		for j := range s.Screen.Sprites {
			texts = append(texts, &s.Screen.Sprites[j].Name)
		}
	}
	for _, text := range texts {
		*text = Masked(*text)
	}
}

// inconclusive is an error of the browser's, which says nothing of the game.
func inconclusive(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return agent.Refusal{Why: "the browser could not play it, which says nothing of the game: " + clipped(err.Error())}
}

// TryCheck implements agent.Theatre.
func (t *theatre) TryCheck(ctx context.Context, files compile.Files, check []byte) (string, error) {
	game, err := t.built(ctx, files)
	if err != nil {
		return "", err
	}
	why, err := t.house.TryCheck(ctx, game, check)
	if err != nil {
		return "", inconclusive(ctx, err)
	}
	return Masked(why), nil
}

// studio is who makes pictures or sounds; nil where no model does, or none is wanted.
func (t *theatre) studio(ctx context.Context, wanted *bool, model func(*studio.Studio) string) *studio.Studio {
	if !on(wanted) || t.g.studio == nil {
		return nil
	}
	if t.models == nil {
		models, err := studio.Open(ctx, t.g.studio)
		if err != nil {
			return nil
		}
		t.models = models
	}
	if model(t.models) == "" {
		return nil
	}
	return t.models
}

// ordered has a model make an order. Where nothing of use comes of it there is no error.
func ordered(ctx context.Context, models *studio.Studio, o studio.Order) (studio.Made, error) {
	if models == nil {
		return studio.Made{Err: errors.New("no model")}, nil
	}
	made, err := models.Make(ctx, []studio.Order{o})
	if err != nil {
		return studio.Made{}, err
	}
	return made[0], nil
}

// Picture implements agent.Theatre.
func (t *theatre) Picture(ctx context.Context, w studio.Wish) (agent.Asset, error) {
	w.Subject = Masked(w.Subject)
	models := t.studio(ctx, t.req.Settings.AIImages, func(s *studio.Studio) string { return s.Images })
	made, err := ordered(ctx, models, w.Order(t.style.ArtOf("")))
	if err != nil {
		return agent.Asset{}, err
	}
	asset := agent.Asset{Ext: made.Ext, Data: made.Data, Note: "A model painted it.", Source: sourceModel}
	switch {
	case w.Role == "background" && made.Err != nil:
		asset, err = t.background(w)
	case made.Err != nil:
		asset, err = t.figure(ctx, w)
	}
	if err != nil || w.Role == "background" {
		return asset, err
	}
	asset.Data, err = w.Sheet(asset.Data)
	if err != nil {
		return asset, agent.Refusal{Why: err.Error()}
	}
	return asset, nil
}

// figure draws with the kit's painters.
func (t *theatre) figure(ctx context.Context, w studio.Wish) (agent.Asset, error) {
	drawn, known := brief.DrawnAs(w.Subject, w.Role)
	data, err := t.house.Paint(ctx, drawn)
	if err != nil {
		return agent.Asset{}, inconclusive(ctx, err)
	}
	note := fmt.Sprintf("It is the kit's drawing of a %s.", drawn.Noun)
	if !known {
		note = fmt.Sprintf("No model paints here, and the kit has no drawing of that: it is a %s. Draw it in code if it must look so.", drawn.Noun)
	}
	return agent.Asset{Ext: ".png", Data: data, Note: note, Source: sourceProcedural}, nil
}

// background paints a sky in the colours of the place that an order names.
func (t *theatre) background(w studio.Wish) (agent.Asset, error) {
	place := brief.PlaceOf(w.Subject)
	theme, ok := look.Themes[place]
	if !ok {
		place = "sky"
		theme = look.Themes[place]
	}
	s := spec.Spec{Seed: seedOf(w.Subject), Format: spec.Short, Palette: look.Palette(theme, spec.Look{})}
	if w.W > w.H {
		s.Format, s.Mechanic = spec.Platform, "platformer" // a wide field
	}
	data, err := art.Background(s)
	if err == nil {
		data, err = studio.Cover(data, w.W, w.H)
	}
	if err != nil {
		return agent.Asset{}, fmt.Errorf("painting a background: %w", err)
	}
	note := "It is light, clouds and distance in the colours of the theme " + place + ", without figures."
	return agent.Asset{Ext: ".jpg", Data: data, Note: note, Source: sourceProcedural}, nil
}

// Sound implements agent.Theatre.
func (t *theatre) Sound(ctx context.Context, w studio.Wish) (agent.Asset, error) {
	w.Subject = Masked(w.Subject)
	models := t.studio(ctx, t.req.Settings.AIAudio, func(s *studio.Studio) string { return s.Sounds })
	made, err := ordered(ctx, models, w.Recording())
	if err != nil {
		return agent.Asset{}, err
	}
	if made.Err == nil {
		return agent.Asset{Ext: made.Ext, Data: made.Data, Note: "A model recorded it.", Source: sourceModel}, nil
	}
	data, ok := synth.Role(w.Role, seedOf(w.Subject))
	if !ok {
		return agent.Asset{}, agent.Refusal{Why: "there is no sound of that role"}
	}
	return agent.Asset{Ext: ".wav", Data: data, Note: "It is synthesised.", Source: sourceProcedural}, nil
}

// seedOf makes the same of the same words.
func seedOf(words string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(words)) // a hash takes everything
	return h.Sum32()
}

var (
	_ agent.Theatre = (*theatre)(nil)
	_ playhouse     = (*playtest.Pool)(nil)
)
