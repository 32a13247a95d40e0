import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resourceNameOf } from '@plant-store/contract/record-format';
import { createDatabase, createPostgresqlServer, query } from '@plant-store/postgresql-server';
import Sqlite from 'better-sqlite3';
import {
  erasedOf,
  type Fields,
  findSubject,
  type NewRecord,
  parse,
  type Subject,
  subjects,
  toShown,
} from '../load/records.js';
import { killProcesses, readChildren } from './programs.js';
import { commandOutput } from './service.js';

/** The engines that the service runs on. */
export type Engine = 'sqlite' | 'postgresql';

/** A row of the table of a resource. */
export interface Row extends NewRecord {
  /** Whether the record was deleted, so that only its row remains. */
  readonly deleted: boolean;
  /** Since when it has this state, in milliseconds since 1970, if it was read from the database. */
  readonly since?: number | undefined;
}

/** A row of the table of replaced states. */
export interface StateRow extends NewRecord {
  /** Later states of a record have higher places. */
  readonly place: number;
  /** In milliseconds since 1970. */
  readonly since: number | undefined;
  readonly until: number;
}

/** A database of the service, read without the service. */
export interface Database {
  /** The value for `DATABASE_URL`. */
  readonly url: string;
  /** All rows of all resources, including duplicate ids if the index is damaged. The service may be running. */
  readRows(): Promise<readonly Row[]>;
  /** All replaced states of all resources. */
  readStates(): Promise<readonly StateRow[]>;
  /** The findings of the engine's own check of the whole database; none if it is intact, or the engine has no check. */
  findDamage(): Promise<readonly string[]>;
}

/** The processes of a database server. */
export interface DatabasePrograms {
  /** The folder of its data. */
  readonly dataFolder: string;
  /** The ids of its processes. */
  readPids(): readonly number[];
  /** Kills all its processes at once, as if the machine stopped, and resolves once they have ended. */
  killAll(): Promise<void>;
  /** Starts it again, so that it recovers its data. Resolves once it accepts connections. */
  start(): Promise<void>;
}

/** Where new databases of an engine are created. */
export interface Place {
  /** The folder for databases and logs. */
  readonly folder: string;
  /** Creates an empty database. */
  createDatabase(): Promise<Database>;
  /** The processes of its database server, if there is one that may be killed. */
  readonly programs?: DatabasePrograms;
}

/** Runs a trial with a new folder and a server of an engine, and removes both afterwards, however the trial ends. */
export function withDatabases<T>(engine: Engine, trial: (place: Place) => Promise<T>): Promise<T> {
  return withFolder((folder) => withServer(engine, folder, trial));
}

/** Runs a trial with a new folder, and removes it afterwards, however the trial ends. */
export async function withFolder<T>(trial: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-proof-'));
  // PostgreSQL does not run as root, and needs access.
  chmodSync(folder, 0o711);
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  process.on('exit', remove);
  try {
    return await trial(folder);
  } finally {
    process.off('exit', remove);
    remove();
  }
}

/** Runs a trial with a server of an engine, whose data are in a folder. */
export async function withServer<T>(
  engine: Engine,
  folder: string,
  trial: (place: Place) => Promise<T>,
): Promise<T> {
  if (engine === 'sqlite') {
    const createNext = async () => openSqliteDatabase(join(folder, `${randomUUID()}.db`));
    return trial({ folder, createDatabase: createNext });
  }
  // A log small enough for the separate file system.
  const settings = { max_wal_size: '64MB' };
  const server = await createPostgresqlServer({ folder: join(folder, 'postgresql'), settings });
  await server.start();
  const readPids = () => readPostgresqlPids(server.dataFolder);
  try {
    return await trial({
      folder,
      createDatabase: async () => openPostgresqlDatabase(await createDatabase(server.url)),
      programs: {
        dataFolder: server.dataFolder,
        readPids,
        start: () => server.start(),
        killAll: () => killProcesses(readPids()),
      },
    });
  } finally {
    await server.stop();
  }
}

