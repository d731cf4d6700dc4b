// Drawn by the browser's own means: g is a CanvasRenderingContext2D.
export { paper as view } from './stage.js';
