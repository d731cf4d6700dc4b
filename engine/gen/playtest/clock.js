// A clock that tests can turn by hand. Until take() is called, frames and time
// are the browser's; afterwards they only advance through step().
(function () {
  'use strict';
  const realFrame = window.requestAnimationFrame.bind(window);
  const realNow = performance.now.bind(performance);
  let taken = false;
  let now = 0;
  let id = 0;
  let due = new Map();

  window.requestAnimationFrame = (cb) => {
    if (!taken) return realFrame((t) => (taken ? due.set(++id, cb) : cb(t)));
    due.set(++id, cb);
    return id;
  };
  const realCancel = window.cancelAnimationFrame.bind(window);
  window.cancelAnimationFrame = (n) => { if (!due.delete(n)) realCancel(n); };
  performance.now = () => (taken ? now : realNow());

  // While drawing is off, WebGL draws nothing: without a graphics card that is
  // what takes the time.
  let drawing = true;
  for (const type of [window.WebGLRenderingContext, window.WebGL2RenderingContext]) {
    for (const name of ['drawElements', 'drawArrays', 'clear']) {
      const real = type && type.prototype[name];
      if (real) type.prototype[name] = function draw(...args) { if (drawing) real.apply(this, args); };
    }
  }

  window.__clock = {
    draw(on) {
      drawing = on;
      window.__svc_blind = !on;
    },
    // take holds time back once the game shows its state, and tells whether it
    // did within the given number of frames. It resolves when the frame that
    // was still on its way is held back, too.
    async take(frames) {
      const ready = () => typeof window.__svc_state === 'function' && window.__svc_state().hud.length > 0;
      for (let i = 0; !ready(); i++) {
        if (i === frames) return false;
        await new Promise(realFrame);
      }
      now = realNow();
      taken = true;
      await this.painted();
      return true;
    },
    step(frames) {
      now += (frames * 1000) / 60;
      const batch = due;
      due = new Map();
      batch.forEach((cb) => cb(now));
    },
    // breathe lets the browser do what waits: promises, painting.
    breathe: () => new Promise((done) => { setTimeout(done, 0); }),
    painted: () => new Promise((done) => { realFrame(() => realFrame(done)); }),
  };
})();
