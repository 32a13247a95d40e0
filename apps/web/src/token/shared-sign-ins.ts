import { storageName } from '../shared/page-storage.js';
import type { SharedSignIn } from './stored-token.js';

/** The tokens of a sign-in, as last issued by the identity provider. */
export interface RenewableTokens {
  readonly token: string;
  /** Some providers accept it only once, and end the sign-in if it is used again. */
  readonly refreshToken: string;
  /** When the token expires, in milliseconds since the epoch. */
  readonly expiresAt?: number | undefined;
}

/** The tokens of one sign-in, while no other tab renews or ends it. */
interface SharedTokens {
  /** Returns the latest tokens, or `undefined` once the sign-in has ended. */
  read(): Promise<RenewableTokens | undefined>;
  replace(tokens: RenewableTokens): Promise<void>;
  remove(): Promise<void>;
}

/**
 * Stores the tokens of a sign-in in IndexedDB, which its tabs share. A duplicated tab starts with a copy of `sessionStorage`, and
 * `localStorage` can return an outdated value in another process. Each record is encrypted with a key that only these tabs have, so it
 * cannot be decrypted after they are closed.
 *
 * @param key 32 bytes in base64url
 * @throws {Error} if the browser has no IndexedDB, or it is full
 */
export async function addShared(tokens: RenewableTokens, key: string): Promise<SharedSignIn> {
  const encrypted = await encrypt(tokens, await importKey(key));
  const database = await openDatabase();
  try {
    const record = Number(await run(database, 'readwrite', (records) => records.add(encrypted)));
    await run(database, 'readwrite', (records) =>
      records.delete(IDBKeyRange.upperBound(record - maxRecords)),
    );
    return { record, key };
  } finally {
    database.close();
  }
}

/** The maximum number of sign-ins in a browser profile. Closed tabs leave their records behind. */
const maxRecords = 1_000;

/** How long to wait for another tab that renews or ends the sign-in. */
const lockTimeoutMs = 90_000;

/**
 * Runs a task while no other tab can renew or end the sign-in. Slow steps come first, because a token is lost if the tab closes between its
 * issue and its storage.
 *
 * @throws {DOMException} if another tab does not finish, for example because the browser froze it
 */
export function withShared<Result>(
  { record, key }: SharedSignIn,
  task: (tokens: SharedTokens) => Promise<Result>,
): Promise<Result> {
  const options = { signal: AbortSignal.timeout(lockTimeoutMs) };
  return navigator.locks.request(storageName(`plant-store.sign-in.${record}`), options, async () => {
    const cryptoKey = await importKey(key);
    const database = await openDatabase();
    try {
      return await task({
        async read() {
          const found = await run<Encrypted | undefined>(database, 'readonly', (records) =>
            records.get(record),
          );
          // If the browser cleared its storage, the record can belong to another sign-in.
          return found && (await decrypt(found, cryptoKey).catch(() => undefined));
        },
        async replace(tokens) {
          const encrypted = await encrypt(tokens, cryptoKey);
          await run(database, 'readwrite', (records) => records.put(encrypted, record));
        },
        remove: () => run(database, 'readwrite', (records) => records.delete(record)),
      });
    } finally {
      database.close();
    }
  });
}

const storeName = 'sign-ins';

function openDatabase(): Promise<IDBDatabase> {
  const opening = indexedDB.open(storageName('plant-store'));
  opening.onupgradeneeded = () => opening.result.createObjectStore(storeName, { autoIncrement: true });
  return new Promise((resolve, reject) => {
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => reject(opening.error);
  });
}

/** Runs one request in a transaction, and resolves after the commit. */
function run<Result>(
  database: IDBDatabase,
  mode: IDBTransactionMode,
  request: (records: IDBObjectStore) => IDBRequest<Result>,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(storeName, mode);
    const requested = request(transaction.objectStore(storeName));
    transaction.oncomplete = () => resolve(requested.result);
    transaction.onabort = () => reject(transaction.error);
    transaction.commit();
  });
}

/** The length of an initialization vector for AES-GCM (NIST SP 800-38D, section 8.2). */
const ivBytes = 12;

interface Encrypted {
  readonly iv: Uint8Array<ArrayBuffer>;
  readonly data: ArrayBuffer;
}

async function encrypt(tokens: RenewableTokens, key: CryptoKey): Promise<Encrypted> {
  const iv = crypto.getRandomValues(new Uint8Array(ivBytes));
  const text = new TextEncoder().encode(JSON.stringify(tokens));
  return { iv, data: await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, text) };
}

async function decrypt({ iv, data }: Encrypted, key: CryptoKey): Promise<RenewableTokens> {
  return JSON.parse(
    new TextDecoder().decode(await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, key, data)),
  );
}

function importKey(key: string): Promise<CryptoKey> {
  const jwk = { kty: 'oct', alg: 'A256GCM', k: key };
  return crypto.subtle.importKey('jwk', jwk, 'AES-GCM', false, ['encrypt', 'decrypt']);
}
