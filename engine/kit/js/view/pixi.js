// Drawn by Pixi: g is the application.
import * as PIXI from 'pixi.js';

export async function view({ canvas, scale }) {
  const app = new PIXI.Application();
  const { width, height } = canvas;
  await app.init({ canvas, width, height, preference: 'webgl', antialias: true, autoStart: false });
  app.stage.scale.set(scale);
  return { g: app, show: () => app.render() };
}
