// ESLint for the sources of games: all that it recommends.
import js from '@eslint/js';
import globals from 'globals';

export default [
  js.configs.recommended,
  { languageOptions: { ecmaVersion: 2020, sourceType: 'module', globals: globals.browser } },
  { files: ['**/build.mjs'], languageOptions: { ecmaVersion: 2022, globals: globals.node } },
  { files: ['**/page/svc.js', '**/lib/svc.js'], languageOptions: { sourceType: 'script' } },
  { ignores: ['**/game.js', '**/lib/*.min.js'] },
];
