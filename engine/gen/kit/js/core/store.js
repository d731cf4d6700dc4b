// What outlives a run: the browser's storage. A sandboxed frame has none; there
// it lives for the visit.
const kept = {};

export const store = {
  getItem(key) {
    try {
      return window.localStorage.getItem(key);
    } catch {
      return key in kept ? kept[key] : null;
    }
  },
  setItem(key, value) {
    try {
      window.localStorage.setItem(key, String(value));
    } catch {
      kept[key] = String(value);
    }
  },
  removeItem(key) {
    try {
      window.localStorage.removeItem(key);
    } catch {
      delete kept[key];
    }
  },
};
