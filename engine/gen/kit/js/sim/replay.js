// Stands before a game's main module where a run that was played is played again. There
// is no page: a window says how, and the game answers by a function of the run and of what
// the service knows of it. svcRun and svcKnown are both as text; svcPlay plays the run.
const run = JSON.parse(globalThis.svcRun);
const known = JSON.parse(globalThis.svcKnown);
const text = JSON.stringify;
// The parameters are those that the service gave, whatever the run says.
known.said = run.given;
run.given = known.given;
const tall = run.tall === true;
let play = null;
let foreign = ''; // what was called, from the first statement on, that is not the same in every engine

globalThis.window = /** @type {any} */ ({
  innerWidth: tall ? 480 : 960, innerHeight: tall ? 840 : 540,
  __svc_replay(f) { play = f; },
});

function watch(owner, name, label) {
  const own = owner[name];
  if (typeof own !== 'function') return;
  /** @this {any} */
  function watched(...args) {
    foreign = label;
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
  if (!play) return text({ failed: 'the game does not say how a run is played again' });
  const { over, outcome, score, steps } = play(run, known);
  return text({
    over: Boolean(over), outcome: String(outcome || ''), score: Number(score) || 0,
    steps: Math.floor(steps) || 0, foreign,
  });
};
