import { nameOf } from '../shared/tab-storage.js';
import type { SharedSignIn } from './kept-token.js';

/** The tokens of a sign-in, as last issued by the identity provider. */
export interface RenewableTokens {
  readonly token: string;
  /** The provider may accept it only once, and end the sign-in when it gets it again. */
  readonly refreshToken: string;
  /** When the token expires, in milliseconds since the epoch. */
  readonly expiresAt?: number | undefined;
}

/**
 * Tabs share the tokens of a sign-in in IndexedDB: a duplicated tab starts with a copy of `sessionStorage`, and in another process
 * `localStorage` may return an outdated value. Each record is encrypted with a key that only these tabs have. Once they are closed,
 * nobody can read it.
 *
 * @throws {Error} when the browser has no IndexedDB, or it is full
 */
export async function addShared(tokens: RenewableTokens, key: string): Promise<SharedSignIn> {
  const encrypted = await encrypt(tokens, key);
  const record = await access('readwrite', (records) => records.add(encrypted));
  await access('readwrite', (records) => records.delete(IDBKeyRange.upperBound(Number(record) - maxRecords)));
  return { record: Number(record), key };
}

/** How many sign-ins a browser profile keeps. Closed tabs leave theirs behind. */
const maxRecords = 1_000;

/** Returns the latest tokens of a sign-in, or `undefined` once it has ended. */
export async function readShared({ record, key }: SharedSignIn): Promise<RenewableTokens | undefined> {
  const found = await access(
    'readonly',
    (records) => records.get(record) as IDBRequest<Encrypted | undefined>,
  );
  // After a browser has cleared its storage, a record may belong to another sign-in.
  return found && (await decrypt(found, key).catch(() => undefined));
}

/** Replaces the tokens of a sign-in. */
export async function replaceShared({ record, key }: SharedSignIn, tokens: RenewableTokens): Promise<void> {
  const encrypted = await encrypt(tokens, key);
  await access('readwrite', (records) => records.put(encrypted, record));
}

/** Removes the tokens of a sign-in. */
export async function removeShared({ record }: SharedSignIn): Promise<void> {
  await access('readwrite', (records) => records.delete(record));
}

/**
 * Runs a task while no other tab renews or ends the same sign-in.
 *
 * @throws {DOMException} when another tab does not finish, such as one that the browser has frozen
 */
export function whileLocked<Result>({ record }: SharedSignIn, task: () => Promise<Result>): Promise<Result> {
  const options = { signal: AbortSignal.timeout(90_000) };
  return navigator.locks.request(nameOf(`plant-store.sign-in.${record}`), options, task);
}

const storeName = 'sign-ins';

/** Runs one request in a transaction, and resolves once it is on disk. */
async function access<Result>(
  mode: IDBTransactionMode,
  request: (records: IDBObjectStore) => IDBRequest<Result>,
): Promise<Result> {
  const opening = indexedDB.open(nameOf('plant-store'));
  opening.onupgradeneeded = () => opening.result.createObjectStore(storeName, { autoIncrement: true });
  const database = await new Promise<IDBDatabase>((resolve, reject) => {
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => reject(opening.error);
  });
  try {
    return await new Promise((resolve, reject) => {
      const transaction = database.transaction(storeName, mode, { durability: 'strict' });
      const requested = request(transaction.objectStore(storeName));
      transaction.oncomplete = () => resolve(requested.result);
      transaction.onabort = () => reject(transaction.error);
    });
  } finally {
    database.close();
  }
}

interface Encrypted {
  readonly iv: Uint8Array<ArrayBuffer>;
  readonly data: ArrayBuffer;
}

async function encrypt(tokens: RenewableTokens, key: string): Promise<Encrypted> {
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const text = new TextEncoder().encode(JSON.stringify(tokens));
  return { iv, data: await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, await importKey(key), text) };
}

async function decrypt({ iv, data }: Encrypted, key: string): Promise<RenewableTokens> {
  const text = await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, await importKey(key), data);
  return JSON.parse(new TextDecoder().decode(text));
}

/** @param key 32 bytes in base64url */
function importKey(key: string): Promise<CryptoKey> {
  const jwk = { kty: 'oct', alg: 'A256GCM', k: key };
  return crypto.subtle.importKey('jwk', jwk, 'AES-GCM', false, ['encrypt', 'decrypt']);
}
