package brief

import "strings"

// figure is how a noun looks in each role that it can play. A noun without a
// hero's body can't be the hero, and so on.
type figure struct {
	body     string   // hero: a body of the kit
	features []string // hero: features of the kit
	color    string   // hero: usual colour
	color2   string   // hero: second colour, "" for a lighter one
	hazard   string   // hazard: a painter of the kit
	pickup   string   // pickup: a painter of the kit
	tone     string   // hazard or pickup: usual colour
	theme    string   // where it is at home
	hostile  bool     // a being that is avoided as well
	shy      bool     // a being that is avoided, unless it is the only one named
}

// figures are the nouns that can be seen in a game, in the singular.
var figures = func() map[string]figure {
	out := map[string]figure{}
	for _, l := range readLines("words/figures.txt") {
		out[l[0]] = parseFigure(strings.Fields(l[1]))
	}
	return out
}()

// BodyOf is the body that a noun has as the hero, "" for none.
func BodyOf(noun string) string { return figures[noun].body }

func parseFigure(fields []string) (f figure) {
	for i := 0; i+1 < len(fields); i += 2 {
		v := fields[i+1]
		switch fields[i] {
		case "body":
			f.body = v
		case "color":
			f.color = v
		case "color2":
			f.color2 = v
		case "hazard":
			f.hazard = v
		case "pickup":
			f.pickup = v
		case "tone":
			f.tone = v
		case "theme":
			f.theme = v
		case "foe":
			f.hostile, f.shy = true, v == "shy"
		case "features":
			f.features = fields[i+1:]
			i = len(fields)
		default:
			panic("a figure has no " + fields[i])
		}
	}
	if f.tone == "" {
		f.tone = f.color
	}
	return f
}
