import { expect, it } from 'vitest';
import { openSession, reduceSession, type Session, type SessionEvent } from './session.js';

const [a, b] = ['header.a.signature', 'header.b.signature'];
const entered = { token: a, id: a };
const shared = { record: 1, key: 'k' };
const signedIn = { token: a, id: 'sign-in', signIn: { shared } };
const renewed = { ...signedIn, token: b };
const reply = { isRemembered: false, returnTo: '/' };

const none: Session = { stored: undefined, active: false, area: 'tab', shouldFocus: false };
const active: Session = { ...none, stored: entered, active: true };
const rejected: Session = { ...active, active: false, problem: 'not known', shouldFocus: true };
const onDevice: Session = { ...active, area: 'device' };
const renewable: Session = { ...active, stored: signedIn };
const unrenewed: Session = { ...renewable, renewalFailure: { times: 1, reason: 'away' } };
const expired: Session = { ...unrenewed, active: false };
const forgotten: Session = { ...none, shouldFocus: true };
const withB: Session = { ...active, stored: { token: b, id: b }, shouldFocus: true };

const noToken = expect.stringMatching(
  /^The token in the link cannot be used\. This is not an access token\./,
);
const keepsToken = expect.stringMatching(/ You are still signed in\.$/);
const inOtherTab = 'The other tab is now signed in. You can close this one.';
const ended = 'Your sign-in expired. Sign in again.';

const reject: SessionEvent = { type: 'reject', token: a, problem: 'not known' };
const renew: SessionEvent = { type: 'renew', id: 'sign-in', stored: renewed, restarts: false };
const failRenewal: SessionEvent = { type: 'failRenewal', id: 'sign-in', reason: 'still away' };
const endRenewal: SessionEvent = { type: 'endRenewal', id: 'sign-in' };
const forget: SessionEvent = { type: 'forget', shouldFocus: true };
const openLink = (text: string): SessionEvent => ({ type: 'openLink', text });
const failSignIn = (tab?: typeof entered, device?: typeof entered): SessionEvent => ({
  type: 'failSignIn',
  tokens: { tab, device },
  problem: 'no',
});

it.each<[title: string, before: Session, event: SessionEvent, after: object]>([
  ['uses a token that was entered', rejected, { type: 'use', token: b, area: 'tab' }, withB],
  ['remembers it', none, { type: 'use', token: b, area: 'device' }, { ...withB, area: 'device' }],

  [
    'uses a sign-in',
    none,
    { type: 'signIn', signedIn: { ...reply, stored: signedIn }, shouldFocus: false },
    renewable,
  ],
  [
    'remembers a sign-in from another tab',
    rejected,
    { type: 'signIn', signedIn: { ...reply, stored: signedIn, isRemembered: true }, shouldFocus: true },
    { ...renewable, area: 'device', shouldFocus: true },
  ],
  ['says why the sign-in failed', { ...none, waiting: '…' }, failSignIn(), { ...none, problem: 'no' }],
  [
    'has its token all the same',
    none,
    failSignIn(entered),
    { ...active, notice: 'no You are still signed in.' },
  ],
  [
    'leaves a sign-in to the tab that asked for it',
    none,
    { type: 'handOver' },
    { ...none, waiting: inOtherTab },
  ],

  ['uses the token of a link', none, openLink(b), { ...withB, shouldFocus: false }],
  ['uses it after a rejection, in the tab', { ...rejected, area: 'device' }, openLink(b), withB],
  [
    'uses the rejected token again',
    { ...rejected, area: 'device' },
    openLink(a),
    { ...onDevice, shouldFocus: true },
  ],
  ['offers the token of a link', onDevice, openLink(b), { ...onDevice, offered: b }],
  ['offers it while the token waits to be renewed', expired, openLink(b), { ...expired, offered: b }],
  ['says why it takes no token', none, openLink('x'), { ...none, problem: noToken }],
  ['says so above the plants', active, openLink('x'), { ...active, notice: keepsToken }],

  ['uses the offered token', { ...onDevice, offered: b }, { type: 'answerOffer', isAccepted: true }, withB],
  ['declines it', { ...onDevice, offered: b }, { type: 'answerOffer', isAccepted: false }, onDevice],

  ['asks for another token', active, reject, rejected],
  ['ignores a late rejection', withB, reject, withB],
  ['reports a rejection once', rejected, { ...reject, problem: 'again' }, rejected],
  ['uses the offered token instead', { ...active, offered: b }, reject, withB],
  ['waits for a renewal instead', unrenewed, reject, expired],

  ['renews', renewable, renew, { ...renewable, stored: renewed, restarts: 0 }],
  [
    'renews what was rejected, and loads again',
    { ...expired, restarts: 1 },
    { ...renew, restarts: true },
    { ...renewable, stored: renewed, restarts: 2 },
  ],
  ['ignores a renewal of another token', active, renew, active],

  [
    'keeps trying to renew',
    renewable,
    failRenewal,
    { ...unrenewed, renewalFailure: { times: 1, reason: 'still away' } },
  ],
  [
    'counts the tries',
    unrenewed,
    failRenewal,
    { ...unrenewed, renewalFailure: { times: 2, reason: 'still away' } },
  ],

  ['keeps a token that may still be valid', unrenewed, endRenewal, renewable],
  ['asks for a sign-in', expired, endRenewal, { ...rejected, stored: signedIn, problem: ended }],

  ['takes a rotated token', renewable, { type: 'replace', token: b }, { ...renewable, stored: renewed }],
  ['has no token to rotate', none, { type: 'replace', token: b }, none],

  ['forgets', { ...expired, area: 'device', notice: 'no', offered: b }, forget, forgotten],
  ['forgets with another tab', onDevice, { type: 'forget', ids: [b, a], shouldFocus: false }, none],
  ['keeps another token than that tab', active, { type: 'forget', ids: [b], shouldFocus: false }, active],

  [
    'moves to the tab when the device has another token',
    onDevice,
    { type: 'changeDevice', deviceId: b },
    active,
  ],
  ['stays on the device', onDevice, { type: 'changeDevice', deviceId: a }, onDevice],

  ['moves to the device', active, { type: 'keepIn', area: 'device' }, onDevice],
])('%s', (_, before, event, after) => {
  const session = reduceSession(before, event);
  expect(session).toEqual(after);
  if (after === before) expect(session).toBe(before);
});

it.each<[title: string, opened: Session, session: Session]>([
  ['asks for a token', openSession({ tab: undefined, device: undefined }), none],
  ['has that of before the reload', openSession({ tab: entered, device: renewed }), active],
  ['has that of the device', openSession({ tab: undefined, device: entered }), onDevice],
  [
    'uses that of the address',
    openSession({ tab: undefined, device: undefined }, b),
    { ...withB, shouldFocus: false },
  ],
  [
    'offers that of the address',
    openSession({ tab: entered, device: undefined }, b),
    { ...active, offered: b },
  ],
  [
    'waits for a sign-in, whatever else there is',
    openSession({ tab: entered, device: undefined }, b, Promise.resolve()),
    { ...none, waiting: 'Signing in…' },
  ],
  [
    'says why the sign-in failed',
    openSession({ tab: undefined, device: undefined }, undefined, 'no'),
    { ...none, problem: 'no' },
  ],
  [
    'ignores what looks like a sign-in',
    openSession({ tab: undefined, device: entered }, undefined, 'no'),
    onDevice,
  ],
])('opens a page that %s', (_, opened, session) => {
  expect(opened).toEqual(session);
});
