package brief

import (
	"cmp"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/svc-games/svc/engine/gen/catalog"
	"github.com/svc-games/svc/engine/gen/look"
	"github.com/svc-games/svc/engine/gen/spec"
)

// Order is what a game has to be besides what its brief says.
type Order struct {
	ProjectID string
	// Seed is the number that all free choices come from.
	Seed uint32
	// Style, when not nil, is the project's established look: it fills what
	// the brief leaves open.
	Style  *look.Style
	Format spec.Format // default short
	Solid  bool        // 3D
	Art    spec.Art    // default placeholder
	Sound  bool
}

func (o Order) filled() Order {
	if o.Format == "" {
		o.Format = spec.Short
	}
	if o.Art == "" {
		o.Art = spec.Placeholder
	}
	return o
}

// Seed returns the number that all free choices of a brief come from: equal
// projects and briefs make equal games.
func Seed(projectID, text string) uint32 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(projectID + "\x00" + strings.Join(strings.Fields(strings.ToLower(text)), " ")))
	sum := h.Sum64()
	return uint32(sum ^ sum>>32)
}

// Ranked returns the mechanics that an order allows, best first, for a reading.
func (r Reading) Ranked(o Order) []string {
	o = o.filled()
	names := catalog.Choices(o.Solid)
	rng := rand.New(rand.NewPCG(uint64(o.Seed), 1))
	rng.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	weights := map[string]float64{}
	for _, name := range names {
		weights[name] = r.weight(name, o.Format)
	}
	slices.SortStableFunc(names, func(a, b string) int {
		switch wa, wb := weights[a], weights[b]; {
		case wa > wb:
			return -1
		case wa < wb:
			return 1
		}
		return 0
	})
	return names
}

// weight is how much speaks for a mechanic: words, the hero's body, and the
// format that it was made for.
func (r Reading) weight(name string, f spec.Format) float64 {
	m := catalog.Mechanics[name]
	w := r.Mechanics[name]
	if m.Turns || m.Content != "" {
		w-- // a free choice is a game that moves
	}
	if m.Example != "" && w <= 0 {
		w-- // and none that people would have asked for by name
	}
	if slices.Contains(narrow, name) && w <= 0 {
		w -= 0.8 // or that is about one trick
	}
	if m.Turns && (r.Rules.Boss == Wanted || r.Rules.Powers == Wanted || r.Rules.Combo == Wanted) {
		w -= 2
	}
	if m.Solid {
		for _, flat := range solidKin[name] {
			w = max(w, r.Mechanics[flat]*0.9)
		}
	}
	if m.Wide && f == spec.Platform {
		w += 2.5
	}
	if m.Wide && f == spec.Short && !r.named[name] {
		w-- // it was made for longer play
	}
	if r.Rules.Levels > 1 && !m.HasLevels(catalog.Usual(name, f).Duration) {
		w--
	}
	w += r.shownBy(name)
	if f, ok := figures[r.Hero]; ok {
		if slices.Contains(m.Bodies, kin(f.body)) || name == "gap" && slices.Contains(f.features, "wing") {
			w += 1.5
		}
	}
	return w
}

// narrow are mechanics of one trick, or that have little of a story's figures.
var narrow = []string{"breakout", "bridge", "cannon", "chop", "climb", "color", "dial", "match", "orbit", "stack", "whack", "zigzag"}

// shownBy is what speaks for or against a mechanic since it shows, or does not show,
// those that the text gave a role.
func (r Reading) shownBy(name string) (w float64) {
	shown := catalog.Figures(name)
	for _, part := range [][2]string{{"hero", r.Hero}, {"hazard", r.Hazard}, {"pickup", r.Pickup}} {
		switch {
		case part[1] == "" || slices.Contains(r.OfName, part[1]):
		case slices.Contains(shown, part[0]):
			w += 0.4
		default:
			w -= 1.2
		}
	}
	if r.Fought != "" && !slices.Contains(fighting, name) {
		w--
	}
	return w
}

// fighting are the mechanics in which the hazards are fought.
var fighting = append([]string{"platformer"}, shooting...)

// kin is the body that stands for those that move alike.
func kin(body string) string {
	switch body {
	case "taxi", "police", "truck", "bus", "firetruck", "tractor", "train", "bike", "motorbike":
		return "car"
	case "shark", "whale", "dolphin":
		return "fish"
	case "helicopter":
		return "plane"
	case "submarine":
		return "ufo"
	case "ship":
		return "boat"
	}
	return body
}

// solidKin are the 2D mechanics whose words speak for a 3D one as well.
var solidKin = map[string][]string{
	"runner3d": {"hop", "platformer"}, "roll3d": {"zigzag", "maze"}, "drive3d": {"lane"}, "tower3d": {"stack"},
}

