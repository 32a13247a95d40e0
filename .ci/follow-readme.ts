// Follows the README from top to bottom on port 3000, as a person with a fresh clone does: the first command starts the service,
// the others run in one terminal beside it, with an empty folder for the project of one's own. Each must succeed.
//   pnpm exec node .ci/follow-readme.ts [folder of a clone]
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { packageManager } from './workspaces.ts';

const clone = resolve(process.argv[2] ?? join(import.meta.dirname, '..'));
const project = mkdtempSync(join(tmpdir(), 'plant-store-readme-'));
/** What the commands leave for those that follow. */
const terminal = { folder: clone, token: '' };
const [start, ...blocks] = [
  ...readFileSync(join(clone, 'README.md'), 'utf8').matchAll(/^```(\w*)\n(.*?)^```$/gms),
]
  .map(([, language = '', text = '']) => ({ language, text }))
  // The drawing of the folders has none.
  .filter(({ language }) => language !== '');
if (start?.text !== `npx -y ${packageManager} start\n`)
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
  for (const { language, text } of blocks) {
    const printed = follow(language, text);
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
function follow(language: string, text: string): string {
  if (language === 'ts') {
    const [, name = '', command] = /^\/\/ (\S+\.m?ts)(?:, .*: (node .+))?$/m.exec(text) ?? [];
    writeFileSync(join(terminal.folder, name), text);
    // A configuration is loaded.
    if (command === undefined) return runInTerminal(`node ${name}`);
    const printed = runInTerminal(command);
    if (!/^Rose (true|false)\n$/.test(printed)) throw new Error(`The program printed ${printed}`);
    return printed;
  }
  if (language !== 'sh') throw new Error(`The README has a block of ${language}, which nobody can run`);
  const printed = runInTerminal(text.replace(/^curl /, 'curl -f ').replaceAll('../my-project', project));
  if (text.startsWith('curl ') && printed !== '{"name":"Monstera deliciosa","tag":"houseplant"}') {
    throw new Error(`The service replied ${printed}`);
  }
  return printed;
}

/** Runs commands where the ones before have left the terminal, and returns what they print. */
function runInTerminal(commands: string): string {
  const report = String.raw`printf '\n%s\n%s' "$PWD" "$PLANT_STORE_TOKEN"`;
  const lines = execFileSync('sh', ['-ec', `${commands}\n${report}`], {
    cwd: terminal.folder,
    env: { ...process.env, PLANT_STORE_TOKEN: terminal.token },
    encoding: 'utf8',
  }).split('\n');
  [terminal.folder = clone, terminal.token = ''] = lines.splice(-2);
  return lines.join('\n');
}
