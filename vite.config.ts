import { join } from 'node:path';
import tailwindcss from '@tailwindcss/vite';
import { defineConfig } from 'vite';

const here = join(import.meta.dirname, 'src/web');

/** Builds the pages to `dist/web`: a file of HTML for each, and what it loads under `assets/`, named by its content. */
export default defineConfig({
  root: here,
  base: '/',
  plugins: [tailwindcss()],
  // The service fills the pages in and serves them; there is nothing to copy as it is.
  publicDir: false,
  logLevel: 'warn',
  build: {
    outDir: join(import.meta.dirname, 'dist/web'),
    emptyOutDir: true,
    target: 'es2022',
    sourcemap: true,
    // A policy that lets no script be inline would stop what is written into the page, and data: addresses too.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: Object.fromEntries(
        ['landing', 'chat', 'agent', 'dashboard', 'missing', 'widget'].map((name) => [
          name,
          join(here, name === 'widget' ? 'widget/widget.ts' : `${name}.html`),
        ]),
      ),
      output: {
        // Sites load it by its name.
        entryFileNames: ({ name }) => (name === 'widget' ? 'widget.js' : 'assets/[name]-[hash].js'),
      },
    },
  },
});
