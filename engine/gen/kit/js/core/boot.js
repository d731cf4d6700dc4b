// boot joins a session to the page: input, clock, storage, sound, the svc
// library and the renderer.
import { W, H, STRIP, BOTH, STEP } from './world.js';
import { drawList } from './drawlist.js';
import { motion } from './motion.js';
import { session } from './session.js';
import { pressed, PAUSE, SOUND } from './controls.js';
import { textures } from '../art/textures.js';
import { pictures } from './assets.js';
import { stateHook, viewHook, screenHook } from './hook.js';
import { listen } from './input.js';
import { player } from './sound.js';
import { surround } from './surround.js';
import { store } from './store.js';
import { replay } from './tape.js';
import { tuned } from './tune.js';

const MAX_STEPS = 6; // steps made up for in one frame after a pause
const WHOLE = 0.999; // of a step: a frame that late shows it as it is

// enlist puts a score among the best five of this browser, and returns them.
function enlist(key, score) {
  let list = [];
  try {
    list = JSON.parse(store.getItem(key) || '[]').filter((v) => Number.isFinite(v));
  } catch { /* a new list */ }
  list = list.concat(score).sort((a, b) => b - a).slice(0, 5);
  store.setItem(key, JSON.stringify(list));
  return list;
}

// boot starts a game, as its player gets it. assets maps names to data URLs of pictures
// and sounds; what it lacks is painted, or silent.
/** @param {Mechanic} mechanic @param {{ [name: string]: string }} assets */
export function boot(game, mechanic, renderer, assets) {
  if (window.__svc_replay) { // nobody plays: a run that was played is to be played again
    window.__svc_replay((run, known) => replay(game, mechanic, run, known));
    return;
  }
  window.svc.ready(({ variants }) => { start(tuned(game, variants), mechanic, renderer, assets); });
}

/** @param {Mechanic} mechanic @param {{ [name: string]: string }} assets */
function start(game, mechanic, renderer, assets) {
  const svc = window.svc;
  const key = 'best:' + game.id + ':' + mechanic.meta.id;
  const parent = document.getElementById('game');
  const list = drawList();
  const sound = player(assets);

  svc.define('start', { run: 'number' });
  svc.define('score', { score: 'number' });
  svc.define('hurt', { lives: 'number' });
  svc.define('level', { level: 'number' });
  svc.define('restart', { run: 'number' });
  svc.funnel('run').step(1, 'start').step(2, 'score').step(3, 'end').step(4, 'restart');

  const ss = session(game, mechanic, {
    started(s) {
      if (s.restarts > 0 && s.turn === 0) svc.track('restart', { run: s.restarts });
      svc.track('start', { run: s.restarts });
      sound.start();
    },
    event(s, e) {
      sound.play(e);
      if (e.type === 'gain') svc.track('score', { score: s.state.score });
      else if (e.type === 'hurt') svc.track('hurt', { lives: s.state.lives });
      else if (e.type === 'level') svc.track('level', { level: e.level });
    },
    paused() { sound.hold(); },
    resumed() { sound.goOn(); },
    ended(s) {
      store.setItem(key, s.best);
      if (game.play.table) s.table = enlist(key + ':table', s.state.score);
      const { outcome, score, t } = s.state;
      svc.endGame({ outcome, score, seconds: Math.round(t), replay: s.run() });
    },
  });
  ss.best = Number(store.getItem(key)) || 0;
  ss.sound = sound.any;
  ss.calm = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
  const mute = () => { ss.muted = sound.mute(); };
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) {
      ss.pause();
      sound.hold();
    } else if (!ss.paused) sound.goOn();
  });
  const input = listen(window, () => parent.querySelector('canvas'), mechanic.meta.controls || 'tap', {
    mute,
    pause: () => (ss.paused ? ss.resume() : ss.pause()),
    // tapped sees each tap first, and says whether it was for the page.
    tapped(p, touch) {
      ss.touch = ss.touch || touch;
      const running = ss.phase === 'play' && !ss.paused;
      if (running && pressed(PAUSE, p)) ss.pause();
      else if (!running && ss.sound && pressed(SOUND, p)) mute();
      else return false;
      return true;
    },
  });

  // A phone that is turned gets the other field, but not in the middle of a run.
  const tall = () => window.innerHeight > window.innerWidth * 1.2;
  if (BOTH) {
    window.addEventListener('resize', () => { if (tall() !== H > W && ss.phase !== 'play') window.location.reload(); });
  }
  let debt = 0; // seconds that no step has made up for, or less than none: a step is made as its time begins
  let fresh = false; // the list shows the newest step
  const between = motion(list, ss.compose, drawList());
  const fit = Math.min(window.innerHeight / (H + STRIP), window.innerWidth / W);
  const scale = Math.min(2, Math.max(0.75, fit * (window.devicePixelRatio || 1)));
  pictures(assets).then((loaded) => textures(game, mechanic.meta, scale, loaded)).then((painted) => renderer.start({
    parent, width: W, height: H + STRIP, scale, colors: game.palette,
    textures: painted,
    ready() {
      surround(painted, game.palette);
      window.__svc_state = stateHook(ss, list);
      window.__svc_view = viewHook(ss);
      svc.expose(() => ss.state, screenHook(ss, list));
      svc.ready(() => svc.track('loaded', {}));
    },
    frame(seconds) {
      debt = Math.min(debt + seconds, MAX_STEPS * STEP);
      while (debt > 1e-6) {
        const phase = ss.phase;
        if (debt < WHOLE * STEP && !window.__svc_blind) between.keep(fresh);
        ss.tick(input.take());
        fresh = false;
        debt -= STEP;
        if (ss.phase !== phase) debt = 0; // each run begins with a whole step
      }
      if (window.__svc_blind) return null; // an automatic player skips frames
      fresh = true;
      if (1 + debt / STEP < WHOLE) return between.at(1 + debt / STEP);
      ss.compose(list);
      return list;
    },
  }));
}
