import { createHash, hash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { AwsClient } from 'aws4fetch';
import { messageOf, OperatorError } from '../errors/operator-error.js';

declare global {
  /** DOM types that the type definitions of aws4fetch refer to. */
  type HeadersInit = NonNullable<RequestInit['headers']>;
  type BodyInit = NonNullable<RequestInit['body']>;
}

export interface Bucket {
  /** The bucket's address, `s3://bucket/`. */
  readonly address: string;
  /**
   * Uploads a file in parts, with its SHA-256 in hexadecimal as the metadata `sha256`, and reads both back.
   *
   * @throws {OperatorError} if the object differs from what was sent. The object is then removed, if possible
   */
  upload(path: string, key: string, sha256: string): Promise<void>;
  /** Streams an object's content, and returns its metadata `sha256`, if any, and when it was stored. */
  download(
    key: string,
    keep: (chunk: Uint8Array) => unknown,
  ): Promise<{ readonly sha256: string | undefined; readonly modifiedAt: Date }>;
  has(key: string): Promise<boolean>;
  /** Returns the keys that begin with a prefix, in byte order. */
  list(prefix: string): Promise<readonly string[]>;
  remove(key: string): Promise<void>;
}

const sha256Header = 'x-amz-meta-sha256';

/** The minimum size of an upload's parts, in bytes. Only one part is in memory at a time. */
const minPartBytes = 2 ** 24;
/** The maximum number of parts. S3 accepts 10,000 parts per object. */
const maxParts = 9_000;

/** The number of attempts while the network or the server fails. */
const attempts = 4;
/** How long to wait for a reply to begin, in milliseconds. `fetch` aborts a reply that stalls after that. */
const attemptTimeoutMs = 300_000;
/** The timeout of requests that are sent only once, in milliseconds. */
const shortTimeoutMs = 10_000;

type Variables = Readonly<Record<string, string | undefined>>;

/** Matches a bucket name, the ARN of an access point, or the bucket of a Ceph tenant; with a prefix. */
const bucketAddress = /^s3:\/\/(arn(?::[\w-]*){4}:\w+[:/][\w.-]+|[\w.:-]+)(?:\/(.*))?$/s;
/** Matches a name that can be the first label of a host name, so that a certificate for `*.s3.amazonaws.com` fits the host. */
const hostLabel = /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/;

const styles = ['auto', 'path', 'virtual'];

/**
 * Finds the base URL of a bucket's objects, with the bucket's name in the host or in the path.
 *
 * @throws {OperatorError} if the address is invalid or not supported
 */
export function locateBucket(
  address: string,
  environment: Variables,
): { readonly name: string; readonly prefix: string; readonly base: string; readonly region: string } {
  const invalid = (problem: string) => new OperatorError(problem, { exitCode: 2 });
  const [, name, prefix = ''] = bucketAddress.exec(address) ?? [];
  if (name === undefined)
    throw invalid(`${address} is not a bucket address. Use the form s3://bucket/prefix.`);
  if (name.endsWith('--x-s3'))
    throw invalid(
      `${address} is a directory bucket, which keeps everything in one zone. Use a general purpose bucket.`,
    );
  const style = environment['AWS_S3_ADDRESSING_STYLE']?.trim().toLowerCase() || 'auto';
  if (!styles.includes(style)) throw invalid(`AWS_S3_ADDRESSING_STYLE must be one of ${styles.join(', ')}.`);
  const region = environment['AWS_REGION'] || environment['AWS_DEFAULT_REGION'] || 'us-east-1';
  const domain = (inRegion: string) => `${inRegion}.amazonaws.com${inRegion.startsWith('cn-') ? '.cn' : ''}`;
  if (name.startsWith('arn:')) {
    const [, , service, pointRegion = '', account, kind, point] = name.split(/[:/]/);
    if (service !== 's3' || kind !== 'accesspoint' || pointRegion === '')
      throw invalid(
        `${address} is not an access point in a single region. Use the access point's alias or the bucket name.`,
      );
    const base = `https://${point}-${account}.s3-accesspoint.${domain(pointRegion)}`;
    return { name, prefix, base, region: pointRegion };
  }
  const given = environment['AWS_ENDPOINT_URL_S3'] || environment['AWS_ENDPOINT_URL'];
  const endpoint = new URL(given ? requireUrl(given) : `https://s3.${domain(region)}`);
  // Other services may not have a host for each bucket.
  const inHost = style === 'virtual' || (style === 'auto' && !given && hostLabel.test(name));
  if (!inHost) endpoint.pathname = `${endpoint.pathname.replace(/\/$/, '')}/${encode(name)}`;
  else if (!endpoint.hostname.startsWith(`${name}.`)) {
    const host = `${name}.${endpoint.hostname}`;
    endpoint.hostname = host;
    // The setter ignores invalid hosts and converts to lowercase, so the backup would end up in another bucket.
    if (endpoint.hostname !== host)
      throw invalid(`${host} is not a valid host name. Set AWS_S3_ADDRESSING_STYLE to path.`);
  }
  return { name, prefix, base: endpoint.href.replace(/\/$/, ''), region };
}

function requireUrl(endpoint: string): string {
  if (/^https?:\/\//i.test(endpoint) && URL.canParse(endpoint)) return endpoint;
  throw new OperatorError('AWS_ENDPOINT_URL_S3 must be a URL, such as https://s3.example.com.', {
    exitCode: 2,
  });
}

/**
 * Opens a bucket by its address, `s3://bucket/prefix`, with the usual environment variables of S3 tools.
 *
 * @throws {OperatorError} if the address is invalid, or a variable is missing
 */
export function openBucket(
  address: string,
  environment: Variables,
  signal: AbortSignal,
): { readonly bucket: Bucket; readonly prefix: string } {
  const { name, prefix, base, region } = locateBucket(address, environment);
  const accessKeyId = environment['AWS_ACCESS_KEY_ID'];
  const secretAccessKey = environment['AWS_SECRET_ACCESS_KEY'];
  const sessionToken = environment['AWS_SESSION_TOKEN'];
  if (!accessKeyId || !secretAccessKey)
    throw new OperatorError(
      'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. Also set AWS_REGION, or AWS_ENDPOINT_URL_S3 for a service other than Amazon S3.',
      { exitCode: 2 },
    );
  const client = new AwsClient({
    accessKeyId,
    secretAccessKey,
    region,
    service: 's3',
    retries: 0,
    ...(sessionToken && { sessionToken }),
  });

  async function request(
    method: string,
    target: string,
    body?: Buffer | string,
    metadata?: Readonly<Record<string, string>>,
  ): Promise<Response> {
    const headers = {
      ...metadata,
      'x-amz-content-sha256': hash('sha256', body ?? '', 'hex'),
    };
    for (let attempt = 1; ; attempt++) {
      signal.throwIfAborted();
      const timeout = new AbortController();
      const timer = setTimeout(
        () => timeout.abort(new Error('no response within 5 minutes')),
        attemptTimeoutMs,
      );
      let problem: string;
      try {
        const init = {
          method,
          headers,
          signal: AbortSignal.any([signal, timeout.signal]),
          ...(body !== undefined && { body: new Uint8Array(Buffer.from(body)) }),
        };
        const response = await client.fetch(base + target, init);
        if (response.ok) return response;
        problem = explainReply(response.status, await response.text());
        if (response.status < 500 && response.status !== 429) throw new OperatorError(problem);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof OperatorError) throw error;
        const { cause } = error as Error;
        problem = `${base} is not responding: ${messageOf(cause ?? error)}`;
      } finally {
        clearTimeout(timer);
      }
      if (attempt === attempts) throw new OperatorError(problem);
      await sleep(250 * 2 ** attempt, undefined, { signal }).catch(() => undefined);
    }
  }

  const read = async (target: string, keep: (chunk: Uint8Array) => unknown) => {
    const { body, headers } = await request('GET', target);
    try {
      for await (const chunk of body ?? []) await keep(chunk);
    } catch (error) {
      signal.throwIfAborted();
      throw new OperatorError(`The connection to ${base} was interrupted: ${messageOf(error)}`, {
        cause: error,
      });
    }
    const modifiedAt = new Date(headers.get('last-modified') ?? 0);
    return { sha256: headers.get(sha256Header) ?? undefined, modifiedAt };
  };

  /** Removes the remains of a failed upload, even while the command is being stopped. Resolves to whether they were removed. */
  const discard = (target: string): Promise<boolean> =>
    client
      .fetch(base + target, { method: 'DELETE', signal: AbortSignal.timeout(shortTimeoutMs) })
      .then(({ ok }) => ok)
      .catch(() => false);

  /** Removes an object that may be incomplete, and throws an error that reports the problem. */
  async function removeUnchecked(
    target: string,
    key: string,
    problem: string,
    cause?: unknown,
  ): Promise<never> {
    const isRemoved = await discard(target);
    throw new OperatorError(
      `s3://${name}/${key} ${problem}. No new backup was made. ${isRemoved ? 'The object was removed. Try again' : 'Remove the object and try again'}, or use another bucket.`,
      { cause },
    );
  }

  const bucket: Bucket = {
    address: `s3://${name}/`,
    async upload(path, key, sha256) {
      const target = encodeKey(key);
      const file = await open(path);
      try {
        const created = await request('POST', `${target}?uploads=`, undefined, { [sha256Header]: sha256 });
        const uploadId = requireText('UploadId', await created.text());
        const query = `uploadId=${encode(uploadId)}`;
        let list: string;
        try {
          list = await uploadParts(file, (part, content) =>
            request('PUT', `${target}?partNumber=${part}&${query}`, content),
          );
        } catch (error) {
          // Leftover parts are billed but never become an object.
          await discard(`${target}?${query}`);
          throw error;
        }
        try {
          const reply = await (await request('POST', `${target}?${query}`, list)).text();
          // S3 may send the status 200 before it knows whether the request succeeds.
          if (reply.includes('<Error>')) throw new OperatorError(explainReply(200, reply));
        } catch (error) {
          await discard(`${target}?${query}`);
          // The upload may be complete, but its reply was lost.
          await removeUnchecked(target, key, `may be incomplete: ${messageOf(error)}`, error);
        }
      } finally {
        await file.close();
      }
      const received = createHash('sha256');
      let storedSha256: string | undefined;
      try {
        storedSha256 = (await read(target, (chunk) => received.update(chunk))).sha256;
      } catch (error) {
        await removeUnchecked(target, key, `could not be read back: ${messageOf(error)}`, error);
      }
      if (received.digest('hex') !== sha256)
        await removeUnchecked(target, key, 'differs from the data that was sent');
      if (storedSha256 !== sha256)
        await removeUnchecked(
          target,
          key,
          `has the sha256 metadata ${storedSha256} instead of the value that was sent`,
        );
    },
    download: (key, keep) => read(encodeKey(key), keep),
    async has(key) {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(shortTimeoutMs)]);
      // Without the permission to list, a missing object is 403. Any other failure also makes the upload fail, which explains it.
      const reply = client.fetch(base + encodeKey(key), { method: 'HEAD', signal: limit });
      return reply.then(({ ok }) => ok).catch(() => false);
    },
    async list(prefix) {
      const keys: string[] = [];
      let next: string | undefined;
      do {
        const more = next === undefined ? '' : `&continuation-token=${encode(next)}`;
        const text = await (
          await request('GET', `?list-type=2&encoding-type=url&prefix=${encode(prefix)}${more}`)
        ).text();
        // Some servers ignore encoding-type.
        const isEncoded = textOf('EncodingType', text) === 'url';
        for (const [, key = ''] of text.matchAll(/<Key>([^<]*)<\/Key>/g)) {
          const plain = unescapeXml(key);
          keys.push(isEncoded ? decodeURIComponent(plain.replaceAll('+', ' ')) : plain);
        }
        next = text.includes('<IsTruncated>true') ? requireText('NextContinuationToken', text) : undefined;
      } while (next !== undefined);
      return keys;
    },
    async remove(key) {
      await request('DELETE', encodeKey(key));
    },
  };
  return { bucket, prefix };
}

