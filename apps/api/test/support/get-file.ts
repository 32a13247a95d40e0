import { request } from 'node:http';

/** A reply with its content as it was sent. */
export interface FileReply {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly content: Buffer;
}

/** Requests a path exactly as it is, and returns the reply without decoding its content. */
export function getFile(
  baseUrl: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<FileReply> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(baseUrl);
    const sent = request({ hostname, port, path, method, headers }, async (reply) => {
      const chunks: Buffer[] = await reply.toArray();
      resolve({ status: reply.statusCode, headers: reply.headers, content: Buffer.concat(chunks) });
    });
    sent.on('error', reject).end();
  });
}
