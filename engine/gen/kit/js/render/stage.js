// What adapters without a framework of their own share: a canvas that fits the
// window, and a loop of frames.

// fitted makes a canvas of the field's size at its scale and keeps it as large
// as the window allows, in its middle.
export function fitted(o) {
  const el = document.createElement('canvas');
  el.width = Math.round(o.width * o.scale);
  el.height = Math.round(o.height * o.scale);
  el.style.position = 'absolute';
  o.parent.appendChild(el);
  const fit = () => {
    const k = Math.min(window.innerWidth / o.width, window.innerHeight / o.height);
    el.style.width = o.width * k + 'px';
    el.style.height = o.height * k + 'px';
    el.style.left = (window.innerWidth - o.width * k) / 2 + 'px';
    el.style.top = (window.innerHeight - o.height * k) / 2 + 'px';
  };
  window.addEventListener('resize', fit);
  fit();
  return el;
}

// loop calls frame with the seconds that passed since the last one.
export function loop(frame) {
  let last = performance.now();
  const turn = () => {
    const now = performance.now();
    frame((now - last) / 1000);
    last = now;
    requestAnimationFrame(turn);
  };
  requestAnimationFrame(turn);
}

// margin is how much larger a picture is than what it is called with: figures
// are painted in 120 units for a height of 100, screens are not.
// What follows an @ is a level.
export function margin(name) { return /^(?:sky|far|near|glow)(?:@|$)/.test(name) ? 1 : 1.2; }

export const FONT = '"Trebuchet MS", "Avenir Next", "Segoe UI", Verdana, "DejaVu Sans", sans-serif';
