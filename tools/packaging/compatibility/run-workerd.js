// Runs the bundled worker in workerd, by Miniflare, and prints what it responds.
import { Miniflare } from 'miniflare';

const [scriptPath, service] = process.argv.slice(2);
const worker = new Miniflare({
  modules: true,
  scriptPath,
  compatibilityDate: '2026-07-01',
  bindings: { SERVICE: service },
});
const response = await worker.dispatchFetch('http://worker.test/');
console.log(await response.text());
await worker.dispose();
