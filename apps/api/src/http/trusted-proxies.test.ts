import express from 'express';
import { expect, it } from 'vitest';
import { parseTrustedProxies } from './trusted-proxies.js';

it('parses a list that Express accepts, with and without spaces', () => {
  const list = '127.0.0.1,10.1.0.0/16 , ::1,fd00:1::/64, loopback,uniquelocal,linklocal, ::ffff:10.0.0.0/104';
  const proxies = parseTrustedProxies(list);
  expect(proxies).toEqual(list.split(',').map((proxy) => proxy.trim()));
  expect(() => express().set('trust proxy', proxies)).not.toThrow();
});

it('parses no text as no proxy', () => {
  expect(parseTrustedProxies('')).toEqual([]);
});

it('quotes the part that is none', () => {
  const proxies = parseTrustedProxies('10.0.0.1, proxy.example');
  expect(proxies).toEqual({ problem: expect.stringMatching(/^must be .*; "proxy\.example" is not$/) });
});

it.each([
  'true',
  '1',
  '*',
  'Loopback',
  'proxy.example',
  '127.1',
  '0x7f000001',
  '10.0.0.1:80',
  '[::1]',
  'fe80::1%eth0',
  '0.0.0.0/0',
  '::/0',
  '10.0.0.0/33',
  '10.0.0.0/08',
  '10.0.0.0/',
  '10.0.0.0/255.0.0.0',
  'fd00::/129',
  '::/1',
  '::/64',
  '::ffff:0:0/96',
  '::ffff:10.0.0.0/8',
  '::192.0.2.1',
  '1::1.2.3.4',
  '64:ff9b::1.2.3.4',
  '10.0.0.1 10.0.0.2',
  '10.0.0.1,',
  ',',
])('rejects %j', (list) => {
  expect(parseTrustedProxies(list)).toHaveProperty('problem');
});
