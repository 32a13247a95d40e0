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

/** Renders the manual page plant-store(1) of the package for Debian, from the commands that `--help` shows. */
export function renderManPage({ version, date, folder }: ManPageOptions): string {
  const context = { commandName: 'plant-store' };
  const program = createProgram({ version, context } as ProgramDependencies);
  const about = program.description();
  return `${[
    `.TH PLANT\\-STORE 1 "${date}" "Plant Store ${toRoff(version)}" "User Commands"`,
    '.SH NAME',
    `plant\\-store \\- ${toRoff(about.replace(/\.$/, '').replace(/^./, (first) => first.toLowerCase()))}`,
    '.SH SYNOPSIS',
    '.B plant\\-store',
    '.I command',
    '[options]',
    '.SH DESCRIPTION',
    ...paragraph(about),
    ...paragraph(
      'As root it runs each command with the user, the settings and the password of plant-store.service, so name files by absolute paths.',
    ),
    '.SH COMMANDS',
    ...listCommands(program, 'plant-store').flatMap(([name, command]) => renderCommand(name, command)),
    '.SH NOTES',
    ...paragraph(helpAfter(program).replaceAll(root, folder)),
    '.SH FILES',
    ...definition('/etc/plant-store/environment', 'The settings, one NAME=value a line.'),
    ...definition('/var/lib/plant-store/', 'The database, and its backups in backups/.'),
    '.SH SEE ALSO',
    ...paragraph(`${folder}/docs/operate/cli.md, and the other pages in ${folder}/docs/.`),
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

function renderCommand(name: string, command: Command): readonly string[] {
  const help = command.createHelp();
  const terms = [
    ...help
      .visibleArguments(command)
      .map((each) => [help.argumentTerm(each), help.argumentDescription(each)] as const),
    ...help
      .visibleOptions(command)
      .filter(({ long }) => long !== '--help')
      .map((each) => [help.optionTerm(each), help.optionDescription(each)] as const),
  ];
  return [
    `.SS "${toRoff(`${name} ${command.usage()}`)}"`,
    ...paragraph(toSentence(command.description())),
    ...terms.flatMap(([term, text]) => definition(term, toSentence(text))),
    ...paragraph(helpAfter(command)),
  ];
}

/** What the help of a command has below its options. */
function helpAfter(command: Command): string {
  let text = '';
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
  });
  command.outputHelp();
  return text.slice(command.helpInformation().length).trim();
}

function toSentence(text: string): string {
  return `${text.replace(/^[a-z]/, (first) => first.toUpperCase())}.`;
}

function definition(term: string, text: string): readonly string[] {
  return ['.TP', `.B "${toRoff(term)}"`, toRoff(text)];
}

function paragraph(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => (line === '' ? [] : ['.PP', toRoff(line)]));
}

/** A text for roff: on a line of its own, or within quotes. */
function toRoff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('"', '\\(dq')
    .replace(/^[.']/, '\\&$&');
}
