// Runs the command from its sources for `pnpm dev`. The page comes from Vite, which updates it at each change.
process.env['PAGE'] ||= 'off';
await import('../src/main.js');