// Akin reports whether a 3D mechanic is what a 2D one is called in 3D.
func Akin(flat, solid string) bool { return flat != "maze" && slices.Contains(solidKin[solid], flat) }

// Write makes the spec of a new game.
func (r Reading) Write(o Order) spec.Spec {
	o = o.filled()
	rng := rand.New(rand.NewPCG(uint64(o.Seed), 2))
	mechanic := r.Ranked(o)[0]
	theme := r.Theme
	if theme == "" && o.Style != nil {
		theme = o.Style.Theme
	}
	themes := catalog.Mechanics[mechanic].Themes
	for _, noun := range []string{r.Hero, r.Hazard, r.Pickup} {
		if place := figures[noun].theme; theme == "" && (!catalog.Mechanics[mechanic].Home || slices.Contains(themes, place)) {
			theme = place
		}
	}
	if theme == "" {
		theme = themes[rng.IntN(len(themes))]
	}
	wish := r.Look
	if o.Style != nil && wish.Mood == "" && wish.Tint == "" && theme == o.Style.Theme {
		wish.Mood, wish.Tint = o.Style.Look.Mood, o.Style.Look.Tint
	}
	s := spec.Spec{
		Version: spec.Version, ID: "svc-" + o.ProjectID, Lang: r.Lang, Format: o.Format, Mechanic: mechanic, Seed: o.Seed,
		Art: o.Art, Sound: o.Sound, Play: catalog.Usual(mechanic, o.Format), Params: r.paramsOf(mechanic), Content: r.Content.For(mechanic), Text: catalog.Texts(r.Lang),
	}
	s.Renderer = RendererFor(mechanic, r.Rules.Renderer)
	r = r.castFor(mechanic)
	r.Adjust(&s)
	Recast(&s, r, theme, wish)
	s.Title = r.Title
	if s.Title == "" {
		s.Title = makeTitle(s, r, rng.IntN)
	}
	return s
}

// castFor returns r with the mechanic's usual figures where the text names none.
// Those whom it has for hazards are no heroes: in "pac-man with ghosts" they hunt.
func (r Reading) castFor(mechanic string) Reading {
	usual := catalog.Mechanics[mechanic].Cast
	if r.Hazard == "" && r.Hero != "" && r.Hero == usual["hazard"] {
		r.Hero, r.HeroWord, r.Hazard = "", "", r.Hero
	}
	r.Hero, r.Hazard, r.Pickup = cmp.Or(r.Hero, usual["hero"]), cmp.Or(r.Hazard, usual["hazard"]), cmp.Or(r.Pickup, usual["pickup"])
	return r
}

// paramsOf returns a mechanic's own tunables, as the text has them or else usual.
func (r Reading) paramsOf(mechanic string) map[string]float64 {
	params := catalog.Params(mechanic)
	for name, p := range catalog.Mechanics[mechanic].Params {
		if slices.Contains(p.Bodies, figures[r.Hero].body) {
			params[name] = p.Max
		}
	}
	maps.Copy(params, r.Params(mechanic))
	return params
}

// RendererFor returns the renderer that was asked for, if it can show a
// mechanic, and the mechanic's usual one otherwise.
func RendererFor(mechanic, asked string) string {
	can := catalog.Mechanics[mechanic].Renderers()
	if slices.Contains(can, asked) {
		return asked
	}
	return can[0]
}

// Adjust applies the tunables and rules that the reading names.
func (r Reading) Adjust(s *spec.Spec) {
	p := &s.Play
	for field, by := range r.Factors {
		switch field {
		case "speed":
			p.Speed *= by
		case "gravity":
			p.Gravity *= by
		case "density":
			p.Density *= by
		case "size":
			p.Size *= by
		case "ramp":
			p.Ramp *= by
		}
	}
	if r.Lives > 0 {
		p.Lives = r.Lives
	}
	if r.Seconds > 0 {
		p.Duration = r.Seconds
	} else if r.Rules.Endless && s.Format == spec.Platform {
		p.Duration = 0
	}
	if n := r.LevelsOf(s.Mechanic); n > 0 {
		p.Levels = n
	}
	if r.Rules.Players > 0 {
		p.Players = r.Rules.Players
	}
	if catalog.Mechanics[s.Mechanic].Turns {
		*p = p.Clamped(s.Format).Rounded()
		return
	}
	p.Boss, p.Powers, p.Combo = r.Rules.Boss.Over(p.Boss), r.Rules.Powers.Over(p.Powers), r.Rules.Combo.Over(p.Combo)
	*p = p.Clamped(s.Format).Rounded()
}

