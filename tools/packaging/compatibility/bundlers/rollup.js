import { nodeResolve } from '@rollup/plugin-node-resolve';
import terser from '@rollup/plugin-terser';
import { rollup } from 'rollup';

const bundle = await rollup({ input: 'main.js', plugins: [nodeResolve({ browser: true })] });
await bundle.write({ dir: 'out/rollup', format: 'es', plugins: [terser({ module: true })] });
await bundle.close();
