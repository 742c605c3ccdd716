import { defineConfig } from 'vite';

/** Builds the widget, `widget.js`: a classic script in one function, which other sites load by this name. */
export default defineConfig({
  publicDir: false,
  logLevel: 'warn',
  build: {
    // `tools/build-pages.mjs` moves it to `dist/web`.
    outDir: '../../dist/web.new',
    emptyOutDir: false,
    target: 'es2022',
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: 'widget/widget.ts',
      output: { format: 'iife', entryFileNames: 'widget.js' },
    },
  },
});
