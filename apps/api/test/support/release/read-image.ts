import { readPage } from '../read-markdown.js';

export const dockerfile = readPage('Dockerfile');

const followed = 'LABEL ENV COPY VOLUME WORKDIR USER EXPOSE STOPSIGNAL HEALTHCHECK ENTRYPOINT CMD'.split(' ');

/**
 * Reads what the final stage of the Dockerfile makes of its base image.
 *
 * @throws {Error} on an instruction that this does not follow, such as RUN: what it does would not be tested
 */
export function readImage() {
  const [stage = ''] = dockerfile
    .replaceAll(/\\\n\s*/g, '')
    .split(/^FROM .*\n/m)
    .slice(-1);
  const instructions = Map.groupBy(stage.match(/^[^#\n].*/gm) ?? [], (line) => line.split(' ', 1).join());
  const unknown = [...instructions.keys()].find((keyword) => !followed.includes(keyword));
  if (unknown !== undefined) throw new Error(`The tests do not follow ${unknown}`);
  const all = (keyword: string) =>
    (instructions.get(keyword) ?? []).map((line) => line.slice(keyword.length).trim());
  const only = (keyword: string) => {
    const [found, ...others] = all(keyword);
    if (found === undefined || others.length > 0) throw new Error(`The Dockerfile needs one ${keyword}`);
    return found;
  };
  const [uid = 0, gid = 0] = only('USER').split(':').map(Number);
  const environment: Readonly<Record<string, string>> = Object.fromEntries(
    only('ENV')
      .split(' ')
      .map((variable) => variable.split(/=(.*)/s, 2)),
  );
  return {
    environment,
    copies: all('COPY').map(readCopy),
    volumes: all('VOLUME').flatMap(readJson),
    workingFolder: only('WORKDIR'),
    /** The numeric user and group. */
    user: { uid, gid },
    ports: only('EXPOSE').split(/\s+/).map(Number),
    stopSignal: only('STOPSIGNAL'),
    healthCheck: readJson(only('HEALTHCHECK').replace(/^.*?\bCMD /, '')),
    entryPoint: readJson(only('ENTRYPOINT')),
    command: readJson(only('CMD')),
  };
}

/** A file or folder of the stage `build`, where it gets to, and its owner as `uid:gid`; root without one. */
function readCopy(copy: string) {
  const [, owner, source, target] = /^--from=build (?:--chown=(\d+:\d+) )?(\/\S+) (\/\S*)$/.exec(copy) ?? [];
  if (source === undefined || target === undefined) throw new Error(`The tests do not follow ${copy}`);
  return { source, target, owner };
}

/** The words of the exec form: in the shell form signals would not reach the service. */
function readJson(text: string): readonly string[] {
  return JSON.parse(text) as string[];
}
