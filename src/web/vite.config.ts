import tailwindcss from '@tailwindcss/vite';
import { defineConfig } from 'vite';

const PAGES = ['landing', 'chat', 'agent', 'dashboard', 'missing'];

/** Builds the pages to `dist/web`: one HTML file per page. The files under `assets/` have a content hash in their names. */
export default defineConfig({
  base: '/',
  plugins: [tailwindcss()],
  // There are no files to copy unchanged. The service fills in the pages and serves them.
  publicDir: false,
  logLevel: 'warn',
  build: {
    outDir: '../../dist/web',
    emptyOutDir: true,
    target: 'es2022',
    sourcemap: true,
    // The content security policy forbids inline scripts and data: addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // The SDK marks its hooks with "use client" for servers that render React. Pages do not need the mark.
      onwarn: (warning, warn) => warning.code !== 'MODULE_LEVEL_DIRECTIVE' && warn(warning),
      input: { ...Object.fromEntries(PAGES.map((name) => [name, `${name}.html`])), widget: 'widget/widget.ts' },
      output: {
        // Other sites load the widget by this name.
        entryFileNames: ({ name }) => (name === 'widget' ? 'widget.js' : 'assets/[name]-[hash].js'),
      },
    },
  },
});
