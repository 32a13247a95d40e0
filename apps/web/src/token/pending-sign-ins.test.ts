import { afterEach, expect, it, vi } from 'vitest';
import { savePendingSignIn, takeSignInReply } from './pending-sign-ins.js';

afterEach(() => sessionStorage.clear());

const pending = {
  state: 'a',
  nonce: 'n',
  codeVerifier: 'v',
  isRemembered: false,
  returnTo: '/',
  isInNewTab: false,
};

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

it('finds the sign-in of a reply, once, and removes the reply from the address', () => {
  savePendingSignIn(pending);
  const { reply, changes } = open('?state=a&code=1');
  expect([reply?.pending, reply?.parameters.get('code'), changes]).toEqual([pending, '1', cleaned]);
  expect(open('?state=a&code=1').reply?.pending).toBeUndefined();
});

it('finds none for an unsolicited reply, but removes it from the address and keeps the sign-in', () => {
  savePendingSignIn(pending);
  for (const search of ['?state=x&code=1', '?state=&code=1', '?state=x&error=access_denied']) {
    const { reply, changes } = open(search);
    expect([reply?.pending, changes]).toEqual([undefined, cleaned]);
  }
  expect(open('?state=a&error=access_denied').reply?.pending).toEqual(pending);
});

it('leaves other addresses unchanged', () => {
  for (const search of ['', '?tag=bed', '?state=a', '?code=1']) {
    expect(open(search)).toEqual({ reply: undefined, changes: [] });
  }
});
