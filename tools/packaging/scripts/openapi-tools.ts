// Runs the commands of each section of docs/use/openapi-tools.md in an empty folder, against the built service with an empty store. Fails
// if a tool does not send one of the expected requests, or if the first reply to that request does not have the expected status.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { root, withService } from './support.js';

const page = 'docs/use/openapi-tools.md';

/** The requests that each tool must send, with the status of the first reply. */
const operations = [
  [/^POST \/plants$/, '200'],
  [/^GET \/plants(\?|$)/, '200'],
  [/^GET \/plants\/\d+$/, '200'],
  [/^PUT \/plants\/\d+$/, '200'],
  [/^DELETE \/plants\/\d+$/, '204'],
] as const;

const sections = [
  ...readFileSync(join(root, page), 'utf8').matchAll(/^## (.+)\n(?:(?!## ).*\n)*?```sh\n([^`]+)```$/gm),
];
if (sections.length < 3) throw new Error(`${page} has ${sections.length} sections with commands`);
for (const [, heading = '', commands = ''] of sections) {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-tool-'));
  try {
    const replies = await recordReplies(folder, commands);
    for (const [sent, expected] of operations) {
      const status = replies.find(([line]) => sent.test(line))?.[1] ?? 'not sent';
      if (status !== expected) throw new Error(`${heading}: ${sent.source}: ${status}`);
    }
    console.log(`openapi-tools: ${heading}: run`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Runs commands, with the service behind a proxy. Returns each request with the status of its reply, such as `['GET /tags', '200']`. */
async function recordReplies(folder: string, commands: string): Promise<readonly [string, string][]> {
  const replies: [string, string][] = [];
  await withService(folder, async ({ baseUrl, token }) => {
    const proxy = createServer(async (incoming, outgoing) => {
      const { method, url, headers } = incoming;
      const forwarded = request(new URL(url ?? '/', baseUrl), { method, headers });
      const [reply] = await Promise.all([once(forwarded, 'response'), pipeline(incoming, forwarded)]);
      const { statusCode } = reply[0];
      replies.push([`${method} ${url}`, `${statusCode}`]);
      outgoing.writeHead(statusCode, reply[0].headers);
      await pipeline(reply[0], outgoing);
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const { port } = proxy.address() as AddressInfo;
    try {
      await runCommands(folder, commands, { BASE: `http://127.0.0.1:${port}`, TOKEN: token });
    } finally {
      proxy.closeAllConnections();
      proxy.close();
    }
  });
  return replies;
}

/** Runs shell commands in an empty folder. Rejects with their output if one fails. */
async function runCommands(parent: string, commands: string, variables: NodeJS.ProcessEnv): Promise<void> {
  const cwd = join(parent, 'empty');
  mkdirSync(cwd);
  const options = { cwd, env: { ...process.env, ...variables } };
  const shell = spawn('bash', ['-euo', 'pipefail', '-c', commands], options);
  let printed = '';
  for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (chunk) => (printed += chunk));
  const [status] = await once(shell, 'close');
  if (status !== 0) throw new Error(`${commands}\n${printed}`);
}
