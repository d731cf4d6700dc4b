/** What the player does in a step. A key that was struck between two steps counts as held for one. */
export interface Input {
  /** Held: arrow keys or W A S D, or a finger that was dragged that way. */
  left: boolean; right: boolean; up: boolean; down: boolean;
  /** Held: space or enter. */
  action: boolean;
  /** What went down since the last step: left, right, up, down, action, and keys by KeyboardEvent.key, in small. */
  pressed: string[];
  /** A finger or the mouse went down, or up. */
  tapped: boolean; released: boolean;
  /** Where the finger or the mouse is or was, in units of the field. */
  x: number; y: number;
  /** All that are down. */
  fingers: { x: number; y: number }[];
}

/** Plain data. `score` and `outcome` ('win', 'lose', 'draw') are watched by the kit. */
export interface State { score?: number; outcome?: string; [name: string]: any }

export interface Game {
  about: { title: string; size: { w: number; h: number }; [name: string]: any };
  view(stage: object): any;
  create(seed: number, tunables: any): State;
  step(s: State, input: Input): void;
  draw(g: any, s: State, phase: 'ready' | 'play' | 'over'): void;
  setup?(g: any, s: State): void;
  smooth?: string[];
  assets?: { [name: string]: string };
}

export interface Recording { seed: number; steps: number; inputs: [number, Input][] }

export function run(game: Game): Promise<void>;
export function replay(game: Pick<Game, 'about' | 'create' | 'step'>, recording: Recording): State;
export function recording(): Recording | null | undefined;
export function pause(on: boolean): void;
export function begin(): void;
export function score(n: number): void;
export function end(outcome: string): void;
export function expose(state: () => object, screen?: () => object): void;
export const hud: {
  text(role: string, text: string | number, x: number, y: number, size?: number, color?: string): void;
  has(role: string): boolean;
};
export function sfx(name: string): void;
export function mute(): boolean;
export const store: { get(name: string, other?: any): any; set(name: string, value: any): void };
export const assets: { [name: string]: any };

interface Chance { rng: number }
export const STEP: number;
export const PI: number;
export function rng(seed: number): Chance;
export function random(s: Chance | State): number;
export function between(s: Chance | State, low: number, high: number): number;
export function choose<T>(s: Chance | State, list: T[]): T;
export function chance(s: Chance | State, p: number): boolean;
export function hash(i: number): number;
export function clamp(v: number, low: number, high: number): number;
export function lerp(a: number, b: number, t: number): number;
export function near(ax: number, ay: number, bx: number, by: number, r: number): boolean;
export function sin(x: number): number;
export function cos(x: number): number;
export function atan2(y: number, x: number): number;
export function hypot(x: number, y: number): number;
export function exp(x: number): number;
export function pow(base: number, e: number): number;
