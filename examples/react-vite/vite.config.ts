import react from '@vitejs/plugin-react';
import { defineConfig, loadEnv } from 'vite';

export default defineConfig(({ mode }) => {
  // Of the environment, or of a file .env.local. The page gets only what is called VITE_….
  const env = loadEnv(mode, '.', 'PLANT_STORE_');
  return {
    plugins: [react()],
    server: {
      // Whoever reaches this port uses the token: no page of another origin, and by default no other machine.
      cors: false,
      proxy: {
        '/api': {
          target: env['PLANT_STORE_URL'] ?? 'http://127.0.0.1:3000',
          rewrite: (path) => path.slice('/api'.length),
          headers: { authorization: `Bearer ${env['PLANT_STORE_TOKEN'] ?? ''}` },
        },
      },
    },
  };
});
