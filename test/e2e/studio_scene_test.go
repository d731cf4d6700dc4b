package e2e

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/merge"
)

// sceneGame shows the scene, and says where its box is.
const sceneGame = `() => "import * as THREE from 'three'; import data from './scene.json'; import { placed } from './scene.js';" +
	"const { of } = placed(THREE, data); document.title = 'the box is at ' + of.box.position.x; console.error(document.title);" +
	"addEventListener('pointerdown', () => { document.title = 'pressed'; });"`

// boxes is the place of the scene's box, by the text in the editor.
const boxes = `JSON.parse(document.querySelector("#text").value).entities.find(({ id }) => id === "box").%s`

// scene opens the view of the scene of a new 3D game, and returns the address of its project.
func (s *service) scene(b *tab, user string) string {
	s.t.Helper()
	key := s.newKey(user)
	sub := s.submit(key, map[string]any{
		"projectId": s.newProject(key), "prompt": "a 3D game in which a ball rolls over tiles", "settings": api.Settings{DimensionMode: "3d"},
	})
	s.finish(key, sub)
	at := "http://" + s.addr + "/console/studio/" + sub.ProjectID
	b.open(at)
	b.game()
	b.follow(`form[action$="/scene"] button`)
	b.shows("main", "A scene is begun")
	b.change("src/main.js", sceneGame)
	b.sceneIsThere()
	return at
}

// sceneIsThere waits until the view has the scene, and its tree the focus.
func (b *tab) sceneIsThere() {
	b.t.Helper()
	b.until(`document.querySelectorAll("[data-tree] li").length > 2 && document.querySelector(".cm-content") !== null`)
	b.do(chromedp.Focus(chromedp.CSS(`[data-tree] [tabindex="0"]`)))
	for range 2 {
		b.press(kb.ArrowDown)
	}
	b.until(`document.activeElement.textContent.startsWith("Box") && document.querySelector("[data-scene]").dataset.shown === "box"`)
}

// TestASceneIsChangedByKeysAndByHandlesAndPlayedAsItIs: each change can be undone and done
// again; what is saved is what the game shows, and what the view shows when it is loaded anew.
func TestASceneIsChangedByKeysAndByHandlesAndPlayedAsItIs(t *testing.T) {
	axe := axeCore(t)
	s := start(t, inOneForm(t))
	br := newBrowser(t)
	s.signIn(br, "alice")
	b := br.tab("the box is at")
	b.letScripts()
	b.look(1280, 800, "light")
	at := s.scene(b, "alice")
	first := value(b, chromedp.Evaluate[string](`document.querySelector("#text").value`))

	b.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("[data-scene-frame]").scrollIntoView({ block: "center", behavior: "instant" }); undefined`))
	b.settled() // else the pointer finds the frame where it was before
	r := value(b, chromedp.Evaluate[[]float64](`(() => { const r = document.querySelector("[data-scene-frame]").getBoundingClientRect(); return [r.x, r.y, r.width, r.height]; })()`))
	// Where the view shows a point of the box's red handle, as it looks at the scene first.
	x, y := r[0]+r[2]/2*(1+0.1133*r[3]/r[2]), r[1]+r[3]/2*(1-0.0245)
	b.drag(x, y, x+60, y-20)
	b.until(`document.querySelector("[data-scene]").dataset.moved === "1" && ` + fmt.Sprintf(boxes, "pos[0] > 0"))
	b.do(chromedp.Click(chromedp.CSS(`[data-do="undo"]`)))
	b.until(fmt.Sprintf(boxes, "pos[0] === 0"))

	b.do(chromedp.Focus(chromedp.CSS(`[data-tree] [tabindex="0"]`)))
	shift := func(key string) {
		b.t.Helper()
		b.do(chromedp.KeyEvent(key, chromedp.KeyModifiers(chromedp.ModifierShift)))
	}
	ctrl := func(key string) {
		b.t.Helper()
		b.do(chromedp.KeyEvent(key, chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	}
	for range 10 { // twenty steps: what changes another field is one of its own
		b.press("w")
		shift(kb.ArrowRight)
		b.press("e")
		shift(kb.PageUp)
	}
	b.until(fmt.Sprintf(boxes, `pos[0] === 2.5`) + " && " + fmt.Sprintf(boxes, `rot[1] === 150`))
	last := value(b, chromedp.Evaluate[string](`document.querySelector("#text").value`))
	for range 20 {
		ctrl("z")
	}
	b.until(fmt.Sprintf(boxes, `pos[0] === 0`) + " && " + fmt.Sprintf(boxes, `rot[1] === 0`))
	for range 20 {
		ctrl("y")
	}
	b.until(fmt.Sprintf(`document.querySelector("#text").value === %q`, last))
	b.looked(t, axe, "scene")

	b.do(chromedp.Click(chromedp.CSS(`[data-do="save"]`)))
	b.until(`document.querySelector("[data-saved]").textContent.startsWith("Saved as r")`)
	b.until(fmt.Sprintf(faultOf, "the box is at 2.5"))
	b.open(at + "?file=src/scene.json")
	b.sceneIsThere()
	b.until(`document.querySelector("[data-sheet] [name=pos0]").value === "2.5" && document.querySelector("#text").value === ` + fmt.Sprintf("%q", last))

	b.zipPlays(`document.title === "the box is at 2.5"`)

	theirs := strings.Replace(first, `"pos": [3, 6, 4]`, `"pos": [1, 8, 4]`, 1) // as a job would move the light
	if joined, kept := merge.Lines(first, last, theirs); !kept || !strings.Contains(joined, `"pos": [2.5, 0.5, 0]`) || !strings.Contains(joined, `"pos": [1, 8, 4]`) {
		t.Errorf("with another one's change (%t): %s", kept, joined)
	}
}

// zipPlays opens the newest version's ZIP from a folder, and waits for something to be true
// of its page.
func (b *tab) zipPlays(expression string) {
	b.t.Helper()
	text := value(b, chromedp.Evaluate[string](`fetch(document.querySelector('#versions a[href*="/zip?rev="]').href).then((res) => res.blob()).then((zip) => new Promise((done) => {
		const reader = new FileReader();
		reader.addEventListener("load", () => done(reader.result.split(",")[1]));
		reader.readAsDataURL(zip);
	}))`, chromedp.EvalAwaitPromise))
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		b.t.Fatal(err)
	}
	zipped, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		b.t.Fatal(err)
	}
	dir := b.t.TempDir()
	if err := os.CopyFS(dir, zipped); err != nil {
		b.t.Fatal(err)
	}
	b.open("file://" + dir + "/index.html")
	b.until(expression)
}

// drag moves the pointer from one place to another with its button down.
func (b *tab) drag(x, y, toX, toY float64) {
	b.t.Helper()
	for _, e := range []input.DispatchMouseEventParams{
		{Type: input.DispatchMouseEventTypeMousePressed, X: x, Y: y, Button: input.MouseButtonLeft, Buttons: 1, ClickCount: 1},
		{Type: input.DispatchMouseEventTypeMouseMoved, X: (x + toX) / 2, Y: (y + toY) / 2, Button: input.MouseButtonLeft, Buttons: 1},
		{Type: input.DispatchMouseEventTypeMouseMoved, X: toX, Y: toY, Button: input.MouseButtonLeft, Buttons: 1},
		{Type: input.DispatchMouseEventTypeMouseReleased, X: toX, Y: toY, Button: input.MouseButtonLeft, ClickCount: 1},
	} {
		if _, err := chromedp.Call(b.ctx, input.DispatchMouseEvent, e); err != nil {
			b.t.Fatal(err)
		}
	}
}