/** Sends a file in parts, and returns the part list that completes the upload. */
async function uploadParts(
  file: FileHandle,
  send: (part: number, content: Buffer) => Promise<Response>,
): Promise<string> {
  const { size } = await file.stat();
  const buffer = Buffer.alloc(Math.max(minPartBytes, Math.ceil(size / maxParts)));
  const parts: string[] = [];
  for (let sent = 0; sent < size; ) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, sent);
    if (bytesRead === 0)
      throw new OperatorError('The copy was truncated while it was being uploaded. Try again.');
    const content = buffer.subarray(0, bytesRead);
    const part = parts.length + 1;
    const { headers } = await send(part, content);
    parts.push(`<Part><PartNumber>${part}</PartNumber><ETag>${headers.get('etag') ?? ''}</ETag></Part>`);
    sent += bytesRead;
  }
  return `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`;
}

/** Returns a key's path in a URL. Slashes stay separators. */
function encodeKey(key: string): string {
  return `/${key.split('/').map(encode).join('/')}`;
}

/** Encodes a text as the signature requires (AWS Signature Version 4: only unreserved characters remain). */
function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/**
 * Returns an element's text.
 *
 * @throws {OperatorError} if there is none, because the reply is not from S3
 */
function requireText(element: string, xml: string): string {
  const text = textOf(element, xml);
  if (text === undefined)
    throw new OperatorError(
      `The endpoint is not an S3 service: its response contains no ${element}. Check AWS_ENDPOINT_URL_S3.`,
    );
  return text;
}

