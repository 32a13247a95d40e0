import express from 'express';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseTrustedProxies } from '../../config.js';
import { readClientAddress } from './limit-authentication.js';

it('parses a list that Express accepts, with and without spaces', () => {
  const list = '127.0.0.1,10.1.0.0/16 , ::1,fd00:1::/64, loopback,uniquelocal,linklocal, ::ffff:10.0.0.0/104';
  const proxies = parseTrustedProxies(list);
  expect(proxies).toEqual(list.split(',').map((proxy) => proxy.trim()));
  expect(() => express().set('trust proxy', proxies)).not.toThrow();
});

it('parses an empty text as no proxy, and quotes an invalid part', () => {
  expect(parseTrustedProxies('')).toEqual([]);
  const proxies = parseTrustedProxies('10.0.0.1, proxy.example');
  expect(proxies).toEqual({ problem: expect.stringMatching(/^must be .*; "proxy\.example" is invalid$/) });
});

it.each([
  ...['true', '1', '*', 'Loopback', 'proxy.example', '127.1', '0x7f000001', '10.0.0.1:80', '[::1]'],
  ...['fe80::1%eth0', '0.0.0.0/0', '::/0', '10.0.0.0/33', '10.0.0.0/08', '10.0.0.0/255.0.0.0', '::/64'],
  ...['::ffff:0:0/96', '::ffff:10.0.0.0/8', '::192.0.2.1', '10.0.0.1 10.0.0.2', '10.0.0.1,', ','],
])('rejects %j', (list) => {
  expect(parseTrustedProxies(list)).toHaveProperty('problem');
});

/** Reads the address of the client of a request over a connection from `remote`. */
function read(remote: string | undefined, forwardedFor?: string, trusted = ['10.0.0.0/8']) {
  const app = express().set('trust proxy', trusted);
  const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor };
  return readClientAddress(
    Object.assign(Object.create(app.request), { headers, socket: { remoteAddress: remote } }),
  );
}

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::ffff:c000:201', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:1:2::1', '2001:db8:1:2::/64'],
  ['::1', '::/64'],
  ['fe80::1%eth0.1', 'fe80::/64'],
  [undefined, 'unknown'],
])('counts %s as %s', (remote, address) => {
  expect(read(remote)).toBe(address);
});

it.each([
  ['a client', '192.0.2.1', '192.0.2.1'],
  ['a proxy that is not trusted', '192.0.2.1, 198.51.100.7', '198.51.100.7'],
  ['another trusted proxy', '192.0.2.1, 10.9.9.9', '192.0.2.1'],
  ['an address that the client has added', '203.0.113.5, 192.0.2.1', '192.0.2.1'],
  ['a trusted address that the client has added', '203.0.113.5, 10.0.0.2, 192.0.2.1', '192.0.2.1'],
  ['a text that the client has added', 'x, 192.0.2.1', '192.0.2.1'],
  ['an address of IPv6', '2001:db8::7', '2001:db8::/64'],
  ['an address with a zone', 'fe80::1%1', 'fe80::/64'],
  ['nothing', '', '10.0.0.1'],
  ['no address', 'unknown', '10.0.0.1'],
  ['an address with a port', '203.0.113.5, 192.0.2.1:4711', '192.0.2.1'],
  ['an address in brackets', '[2001:db8::7]', '2001:db8::/64'],
  ['an address of IPv6 with a port', '[2001:db8::7]:443', '2001:db8::/64'],
  ['an address with something else', '192.0.2.1:x', '10.0.0.1'],
  ['a number', '3221225985', '10.0.0.1'],
  ['no address behind another proxy', 'unknown, 10.9.9.9', '10.9.9.9'],
  ['only trusted proxies', '10.9.9.8, 10.9.9.9', '10.9.9.8'],
])('trusts a trusted proxy that reports %s: %s', (_, forwardedFor, address) => {
  expect(read('10.0.0.1', forwardedFor)).toBe(address);
});

it('ignores reports of other addresses, and also trusts a trusted proxy over IPv6', () => {
  expect(read('192.0.2.9', '192.0.2.1')).toBe('192.0.2.9');
  expect(read('10.0.0.1', '192.0.2.1', [])).toBe('10.0.0.1');
  expect(read('::ffff:10.0.0.1', '192.0.2.1')).toBe('192.0.2.1');
});

it('never fails, whatever is reported', () => {
  const part = fc.oneof(fc.ipV4(), fc.ipV6(), fc.string(), fc.constant('10.0.0.2'));
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      expect(read('10.0.0.1', parts.join(','))).toMatch(/^(\d+(\.\d+){3}|[0-9a-f:]+\/64)$/);
    }),
  );
});
