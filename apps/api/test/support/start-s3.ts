import { createHash, createHmac, randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listen } from './listen.js';

const accessKey = { id: 'TESTKEY', secret: 'test-secret' };

/** The credentials that `startS3` accepts, as the usual variables. */
export const s3Credentials = { AWS_ACCESS_KEY_ID: accessKey.id, AWS_SECRET_ACCESS_KEY: accessKey.secret };

interface Stored {
  readonly content: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}
interface Upload extends Pick<Stored, 'headers'> {
  readonly parts: Map<number, Buffer>;
}
interface Reply {
  readonly status: number;
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Starts a server with one bucket in memory, and returns its port. It answers what a backup sends as Amazon S3 does: objects with
 * their metadata, copies, uploads in parts, and lists. It verifies the signature of a request that has one; a test may send others.
 */
export async function startS3(
  bucket: string,
  {
    ignoresEncoding = false,
  }: { /** Whether lists have keys as they are. */ readonly ignoresEncoding?: boolean } = {},
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const objects = new Map<string, Stored>();
  const uploads = new Map<string, Upload>();
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const { status, headers, body: content } = answer(request, body);
    response.writeHead(status, headers).end(request.method === 'HEAD' ? undefined : content);
  });

  function answer(request: IncomingMessage, body: Buffer): Reply {
    const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://s3');
    const inHost = request.headers.host?.startsWith(`${bucket}.`) === true;
    const [, ...all] = pathname.split('/').map(decodeURIComponent);
    const [name, ...segments] = inHost ? [bucket, ...all] : all;
    const key = segments.join('/');
    if (request.headers.authorization !== undefined && !isSigned(request, body)) {
      return fail(403, 'SignatureDoesNotMatch');
    }
    if (name !== bucket) return fail(404, 'NoSuchBucket');
    if (key === '')
      return list(query.get('prefix') ?? '', !ignoresEncoding && query.get('encoding-type') === 'url');
    if (query.has('uploadId')) return answerUpload(request.method, key, query, body);
    switch (request.method) {
      case 'GET':
      case 'HEAD': {
        const found = objects.get(key);
        if (found === undefined) return fail(404, 'NoSuchKey');
        const { content, headers } = found;
        return { status: 200, body: content, headers: { ...headers, etag: etagOf(content) } };
      }
      case 'PUT':
        return put(key, request.headers, body);
      case 'POST': {
        const id = randomUUID();
        uploads.set(id, { headers: keptOf(request.headers), parts: new Map() });
        return succeed('InitiateMultipartUploadResult', `<UploadId>${id}</UploadId>`);
      }
      case 'DELETE':
        objects.delete(key);
        return { status: 204 };
      default:
        return fail(405, 'MethodNotAllowed');
    }
  }

  function list(prefix: string, isEncoded: boolean): Reply {
    const keys = [...objects.keys()].filter((key) => key.startsWith(prefix)).toSorted();
    const escapeXml = (key: string) => key.replaceAll('&', '&amp;').replaceAll('<', '&#60;');
    // A space is a plus sign, as Amazon writes it.
    const shown = keys.map((key) =>
      isEncoded ? encodeURIComponent(key).replaceAll('%20', '+') : escapeXml(key),
    );
    const contents = shown.map((key) => `<Contents><Key>${key}</Key></Contents>`).join('');
    const encoding = isEncoded ? '<EncodingType>url</EncodingType>' : '';
    return succeed('ListBucketResult', `<IsTruncated>false</IsTruncated>${encoding}${contents}`);
  }

  function put(key: string, headers: IncomingHttpHeaders, body: Buffer): Reply {
    const source = headers['x-amz-copy-source'];
    if (source === undefined) {
      objects.set(key, { content: body, headers: keptOf(headers) });
      return { status: 200, headers: { etag: etagOf(body) } };
    }
    const [, from = ''] = decodeURIComponent(String(source)).split(`${bucket}/`);
    const original = objects.get(from);
    if (original === undefined) return fail(404, 'NoSuchKey');
    const isReplaced = headers['x-amz-metadata-directive'] === 'REPLACE';
    objects.set(key, { ...original, ...(isReplaced && { headers: keptOf(headers) }) });
    return succeed('CopyObjectResult', `<ETag>${etagOf(original.content)}</ETag>`);
  }

  function answerUpload(
    method: string | undefined,
    key: string,
    query: URLSearchParams,
    body: Buffer,
  ): Reply {
    const id = query.get('uploadId') ?? '';
    const upload = uploads.get(id);
    if (upload === undefined) return fail(404, 'NoSuchUpload');
    if (method === 'PUT') {
      upload.parts.set(Number(query.get('partNumber')), body);
      return { status: 200, headers: { etag: etagOf(body) } };
    }
    if (method === 'POST') {
      const named = [...String(body).matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>([^<]*)</g)];
      const parts = named.map(([, number, etag]) => ({ etag, content: upload.parts.get(Number(number)) }));
      if (parts.some(({ etag, content }) => content === undefined || etagOf(content) !== etag)) {
        return fail(400, 'InvalidPart');
      }
      const content = Buffer.concat(parts.flatMap((part) => part.content ?? []));
      objects.set(key, { content, headers: upload.headers });
    }
    uploads.delete(id);
    return method === 'POST' ? succeed('CompleteMultipartUploadResult', '') : { status: 204 };
  }

  const { port } = new URL(await listen(server));
  return {
    port: Number(port),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** What an object keeps of the request that stores it. */
function keptOf(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  const kept = Object.entries(headers).filter(([name]) => /^(x-amz-meta-.*|content-type)$/.test(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
}

/** Whether a request has the signature of the key (AWS Signature Version 4), and its body the hash that is signed. */
function isSigned({ method, url = '', headers }: IncomingMessage, body: Buffer): boolean {
  const fields = /Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=(\w+)/.exec(
    headers.authorization ?? '',
  );
  const [, credential = '', signedHeaders = '', signature] = fields ?? [];
  const [id, ...scope] = credential.split('/');
  const hash = headers['x-amz-content-sha256'];
  if (id !== accessKey.id || (hash !== 'UNSIGNED-PAYLOAD' && hash !== sha256(body))) return false;
  const [path = '', query = ''] = url.split('?');
  const sortedQuery = query.split('&').toSorted().join('&');
  const values = signedHeaders.split(';').map((name) => `${name}:${headers[name]}\n`);
  const request = [method, path, sortedQuery, values.join(''), signedHeaders, hash].join('\n');
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope.join('/'), sha256(request)].join('\n');
  const hmac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest();
  const key = scope.reduce<string | Buffer>(hmac, `AWS4${accessKey.secret}`);
  return hmac(key, text).toString('hex') === signature;
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');
const etagOf = (content: Buffer) => `"${createHash('md5').update(content).digest('hex')}"`;
const succeed = (element: string, content: string): Reply => ({
  status: 200,
  headers: { 'content-type': 'application/xml' },
  body: `<?xml version="1.0" encoding="UTF-8"?><${element}>${content}</${element}>`,
});
const fail = (status: number, code: string): Reply => ({
  status,
  headers: { 'content-type': 'application/xml' },
  body: `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`,
});
