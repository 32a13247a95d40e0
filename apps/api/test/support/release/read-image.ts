import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DockerfileParser, type Instruction } from 'dockerfile-ast';
import { root } from '../read-markdown.js';

export const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');

/**
 * Reads what the final stage of the Dockerfile makes of its base image.
 *
 * @throws {Error} on an instruction that this does not follow, such as RUN: what it does would not be tested
 */
export function readImage() {
  const instructions = DockerfileParser.parse(dockerfile).getInstructions();
  const start = instructions.findLastIndex((instruction) => instruction.getKeyword() === 'FROM');
  const stage = instructions.slice(start + 1);
  const followed = 'LABEL ENV COPY VOLUME WORKDIR USER EXPOSE STOPSIGNAL HEALTHCHECK ENTRYPOINT CMD'.split(
    ' ',
  );
  const unknown = stage.find((instruction) => !followed.includes(instruction.getKeyword()));
  if (unknown !== undefined) throw new Error(`The tests do not follow ${unknown.getTextContent()}`);
  const only = (keyword: string) => textOf(exactlyOne(stage, keyword));
  const [uid = 0, gid = 0] = only('USER').split(':').map(Number);
  const environment: Readonly<Record<string, string>> = Object.fromEntries(
    all(stage, 'ENV').flatMap((instruction) =>
      instruction.getArguments().map((argument) => argument.getValue().split(/=(.*)/s).slice(0, 2)),
    ),
  );
  return {
    environment,
    copies: all(stage, 'COPY').map(readCopy),
    volumes: all(stage, 'VOLUME').flatMap((instruction) => readJson(textOf(instruction))),
    workingFolder: only('WORKDIR'),
    /** The numeric user and group. */
    user: { uid, gid },
    ports: only('EXPOSE').split(/\s+/).map(Number),
    stopSignal: only('STOPSIGNAL'),
    healthCheck: readJson(only('HEALTHCHECK').replace(/^.*?\bCMD /s, '')),
    entryPoint: readJson(only('ENTRYPOINT')),
    command: readJson(only('CMD')),
  };
}

/** A file or folder of the stage `build`, where it gets to, and its owner as `uid:gid`; root without one. */
function readCopy(instruction: Instruction) {
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
