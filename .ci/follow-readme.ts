// Follows the README from top to bottom on port 3000, as a new user with a fresh clone would. The first command starts the service. The
// others run in a second terminal, with an empty folder as the user's own project. Each must succeed.
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
/** The working folder and the token that each command leaves for the next one. */
const terminal = { folder: clone, token: '' };
const [start, ...blocks] = [
  ...readFileSync(join(clone, 'README.md'), 'utf8').matchAll(/^```(\w*)\n(.*?)^```$/gms),
]
  .map(([, language = '', text = '']) => ({ language, text }))
  // The drawing of the folder layout has no language.
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

/** Runs a code block of the README, and returns what it prints. */
function follow(language: string, text: string): string {
  if (language === 'ts') {
    const [, name = '', command] = /^\/\/ (\S+\.m?ts)(?:, .*: (node .+))?$/m.exec(text) ?? [];
    writeFileSync(join(terminal.folder, name), text);
    // A block without a command is a configuration, which only has to load.
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

/** Runs commands in the folder and with the token of the terminal, updates both, and returns what the commands print. */
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
