package brief

import "cmp"

// Drawn is how the kit draws a thing: a body with features, or a painter's.
type Drawn struct {
	Noun     string   `json:"noun"`
	Body     string   `json:"body,omitempty"`
	Features []string `json:"features,omitempty"`
	Art      string   `json:"art,omitempty"`
	Color    string   `json:"color"`
	Color2   string   `json:"color2"`
}

// plainFigures stand for what the kit can't draw, by role.
var plainFigures = map[string]string{"hero": "robot", "hazard": "rock", "pickup": "star", "thing": "box"}

// DrawnAs finds what a phrase of any language names among the figures of the kit, in the
// colour that it names. known is false where a plain figure stands for it.
func DrawnAs(phrase, role string) (d Drawn, known bool) {
	noun, color := "", ""
	for _, t := range tokenize(phrase) {
		for _, lang := range everyLanguage {
			l := dictionaries[lang]
			if hue, ok := l.hue(t.word); ok {
				color = cmp.Or(color, hue)
			}
			for _, word := range []string{t.word, t.singular} {
				found := cmp.Or(l.means["noun"][word], word)
				if _, drawn := figures[found]; drawn {
					noun, known = found, true
				}
			}
		}
	}
	if !known {
		noun = cmp.Or(plainFigures[role], "box")
	}
	f := figures[noun]
	d = Drawn{Noun: noun, Art: cmp.Or(f.pickup, f.hazard), Color: cmp.Or(color, f.tone, "#ffb703"), Color2: f.color2}
	if f.body != "" && (role == "hero" || d.Art == "" || f.hostile) {
		d.Body, d.Features, d.Art = f.body, f.features, ""
		d.Color = cmp.Or(color, f.color, "#ffb703")
	}
	return d, known
}

// PlaceOf is the theme that a phrase names; "" when it names none.
func PlaceOf(phrase string) string {
	for _, t := range tokenize(phrase) {
		for _, lang := range everyLanguage {
			if theme := dictionaries[lang].means["theme"][t.word]; theme != "" {
				return theme
			}
		}
	}
	return ""
}
