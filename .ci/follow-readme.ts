// Follows the README from top to bottom on port 3000, as a person with a fresh clone does: the first command starts the service,
// the others run beside it, and those of a project of one's own in an empty folder. Each must succeed.
//   pnpm exec node .ci/follow-readme.ts [folder of a clone]
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const clone = resolve(process.argv[2] ?? join(import.meta.dirname, '..'));
const project = mkdtempSync(join(tmpdir(), 'plant-store-readme-'));
const [start, ...blocks] = [
  ...readFileSync(join(clone, 'README.md'), 'utf8').matchAll(/^```(\w*)\n(.*?)^```$/gms),
]
  .map(([, language = '', text = '']) => ({ language, text }))
  // The drawing of the folders has none.
  .filter(({ language }) => language !== '');
if (start?.text !== 'npx -y pnpm@10.34.9 start\n')
  throw new Error('The README does not begin with its start command');

const service = spawn('sh', ['-c', `exec ${start.text}`], { cwd: clone, stdio: ['ignore', 'pipe', 'pipe'] });
const ended = once(service, 'close');
let output = '';
for (const stream of [service.stdout, service.stderr]) {
  stream.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
}
try {
  while (!output.includes('\ncurl ')) {
    if (service.exitCode !== null) throw new Error(`The start command has ended:\n${output}`);
    await delay(100);
  }
  const token = readFileSync(join(clone, 'data/access-token'), 'utf8').trim();
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }');
  for (const { language, text } of blocks) {
    const printed = follow(language, text, { ...process.env, PLANT_STORE_TOKEN: token });
    console.log(
      `readme: ${text.split('\n').find((line) => line !== '')}: ${printed.trim().split('\n').at(-1)}`,
    );
  }
} finally {
  service.kill();
  await ended;
  rmSync(project, { recursive: true });
}

/** Runs a block of the README, and returns what it prints. */
function follow(language: string, text: string, env: NodeJS.ProcessEnv): string {
  const options = { env, encoding: 'utf8' } as const;
  if (language === 'ts') {
    writeFileSync(join(project, 'example.ts'), text);
    const printed = execFileSync(process.execPath, ['example.ts'], { ...options, cwd: project });
    if (!/^Rose (true|false)\n$/.test(printed)) throw new Error(`The program printed ${printed}`);
    return printed;
  }
  if (language !== 'sh') throw new Error(`The README has a block of ${language}, which nobody can run`);
  const cwd = text.startsWith('npm ') ? project : clone;
  const printed = execFileSync('sh', ['-ec', text.replace(/^curl /, 'curl -f ')], { ...options, cwd });
  if (text.startsWith('curl ') && printed !== '{"name":"Monstera deliciosa","tag":"houseplant"}') {
    throw new Error(`The service replied ${printed}`);
  }
  return printed;
}
