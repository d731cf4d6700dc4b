package look

import (
	"testing"

	"github.com/svc-games/svc/engine/gen/spec"
)

func TestTextAndFiguresStandOutInEveryThemeMoodAndColour(t *testing.T) {
	tints := []string{"", "#ff6fb5", "#3fbf5f", "#3a86ff", "#ffd23f", "#2a2633", "#fbfbff"}
	for name, theme := range Themes {
		for _, mood := range append([]string{""}, Moods...) {
			for _, tint := range tints {
				p := Palette(theme, spec.Look{Mood: mood, Tint: tint})
				for _, c := range []struct {
					what  string
					a, b  string
					least float64
				}{
					{"text on its outline", p.Text, p.TextInk, TextContrast},
					{"accent on its outline", p.Accent, p.TextInk, FigureContrast},
					{"text on the panel", p.PanelText, p.Panel, TextContrast},
					{"accent on the panel", p.PanelAccent, p.Panel, TextContrast},
					{"outline on the sky", p.Ink, p.BG, FigureContrast},
					{"outline on the horizon", p.Ink, Mix(p.BG, p.BG2, 0.5), FigureContrast},
				} {
					if got := Contrast(c.a, c.b); got < c.least {
						t.Errorf("%s %s %s: %s has contrast %.2f (%s, %s), want %.1f", name, mood, tint, c.what, got, c.a, c.b, c.least)
					}
				}
				for _, pair := range [][2]string{{p.Hero, p.Hazard}, {p.Pickup, p.Hazard}} {
					if distance(pair[0], pair[1]) < 0.2 {
						t.Errorf("%s %s %s: %s and %s look alike", name, mood, tint, pair[0], pair[1])
					}
				}
			}
		}
	}
}

func TestHeroHazardAndPickupStayApartWhateverIsAskedFor(t *testing.T) {
	red := "#e63946"
	p := Palette(Themes["sky"], spec.Look{Hero: red, Hazard: red, Pickup: red})
	if p.Hero != red {
		t.Errorf("the hero is %s, not the colour that was asked for", p.Hero)
	}
	if p.Hazard == p.Hero || distance(p.Pickup, p.Hazard) < 0.2 {
		t.Errorf("hero %s, hazard %s and pickup %s can't be told apart", p.Hero, p.Hazard, p.Pickup)
	}
}

func TestStyleComesBackAsItWasWritten(t *testing.T) {
	s := StyleOf(spec.Spec{Theme: "sea", Look: spec.Look{Mood: "dark"}, Palette: Palette(Themes["sea"], spec.Look{Mood: "dark"})})
	data, err := s.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	got, err := ParseStyle(data)
	if err != nil || got != s {
		t.Errorf("read %+v, %v; wrote %+v", got, err, s)
	}
	if _, err := ParseStyle([]byte(`{"v":1,"theme":"nowhere"}`)); err == nil {
		t.Error("a style with an unknown theme was accepted")
	}
}
