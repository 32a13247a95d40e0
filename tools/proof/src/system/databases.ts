import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resourceNameOf } from '@plant-store/contract/record-format';
import { createDatabase, createPostgresqlServer, query } from '@plant-store/postgresql-server';
import Sqlite from 'better-sqlite3';
import {
  erasedFields,
  type Fields,
  findTestedResource,
  type NewRecord,
  parse,
  type TestedResource,
  testedResources,
  toShownRecord,
} from '../load/records.js';
import { killProcesses, readChildren } from './programs.js';
import { runPlantStore } from './service.js';

export type Engine = 'sqlite' | 'postgresql';

/** A row of a resource's table. */
export interface Row extends NewRecord {
  /** Whether the record was deleted. Its row remains. */
  readonly deleted: boolean;
  /** When this state began, in milliseconds since 1970. Only known if the row was read from the database. */
  readonly since?: number | undefined;
}

/** A row of a resource's history table, which has the replaced states. */
export interface StateRow extends NewRecord {
  /** Orders the states of a record: later states have higher places. */
  readonly place: number;
  /** When this state began, in milliseconds since 1970. */
  readonly since: number | undefined;
  /** When this state was replaced, in milliseconds since 1970. */
  readonly until: number;
}

/** A database of the service, with functions that read it directly. */
export interface Database {
  /** The value for `DATABASE_URL`. */
  readonly url: string;
  /** Returns all rows of all resources, with duplicate IDs if the index is damaged. The service may be running. */
  readRows(): Promise<readonly Row[]>;
  /** Returns all replaced states of all resources. */
  readStates(): Promise<readonly StateRow[]>;
  /** Returns the findings of the engine's integrity check. Empty if the database is intact, or the engine has no such check. */
  findDamage(): Promise<readonly string[]>;
}

/** The processes of a database server, and its data. */
export interface DatabasePrograms {
  readonly dataFolder: string;
  readPids(): readonly number[];
  /** Kills all processes at the same time, as when a machine stops, and resolves once they have ended. */
  killAll(): Promise<void>;
  /** Restarts the server, which recovers its data. Resolves once it accepts connections. */
  start(): Promise<void>;
}

/** Where trials run: a folder, and an engine that creates their databases. */
export interface TestBed {
  /** The folder of the databases and logs. */
  readonly folder: string;
  /** Creates an empty database. */
  createDatabase(): Promise<Database>;
  /** The processes of the database server. Absent if there is no server, or if its processes must not be killed. */
  readonly programs?: DatabasePrograms;
}

/** Runs an action with a new folder and, on PostgreSQL, a new server. Removes both afterward, even if the action fails. */
export function withDatabases<T>(engine: Engine, run: (testBed: TestBed) => Promise<T>): Promise<T> {
  return withFolder((folder) => withServer(engine, folder, run));
}

/** Runs an action with a new folder. Removes it afterward, even if the action fails. */
export async function withFolder<T>(run: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-proof-'));
  // If this process runs as root, PostgreSQL runs as another user, which needs access.
  chmodSync(folder, 0o711);
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  process.on('exit', remove);
  try {
    return await run(folder);
  } finally {
    process.off('exit', remove);
    remove();
  }
}

/** Runs an action on an engine whose data is in a folder. On PostgreSQL, starts a server, and stops it afterward. */
export async function withServer<T>(
  engine: Engine,
  folder: string,
  run: (testBed: TestBed) => Promise<T>,
): Promise<T> {
  if (engine === 'sqlite') {
    return run({
      folder,
      createDatabase: async () => openSqliteDatabase(join(folder, `${randomUUID()}.db`)),
    });
  }
  // The write-ahead log must fit on the separate file system of a `Disk`.
  const settings = { max_wal_size: '64MB' };
  const server = await createPostgresqlServer({ folder: join(folder, 'postgresql'), settings });
  await server.start();
  const readPids = () => readPostgresqlPids(server.dataFolder);
  try {
    return await run({
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

/** Returns the process IDs of the PostgreSQL server that was last started on this data folder, the postmaster first. */
export function readPostgresqlPids(dataFolder: string): readonly number[] {
  const pid = Number(readFileSync(join(dataFolder, 'postmaster.pid'), 'utf8').split('\n', 1)[0]);
  return [pid, ...readChildren(pid)];
}

/** Returns the database in a file. The file need not exist yet. */
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
    ...readTables(async (sql) => read((file) => file.prepare<[], Columns>(sql).safeIntegers().all())),
    url: `file:${path}`,
    async findDamage() {
      const found = read((file) => file.pragma('integrity_check')) as { integrity_check: string }[];
      return found.map(({ integrity_check: text }) => text).filter((text) => text !== 'ok');
    },
  };
}

/** Returns the PostgreSQL database at a URL. */
export function openPostgresqlDatabase(url: string): Database {
  return { ...readTables((sql) => query<Columns>(url, sql)), url, findDamage: async () => [] };
}

/** Returns functions that read the tables of all resources. `select` runs an SQL query. */
function readTables(
  select: (sql: string) => Promise<readonly Columns[]>,
): Pick<Database, 'readRows' | 'readStates'> {
  async function readAll<Result>(
    sqlOf: (plural: string) => string,
    toResult: (resource: TestedResource, columns: Columns) => Result,
  ): Promise<readonly Result[]> {
    const results = testedResources.map(async (resource) =>
      (await select(sqlOf(resource.plural))).map((columns) => toResult(resource, columns)),
    );
    return (await Promise.all(results)).flat();
  }
  const since = 'CASE WHEN original IS NULL THEN added_at ELSE changed_at END AS since';
  return {
    readRows: () => readAll((plural) => `SELECT *, ${since} FROM ${plural}`, toRow),
    readStates: () => readAll((plural) => `SELECT * FROM ${plural}_history`, toStateRow),
  };
}

/** Returns the rows that `plant-store export` prints: one record, or the ID of a deleted record, per line. */
export async function exportRows(databaseUrl: string): Promise<readonly Row[]> {
  const lines = (await runPlantStore(['export'], { DATABASE_URL: databaseUrl })).split('\n').slice(0, -1);
  return lines.map((line) => {
    const parsed = parse(line);
    const resource = findTestedResource(resourceNameOf(parsed));
    if (parsed['id'] === undefined) throw new Error(`The export has a line without an id: ${line}`);
    const deleted = parsed['deleted'] === true;
    const { id, fields } = toShownRecord(resource, parsed);
    return { resource, id, deleted, fields: deleted ? erasedFields(resource) : fields };
  });
}

/** All columns of a row, as the driver returns them. */
interface Columns extends Readonly<Record<string, unknown>> {
  readonly id: bigint | string;
}

function toRow(resource: TestedResource, { id, deleted, since, ...others }: Columns): Row {
  const fields = readFields(resource, others);
  return { resource, id: BigInt(id), deleted: Boolean(deleted), fields, since: toTime(since) };
}

function toStateRow(
  resource: TestedResource,
  { id, history_place: place, changed_at: since, replaced_at: until, ...others }: Columns,
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

function readFields(resource: TestedResource, row: Readonly<Record<string, unknown>>): Fields {
  const fields = {};
  const columns = resource.names.map((name) => row[toColumnName(name)]);
  resource.readColumns(columns, 0, fields);
  return fields;
}

const toTime = (value: unknown) => (value === null || value === undefined ? undefined : Number(value));

/** Returns the name of a field's column, such as `is_open` for `isOpen`. */
const toColumnName = (field: string) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
