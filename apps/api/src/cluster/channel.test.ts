import { expect, it } from 'vitest';
import { OperatorError } from '../errors/operator-error.js';
import { ServiceError } from '../errors/service-error.js';
import { type Calls, createChannel, type Message, type MessageEnd } from './channel.js';

type Echo = { readonly echo: (argument: unknown) => unknown; readonly ask: (argument: unknown) => unknown };

/** Connects two channels, of which the second one offers the calls; what the first one sends is recorded. */
function connect(local: Calls) {
  const listeners: ((messages: unknown) => void)[] = [];
  const sent: (readonly Message[])[] = [];
  const waiting: (() => void)[] = [];
  let isOpen = true;
  const end = (own: 0 | 1): MessageEnd => ({
    get connected() {
      return isOpen;
    },
    send(messages, onSent) {
      if (own === 0) {
        sent.push(messages);
        waiting.push(() => onSent(null));
      }
      const copy = structuredClone(messages);
      setImmediate(() => listeners[1 - own]?.(copy));
      return true;
    },
    on(_, listener) {
      listeners[own] = listener;
    },
  });
  const channel = createChannel<Echo>(end(0), {}, 'ask');
  createChannel<Echo>(end(1), local);
  return {
    channel,
    sent,
    /** The system takes what it was given. */
    takeAll: () => waiting.splice(0).forEach((onSent) => void onSent()),
    endConnection() {
      isOpen = false;
    },
  };
}

it('resolves each call to its own result, in whatever order they are answered', async () => {
  const first = Promise.withResolvers<void>();
  const { channel } = connect({
    async echo(argument: bigint) {
      if (argument === 1n) await first.promise;
      else first.resolve();
      return argument;
    },
  });
  expect(await Promise.all([channel.call('echo', 1n), channel.call('echo', 2n)])).toEqual([1n, 2n]);
});

it('sends all calls of one turn of the event loop as one message', async () => {
  const { channel, sent } = connect({ echo: (argument: unknown) => argument });
  await Promise.all([channel.call('echo', 'a'), channel.call('echo', 'b')]);
  await channel.call('echo', 'c');
  expect(sent.map((messages) => messages.length)).toEqual([2, 1]);
});

it('sends calls that give way only as the system takes them, and all others at once', async () => {
  const { channel, sent, takeAll } = connect({
    echo: (argument: unknown) => argument,
    ask: (argument: unknown) => argument,
  });
  const asked = Promise.all(Array.from({ length: 150 }, (_, index) => channel.call('ask', index)));
  await channel.call('echo', 'a');
  await channel.call('echo', 'b');
  const lengths = () => sent.map((messages) => messages.length);
  expect(lengths().toSorted()).toEqual([1, 1, 64].toSorted());
  takeAll();
  expect(lengths().slice(3)).toEqual([64]);
  takeAll();
  expect(lengths().slice(4)).toEqual([22]);
  takeAll();
  const last = channel.call('ask', 'last');
  expect(await asked).toHaveLength(150);
  expect(await last).toBe('last');
  expect(lengths().slice(5)).toEqual([1]);
});

it.each([
  ['a ServiceError', new ServiceError('database_unavailable', 'It is away', { retryAfterSeconds: 3 })],
  ['an OperatorError', new OperatorError('Choose another port', { exitCode: 2 })],
  ['any other error, with its cause', new Error('It failed', { cause: new Error('The disk is full') })],
])('rejects with %s that the other process throws', async (_, error) => {
  const { channel } = connect({ echo: () => Promise.reject(error) });
  const received: unknown = await channel.call('echo', null).catch((reason: unknown) => reason);
  expect(received).toEqual(error);
  expect(received).toBeInstanceOf(error.constructor);
  expect(received).toHaveProperty('stack', error.stack);
});

it('rejects with the text of what was thrown that is no error', async () => {
  const { channel } = connect({ echo: () => Promise.reject('no error') });
  await expect(channel.call('echo', null)).rejects.toThrow('no error');
});

it('rejects a call that the other process does not offer', async () => {
  const { channel } = connect({});
  await expect(channel.call('echo', null)).rejects.toThrow('This process offers no call "echo"');
});

it('rejects the calls that wait, and later ones, with the first error that it is closed with', async () => {
  const { channel } = connect({ echo: () => new Promise(() => {}) });
  const waiting = channel.call('echo', null);
  channel.close(new Error('The worker has ended'));
  channel.close(new Error('Closed again'));
  await expect(waiting).rejects.toThrow('The worker has ended');
  await expect(channel.call('echo', null)).rejects.toThrow('The worker has ended');
});

it('rejects a call that cannot be sent', async () => {
  const { channel, endConnection } = connect({ echo: (argument: unknown) => argument });
  endConnection();
  await expect(channel.call('echo', null)).rejects.toThrow('The other process has ended');
});
