// A canvas as large as the window allows.
export function stage({ w, h }) {
  const canvas = document.createElement('canvas');
  const scale = Math.min(2, Math.min(innerWidth / w, innerHeight / h) * devicePixelRatio) || 1;
  canvas.width = w * scale;
  canvas.height = h * scale;
  canvas.style.cssText = 'position:absolute;inset:0;margin:auto;pointer-events:none;'
    + `width:min(100vw,${(w / h) * 100}vh);height:min(100vh,${(h / w) * 100}vw)`;
  document.getElementById('game').append(canvas);
  return { canvas, scale, w, h };
}

// paper is a stage to draw on by the browser's own means.
export function paper({ canvas, scale }) {
  const g = canvas.getContext('2d');
  g.scale(scale, scale);
  return { g, wipe: () => g.clearRect(0, 0, canvas.width, canvas.height) };
}
