import { defineConfig } from '@kubb/core';
import { pluginClient } from '@kubb/plugin-client';
import { pluginOas } from '@kubb/plugin-oas';
import { pluginTs } from '@kubb/plugin-ts';

export default defineConfig({
  input: { path: './openapi.json' },
  output: { path: './plants-bigint' },
  plugins: [pluginOas(), pluginTs({ integerType: 'bigint' }), pluginClient({ client: 'fetch' })],
});
