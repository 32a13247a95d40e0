import { expect, it } from 'vitest';
import { runCompiler } from './compile.js';

/** A mistake in each line, and what the last line of the compiler's message names. */
const mistakes = [
  ['client.createPlant({})', /Property 'body' is missing/],
  ['client.createPlant({ body: { id: 1 } })', /Property 'name' is missing/],
  ['client.createPlant({ body: { name: "Fern" } })', /Property 'id' is missing/],
  ['client.createPlant({ id: 1, name: "Fern" })', /'id' does not exist/],
  ['client.createPlant({ body: { id: 1, name: "Fern" }, timeout: 5 })', /'timeoutMs'/],
  ['client.getPlant({})', /Property 'params' is missing/],
  ['client.listPlants({ tag: "indoor" })', /'tag' does not exist/],
  ['client.listPlants({ query: { tagged: "indoor" } })', /'tagged' does not exist/],
  ['client.updatePlant({ params: { id: 1 }, body: { name: "Fern" } })', /Property 'ifMatch' is missing/],
  ['client.updatePlant({ params: { id: 1 }, ifMatch: { etag: "" } })', /Property 'body' is missing/],
  [
    'client.updatePlant({ params: { id: 1 }, ifMatch: client, body: { name: "" } })',
    /Property 'etag' is missing/,
  ],
  ['createClient({ baseUrl: "" })', /Property 'token' is missing/],
] as const;

// Only a test that hangs takes this long: it runs the compiler.
it('names the member that is missing or misplaced', { timeout: 100_000 }, () => {
  const head = `import { createClient } from '../../src/index.js';
declare const client: ReturnType<typeof createClient>;`;
  const program = [head, ...mistakes.map(([code]) => `${code};`)].join('\n');
  const options = { lib: ['es2024', 'dom', 'dom.iterable'], types: [], skipLibCheck: true };
  const { stdout } = runCompiler({ 'program.ts': program }, options, '--pretty', 'false');
  const messages = stdout.split(/^(?=\S.*\(\d+,\d+\): error)/m);
  expect(messages).toHaveLength(mistakes.length);
  for (const [index, [code, named]] of mistakes.entries())
    expect(messages[index]?.trim().split('\n').at(-1), code).toMatch(named);
});
