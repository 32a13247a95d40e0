import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DockerfileParser, type Instruction } from 'dockerfile-ast';
import { root } from '../read-markdown.js';

/** What the final stage of the Dockerfile makes of its base image. */
export interface Image {
  readonly environment: Readonly<Record<string, string>>;
  readonly copies: readonly ImageCopy[];
  readonly volumes: readonly string[];
  readonly workingFolder: string;
  /** The numeric user and group. */
  readonly user: { readonly uid: number; readonly gid: number };
  readonly ports: readonly number[];
  readonly stopSignal: string;
  readonly healthCheck: readonly string[];
  readonly entryPoint: readonly string[];
  readonly command: readonly string[];
}

/** A file or folder of the stage `build` and where it gets to. */
export interface ImageCopy {
  readonly source: string;
  readonly target: string;
  /** The user and group as `uid:gid`; root's without one. */
  readonly owner: string | undefined;
}

export const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');

/**
 * Reads the final stage of the Dockerfile.
 *
 * @throws {Error} on an instruction that this does not follow, such as RUN: what it does would not be tested
 */
export function readImage(): Image {
  const instructions = DockerfileParser.parse(dockerfile).getInstructions();
  const start = instructions.findLastIndex((instruction) => instruction.getKeyword() === 'FROM');
  const stage = instructions.slice(start + 1);
  const followed = new Set(
    'LABEL ENV COPY VOLUME WORKDIR USER EXPOSE STOPSIGNAL HEALTHCHECK ENTRYPOINT CMD'.split(' '),
  );
  const unknown = stage.find((instruction) => !followed.has(instruction.getKeyword()));
  if (unknown !== undefined) throw new Error(`The tests do not follow ${unknown.getTextContent()}`);
  const only = (keyword: string) => textOf(exactlyOne(stage, keyword));
  const [uid = 0, gid = 0] = only('USER').split(':').map(Number);
  return {
    environment: Object.fromEntries(
      all(stage, 'ENV').flatMap((instruction) =>
        instruction.getArguments().map((argument) => argument.getValue().split(/=(.*)/s).slice(0, 2)),
      ),
    ),
    copies: all(stage, 'COPY').map(readCopy),
    volumes: all(stage, 'VOLUME').flatMap((instruction) => readJson(textOf(instruction))),
    workingFolder: only('WORKDIR'),
    user: { uid, gid },
    ports: only('EXPOSE').split(/\s+/).map(Number),
    stopSignal: only('STOPSIGNAL'),
    healthCheck: readJson(only('HEALTHCHECK').replace(/^.*?\bCMD /s, '')),
    entryPoint: readJson(only('ENTRYPOINT')),
    command: readJson(only('CMD')),
  };
}

function readCopy(instruction: Instruction): ImageCopy {
  const [, owner, source, target] =
    /^--from=build (?:--chown=(\d+:\d+) )?(\/\S+) (\/\S*)$/.exec(textOf(instruction)) ?? [];
  if (source === undefined || target === undefined) {
    throw new Error(`The tests do not follow ${instruction.getTextContent()}`);
  }
  return { source, target, owner };
}

function exactlyOne(stage: readonly Instruction[], keyword: string): Instruction {
  const [found, ...others] = all(stage, keyword);
  if (found === undefined || others.length > 0) throw new Error(`The Dockerfile needs one ${keyword}`);
  return found;
}

function all(stage: readonly Instruction[], keyword: string): readonly Instruction[] {
  return stage.filter((instruction) => instruction.getKeyword() === keyword);
}

/** The rest of an instruction after its keyword, on one line. */
function textOf(instruction: Instruction): string {
  return instruction
    .getTextContent()
    .replaceAll(/\\\n\s*/g, '')
    .replace(/^\w+\s+/, '');
}

/** The words of the exec form: in the shell form signals would not reach the service. */
function readJson(text: string): readonly string[] {
  return JSON.parse(text) as string[];
}
