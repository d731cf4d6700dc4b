// Stands before a game's main module where a run that was played is played again. There
// is no page: a window says how, and the game answers by a function of the run. svcRun is
// the run as text; svcPlay plays it.
const run = JSON.parse(globalThis.svcRun);
const tall = run.tall === true;
let play = null;
let sure = false; // the game comes to one end only
let playing = false;
let foreign = ''; // what was called in the run that is not the same in every engine

globalThis.window = {
  innerWidth: tall ? 480 : 960, innerHeight: tall ? 840 : 540,
  __svc_replay(f, certain) {
    play = f;
    sure = certain === true;
  },
};

function watch(owner, name, label) {
  const own = owner[name];
  if (typeof own !== 'function') return;
  function watched(...args) {
    if (playing) foreign = label;
    return new.target ? new own(...args) : own.apply(this, args);
  }
  watched.prototype = own.prototype;
  owner[name] = Object.setPrototypeOf(watched, own);
}

for (const name of [
  'random', 'sin', 'cos', 'tan', 'asin', 'acos', 'atan', 'atan2', 'sinh', 'cosh', 'tanh', 'asinh', 'acosh', 'atanh',
  'exp', 'expm1', 'log', 'log1p', 'log2', 'log10', 'pow', 'cbrt', 'hypot',
]) watch(Math, name, 'Math.' + name);
watch(Date, 'now', 'Date.now');
watch(globalThis, 'Date', 'Date');
watch(String.prototype, 'localeCompare', 'localeCompare');
watch(Number.prototype, 'toLocaleString', 'toLocaleString');

globalThis.svcPlay = () => {
  if (!play) return JSON.stringify({ failed: 'the game does not say how a run is played again' });
  playing = true;
  const { over, outcome, score, steps } = play(run);
  playing = false;
  return JSON.stringify({ over: Boolean(over), outcome: String(outcome || ''), score: Number(score) || 0, steps, foreign, sure });
};
