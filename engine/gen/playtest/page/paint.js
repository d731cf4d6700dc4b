// Figures of the kit as pictures: those that an author orders where no model paints.
import { brush, shade } from './art/paint.js';
import { being } from './art/beings.js';
import { hazards, pickups } from './art/things.js';

const things = Object.assign({}, hazards, pickups);
const INK = '#2a2033';

// __paint draws a figure 100 of 120 units high, and returns it as a data: URL.
window.__paint = (o, px) => {
  const el = document.createElement('canvas');
  el.width = el.height = px;
  const c = el.getContext('2d');
  c.translate(px / 2, px / 2);
  c.scale(px / 120, px / 120);
  const b = brush(c, INK);
  const color2 = o.color2 || shade(o.color, 0.5);
  if (o.art) things[o.art](b, { color: o.color });
  else being(b, { body: o.body, features: o.features || [], color: o.color, color2, ink: INK });
  return el.toDataURL('image/png');
};
