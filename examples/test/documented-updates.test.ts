import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@plant-store/client';
import { expect, it } from 'vitest';
import { run } from './support/process.ts';
import { createTemporaryFolder, startService } from './support/service.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/use/updating.md'), 'utf8');

/** What the Python on the page takes from httpx, since no test here installs it. */
const httpx = `
import json, os, urllib.error, urllib.request

class Reply:
    def __init__(self, reply):
        self.headers, self.body = reply.headers, reply.read()
    def raise_for_status(self):
        return self
    def json(self):
        return json.loads(self.body)

class Client:
    def get(self, path):
        return self.send("GET", path)
    def put(self, path, json, headers):
        return self.send("PUT", path, json, headers)
    def send(self, method, path, body=None, headers={}):
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": "Bearer " + os.environ["TOKEN"], "Content-Type": "application/json", **headers}
        url = os.environ["URL"] + path
        return Reply(urllib.request.urlopen(urllib.request.Request(url, data, headers, method=method)))

client = Client()
`;

/** How each language changes the name, and how somebody else saves another one in the meantime. */
const languages = [
  {
    language: 'sh',
    program: ['sh', '-ec'],
    prelude: '',
    edit: 'sed -i s/Rose/Mine/ plant.json',
    others: `curl -s -X PUT -H 'If-Match: *' -H 'Content-Type: application/json' -d '{"name":"Theirs"}' \\
      -H "Authorization: Bearer $TOKEN" $URL/plants/1`,
  },
  {
    language: 'python',
    program: ['python3', '-c'],
    prelude: httpx,
    edit: 'plant["name"] = "Mine"',
    others: 'client.put("/plants/1", json={"name": "Theirs"}, headers={"If-Match": "*"})',
  },
];

it.each(languages)(
  'the $language of the page on updates changes one text, keeps the other, and overwrites nothing',
  async ({ language, program, prelude, edit, others }) => {
    const { baseUrl, token } = await startService();
    const client = createClient({ baseUrl, token });
    const [, block = ''] = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'ms').exec(page) ?? [];
    expect(block).toMatch(/^# Change .+$/m);
    const folder = await createTemporaryFolder();
    const environment = { TOKEN: token, URL: baseUrl };
    const runWith = (step: string) => {
      const code = block.replaceAll('http://127.0.0.1:3000', baseUrl).replace(/^# Change .+$/m, () => step);
      return run([...program, prelude + code], { folder, environment });
    };
    const read = async () => (await client.getPlant({ params: { id: 1 } })).body;
    await client.createPlant({ body: { id: 1, name: 'Rose', tag: 'indoor' } });
    expect(await runWith(edit)).toMatchObject({ status: 0 });
    expect(await read()).toMatchObject({ name: 'Mine', tag: 'indoor' });
    const { stdout, stderr } = await runWith(`${others}\n${edit.replaceAll('Mine', 'Late')}`);
    expect(stdout + stderr).toMatch(/41200|HTTP Error 412/);
    expect(await read()).toMatchObject({ name: 'Theirs' });
  },
);
