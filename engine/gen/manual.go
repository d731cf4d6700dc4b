package gen

import "github.com/svc-games/svc/engine/gen/compile"

// stockFixed are the files of a stock game that join it to its page and to those who
// judge it: what is simulated is what is played.
var stockFixed = map[string]string{
	compile.Entry:       "the mechanic that it names is what is tested; change that one",
	"src/core/boot.js":  "it joins the game to its page",
	"src/core/field.js": "the size of the field is given",
	"src/core/hook.js":  "it shows the game's state to the playtest",
}

// stockManual says how a stock game is written.
const stockManual = `How this game is made:
- src/mechanics/NAME.js is the game itself, and pure: no page, no time but STEP, no chance but random(s). It exports meta, create(seed, cfg), step(s, input) and draw(s, d); 3D ones scene(s, d) instead of, or beside, draw.
- A state is plain data made by base(seed, cfg). step is called 60 times a second, calls tick(s) first, and uses gain(s, n, x, y), hurt(s, x, y), note(s, type, x, y) and finish(s, 'win' or 'lose') of ../core/world.js. input has pressed, down, x, y, left, right, up, duck, jump.
- draw puts commands into a list: d.sprite('hero' | 'hazard' | 'pickup' | 'dot' | 'glow', x, y, size, {rot, sx, sy, alpha, tint}), d.box(x, y, w, h, colour, {radius, stroke, width, alpha}), d.disc, d.ring, d.line, d.poly, d.text(text, x, y, size, {color, outline}). Colours are roles of the palette (hero, hazard, pickup, accent, block, blockLight, ground, groundTop, ink, shade, text, textInk) or #rrggbb.
- test/player.js exports act(s): what an attentive player would do now, {tap, hold, jump, left, right, up, duck, move, key, alt, x, y}, or null. The playtest plays by it: keep it right when you change the rules.
- The field is W by H of core/field.js. src/core/ has the rules, screens and effects, src/art/ the painters, src/game.json texts, colours and tunables (speed, gravity, density, size: 0.5 to 2, 1 is usual; ramp, lives, duration in seconds, levels).
- Skilled play scores at least 3; a run lasts at least 12 seconds; there are at most 300 things at once.`
