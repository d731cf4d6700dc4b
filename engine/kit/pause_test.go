package kit_test

import (
	"slices"
	"testing"
)

// held plays in the page: each line is what is written after an input, and whether the
// state has changed within a second.
const held = `
const clock = window.__clock;
const out = [];
const at = (type, x, y) => dispatchEvent(new PointerEvent(type, { pointerId: 1, clientX: x, clientY: y, cancelable: true }));
const tap = (x, y) => { at('pointerdown', x, y); at('pointerup', x, y); clock.step(1); };
const note = (name) => {
  const before = JSON.stringify(window.stateOf());
  const roles = window.__svc_state().hud.map((b) => b.role).join(' ');
  for (let i = 0; i < 60; i++) clock.step(1);
  out.push(name + ': ' + roles + (JSON.stringify(window.stateOf()) === before ? ', still' : ', goes on'));
};
const hide = (on) => {
  Object.defineProperty(document, 'hidden', { value: on, configurable: true });
  document.dispatchEvent(new Event('visibilitychange'));
  clock.step(1);
};
tap(240, 300);
note('begun');
tap(20, 20);
note('corner');
tap(240, 600);
note('sound');
tap(240, 300);
note('tapped');
hide(true);
hide(false);
note('hidden');
dispatchEvent(new KeyboardEvent('keydown', { key: 'p' }));
clock.step(1);
note('p');
return out;
`

func TestGameIsHeldAndSilencedByTouchAndByKeys(t *testing.T) {
	s := starts()[0]
	got := eval[[]string](t, open(t, frameOf(t, s), s), held)
	want := []string{
		"begun: pause score, goes on", "corner: pause score paused sound, still", "sound: pause score paused silent, still",
		"tapped: pause score, goes on", "hidden: pause score paused silent, still", "p: pause score, goes on",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}
