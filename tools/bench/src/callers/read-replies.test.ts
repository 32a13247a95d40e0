import { expect, it } from 'vitest';
import { createReplyReader } from './read-replies.js';

const replies =
  'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n12345' +
  'HTTP/1.1 204 No Content\r\nDate: today\r\n\r\n' +
  'HTTP/1.1 503 Service Unavailable\r\ncontent-length: 2\r\n\r\n{}';

it.each([1, 2, 7, 1_000])('reads the status of each reply from pieces of %d bytes', (size) => {
  const statuses: number[] = [];
  const read = createReplyReader((status) => statuses.push(status));
  for (let at = 0; at < replies.length; at += size) read(Buffer.from(replies.slice(at, at + size)));
  expect(statuses).toEqual([200, 204, 503]);
});

it('waits for the whole body', () => {
  const statuses: number[] = [];
  createReplyReader((status) => statuses.push(status))(Buffer.from(replies.slice(0, 42)));
  expect(statuses).toEqual([]);
});
