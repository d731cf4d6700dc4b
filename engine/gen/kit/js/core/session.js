// A session at the game: ready, play, over, and again; with two players the
// second has a turn of its own ('next' lies between), unless the state has a score
// for each (state.both): then they share a run. A running game can be held, and
// goes on with a press. It owns the mechanic's state and composes each frame;
// it knows neither a browser nor a renderer.
import { W, H } from './world.js';
import { effects, react, advance, sway, drawEffects } from './effects.js';
import { drawBackdrop } from './backdrop.js';
import { drawHUD, drawStrip } from './hud.js';
import { drawReady, drawNext, drawOver, drawPaused, drawSound } from './screens.js';
import { drawBoss, drawBossBar } from './boss.js';
import { config, recorder, seed } from './tape.js';

const OVER_PAUSE = 24; // steps for which a tap at the end is no restart yet

/** @param {Mechanic} mechanic */
export function session(game, mechanic, hooks) {
  const ss = {
    game, mechanic, phase: 'ready', restarts: 0, best: 0, clock: 0, since: 0,
    state: null, fx: effects(), record: false, turn: 0, scores: [], touch: false, sound: false, muted: false,
    paused: false, calm: false, // calm: nothing shakes or flashes
  };
  let gripped = false; // the press that began or resumed a run is still held
  const cfg = config(game);
  let tape = recorder(game, 0);
  ss.state = mechanic.create(seed(game, 0), cfg);

  function begin() {
    ss.state = mechanic.create(seed(game, ss.restarts), cfg);
    tape = recorder(game, ss.restarts);
    ss.fx = effects();
    ss.phase = 'play';
    ss.since = 0;
    gripped = true;
    hooks.started(ss);
  }

  function end() {
    if (ss.state.both) ss.scores = ss.state.both.slice();
    else ss.scores[ss.turn] = ss.state.score;
    ss.record = ss.state.score > ss.best;
    if (ss.record && ss.best > 0) react(ss.fx, { type: 'record' }, game.text);
    ss.best = Math.max(ss.best, ss.state.score);
    ss.phase = !ss.state.both && ss.turn + 1 < game.play.players ? 'next' : 'over';
    ss.since = 0;
    hooks.ended(ss);
  }

  ss.pause = () => {
    if (ss.phase !== 'play' || ss.paused) return;
    ss.paused = true;
    hooks.paused(ss);
  };
  ss.resume = () => {
    ss.paused = false;
    gripped = true;
    hooks.resumed(ss);
  };

  // run is the last run as text, by which it can be played again; '' if it was too long.
  ss.run = () => tape.text();

  // own is the input without a press that was for something else.
  function own(input) {
    const same = gripped && !input.pressed;
    gripped = same && input.down;
    return same ? Object.assign({}, input, { down: false, tapped: false, released: false, alt: false }) : input;
  }

  // tick advances one step of 1/60 second. input is what input.js hands out.
  ss.tick = (input) => {
    ss.clock++;
    if (ss.paused) {
      if (input.pressed) ss.resume();
      return;
    }
    ss.since++;
    const rested = ss.since > OVER_PAUSE;
    if (ss.phase === 'ready' && input.pressed) {
      begin();
    } else if (ss.phase === 'next' && input.pressed && rested) {
      ss.turn++;
      begin();
    } else if (ss.phase === 'over' && input.pressed && rested) {
      ss.restarts++;
      ss.turn = 0;
      ss.scores = [];
      begin();
    } else if (ss.phase === 'play') {
      mechanic.step(ss.state, tape.take(own(input)));
      for (const e of ss.state.events) {
        react(ss.fx, e, game.text);
        hooks.event(ss, e);
      }
      ss.state.events.length = 0;
      if (ss.state.over) end();
    }
    advance(ss.fx);
  };

  ss.compose = (d) => {
    d.reset();
    const s = ss.state;
    if (mechanic.scene) {
      mechanic.scene(s, d.scene);
      if (ss.phase === 'ready') d.scene.hide('hero'); // the title shows it
    } else drawBackdrop(d, game, mechanic.meta.scroll, ss.phase === 'play' ? s.t : s.t + ss.clock / 240, s.level);
    const [dx, dy] = sway(ss.fx);
    if (!ss.calm) d.shift(dx, dy);
    if (ss.phase !== 'ready' && mechanic.draw) mechanic.draw(s, d);
    if (s.boss && ss.phase === 'play') drawBoss(d, s, ss.fx, mechanic.meta);
    drawEffects(ss.fx, d);
    d.shift(0, 0);
    if (ss.fx.flash > 0 && !ss.calm) d.box(0, 0, W, H, 'hazard', { alpha: ss.fx.flash * 0.28 });
    drawStrip(d);
    if (ss.phase === 'ready') drawReady(d, ss);
    else drawHUD(d, ss);
    if (s.boss && ss.phase === 'play') drawBossBar(d, s, mechanic.meta);
    if (ss.phase === 'next') drawNext(d, ss);
    if (ss.phase === 'over') drawOver(d, ss);
    if (ss.paused) drawPaused(d, ss);
    if (ss.phase !== 'play' || ss.paused) drawSound(d, ss);
  };
  return ss;
}
