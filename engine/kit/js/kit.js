// The kit of a game, described in KIT.md. MIT licence.
export * from './math.js';
export { run, replay, recording, pause } from './run.js';
export { begin, score, end, expose } from './svc.js';
export { hud } from './hud.js';
export { sfx, mute } from './sfx.js';
export { store, assets } from './store.js';

// rng begins a sequence of chance, which is a member of the state: see random.
export const rng = (seed) => ({ rng: seed >>> 0 });
