// The state that automatic players and tests read: window.__svc_state().
// Nothing in the game depends on it.
import { W, H } from './world.js';
import { breadth } from './text.js';

const LETTER = 0.58; // width of a letter of average text, in its size

// stateHook returns the function. view holds what the game's player sees.
export function stateHook(ss, list) {
  return () => ({
    phase: ss.phase,
    paused: ss.paused,
    field: { w: W, h: H },
    controls: ss.mechanic.meta.controls || 'tap',
    score: ss.state.score,
    lives: ss.state.lives,
    level: ss.state.level,
    boss: ss.state.boss ? ss.state.boss.hp : null,
    turn: ss.turn,
    t: ss.state.t,
    seed: ss.state.seed,
    outcome: ss.state.outcome,
    best: ss.best,
    restarts: ss.restarts,
    hud: list.cmds.filter((c) => c.k === 'text' && c.role).map((c) => {
      const w = breadth(c.text, LETTER) * c.size;
      return { role: c.role, text: c.text, size: c.size, x: c.x - w / 2, y: c.y - c.size / 2, w, h: c.size };
    }),
    sprites: list.cmds.filter((c) =>
      c.k === 'sprite' && (c.name === 'hero' || c.name === 'hazard' || c.name === 'pickup'))
      .map((c) => ({ name: c.name, x: c.x, y: c.y, size: c.size })),
    view: ss.phase === 'play' ? { state: ss.state } : null,
  });
}

// screenHook returns a function that says what is on the screen.
export function screenHook(ss, list) {
  const all = stateHook(ss, list);
  return () => { const { hud, sprites, field } = all(); return { hud, sprites, field }; };
}

// viewHook returns a function for those who look at every frame: no more than
// they need to act.
export function viewHook(ss) {
  const field = { w: W, h: H };
  const controls = ss.mechanic.meta.controls || 'tap';
  return () => ({ phase: ss.phase, field, controls, view: ss.phase === 'play' ? { state: ss.state } : null });
}