/** Returns the text of the first element with this name; `undefined` if there is none. */
function textOf(element: string, xml: string): string | undefined {
  const [, after] = xml.split(`<${element}>`, 2);
  return after === undefined ? undefined : unescapeXml(after.split('<', 1)[0] ?? '');
}

function unescapeXml(text: string): string {
  const characters: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };
  return text.replace(/&(?:(lt|gt|quot|apos|amp)|#(\d{1,7})|#x([\da-f]{1,6}));/gi, (_, name, decimal, hex) =>
    name === undefined
      ? String.fromCodePoint(decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal))
      : (characters[name] ?? ''),
  );
}

const advice: Readonly<Record<number, string>> = {
  301: "Set AWS_REGION to the bucket's region.",
  400: 'Check AWS_REGION and AWS_ENDPOINT_URL_S3.',
  403: 'Check the credentials and their permissions to list, read, write, and delete objects in the bucket.',
  404: 'Create the bucket, or check its name.',
  507: 'Free up space, or use another bucket.',
};

/** Explains an error reply, and what to do about it (S3 API, "Error responses"). */
function explainReply(status: number, xml: string): string {
  const reason = [textOf('Code', xml), textOf('Message', xml)]
    .filter((text) => text !== undefined)
    .join(': ');
  return `The bucket returned ${status}${reason === '' ? '' : `, ${reason.replace(/\.$/, '')}`}. ${advice[status] ?? 'Try again later.'}`;
}
