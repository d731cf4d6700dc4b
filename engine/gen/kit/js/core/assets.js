// Pictures of the game's assets folder. They are data URLs, since a page that
// was opened from a folder may not draw what lies beside it.

// pictures resolves {name: image} with those that can be decoded.
export function pictures(assets) {
  const names = Object.keys(assets).filter((name) => assets[name].startsWith('data:image/'));
  const loaded = {};
  return Promise.all(names.map((name) => new Promise((/** @type {(_?: any) => void} */ done) => {
    const img = new Image();
    img.onload = () => { loaded[name] = img; done(); };
    img.onerror = () => done(); // the painters draw it instead
    img.src = assets[name];
  }))).then(() => loaded);
}
