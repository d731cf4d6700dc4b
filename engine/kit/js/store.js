// What outlives the page, and the files of a game.
const kept = {};
const place = (name) => document.title + ':' + name;

// A sandboxed frame has no storage: there a value is kept as long as the page.
export const store = {
  get(name, other) {
    try {
      return JSON.parse(localStorage.getItem(place(name))) ?? other;
    } catch {
      return kept[name] ?? other;
    }
  },
  set(name, value) {
    kept[name] = value;
    try {
      localStorage.setItem(place(name), JSON.stringify(value));
    } catch {
      return;
    }
  },
};

// assets are by name: a picture, or the data: URL of a sound.
export const assets = {};

export const load = (urls = {}) => Promise.all(Object.entries(urls).map(([name, url]) => {
  assets[name] = url;
  if (!url.startsWith('data:image/')) return null;
  assets[name] = Object.assign(new Image(), { src: url });
  return assets[name].decode().catch(() => null);
}));
