// Builds game.js, the script that index.html loads, of src/main.js and all that it
// imports. "npm run build" runs it; "npm start" also serves the game, built anew at
// each reload of the page.
import { readFile } from 'node:fs/promises';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';

// Libraries that index.html loads by itself, and the names they have there.
const GLOBALS = { phaser: 'Phaser', 'pixi.js': 'PIXI', three: 'THREE' };
const LOADERS = { js: 'js', ts: 'ts', json: 'json', png: 'dataurl', jpg: 'dataurl', wav: 'dataurl' };
const SOUNDS = { mp3: 'audio/mpeg', ogg: 'audio/ogg' };

const folder = fileURLToPath(new URL('.', import.meta.url));

// The files of this folder, by paths that are the same on every computer.
const project = {
  name: 'project',
  setup(build) {
    build.onResolve({ filter: /.*/ }, ({ kind, path, importer }) => {
      if (kind === 'entry-point') return { path: posix.normalize(path), namespace: 'project' };
      if (GLOBALS[path]) return { path, namespace: 'global' };
      if (!/^\.\.?\//.test(path)) return undefined; // a package of npm
      return { path: posix.join(posix.dirname(importer), path), namespace: 'project' };
    });
    build.onLoad({ filter: /.*/, namespace: 'global' }, ({ path }) => (
      { contents: `module.exports = window.${GLOBALS[path]};`, loader: 'js' }
    ));
    build.onLoad({ filter: /.*/, namespace: 'project' }, async ({ path }) => {
      const type = posix.extname(path).slice(1);
      const contents = await readFile(folder + path);
      if (!SOUNDS[type]) return { contents, loader: LOADERS[type], resolveDir: folder };
      return { contents: `data:${SOUNDS[type]};base64,${contents.toString('base64')}`, loader: 'text' };
    });
  },
};

const context = await esbuild.context({
  absWorkingDir: folder,
  entryPoints: ['src/main.js'],
  outfile: 'game.js',
  bundle: true,
  format: 'iife',
  target: 'es2017',
  charset: 'utf8',
  legalComments: 'inline',
  tsconfigRaw: '{}',
  logLevel: 'info',
  plugins: [project],
});

if (process.argv.includes('--serve')) {
  const { port } = await context.serve({ servedir: folder, host: '127.0.0.1' });
  console.log(`The game is at http://127.0.0.1:${port}/ until you press Ctrl-C.`);
} else {
  try {
    await context.rebuild();
  } catch {
    process.exitCode = 1; // esbuild has said why
  }
  await context.dispose();
}
