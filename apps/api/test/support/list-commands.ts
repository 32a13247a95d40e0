import type { Command } from 'commander';
import { createProgram, type ProgramDependencies } from '../../src/cli/program.js';

const context = { commandName: 'plant-store' };
const program = createProgram({ version: '0', context } as ProgramDependencies);

/** The commands below one, by default all of `plant-store`, with their names, such as `token create`. */
export function listCommands(parent = program, name = ''): readonly (readonly [string, Command])[] {
  return parent.commands.flatMap((child) => {
    const path = `${name} ${child.name()}`.trim();
    return child.commands.length > 0 ? listCommands(child, path) : [[path, child] as const];
  });
}
