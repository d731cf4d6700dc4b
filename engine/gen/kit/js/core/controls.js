// Which way a mechanic is played: 'tap' (one button), 'pad' (left, right,
// jump), 'stick' (four directions that are held), 'pointer' (a place on the
// field), 'swipe' (single moves in four directions, and taps), 'board' (places
// that are tapped, dragged from or pressed long), 'sides' (the left and the right
// half held) or 'type' (letters).
import { W, H, STRIP } from './world.js';

const sets = {
  pad: STRIP
    ? [
    { key: 'left', x: 72, y: H + STRIP / 2, r: 54 }, { key: 'right', x: 196, y: H + STRIP / 2, r: 54 },
    { key: 'up', x: W - 88, y: H + STRIP / 2, r: 62 },
  ]
    : [
      { key: 'left', x: 72, y: H - 52, r: 46 }, { key: 'right', x: 188, y: H - 52, r: 46 },
      { key: 'up', x: W - 76, y: H - 62, r: 54 },
    ],
};

// The places of the page's own buttons, and how far around them a press counts.
export const PAUSE = H > W ? { x: 36, y: 118, reach: 32 } : { x: 214, y: 50, reach: 32 };
export const SOUND = { x: W - 40, y: H - 40, reach: 40 };
export function pressed(button, p) { return (button.x - p.x) ** 2 + (button.y - p.y) ** 2 < button.reach ** 2; }

// buttons are those that a touch screen shows.
export function buttons(controls) { return sets[controls] || []; }
