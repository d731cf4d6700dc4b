package gen

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen/agent"
	"github.com/svc-games/svc/engine/gen/brief"
	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/gen/look"
	"github.com/svc-games/svc/engine/kit"
	"github.com/svc-games/svc/engine/model"
	"github.com/svc-games/svc/engine/skills"
)

// setback is why no game came of a model's work, if one was asked: the generator makes
// its own.
type setback struct {
	warning string
	err     error // with which the job ends all the same
	reads   bool  // no model was asked: one may read the request
}

// composes reports whether a model writes games: it was named, and there is a judge
// that can play any game.
func (g *embedded) composes(req Request) bool {
	return g.agents != nil && g.browser != nil && named(req)
}

// named reports whether the settings name a model.
func named(req Request) bool {
	return req.Settings.Model != "" && req.Settings.Model != api.ModelEmbedded
}

// wantsNew reports whether a request is for a new game, and returns the project's game
// if it is one on the kit.
func wantsNew(req Request) (bool, *kitGame, error) {
	game, err := loadKitGame(req.Workspace)
	if err != nil || asksAnew(req.Prompt) {
		return true, nil, err
	}
	if game != nil {
		return false, game, nil
	}
	truth, err := Authored(req.Workspace)
	if err != nil || truth {
		return false, nil, err
	}
	data, err := readOptional(req.Workspace, specFile)
	if err != nil || data == nil {
		return true, nil, err
	}
	current, _, err := loadSpec(req)
	return isBrief(req.Prompt, current), nil, err
}

// compose has a model write a new game, from the frame of one. Where none comes of it
// the setback says why.
func (g *embedded) compose(ctx context.Context, req Request, rep Reporter) (Result, *setback, error) {
	game, err := g.framed(req)
	if err != nil {
		return Result{}, nil, err
	}
	g.browser.Warm()
	if err := g.spare(ctx, req); err != nil {
		return Result{}, nil, err
	}
	desk := &desk{g: g, req: req, rep: rep, effort: effortOf(req.Settings), game: game}
	out, err := agent.Run(ctx, g.agents, desk, agentReporter{rep, 8, 86}, g.task(ctx, req, rep, game, true))
	switch {
	case errors.Is(err, ErrExhausted) && !desk.green:
		return Result{}, &setback{err: err}, nil
	case err != nil:
		return Result{Written: out.Written}, nil, err
	}
	worked(rep, out)
	if out.Files == nil {
		warning := fmt.Sprintf("The model wrote no game that could be played, since %s: this is one of the generator's own.", out.Stop)
		return Result{}, &setback{warning: helped(warning, remedy(out))}, nil
	}
	if out.Stop != "" {
		warn(rep, "degraded", fmt.Sprintf("The model was stopped, since %s. What it had done by then passed and is the game.", out.Stop))
	}
	result, err := g.handOver(ctx, req, rep, desk, out)
	return result, nil, err
}

// fixed are the files that a model may not write: a game's own, and those that are locked.
func fixed(own map[string]string, req Request) map[string]string {
	all := maps.Clone(own)
	for _, name := range req.Locked {
		all[name] = "the user has locked it: do what is asked without it, or say in unmet that it is locked"
	}
	return all
}

// worked says what a model's work took.
func worked(rep Reporter, out agent.Outcome) {
	rep.Progress(api.StageWriting, 86, fmt.Sprintf("The model took %d steps and %d tokens.", out.Steps, out.Usage.Total()))
}

// task is what an author is to do with a game.
func (g *embedded) task(ctx context.Context, req Request, rep Reporter, game *kitGame, isNew bool) agent.Task {
	about := "It is the empty frame of a new game, drawn by " + game.renderer + "."
	if !isNew {
		about = "It is drawn by " + game.renderer + "."
	}
	if game.short {
		about += " It must be played upright, 480 by 720, in runs of 15 to 60 seconds, and by one finger alone."
	}
	if isNew {
		about += established(req)
	}
	limits, window := g.limitsFor(ctx, req)
	asked, room := ask(req), maxLearnedBytes
	if window > 0 {
		room = min(room, window) // in bytes: a third of it
	}
	asked.Skills = slices.DeleteFunc(asked.Skills, func(s api.Skill) bool {
		if !skills.Learned(s) {
			return false // sent, or stored by the user: as it is, whatever its size
		}
		room -= s.Size()
		return !isNew || room < 0 // what the project's own game taught is the game
	})
	return agent.Task{
		Model: req.Settings.Model, Ask: asked, Limits: limits, Window: window,
		Game: game.files, New: isNew, Fixed: fixed(kitFixed, req), Manual: kit.Page + "\n" + kit.Sheet(game.renderer), About: about, Stage: g.stageFor(ctx, req, rep), Mask: Masked,
	}
}

// established tells an author of the style that the project has, "" while it has none.
func established(req Request) string {
	style := styleOf(req)
	if style.Theme == "" {
		return ""
	}
	p := style.Palette
	about := fmt.Sprintf(" The project's pictures are in one style, which a new game keeps unless another is asked for: the theme %s", style.Theme)
	if style.Look.Mood != "" {
		about += ", " + style.Look.Mood
	}
	about += fmt.Sprintf("; sky %s to %s, ground %s, hero %s, hazard %s, pickup %s, accent %s, text %s", p.BG, p.BG2, p.Ground, p.Hero, p.Hazard, p.Pickup, p.Accent, p.Text)
	if style.Art != "" {
		about += "; drawn as " + style.ArtOf("")
	}
	return Masked(about) + "."
}

