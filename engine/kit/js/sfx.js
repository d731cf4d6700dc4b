// Sounds: a file of the game, else a short tone.
import { assets } from './store.js';

// TONES are hertz, at their start and their end.
const TONES = { score: [520, 1040], hit: [220, 70], lose: [320, 60], win: [440, 1320], jump: [260, 620] };
let audio;
let muted = false;

export function mute() {
  muted = !muted;
  return muted;
}

export function sfx(name) {
  if (muted || typeof AudioContext === 'undefined') return;
  if (assets[name]) {
    new Audio(assets[name]).play().catch(() => null);
    return;
  }
  audio = audio || new AudioContext();
  const [tone, volume, until] = [audio.createOscillator(), audio.createGain(), audio.currentTime + 0.15];
  const [from, to] = TONES[name] || [330, 330];
  tone.frequency.value = from;
  tone.frequency.linearRampToValueAtTime(to, until);
  volume.gain.value = 0.1;
  tone.connect(volume).connect(audio.destination);
  tone.start();
  tone.stop(until);
}
