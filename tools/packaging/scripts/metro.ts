// Bundles the packed client with Metro and the Babel preset of React Native, and runs the bundle.
import { cpSync } from 'node:fs';
import { resolve } from 'node:path';
import { createProject, installTools } from './support/install.js';
import { withPackedPackages } from './support/pack.js';
import { run } from './support/run.js';

/** Installed here rather than in the workspace, which they would make a tenth larger. */
const metro = ['metro@0.87.1', '@react-native/metro-babel-transformer@0.88.1'];

await withPackedPackages(({ folder, tarballs }) => {
  const project = createProject(folder, 'metro-project');
  cpSync(resolve(import.meta.dirname, '../metro'), project, { recursive: true });
  installTools(project, tarballs.client, ...metro);
  run(project, process.execPath, 'bundle.js');
  console.log(`metro: ${metro.join(', ')}: bundled the client, and the bundle runs`);
});
