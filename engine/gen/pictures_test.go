package gen

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
)

// emblem is a picture with a text beside its pixels.
func emblem(t *testing.T, w, h int) []byte {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i := range w * h * 3 / 4 {
		img.SetNRGBA(i%w, i/w, color.NRGBA{R: 200, G: uint8(i), A: 255})
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return append(b.Bytes(), "<script>alert(1)</script>"...)
}

func block(name, kind string, file []byte) []api.ContextBlock {
	return []api.ContextBlock{{Name: name, Content: "data:image/" + kind + ";base64," + base64.StdEncoding.EncodeToString(file)}}
}

func (p *project) send(prompt string, blocks []api.ContextBlock) Result {
	p.t.Helper()
	result, _ := p.runWith(Request{Prompt: prompt, Context: blocks})
	return result
}

func TestLogoFromContextIsOnTheTitleScreenAndStays(t *testing.T) {
	p := newProject(t, quickGenerator())
	p.run("a fox flies through gaps")
	logo := block("logo.png", "png", emblem(t, 300, 100))
	if r := p.send("put our logo on the title screen and make it faster", logo); !r.Changed || len(r.Unmet) > 0 || !strings.Contains(r.Summary, "speed") || !strings.Contains(r.Summary, "logo") {
		t.Fatalf("%+v", r)
	}
	first := p.files()["game/assets/logo.png"]
	picture, err := png.Decode(strings.NewReader(first))
	if err != nil || picture.Bounds().Dx() > 256 || strings.Contains(first, "script") {
		t.Fatalf("the logo is %.20q: %v", first, err)
	}
	p.run("make it slower")
	p.run("the hero should be a cat")
	if p.files()["game/assets/logo.png"] != first || !strings.Contains(p.files()["game/src/game.json"], `"logo": true`) || !strings.Contains(p.files()["game/src/main.js"], "logo.png") {
		t.Error("the logo is lost with a later change")
	}
	p.run("a new game: stack boxes into a tower")
	if p.files()["game/assets/logo.png"] != first {
		t.Error("the logo is lost with a new game")
	}
	if r, _ := p.run("remove the logo"); !r.Changed || p.files()["game/assets/logo.png"] != "" {
		t.Errorf("it can't be removed: %+v", r)
	}
}

func TestLogoThatSomeoneRetouchedStays(t *testing.T) {
	p := newProject(t, quickGenerator())
	p.send("a fox flies through gaps. Put our logo on the title screen", block("logo.png", "png", emblem(t, 300, 100)))
	sent := p.files()["game/assets/logo.png"]
	retouched := emblem(t, 200, 120)
	p.write("game/assets/logo.png", string(retouched[:len(retouched)-len("<script>alert(1)</script>")]))
	now := p.files()["game/assets/logo.png"]
	if r, _ := p.run("make it slower"); sent == "" || !r.Changed || p.files()["game/assets/logo.png"] != now || !strings.Contains(p.files()["game/src/game.json"], `"logo": true`) {
		t.Errorf("%+v, %d bytes", r, len(p.files()["game/assets/logo.png"]))
	}
	p.run("a new game: stack boxes into a tower")
	if kept := p.files()["game/assets/logo.png"]; kept == "" || kept == sent || !strings.Contains(p.files()["game/src/game.json"], `"logo": true`) {
		t.Errorf("the new game has a logo of %d bytes", len(kept))
	}
}

func TestPictureFromContextBecomesAFigureUntilAnotherIsAsked(t *testing.T) {
	p := newProject(t, quickGenerator())
	if r := p.send("a fox flies through gaps. Use the attached picture as the hero.", block("me", "png", emblem(t, 64, 64))); !r.Changed || len(r.Unmet) > 0 {
		t.Fatalf("%+v", r)
	}
	if p.files()["game/assets/hero.png"] == "" {
		t.Fatal("the hero has no picture")
	}
	if p.run("the hero should be a cat"); p.files()["game/assets/hero.png"] != "" {
		t.Error("the picture outlives its figure")
	}
}

func TestLogoIsAskedForInFourLanguages(t *testing.T) {
	p := newProject(t, quickGenerator())
	p.run("a fox flies through gaps")
	for i, prompt := range []string{
		"use the attached logo", "Bitte unser Logo auf den Startbildschirm", "pon nuestro logotipo en la pantalla de inicio", "mets notre logo sur l'écran titre", "use this picture on the title screen",
		"das angehängte Bild auf dem Titel zeigen", "usa la imagen en la portada", "affiche l'image au début",
	} {
		if r := p.send(prompt, block("x", "png", emblem(t, 40+i, 40))); !r.Changed || len(r.Unmet) > 0 {
			t.Errorf("%q: %+v", prompt, r)
		}
	}
}

func TestPictureThatIsOfNoUseIsSaidAndFree(t *testing.T) {
	p := newProject(t, quickGenerator())
	p.run("a fox flies through gaps")
	var moving bytes.Buffer
	if err := gif.Encode(&moving, image.NewPaletted(image.Rect(0, 0, 64, 64), color.Palette{color.Black, color.White}), nil); err != nil {
		t.Fatal(err)
	}
	svg := []byte(`<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`)
	for name, c := range map[string]struct {
		blocks []api.ContextBlock
		why    string
	}{
		"none":    {nil, "no picture came with the request"},
		"SVG":     {block("logo.svg", "svg+xml", svg), "neither PNG nor JPEG"},
		"GIF":     {block("logo.gif", "gif", moving.Bytes()), "neither PNG nor JPEG"},
		"cut off": {block("logo.png", "png", emblem(t, 64, 64)[:60]), "can't be used"},
		"tiny":    {block("logo.png", "png", emblem(t, 3, 3)), "3x3 pixels"},
		"no data": {[]api.ContextBlock{{Name: "logo.png", Content: "data:image/png;base64,?!"}}, "not in base64"},
		"text":    {[]api.ContextBlock{{Name: "notes", Content: "our logo is great"}}, "no picture came with the request"},
	} {
		before := p.files()
		r := p.send("put our logo on the title screen", c.blocks)
		if r.Changed || !r.Free || !strings.Contains(strings.Join(r.Unmet, "\n"), c.why) || len(p.files()) != len(before) {
			t.Errorf("%s: %+v", name, r)
		}
	}
}