// styleOf is the project's style, empty while it has none that can be read.
func styleOf(req Request) look.Style {
	data, err := readOptional(req.Workspace, styleFile)
	if err != nil {
		return look.Style{}
	}
	style, err := look.ParseStyle(data)
	if err != nil {
		return look.Style{}
	}
	return style
}

// limitsFor are the limits of a job's model, and how many tokens it can hold, 0 where
// that is not known.
func (g *embedded) limitsFor(ctx context.Context, req Request) (limits agent.Limits, window int) {
	limits = agent.LimitsOf(req.Settings.ReasoningLevel)
	offers, err := g.offers(ctx)
	if err != nil {
		limits.Unknown = err
		return limits, 0
	}
	offer, _ := offerIn(offers, req.Settings.Model)
	if offer.MaxOutput > 0 {
		limits.Answer = min(limits.Answer, offer.MaxOutput)
	}
	level := cmp.Or(req.Settings.ReasoningLevel, api.ReasoningMedium)
	if limits.TIK = offer.TIKPerJob[string(level)] * api.MicroPerTIK; limits.TIK > 0 {
		limits.Prices = map[string]model.Price{offer.Name: offer.Price}
		for _, name := range offer.Fallback {
			if other, known := offerIn(offers, name); known {
				limits.Prices[name] = other.Price
			} else {
				limits.Unknown = fmt.Errorf("the price of %s, which may stand in, is not known", name)
			}
		}
	}
	return limits, offer.Context
}

// offerOf is what is known of a model.
func (g *embedded) offerOf(ctx context.Context, name string) model.Offer {
	offers, _ := g.offers(ctx) // the model says itself what it can't do, when it is asked
	offer, _ := offerIn(offers, name)
	return offer
}

// offers are the models that there are.
func (g *embedded) offers(ctx context.Context) ([]model.Offer, error) {
	if g.studio == nil {
		return nil, nil
	}
	return g.studio.Offers(ctx)
}

// offerIn returns the offer of a name, and whether there is one.
func offerIn(offers []model.Offer, name string) (model.Offer, bool) {
	i := slices.IndexFunc(offers, func(o model.Offer) bool { return o.Name == name })
	if i < 0 {
		return model.Offer{}, false
	}
	return offers[i], true
}

// handOver makes the revision that was proven the project's game.
func (g *embedded) handOver(ctx context.Context, req Request, rep Reporter, d *desk, out agent.Outcome) (Result, error) {
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	rep.Progress(api.StagePackaging, 88, "Writing the files.")
	unmet := []string{}
	for _, wish := range out.Unmet {
		unmet = append(unmet, Masked(wish))
	}
	w, err := d.game.delivered(req, revision{files: out.Files, shots: d.shots}, unmet)
	if err == nil {
		err = w.remove(draftFile)
	}
	if err != nil {
		return Result{}, err
	}
	changed, err := w.apply(rep)
	if err != nil {
		return Result{}, err
	}
	rep.Progress(api.StagePackaging, 94, "The game is ready.")
	about, _ := d.game.aboutOf(out.Files)
	summary := brief.Clip(Masked(out.Summary), 400)
	if summary == "" {
		summary = "A model wrote the game."
	}
	if !strings.Contains(summary, about.Title) {
		summary = about.Title + ": " + summary
	}
	say(rep, summary)
	return Result{Summary: summary, Changed: changed, Unmet: unmet, Learned: composed(req, about, d.game.renderer, out.Files)}, nil
}

// maxComposedFiles bounds how many files a skill keeps of a game that an author wrote:
// with the most checks that a game has, a dozen sources.
const maxComposedFiles = 24

// composed makes a skill of a game that an author wrote: its sources, the entry first,
// and the traces that prove it, as far as there is room.
func composed(req Request, about kit.About, renderer string, files compile.Files) *api.Skill {
	skill := &api.Skill{
		Key: about.Kind + "-" + skillKey(about.Title), Title: about.Title, Prompt: brief.Clip(Masked(req.Prompt), maxLearnedPrompt),
		Mechanics: []string{about.Kind}, Engine: engineName(renderer),
	}
	left, names := maxLearnedBytes-len(skill.Prompt), files.Names()
	rank := func(name string) int {
		switch {
		case name == "src/main.js":
			return 0
		case strings.HasPrefix(name, sources):
			return 1
		}
		return 2
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	for _, name := range names {
		own := strings.HasPrefix(name, sources) && !strings.HasPrefix(name, kit.Folder+"/") || strings.HasPrefix(name, "checks/")
		if !own || len(files[name]) > left || len(skill.Files) == maxComposedFiles {
			continue
		}
		left -= len(files[name])
		skill.Files = append(skill.Files, api.SkillFile{Path: name, Content: string(files[name])})
	}
	return skill
}

// skillKey makes a part of a skill's key of a title.
func skillKey(title string) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	if key := strings.Join(words, "-"); key != "" {
		return key
	}
	return "game"
}

// remedy says what would help where a model's work came to nothing.
func remedy(out agent.Outcome) string {
	hint := model.Hint(out.Refusal)
	switch {
	case hint != "":
		return hint
	case model.KindOf(out.Refusal) == model.NoModel:
		return "GET /v1/models lists the models that there are."
	case out.Stop == agent.StopProvider:
		return "Try again later, or name another model."
	case slices.Contains([]agent.Stop{agent.StopSteps, agent.StopTokens, agent.StopTIK, agent.StopWall}, out.Stop):
		return "A higher reasoningLevel gives it more."
	case out.Stop == agent.StopRoom:
		return "Name a model that holds more, or send less with the request."
	}
	return "Another model may do better."
}
