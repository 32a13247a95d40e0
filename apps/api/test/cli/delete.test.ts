import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { plantLine } from '../support/process/plant-lines.js';
import { failed, imported, succeeded } from '../support/process/run-command.js';
import { useCommands } from '../support/process/run-in-process.js';

/** A store with the plants 1 to 3, and how to run commands on it. */
async function createStore() {
  const { folder, run } = useCommands();
  await run('import', plantLine(1) + plantLine(2) + plantLine(3));
  return { folder, run, exportAll: async () => (await run('export')).stdout };
}

const counts = (deleted: number, before: number, never: number, bad: number) =>
  `${deleted} deleted, ${before} already deleted, ${never} never existed, ${bad} bad\n`;

it('deletes plants by their ids, which stay taken, and does nothing when it is repeated', async () => {
  const { run, exportAll } = await createStore();
  expect(await run('delete 1 3')).toEqual(succeeded('', counts(2, 0, 0, 0)));
  const exported = await exportAll();
  const left = `{"id":1,"deleted":true}\n${plantLine(2)}{"id":3,"deleted":true}\n`;
  expect(exported.replace(/,"addedAt":"[^"]+"/, '')).toBe(left);
  expect(await run('delete 3 1 1')).toEqual(succeeded('', counts(0, 3, 0, 0)));
  expect((await run('import', plantLine(1))).stderr).toMatch(/^line 1: Plant 1 was deleted/);
  expect(await exportAll()).toBe(exported);
});

it('reports ids that no plant ever had, which stay free', async () => {
  const { run } = await createStore();
  expect(await run('delete -9223372036854775808 2')).toEqual(
    failed(
      `argument 1: No plant has ever had the ID -9223372036854775808.
${counts(1, 0, 1, 0)}\
plant-store: 1 argument does not match any plant and was skipped. All other plants were deleted.\n`,
    ),
  );
  expect(await run('import', plantLine(-(2n ** 63n)))).toEqual(imported(1));
});

it('deletes those of a file or of standard input, and reports lines that have no id', async () => {
  const { folder, run, exportAll } = await createStore();
  const text = '\uFEFF3\r\n\n"1"\n 1e0 \n1.5\n9223372036854775808\nid\n[2]\n3\n7';
  const bad =
    'The line must be an ID from -9223372036854775808 to 9223372036854775807, or a JSON object with an ID in this range.';
  writeFileSync(join(folder, 'ids.txt'), text);
  expect(await run('delete --from ids.txt')).toEqual(
    failed(
      `${[3, 5, 6, 7, 8].map((number) => `line ${number}: ${bad}\n`).join('')}\
line 10: No plant has ever had the ID 7.
${counts(2, 1, 1, 5)}\
plant-store: 6 lines do not match any plant and were skipped. All other plants were deleted.\n`,
    ),
  );
  expect((await exportAll()).match(/"id":\d+,"name"/g)).toEqual(['"id":2,"name"']);
  const rest = failed(new RegExp(`\n${counts(0, 1, 1, 0)}plant-store: `));
  expect(await run('delete --from - --from-line 9', text)).toEqual(rest);
});

it('deletes the plants of an export, in several batches', async () => {
  const { run, exportAll } = await createStore();
  await run('delete 2');
  await run('import', Array.from({ length: 1_100 }, (_, index) => plantLine(index + 10)).join(''));
  expect(await run('delete --from -', await exportAll())).toEqual(succeeded('', counts(1_102, 1, 0, 0)));
  expect((await run('list')).stdout).not.toContain('plant');
  expect((await exportAll()).match(/"deleted":true/g)).toHaveLength(1_103);
});
