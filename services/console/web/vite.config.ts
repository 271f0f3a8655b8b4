import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { firstLoadBudget } from './build/first-load.ts';
import { precompress } from './build/precompress.ts';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [react(), firstLoadBudget(), precompress()],
  build: {
    outDir: 'dist',
    target: 'es2022',
    // The content security policy allows neither inline scripts nor data: addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: {
    // `npm run dev` in this directory: pages from Vite, the API from a console that runs on this machine.
    proxy: { '/api': process.env['CONSOLE_URL'] ?? 'http://127.0.0.1:4400' },
  },
});