// livingHazard is who walks, hunts or attacks in place of a theme's hazard that only
// lies there: nobody runs from a cone.
func livingHazard(mechanic, hazard string) string {
	if !slices.Contains([]string{"adventure", "cannon", "maze", "platformer", "shooter"}, mechanic) {
		return hazard
	}
	living := map[string]string{"cone": "thief", "log": "wolf", "rock": "monster", "cactus": "snake", "spikeball": "monster", "laser": "ufo"}
	if mechanic == "cannon" && living[hazard] != "" {
		return "ufo" // it comes from above
	}
	return cmp.Or(living[hazard], hazard)
}

// rivalColor tells others like the hero from it.
const rivalColor = "#8f4ae0"

// Recast sets who plays and where: the theme with its scenery and palette, the
// figures that the reading names, and the theme's own for the rest.
func Recast(s *spec.Spec, r Reading, theme string, wish spec.Look) {
	t := look.Themes[theme]
	s.Theme, s.Scene = theme, Scene(theme, r.Places)
	hero := cmp.Or(r.Hero, t.Hero)
	if r.Hero == "" && (hero == r.Hazard || hero == r.Pickup) {
		hero = "kid" // whom the theme has for a hero is someone else here
	}
	s.Cast.Hero, s.Look = SetHero(hero, wish)
	hazard, pickup := cmp.Or(r.Hazard, livingHazard(s.Mechanic, t.Hazard)), cmp.Or(r.Pickup, t.Pickup)
	if r.Hazard == "" && hazard == s.Cast.Hero.Noun {
		hazard = "monster"
	}
	if hazard == s.Cast.Hero.Noun && r.Rivals {
		wish.Hazard = cmp.Or(wish.Hazard, rivalColor)
	} else if hazard == s.Cast.Hero.Noun { // the hero took the theme's own hazard
		hazard = "spikeball"
	}
	if pickup == s.Cast.Hero.Noun && r.Rivals {
		wish.Pickup = cmp.Or(wish.Pickup, rivalColor)
	} else if pickup == s.Cast.Hero.Noun || pickup == hazard {
		pickup = "star"
	}
	s.Cast.Hazard, s.Look.Hazard = castAs("hazard", hazard, wish.Hazard)
	s.Cast.Pickup, s.Look.Pickup = castAs("pickup", pickup, wish.Pickup)
	s.Look.Boss = wish.Boss
	s.Palette = look.Palette(t, s.Look)
	s.Text.HowTo = HowTo(*s)
	if r.Boss != "" || wish.Boss != "" {
		SetBoss(s, r.Boss, wish.Boss)
	}
}

// Translate writes a game's texts in another language; a title that a person gave
// stays.
func Translate(s *spec.Spec, lang string) {
	made := isMade(*s)
	s.Lang, s.Text = lang, catalog.Texts(lang)
	s.Text.HowTo = HowTo(*s)
	if made {
		s.Title = makeTitle(*s, Reading{}, func(int) int { return 0 })
	}
}

// HowTo returns the mechanic's instructions with the spec's nouns.
func HowTo(s spec.Spec) string {
	m := catalog.Mechanics[s.Mechanic]
	text := cmp.Or(m.HowTo[s.Lang], m.HowTo["en"])
	return strings.NewReplacer("{hero}", s.Cast.Hero.Noun, "{hazard}", plural(s.Cast.Hazard.Noun), "{pickup}", plural(s.Cast.Pickup.Noun)).Replace(text)
}

// SetHero returns the actor that a noun is as the hero, and wish with its
// colours where wish names none.
func SetHero(noun string, wish spec.Look) (spec.Actor, spec.Look) {
	f := figures[noun]
	if f.body == "" {
		actor := spec.Actor{Noun: noun, Art: cmp.Or(f.pickup, f.hazard)}
		wish.Hero = cmp.Or(wish.Hero, f.tone)
		return actor, wish
	}
	if wish.Hero == "" {
		wish.Hero = f.color
		wish.Hero2 = cmp.Or(wish.Hero2, f.color2)
	}
	return spec.Actor{Noun: noun, Body: f.body, Features: f.features}, wish
}

// castAs returns the actor that a noun is as a hazard or pickup, and its
// colour: the one given or the noun's usual one.
func castAs(role, noun, color string) (spec.Actor, string) {
	f := figures[noun]
	art := f.hazard
	if role == "pickup" {
		art = cmp.Or(f.pickup, f.hazard)
	} else if art == "" && f.body == "" {
		art = f.pickup
	}
	if role == "pickup" && f.pickup == "" && f.body != "" {
		art = ""
	}
	if art != "" {
		return spec.Actor{Noun: noun, Art: art}, cmp.Or(color, f.tone)
	}
	return spec.Actor{Noun: noun, Body: f.body, Features: f.features}, cmp.Or(color, f.color)
}
