// The calls that say what happens. Without a page, as in a replay, they do nothing.
const svc = typeof window === 'undefined' ? null : window.svc;
let runs = 0;
let now = 0;

export function begin() {
  now = 0;
  if (svc && runs > 0) svc.track('restart', { run: runs });
  if (svc) svc.track('start', { run: runs++ });
}

export function score(n) {
  now = n;
  if (svc) svc.track('score', { score: n });
}

// end says how a run ended, and the run itself as text, which proves its score.
export function end(outcome, replay) {
  if (svc) svc.endGame({ outcome, score: now, replay });
}

// variants are the values that experiments give this player, as texts by name.
export function variants() {
  return new Promise((done) => (svc ? svc.ready((info) => done(info.variants || {})) : done({})));
}

// expose says as well that the game can be played.
export function expose(state, screen) {
  if (!svc) return;
  svc.expose(state, screen);
  svc.ready(() => svc.track('loaded', {}));
}
