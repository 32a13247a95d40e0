import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** A process that this one, or one that it has started, has started. */
export interface Descendant {
  readonly pid: number;
  readonly command: string;
}

/** Lists the descendants of a process, parents first. */
export function listDescendants(pid: number): readonly Descendant[] {
  const children = Map.groupBy(listProcesses(), ({ parent }) => parent);
  const found: Descendant[] = [];
  const add = (parent: number) => {
    for (const child of children.get(parent) ?? []) {
      found.push(child);
      add(child.pid);
    }
  };
  add(pid);
  return found;
}

/** Ends the descendants of a process, which may be unable to end by themselves. */
export function killDescendants(pid: number): void {
  for (const { pid: descendant } of listDescendants(pid)) {
    try {
      process.kill(descendant, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
}

function listProcesses(): readonly (Descendant & { readonly parent: number })[] {
  // Small images of Debian have no `ps`.
  if (process.platform === 'linux') return readdirSync('/proc').filter(isNumber).flatMap(readProcess);
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' });
  return Array.from(stdout.matchAll(/^ *(\d+) +(\d+) (.*)$/gm), ([, pid, parent, command = '']) => ({
    pid: Number(pid),
    parent: Number(parent),
    command,
  }));
}

const isNumber = (name: string) => /^\d+$/.test(name);

function readProcess(pid: string) {
  try {
    // The name of the program, in parentheses, may have any characters.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return [{ pid: Number(pid), parent: Number(parent), command }];
  } catch {
    // It has ended.
    return [];
  }
}
