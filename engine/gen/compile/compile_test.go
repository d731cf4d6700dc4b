package compile

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/engine/gen/brief"
	"github.com/svc-games/svc/engine/gen/look"
)

func TestCompilingIsAPureFunctionOfTheSpec(t *testing.T) {
	s := brief.Read("A frog jumps over logs in the forest").Write(brief.Order{ProjectID: "p", Seed: 3})
	a, errA := Compile(s, nil)
	b, errB := Compile(s, nil)
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	if !slices.Equal(a.Names(), b.Names()) {
		t.Fatalf("%v and %v", a.Names(), b.Names())
	}
	for name := range a {
		if !bytes.Equal(a[name], b[name]) {
			t.Errorf("%s differs", name)
		}
	}
}

func TestOnlyTheChosenMechanicIsInTheGame(t *testing.T) {
	files, err := Compile(brief.Read("Stack boxes into a tower").Write(brief.Order{ProjectID: "p", Seed: 3}), nil)
	if err != nil {
		t.Fatal(err)
	}
	var mechanics []string
	for _, name := range files.Names() {
		if strings.HasPrefix(name, "src/mechanics/") {
			mechanics = append(mechanics, name)
		}
	}
	if !slices.Equal(mechanics, []string{"src/mechanics/stack.js"}) {
		t.Errorf("mechanics %v", mechanics)
	}
}

func TestPageIsDarkAroundADarkGame(t *testing.T) {
	s := brief.Read("A ghost flies through a haunted graveyard at night").Write(brief.Order{ProjectID: "p", Seed: 3})
	files, err := Compile(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	if page := string(files[Page]); !strings.Contains(page, "background: "+s.Palette.Shade) || look.Contrast(s.Palette.Shade, "#000000") > look.Contrast(s.Palette.BG, "#000000") {
		t.Errorf("around a sky of %s:\n%s", s.Palette.BG, page)
	}
}

func TestTitleIsTextNotMarkup(t *testing.T) {
	s := brief.Read("A frog jumps").Write(brief.Order{ProjectID: "p", Seed: 3})
	s.Title = `Frogs & "Logs"`
	files, err := Compile(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	if page := string(files["index.html"]); !strings.Contains(page, "<title>Frogs &amp; &#34;Logs&#34;</title>") {
		t.Errorf("the page's title is not escaped:\n%s", page)
	}
}

func TestSpecThatIsNoneIsRefused(t *testing.T) {
	s := brief.Read("A frog jumps").Write(brief.Order{ProjectID: "p", Seed: 3})
	s.Mechanic = "nosuchone"
	if _, err := Compile(s, nil); err == nil {
		t.Error("a mechanic that does not exist was compiled")
	}
	s.Mechanic = "../core/world"
	if _, err := Compile(s, nil); err == nil {
		t.Error("a path was taken for a mechanic")
	}
}
