import { join } from 'node:path';
import type { Resource } from '@plant-store/contract/resource';
import { createDatabase, createPostgresqlServer, query } from '@plant-store/postgresql-server';
import Sqlite from 'better-sqlite3';
import { defaultResource } from './resource.js';

/** A database engine that creates a new database for each target. */
export interface Engine {
  /** The engine's name and version. */
  readonly title: string;
  /** The npm package that Node.js targets access the engine with. */
  readonly driver: string;
  /** Creates an empty database. Its files, if any, are in the folder. */
  createDatabase(folder: string): Promise<Database>;
  stop(): Promise<void>;
}

export interface Database {
  /** The value for `DATABASE_URL`: `file:` and a path, or `postgresql://…`. */
  readonly url: string;
  /** Counts the rows that match an SQL condition, after the target has ended. */
  countRecords(resource?: Resource, condition?: string): Promise<number>;
}

/** SQLite, in the version of the targets in Node.js. */
export const sqlite: Engine = {
  get title() {
    return `SQLite ${readNumber(':memory:', 'SELECT sqlite_version()')}`;
  },
  driver: 'better-sqlite3',
  async createDatabase(folder) {
    const path = join(folder, 'store.db');
    return {
      url: `file:${path}`,
      countRecords: async (...counted) => Number(readNumber(path, selectCount(...counted))),
    };
  },
  stop: async () => undefined,
};

const selectCount = ({ plural } = defaultResource, condition = 'true') =>
  `SELECT count(*) FROM ${plural} WHERE ${condition}`;

function readNumber(path: string, sql: string): unknown {
  const database = new Sqlite(path);
  try {
    return database.prepare(sql).pluck().get();
  } finally {
    database.close();
  }
}

/** Starts a new PostgreSQL server with default settings, and with its data in a folder. It ends with this process at the latest. */
export async function startPostgresql(folder: string): Promise<Engine> {
  const server = await createPostgresqlServer({ folder: join(folder, 'postgresql') });
  await server.start();
  const [row] = await query<{ server_version: string }>(`${server.url}/postgres`, 'SHOW server_version');
  return {
    title: `PostgreSQL ${row?.server_version}`,
    driver: 'pg',
    async createDatabase() {
      const url = await createDatabase(server.url);
      return {
        url,
        async countRecords(...counted) {
          const [row] = await query<{ count: string }>(url, selectCount(...counted));
          return Number(row?.count);
        },
      };
    },
    stop: server.stop,
  };
}
