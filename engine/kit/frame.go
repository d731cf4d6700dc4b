package kit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"maps"

	stock "github.com/svc-games/svc/engine/gen/kit"
)

// Start says what a new game begins as.
type Start struct {
	Title    string
	Lang     string // en, de, es or fr; any other has English words
	Kind     string // arcade, puzzle, story, sandbox or versus
	Renderer string
	Short    bool // portrait, 480 by 720; else 960 by 540
}

// Size is that of the field.
type Size struct {
	W int `json:"w"`
	H int `json:"h"`
}

// Tunable is a number that can be changed without reading the game.
type Tunable struct {
	Value float64 `json:"value"`
	Min   float64 `json:"min"`
	Max   float64 `json:"max"`
	Label string  `json:"label"`
}

// About is src/game.json.
type About struct {
	Title    string             `json:"title"`
	Lang     string             `json:"lang"`
	Kind     string             `json:"kind"`
	Size     Size               `json:"size"`
	Controls []string           `json:"controls"`
	Tunables map[string]Tunable `json:"tunables"`
	Text     map[string]string  `json:"text"` // of the screens around a run, by role
}

// words are the texts of the screens around a run.
var words = map[string]map[string]string{
	"en": {"how": "Arrow keys, or drag a finger", "start": "Tap or press space", "again": "Again", "sound": "Sound: on", "silent": "Sound: off", "paused": "Paused", "best": "Best", "win": "You win", "lose": "Game over", "draw": "A draw", "speed": "Speed"},
	"de": {"how": "Pfeiltasten, oder mit dem Finger ziehen", "start": "Tippen oder Leertaste", "again": "Noch einmal", "sound": "Ton: an", "silent": "Ton: aus", "paused": "Pause", "best": "Rekord", "win": "Gewonnen", "lose": "Verloren", "draw": "Unentschieden", "speed": "Tempo"},
	"es": {"how": "Flechas, o arrastra el dedo", "start": "Toca o pulsa espacio", "again": "Otra vez", "sound": "Sonido: sí", "silent": "Sonido: no", "paused": "Pausa", "best": "Récord", "win": "Has ganado", "lose": "Fin del juego", "draw": "Empate", "speed": "Velocidad"},
	"fr": {"how": "Flèches, ou glisse le doigt", "start": "Touche ou espace", "again": "Encore", "sound": "Son : oui", "silent": "Son : non", "paused": "Pause", "best": "Record", "win": "Gagné", "lose": "Perdu", "draw": "Égalité", "speed": "Vitesse"},
}

// Frame returns the files of a new game that runs and does nothing yet, without its
// bundle (game.js, of src/main.js) and without the framework of its renderer
// (lib/NAME.min.js).
func Frame(s Start) (map[string][]byte, error) {
	out, err := Files(s.Renderer)
	if err != nil {
		return nil, err
	}
	about := s.about()
	if out["src/game.json"], err = json.MarshalIndent(about, "", "  "); err != nil {
		return nil, fmt.Errorf("encoding game.json: %w", err)
	}
	out["src/game.json"] = append(out["src/game.json"], '\n')
	if out["src/main.js"], err = sources.ReadFile("frame/" + s.Renderer + ".js"); err != nil {
		return nil, fmt.Errorf("reading the frame: %w", err)
	}
	if out["checks/starts.json"], err = sources.ReadFile("frame/starts.json"); err != nil {
		return nil, fmt.Errorf("reading the frame: %w", err)
	}
	if out["lib/svc.js"], err = stock.Source("page/svc.js"); err != nil {
		return nil, err
	}
	if out["index.html"], err = page(s); err != nil {
		return nil, err
	}
	out["NOTES.md"] = fmt.Appendf(nil, "# %s\n\nNotes of the author: what was wanted, what was decided, what is left.\n", s.Title)
	return out, nil
}

func (s Start) about() About {
	text, ok := words[s.Lang]
	if !ok {
		text = words["en"]
	}
	text = maps.Clone(text)
	speed := Tunable{Value: 240, Min: 60, Max: 600, Label: text["speed"]}
	delete(text, "speed")
	size := Size{960, 540}
	if s.Short {
		size = Size{480, 720}
	}
	return About{s.Title, s.Lang, s.Kind, size, []string{"tap", "space", "arrows"}, map[string]Tunable{"speed": speed}, text}
}

// page is index.html: that of the stock games.
func page(s Start) ([]byte, error) {
	source, err := stock.Source("page/index.html")
	if err != nil {
		return nil, err
	}
	t, err := template.New("index.html").Parse(string(source))
	if err != nil {
		return nil, fmt.Errorf("parsing the page: %w", err)
	}
	framework := s.Renderer
	if framework == "canvas" {
		framework = ""
	}
	var b bytes.Buffer
	if err := t.Execute(&b, map[string]any{"Title": s.Title, "Lang": s.Lang, "Background": template.CSS("#0b1020"), "Framework": framework}); err != nil {
		return nil, fmt.Errorf("writing the page: %w", err)
	}
	return b.Bytes(), nil
}
