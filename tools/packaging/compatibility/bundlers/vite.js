import { build } from 'vite';

await build({
  configFile: false,
  logLevel: 'error',
  build: { lib: { entry: 'main.js', formats: ['es'], fileName: 'main' }, minify: true, outDir: 'out/vite' },
});
