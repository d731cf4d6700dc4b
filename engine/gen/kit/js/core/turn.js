// Asks those who hold a phone upright to turn it, where the field is wide: its
// texts would be too small to read.
import { W, H } from './world.js';

const STYLE = 'position:fixed;left:50%;bottom:9%;width:68px;height:36px;margin-left:-38px;border:4px solid #fff;border-radius:10px;'
  + 'background:rgba(0,0,0,.6);color:#fff;font:700 28px/36px sans-serif;text-align:center;pointer-events:none';

export function askToTurn() {
  if (W <= H) return;
  const sign = document.createElement('div');
  sign.id = 'turn';
  sign.setAttribute('style', STYLE);
  sign.textContent = '\u21bb';
  const show = () => { sign.hidden = window.innerHeight < window.innerWidth * 1.2; };
  window.addEventListener('resize', show);
  show();
  document.body.appendChild(sign);
}
