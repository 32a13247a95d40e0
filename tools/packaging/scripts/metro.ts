// Bundles the packed client with Metro and the Babel preset of React Native, and runs the bundles: one also in Hermes, React
// Native's engine, with the same results as in Node.js.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createProject, installTools } from './support/install.js';
import { withPackedPackages } from './support/pack.js';
import { run } from './support/run.js';

/** Installed here rather than in the workspace, which they would make a tenth larger. */
const metro = ['metro@0.87.1', '@react-native/metro-babel-transformer@0.88.1'];
/** The newest on npm that runs programs; React Native itself installs a compiler alone. */
const hermes = 'hermes-engine-cli@0.12.0';
/** Where it has them, by system and processor. */
const hermesFolders: Readonly<Record<string, string>> = {
  'linux x64': 'linux64-bin',
  'darwin x64': 'osx-bin',
  'win32 x64': 'win64-bin',
};

await withPackedPackages(({ folder, tarballs }) => {
  const project = createProject(folder, 'metro-project');
  cpSync(resolve(import.meta.dirname, '../metro'), project, { recursive: true });
  mkdirSync(join(project, 'out'));
  writeFileSync(join(project, 'out/package.json'), '{ "type": "commonjs" }');
  installTools(project, tarballs.client, ...metro, hermes);
  run(project, process.execPath, 'bundle.js');
  console.log(`metro: ${metro.join(', ')}: bundled the client, and the bundle runs`);

  const system = `${process.platform} ${process.arch}`;
  const found = hermesFolders[system];
  if (found === undefined) console.log(`metro: ${hermes} does not run on ${system}`);
  else compareReplies(project, join(project, 'node_modules/hermes-engine-cli', found, 'hermes'));
});

/** Runs the bundle of replies.js in Node.js and in Hermes. */
function compareReplies(project: string, hermesPath: string): void {
  const script = 'out/replies.js';
  const inNode = run(
    project,
    process.execPath,
    '-e',
    `globalThis.print = console.log; require('./${script}')`,
  );
  if (!inNode.includes('9223372036854775807n')) throw new Error(`No id is read exactly:\n${inNode}`);
  const inHermes = run(project, hermesPath, script).trim().split('\n');
  const replies = inNode.trim().split('\n');
  const differing = replies.findIndex((reply, index) => reply !== inHermes[index]);
  if (differing >= 0) {
    throw new Error(`A reply is ${replies[differing]} in Node.js, and ${inHermes[differing]} in Hermes`);
  }
  console.log(`metro: ${hermes}: the bundle reads ${replies.length} replies as in Node.js`);
}
