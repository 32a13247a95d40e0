import dns from 'node:dns';
import { writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { s3Credentials, startS3 } from '../../test/support/start-s3.js';
import { temporaryFolder } from '../../test/support/temporary-folder.js';
import { hashFile } from './backup-files.js';
import { locateBucket, openBucket } from './s3.js';

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

const region = { AWS_REGION: 'eu-central-1' };
const minio = { AWS_ENDPOINT_URL_S3: 'https://minio.example.com:9000' };
const virtual = { AWS_S3_ADDRESSING_STYLE: 'Virtual' };

it.each([
  ['plants', region, 'https://plants.s3.eu-central-1.amazonaws.com'],
  ['plants', { AWS_REGION: 'cn-north-1' }, 'https://plants.s3.cn-north-1.amazonaws.com.cn'],
  ['plants.example.com', region, 'https://s3.eu-central-1.amazonaws.com/plants.example.com'],
  [
    'arn:aws:s3:us-west-2:123456789012:accesspoint/garden',
    region,
    'https://garden-123456789012.s3-accesspoint.us-west-2.amazonaws.com',
    'us-west-2',
  ],
  ['plants', { ...region, AWS_S3_ADDRESSING_STYLE: 'path' }, 'https://s3.eu-central-1.amazonaws.com/plants'],
  ['plants', minio, 'https://minio.example.com:9000/plants'],
  ['plants', { AWS_ENDPOINT_URL: 'https://example.com/s3/' }, 'https://example.com/s3/plants'],
  ['tenant:plants', minio, 'https://minio.example.com:9000/tenant%3Aplants'],
  ['plants', { ...minio, ...virtual }, 'https://plants.minio.example.com:9000'],
  [
    'plants',
    { AWS_ENDPOINT_URL_S3: 'https://plants.oss.example.com', ...virtual },
    'https://plants.oss.example.com',
  ],
])('finds the bucket %s with %j', (name, environment, base, signedFor?: string) => {
  expect(locateBucket(`s3://${name}/a/b c`, environment)).toMatchObject({ name, prefix: 'a/b c', base });
  expect(locateBucket(`s3://${name}`, environment)).toMatchObject({ name, prefix: '' });
  if (signedFor !== undefined) expect(locateBucket(`s3://${name}`, environment).region).toBe(signedFor);
});

it.each([
  ['s3://my bucket', {}, 'is not a bucket address'],
  ['s3://Plants', virtual, 'Plants.s3.us-east-1.amazonaws.com is not a valid host'],
  ['s3://plants', { AWS_ENDPOINT_URL: 'http://127.0.0.1:9000', ...virtual }, 'is not a valid host'],
  ['s3://plants--usw2-az1--x-s3', {}, 'is a directory bucket'],
  ['s3://arn:aws:s3::123456789012:accesspoint/abc.mrap', {}, 'is not an access point in a single region'],
  [
    's3://plants',
    { AWS_S3_ADDRESSING_STYLE: 'host' },
    'AWS_S3_ADDRESSING_STYLE must be one of auto, path, virtual',
  ],
  ['s3://plants', { AWS_ENDPOINT_URL_S3: 'minio:9000' }, 'AWS_ENDPOINT_URL_S3 must be a URL'],
])('rejects %s with %j', (address, environment, problem) => {
  expect(() => locateBucket(address, environment)).toThrow(problem);
});

const keys = ['a b.db', 'a+b.db', 'a%20b.db', 'a&b<c.db', `it's (1)!*.db`, 'Käsebaum-日本.db'];

it.each([
  ['plants', 'virtual', false],
  ['tenant:plants', 'path', true],
])(
  'stores, lists, reads and removes objects of %s by the style %s, where encoding-type is ignored: %s',
  async (name, style, ignoresEncoding) => {
    const { port, close } = await startS3(name, { ignoresEncoding });
    onTestFinished(close);
    const { lookup } = dns;
    vi.spyOn(dns, 'lookup').mockImplementation(((host: string, ...rest: [never, never]) =>
      lookup(host.endsWith('.localhost') ? '127.0.0.1' : host, ...rest)) as typeof lookup);
    syncBuiltinESMExports();
    const endpoint = `http://${style === 'virtual' ? 'localhost' : '127.0.0.1'}:${port}`;
    const environment = { ...s3Credentials, AWS_ENDPOINT_URL_S3: endpoint, AWS_S3_ADDRESSING_STYLE: style };
    const { signal } = new AbortController();
    const { bucket } = openBucket(`s3://${name}/odd +%`, environment, signal);
    const file = join(temporaryFolder(), 'content');
    for (const key of keys) {
      writeFileSync(file, key);
      await bucket.upload(file, `odd +%/${key}`, await hashFile(file, signal));
    }
    const stored = keys.map((key) => `odd +%/${key}`);
    expect((await bucket.list('odd +%/')).toSorted()).toEqual(stored.toSorted());
    for (const key of stored) {
      const chunks: Uint8Array[] = [];
      await bucket.download(key, (chunk) => chunks.push(chunk));
      expect(`odd +%/${Buffer.concat(chunks)}`).toBe(key);
      await bucket.remove(key);
    }
    expect(await bucket.list('')).toEqual([]);
  },
);
