import type { Command } from 'commander';
import { createProgram, type ProgramDependencies } from '../../src/cli/program.js';
import { root } from './folders.js';

/** What a manual page is of. */
export interface ManPageOptions {
  readonly version: string;
  /** Such as `2026-11-25`. */
  readonly date: string;
  /** Where the package has its documents. */
  readonly folder: string;
}

/** Renders the manual page plant-store(1) of the package for Debian, from what `--help` prints of each command. */
export function renderManPage({ version, date, folder }: ManPageOptions): string {
  const context = { commandName: 'plant-store' };
  const program = createProgram({ version, context } as ProgramDependencies);
  const about = program.description();
  const notes = helpOf(program).slice(program.helpInformation().length).replaceAll(root, folder);
  return `${[
    `.TH PLANT\\-STORE 1 "${date}" "Plant Store ${toRoff(version)}" "User Commands"`,
    '.SH NAME',
    `plant\\-store \\- ${toRoff(about.replace(/\.$/, '').replace(/^./, (first) => first.toLowerCase()))}`,
    '.SH SYNOPSIS',
    '.B plant\\-store',
    '.I command',
    '[options]',
    '.SH DESCRIPTION',
    toRoff(about),
    '.PP',
    toRoff(
      'As root it runs each command with the user, the settings and the password of plant-store.service, so name files by absolute paths.',
    ),
    '.SH COMMANDS',
    ...listCommands(program, 'plant-store').flatMap(([name, command]) => [
      `.SS "${toRoff(`${name} ${command.usage()}`)}"`,
      '.nf',
      ...toLines(helpOf(command).replace(/^Usage: .*\n/, '')),
      '.fi',
    ]),
    '.SH NOTES',
    ...toLines(notes),
    '.SH FILES',
    '/etc/plant\\-store/environment: the settings, one NAME=value a line.',
    '.PP',
    '/var/lib/plant\\-store/: the database, and its backups in backups/.',
    '.SH SEE ALSO',
    toRoff(`${folder}/docs/operate/cli.md, and the other pages in ${folder}/docs/.`),
  ].join('\n')}\n`;
}

/** The commands below one that have none of their own, by their names, without those that the help hides. */
export function listCommands(parent: Command, name: string): readonly (readonly [string, Command])[] {
  return parent
    .createHelp()
    .visibleCommands(parent)
    .flatMap((command) => {
      const path = `${name} ${command.name()}`;
      return command.commands.length > 0 ? listCommands(command, path) : [[path, command] as const];
    });
}

/** What `--help` prints of a command, in lines that fit behind the margin of a manual page. */
function helpOf(command: Command): string {
  const parts: string[] = [];
  const output = { writeOut: (part: string) => void parts.push(part), getOutHelpWidth: () => 72 };
  command.configureOutput(output).outputHelp();
  return parts.join('');
}

function toLines(text: string): readonly string[] {
  return text
    .trim()
    .split('\n')
    .map((line) => (line === '' ? '.PP' : toRoff(line)));
}

/** A text for roff: on a line of its own, or within quotes. */
function toRoff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('"', '\\(dq')
    .replace(/^[.']/, '\\&$&');
}
