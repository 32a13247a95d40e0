import { type Agent, type RequestOptions, request } from 'node:http';
import type { Reply } from './expect-error.js';

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
  return sendRequest(baseUrl, { path, method, headers });
}

/** Sends a request with these options of `node:http`. */
function sendRequest(baseUrl: string, options: RequestOptions, body = ''): Promise<FileReply> {
  const { promise, resolve, reject } = Promise.withResolvers<FileReply>();
  const { hostname, port } = new URL(baseUrl);
  const sent = request({ hostname, port, ...options }, async (reply) => {
    const chunks: Buffer[] = await reply.toArray();
    resolve({ status: reply.statusCode, headers: reply.headers, content: Buffer.concat(chunks) });
  });
  sent.on('error', reject).end(body);
  return promise;
}

/** A request that creates a plant, and where it comes from. */
export interface AddressedRequest {
  /** The address that it comes from, of the loopback network. */
  readonly from: string;
  readonly id: number;
  readonly token?: string | undefined;
  readonly forwardedFor?: string | undefined;
  /** The connections to use; a new one by default. */
  readonly agent?: Agent;
}

/** Creates a plant from an address of this machine. */
export async function postFromAddress(baseUrl: string, sent: AddressedRequest): Promise<Reply> {
  const { from, id, token, forwardedFor, agent = false } = sent;
  const headers = {
    'Content-Type': 'application/json',
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    ...(forwardedFor !== undefined && { 'X-Forwarded-For': forwardedFor }),
  };
  const options = { path: '/plants', method: 'POST', localAddress: from, headers, agent };
  const reply = await sendRequest(baseUrl, options, JSON.stringify({ id, name: 'Fern' }));
  const { status = 0, content } = reply;
  return { status, headers: reply.headers as Reply['headers'], body: JSON.parse(content.toString()) };
}
