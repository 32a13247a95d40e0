import { execFileSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { type ComparisonOptions, compare } from './compare.js';
import { formatMemory, formatTable, medians } from './report.js';
import { measureStarts } from './start.js';
import { plantStore, type Target } from './targets.js';

const records = 100_000;
const loads = [
  { operation: 'create', connections: 64 },
  { operation: 'get', connections: 64, records },
  { operation: 'page', connections: 64, records },
  { operation: 'batch', connections: 4, records },
] as const;

export interface NodeComparison {
  /** The path to the node binary to measure. */
  readonly node: string;
  /** The path to the node binary to compare with. */
  readonly baseline: string;
  /** How many service processes run each load on each version, one after the other. */
  readonly processes: number;
}

/** Compares the service on two Node.js versions: its startup, its idle memory, and loads, each in new processes. */
export async function compareNodes(
  { baseline, node, processes }: NodeComparison,
  compared: Omit<ComparisonOptions, 'loads'>,
): Promise<boolean> {
  const targets = [onNode('baseline-node', baseline, compared.folder), onNode('node', node, compared.folder)];
  const starts = await measureStarts(targets, compared.folder);
  const rows = targets.map(({ title }, index) => {
    const { firstReplyMs, idleMemoryBytes } = medians(starts[index] ?? [], 'firstReplyMs', 'idleMemoryBytes');
    return [title, firstReplyMs.toFixed(0), formatMemory(idleMemoryBytes)];
  });
  process.stdout.write(`${formatTable(['', 'first reply, ms', 'idle memory'], rows)}\n\n`);
  return compare({ ...compared, targets, loads: Array.from({ length: processes }, () => loads).flat() });
}

/**
 * Returns the service on a copy of a node binary. The resident memory of a binary depends on how its file got into the page cache, which is
 * the same for two copies. It was 55 MB for one file, and 95 MB for another with the same bytes.
 */
function onNode(name: string, path: string, folder: string): Target {
  const copy = join(folder, `${name}-program`);
  copyFileSync(path, copy);
  const version = execFileSync(copy, ['--version'], { encoding: 'utf8' }).trim();
  return { ...plantStore({ node: copy }), name, title: `Node.js ${version.slice(1)}` };
}
