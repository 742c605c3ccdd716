import tailwindcss from '@tailwindcss/vite';
import { defineConfig, type Plugin } from 'vite';
import { LIMITS } from '../contract/limits.ts';

const PAGES = ['landing', 'chat', 'agent', 'dashboard', 'connect', 'missing'];

/** Writes each limit as its number. Otherwise every page would load all limits of the service, with their names. */
const limitsAsNumbers: Plugin = {
  name: 'limits-as-numbers',
  enforce: 'pre',
  transform: (code, id) => {
    if (!/\.tsx?$/.test(id) || !code.includes('LIMITS')) return undefined;
    const written = code.replaceAll(/\bLIMITS\.(\w+)/g, (all, name: string) => numbers.get(name) ?? all);
    // The bundler leaves out a module that nothing uses only if it may: objects that are spread could have getters.
    return {
      code: written,
      map: null,
      ...(/[/-]limits\.ts$/.test(id) && { moduleSideEffects: false }),
    };
  },
};

const numbers = new Map(Object.entries(LIMITS).map(([name, limit]) => [name, `(${limit})`]));

/** Builds the pages: one HTML file per page. The files under `assets/` have a content hash in their names. */
export default defineConfig({
  base: '/',
  plugins: [limitsAsNumbers, tailwindcss()],
  // There are no files to copy unchanged. The service fills in the pages and serves them.
  publicDir: false,
  logLevel: 'warn',
  build: {
    // `tools/build-pages.mjs` moves them to `dist/web`.
    outDir: '../../dist/web.new',
    emptyOutDir: true,
    target: 'es2022',
    sourcemap: true,
    // The content security policy forbids inline scripts and data: addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // The SDK marks its hooks with "use client" for servers that render React. Pages do not need the mark.
      onwarn: (warning, warn) => warning.code !== 'MODULE_LEVEL_DIRECTIVE' && warn(warning),
      input: Object.fromEntries(PAGES.map((name) => [name, `${name}.html`])),
      output: { entryFileNames: 'assets/[name]-[hash].js' },
    },
  },
});
