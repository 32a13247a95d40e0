import { afterEach, expect, it, vi } from 'vitest';
import {
  findPendingSignIn,
  type PendingSignIn,
  savePendingSignIn,
  takeSignInReply,
} from './pending-sign-ins.js';

afterEach(() => sessionStorage.clear());

function begin(state: string, codes: readonly string[] = []): PendingSignIn {
  const pending = {
    state,
    nonce: 'n',
    codeVerifier: 'v',
    isRemembered: false,
    returnTo: '/',
    isInNewTab: false,
    codes,
  };
  savePendingSignIn(pending);
  return pending;
}

/** Opens an address with a query; returns its sign-in, and how often the address was changed. */
function open(search: string) {
  const replaceState = vi.fn();
  const reply = takeSignInReply({
    location: { pathname: '/shop/', search },
    history: { state: 7, replaceState },
  });
  return { reply, changes: replaceState.mock.calls };
}

const cleaned = [[7, '', '/shop/']];

it('finds the sign-in of a reply, also if another one began later, and removes the reply from the address', () => {
  const pending = begin('a');
  begin('b');
  const { reply, changes } = open('?state=a&code=1');
  expect(reply?.pending).toEqual(pending);
  expect(reply?.parameters.get('code')).toBe('1');
  expect(changes).toEqual(cleaned);
  expect(open('?state=b&error=access_denied').reply?.pending?.state).toBe('b');
});

it('finds none for an unsolicited reply, but removes it from the address', () => {
  begin('a');
  for (const search of ['?state=x&code=1', '?state=&code=1', '?state=x&error=access_denied']) {
    const { reply, changes } = open(search);
    expect([reply?.pending, changes]).toEqual([undefined, cleaned]);
  }
});

it('finds none for a code that was already received, also after later ones', () => {
  begin('a', ['1', '2']);
  for (const code of ['1', '2']) expect(open(`?state=a&code=${code}`).reply?.pending).toBeUndefined();
  expect(open('?state=a&code=3').reply?.pending?.state).toBe('a');
});

it('leaves other addresses unchanged', () => {
  for (const search of ['', '?tag=bed', '?state=a', '?code=1']) {
    expect(open(search)).toEqual({ reply: undefined, changes: [] });
  }
});

it('keeps the latest sign-ins of the tab, each in its latest state', () => {
  for (const state of ['a', 'b', 'c', 'd', 'e']) begin(state);
  begin('b', ['1']);
  begin('f');
  expect(['a', 'b', 'c', 'f'].map((state) => findPendingSignIn(state)?.codes)).toEqual([
    undefined,
    ['1'],
    [],
    [],
  ]);
  sessionStorage.setItem('plant-store.sign-in', '{"state":"a"}');
  expect(findPendingSignIn('a')).toBeUndefined();
});
