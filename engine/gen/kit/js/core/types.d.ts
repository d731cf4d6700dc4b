// What the parts of a game hand to one another. Every script of the folder src may
// name these types in its JSDoc; editors read them by themselves (jsconfig.json).

/** The tunables of a game: "play" in game.json, and what belongs to its kind. */
interface GameConfig {
  speed: number;
  gravity: number;
  density: number;
  size: number;
  ramp: number;
  lives: number;
  /** Seconds of a run; 0 is no limit. */
  duration: number;
  levels: number;
  players: number;
  boss: boolean;
  powers: boolean;
  combo: boolean;
  safe: boolean;
  params: { [name: string]: number };
  /** A list from the brief: words, or questions. */
  content: string[];
  /** The kind's words on the screen. */
  labels: { [name: string]: string };
  stages?: { level: number; speed?: number; density?: number }[];
  usual?: { speed: number; density: number };
  [more: string]: any;
}

/** What happened in a step, for effects and sounds. */
interface GameEvent {
  type: string;
  x?: number;
  y?: number;
  [more: string]: any;
}

/** A run, as plain data; a kind adds members of its own. */
interface GameState {
  seed: number;
  rng: number;
  cfg: GameConfig;
  /** Seconds since the run began. */
  t: number;
  score: number;
  lives: number;
  streak: number;
  /** Steps for which nothing hurts. */
  safe: number;
  over: boolean;
  /** 'win' or 'lose', once it is over. */
  outcome: string;
  events: GameEvent[];
  staged: boolean;
  level: number;
  gains: number;
  boss: { hp: number; max: number; since: number; hit: number } | null;
  power: string;
  powerLeft: number;
  shield: boolean;
  charge: number;
  granted: number;
  [more: string]: any;
}

/** What the player does in a step. */
interface GameInput {
  pressed: boolean;
  jump: boolean;
  down: boolean;
  x: number | null;
  y: number | null;
  /** 'left', 'right', 'up', 'down', or none. */
  move: string;
  key: string;
  alt: boolean;
  fire: boolean;
  tapped: boolean;
  released: boolean;
  left: boolean;
  right: boolean;
  up: boolean;
  duck: boolean;
}

/** What an automatic player does in a step; null is nothing. */
type GameAct = Partial<Record<'tap' | 'hold' | 'jump' | 'left' | 'right' | 'up' | 'duck' | 'alt', boolean>>
  & { x?: number; y?: number; move?: string; key?: string } | null;

/** How a thing is drawn: all of it optional. */
interface Look {
  alpha?: number;
  rot?: number;
  sx?: number;
  sy?: number;
  scale?: number;
  tint?: string;
  color?: string;
  stroke?: string;
  outline?: string;
  width?: number;
  radius?: number;
  align?: string;
  role?: string;
}

/** All that a frame shows. Colours are roles of the palette or #rrggbb. */
interface DrawList {
  cmds: { k: string; [more: string]: any }[];
  dx: number;
  dy: number;
  scene: SceneList;
  reset(): void;
  shift(dx: number, dy: number): void;
  sprite(name: string, x: number, y: number, size: number, look?: Look): void;
  box(x: number, y: number, w: number, h: number, color: string, look?: Look): void;
  disc(x: number, y: number, r: number, color: string, look?: Look): void;
  ring(x: number, y: number, r: number, width: number, color: string, look?: Look): void;
  line(x1: number, y1: number, x2: number, y2: number, width: number, color: string, look?: Look): void;
  poly(points: number[][], color: string, look?: Look): void;
  text(text: string | number, x: number, y: number, size: number, look?: Look): void;
}

interface Camera { x: number; y: number; z: number; tx: number; ty: number; tz: number; fov: number }

interface Solid { alpha?: number; rx?: number; ry?: number; rz?: number; glow?: number | boolean; [more: string]: any }

/** The solid shapes behind a draw list, in metres. */
interface SceneList {
  cmds: { k: string; [more: string]: any }[];
  camera: Camera | null;
  reset(): void;
  hide(name: string): void;
  view(camera: Camera): void;
  box(x: number, y: number, z: number, w: number, h: number, d: number, color: string, look?: Solid): void;
  ball(x: number, y: number, z: number, r: number, color: string, look?: Solid): void;
  cone(x: number, y: number, z: number, r: number, h: number, color: string, look?: Solid): void;
  post(x: number, y: number, z: number, r: number, h: number, color: string, look?: Solid): void;
  figure(name: string, x: number, y: number, z: number, size: number, look?: Solid): void;
  shadow(x: number, y: number, z: number, r: number): void;
}

/** A board of cells. */
interface Grid { cols: number; rows: number; size: number; x: number; y: number; [more: string]: any }

/** A kind of game. */
interface Mechanic {
  meta: { id: string; scroll: string; controls?: string; hearts?: boolean; extra?: object };
  create(seed: number, cfg: GameConfig): GameState;
  step(s: GameState, input: GameInput): void;
  draw?(s: GameState, d: DrawList): void;
  scene?(s: GameState, g: SceneList): void;
}

interface Window {
  /** Analytics, of lib/svc.js. */
  svc: any;
  __SVC__: any;
  /** For automatic players and tests alone. */
  __svc_state: any;
  __svc_view: any;
  __svc_print: any;
  __svc_blind: any;
  /** Set where a run that was played is to be played again. */
  __svc_replay: any;
}

// Pictures and sounds, of which the build makes data: URLs.
declare module '*.png' { const url: string; export default url; }
declare module '*.jpg' { const url: string; export default url; }
declare module '*.wav' { const url: string; export default url; }
declare module '*.mp3' { const url: string; export default url; }
declare module '*.ogg' { const url: string; export default url; }

// Libraries that index.html loads by itself.
declare module 'phaser';
declare module 'pixi.js';
declare module 'three';