/** The process ids of the PostgreSQL that was last started on this data folder, the postmaster first. */
export function readPostgresqlPids(dataFolder: string): readonly number[] {
  const pid = Number(readFileSync(join(dataFolder, 'postmaster.pid'), 'utf8').split('\n', 1)[0]);
  return [pid, ...readChildren(pid)];
}

/** The database in a file, which need not exist yet. */
function openSqliteDatabase(path: string): Database {
  function read<Result>(query: (file: Sqlite.Database) => Result): Result {
    const file = new Sqlite(path, { readonly: true, fileMustExist: true });
    try {
      return query(file);
    } finally {
      file.close();
    }
  }
  return {
    url: `file:${path}`,
    readRows: async () =>
      read((file) =>
        subjects.flatMap((resource) =>
          file
            .prepare<[], Columns>(selectOf(resource))
            .safeIntegers()
            .all()
            .map((row) => toRow(resource, row)),
        ),
      ),
    readStates: async () =>
      read((file) =>
        subjects.flatMap((resource) =>
          file
            .prepare<[], StateColumns>(selectStatesOf(resource))
            .safeIntegers()
            .all()
            .map((row) => toStateRow(resource, row)),
        ),
      ),
    async findDamage() {
      const found = read((file) => file.pragma('integrity_check')) as { integrity_check: string }[];
      return found.map(({ integrity_check: text }) => text).filter((text) => text !== 'ok');
    },
  };
}

/** The database of a URL. */
export function openPostgresqlDatabase(url: string): Database {
  return {
    url,
    async readRows() {
      const rows = subjects.map(async (resource) =>
        (await query<Columns>(url, selectOf(resource))).map((row) => toRow(resource, row)),
      );
      return (await Promise.all(rows)).flat();
    },
    async readStates() {
      const rows = subjects.map(async (resource) =>
        (await query<StateColumns>(url, selectStatesOf(resource))).map((row) => toStateRow(resource, row)),
      );
      return (await Promise.all(rows)).flat();
    },
    findDamage: async () => [],
  };
}

/** What `plant-store export` prints of a database: on each line a record, or the id of a deleted one. */
export async function exportRows(databaseUrl: string): Promise<readonly Row[]> {
  const lines = (await commandOutput(['export'], { DATABASE_URL: databaseUrl })).split('\n').slice(0, -1);
  return lines.map((line) => {
    const parsed = parse(line);
    const resource = findSubject(resourceNameOf(parsed));
    if (parsed['id'] === undefined) throw new Error(`The export has a line without an id: ${line}`);
    const deleted = parsed['deleted'] === true;
    const { id, fields } = toShown(resource, parsed);
    return { resource, id, deleted, fields: deleted ? erasedOf(resource) : fields };
  });
}

const selectOf = ({ plural }: Subject) =>
  `SELECT *, CASE WHEN original IS NULL THEN added_at ELSE changed_at END AS since FROM ${plural}`;
const selectStatesOf = ({ plural }: Subject) => `SELECT * FROM ${plural}_history`;

/** All columns of a row as an engine gives them, with `null` for a value that a record does not have. */
interface Columns extends Readonly<Record<string, unknown>> {
  readonly id: bigint | string;
  readonly deleted: bigint | boolean;
}

function toRow(resource: Subject, { id, deleted, since, ...others }: Columns): Row {
  const fields = readFields(resource, others);
  return { resource, id: BigInt(id), deleted: Boolean(deleted), fields, since: toTime(since) };
}

interface StateColumns extends Readonly<Record<string, unknown>> {
  readonly id: bigint | string;
}

function toStateRow(
  resource: Subject,
  { id, history_place: place, changed_at: since, replaced_at: until, ...others }: StateColumns,
): StateRow {
  return {
    resource,
    id: BigInt(id),
    fields: readFields(resource, others),
    place: Number(place),
    since: toTime(since),
    until: Number(until),
  };
}

function readFields(resource: Subject, row: Readonly<Record<string, unknown>>): Fields {
  const fields = {};
  const columns = resource.names.map((name) => row[toColumnName(name)]);
  resource.readColumns(columns, 0, fields);
  return fields;
}

const toTime = (value: unknown) => (value === null || value === undefined ? undefined : Number(value));

/** For example `is_open` for the field `isOpen`. */
const toColumnName = (field: string) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
