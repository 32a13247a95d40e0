import { createClient } from '@plant-store/client';
import { expect, it } from 'vitest';
import { failed, startStore, succeeded } from '../support/process/run-command.js';
import { useCommands } from '../support/process/run-in-process.js';
import { parseLines } from '../support/read-log.js';

const times = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

it('prints which token has added, updated or deleted what has an id', async () => {
  const { folder, client, command, baseUrl } = await startStore();
  const { run } = useCommands({}, folder);
  // A name that a replacement by a text would take for a pattern.
  const { stdout: token } = await run("token create --name $'$&");
  const other = createClient({ baseUrl, token: token.trim() });
  const show = async (id: number) => {
    const { exitCode, stdout, stderr } = await run(`show ${id}`);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^\{.+\}\n$/);
    const lines = (stdout + stderr).replace(times, 'TIME').replace(/,"original":"[\w-]{43}"/, '');
    return lines.split('\n').slice(0, -1);
  };
  const [id, params] = [1, { id: 1 }];
  await client.createPlant({ body: { id, name: 'Fren' } });
  const added = expect.stringMatching(/^added {4}TIME {2}by token 1 ".+"$/);
  expect(await show(id)).toEqual(['{"id":1,"name":"Fren","addedAt":"TIME"}', added]);
  const { headers } = await client.getPlant({ params });
  const ifMatch = { 'if-match': headers.get('etag') ?? '' };
  await other.updatePlant({ params, headers: ifMatch, body: { name: 'Fern' } });
  const updated = expect.stringMatching(/^updated {2}TIME {2}by token 2 ".+"$/);
  expect(await show(id)).toEqual(['{"id":1,"name":"Fern","addedAt":"TIME"}', added, updated]);
  const listed = async () => (await run('list --by')).stdout.replace(/\d{4}-\S+ \S+/g, '').split('\n')[1];
  await client.createPlant({ body: { id: 0, name: 'Moss' } });
  expect(await listed()).toMatch(/^0 +Moss {2}added by token 1 ".+"$/);
  await client.deletePlant({ params: { id: 0 } });
  expect(await listed()).toMatch(/^1 +Fern {2}added by token 1 ".+" {2}updated by token 2 "\$'\$&"$/);
  await other.deletePlant({ params });
  const deleted = expect.stringMatching(/^deleted {2}TIME {2}by token 2 ".+"$/);
  expect(await show(id)).toEqual(['{"id":1,"deleted":true}', added, deleted]);
  await other.updatePlant({ params, headers: { 'if-none-match': '*' }, body: { name: 'Ivy' } });
  expect(await listed()).toMatch(/^1 +Ivy {2}added by token 2 "[^"]+"$/);
  const addedAgain = expect.stringMatching(/^added {4}TIME {2}by token 2 ".+"$/);
  expect(await show(id)).toEqual(['{"id":1,"name":"Ivy","addedAt":"TIME"}', addedAgain]);
  // The command line is nobody.
  await run('delete 1');
  expect(await show(id)).toEqual(['{"id":1,"deleted":true}', addedAgain, 'deleted  TIME']);
  expect((await command.end('SIGTERM')).exitCode).toBe(0);
});

it('says what is not known, and that an id is free', async () => {
  const { run } = useCommands();
  const known = '{"id":1,"name":"Fern","addedAt":null}\n';
  await run('import', known);
  expect(await run('show 1')).toEqual(succeeded(known, 'added    at an unknown time\n'));
  expect(await run('show 1 --json')).toEqual(succeeded('{"id":1,"idText":"1","name":"Fern"}\n'));
  expect(await run('show 2')).toEqual(failed('plant-store: There is no plant 2.\n'));
});

it('prints what a plant was, the latest state first, and who has made each', async () => {
  const { folder, client, command } = await startStore();
  const { run } = useCommands({}, folder);
  const params = { id: 9223372036854775807n };
  const update = (name: string) =>
    client.updatePlant({ params, headers: { 'if-match': '*' }, body: { name, tag: 'a' } });
  await client.createPlant({ body: { id: params.id, name: 'Fren' } });
  await update('Frn');
  await run(`update ${params.id} --name Fern --no-tag`);
  const { stdout, stderr, exitCode } = await run(`show ${params.id} --history`);
  expect([stderr, exitCode]).toEqual(['', 0]);
  const by = { id: 1, name: expect.any(String) };
  const states = parseLines(stdout);
  expect(states).toEqual([
    { name: 'Fern', from: states[1].until },
    { name: 'Frn', tag: 'a', from: states[2].until, until: expect.stringMatching(times), by },
    { name: 'Fren', from: expect.stringMatching(times), until: expect.stringMatching(times), by },
  ]);
  expect(await run(`show ${params.id} --history --json`)).toEqual(
    succeeded(`{"id":${params.id},"idText":"${params.id}","states":[${stdout.trim().split('\n')}]}\n`),
  );
  await client.deletePlant({ params });
  const missing = failed(`plant-store: There is no plant ${params.id}.\n`);
  expect(await run(`show ${params.id} --history`)).toEqual(missing);
  expect((await command.end('SIGTERM')).exitCode).toBe(0);
});
