import { expect, it } from 'vitest';
import { openSession, reduceSession, type Session, type SessionEvent } from './session.js';

const [a, b] = ['header.a.signature', 'header.b.signature'];
const entered = { token: a, id: a };
const shared = { record: 1, key: 'k' };
const signedIn = { token: a, id: 'sign-in', signIn: { shared } };
const renewed = { ...signedIn, token: b };

const none: Session = { kept: undefined, active: false, place: 'tab', asked: false };
const active: Session = { ...none, kept: entered, active: true };
const rejected: Session = { ...active, active: false, problem: 'not known', asked: true };
const onDevice: Session = { ...active, place: 'device' };
const renewable: Session = { ...active, kept: signedIn };
const unrenewed: Session = { ...renewable, unrenewed: { times: 1, reason: 'away' } };
const stillUnrenewed = (times: number) => ({ ...renewable, unrenewed: { times, reason: 'still away' } });
const expired: Session = { ...unrenewed, active: false };
const forgotten: Session = { ...none, asked: true };
const withB: Session = { ...active, kept: { token: b, id: b }, asked: true };

const noToken = expect.stringMatching(
  /^The token in the link cannot be used\. This is not an access token\./,
);
const keepsToken = expect.stringMatching(/ You are still signed in\.$/);
const stillSignedIn = 'no You are still signed in.';
const inOtherTab = 'The other tab is signed in now. Close this one.';
const ended = 'Your sign-in expired. Sign in again.';

const reject: SessionEvent = { type: 'reject', token: a, problem: 'not known' };
const renew: SessionEvent = { type: 'renew', id: 'sign-in', kept: renewed, restarts: false };
const failRenewal: SessionEvent = { type: 'failRenewal', id: 'sign-in', reason: 'still away' };
const endRenewal: SessionEvent = { type: 'endRenewal', id: 'sign-in' };
const forget: SessionEvent = { type: 'forget', asked: true };
const signIn = (isRemembered: boolean, asked: boolean): SessionEvent => ({
  type: 'signIn',
  signedIn: { kept: signedIn, isRemembered, returnTo: '/' },
  asked,
});
const answer = (isAccepted: boolean): SessionEvent => ({ type: 'answerOffer', isAccepted });
const replace: SessionEvent = { type: 'replace', token: b };
const changeDevice = (deviceId?: string): SessionEvent => ({ type: 'changeDevice', deviceId });
const openLink = (text: string): SessionEvent => ({ type: 'openLink', text });
const failSignIn = (tab?: typeof entered, device?: typeof entered): SessionEvent => ({
  type: 'failSignIn',
  tokens: { tab, device },
  problem: 'no',
});

it.each<[title: string, before: Session, event: SessionEvent, after: object]>([
  ['uses a token that was entered', rejected, { type: 'use', token: b, place: 'tab' }, withB],
  ['remembers it', none, { type: 'use', token: b, place: 'device' }, { ...withB, place: 'device' }],

  ['uses a sign-in', none, signIn(false, false), renewable],
  [
    'remembers a sign-in from another tab',
    rejected,
    signIn(true, true),
    { ...renewable, place: 'device', asked: true },
  ],
  ['says why the sign-in failed', { ...none, waiting: '…' }, failSignIn(), { ...none, problem: 'no' }],
  ['has its token all the same', none, failSignIn(entered), { ...active, notice: stillSignedIn }],
  ['has that of the device', none, failSignIn(undefined, entered), { ...onDevice, notice: keepsToken }],
  ['leaves a sign-in to the tab that asked', none, { type: 'handOver' }, { ...none, waiting: inOtherTab }],

  ['uses the token of a link', none, openLink(b), { ...withB, asked: false }],
  ['uses it after a rejection, in the tab', { ...rejected, place: 'device' }, openLink(b), withB],
  ['uses the rejected one', { ...rejected, place: 'device' }, openLink(a), { ...onDevice, asked: true }],
  ['offers the token of a link', onDevice, openLink(b), { ...onDevice, offered: b }],
  ['offers it while the token waits to be renewed', expired, openLink(b), { ...expired, offered: b }],
  ['does not offer its own token', { ...onDevice, notice: 'no' }, openLink(a), onDevice],
  ['says why it takes no token', none, openLink('x'), { ...none, problem: noToken }],
  ['says so above the plants', active, openLink('x'), { ...active, notice: keepsToken }],

  ['uses the offered token', { ...onDevice, offered: b }, answer(true), withB],
  ['declines it', { ...onDevice, offered: b }, answer(false), onDevice],

  ['asks for another token', active, reject, rejected],
  ['ignores a late rejection', withB, reject, withB],
  ['reports a rejection once', rejected, { ...reject, problem: 'again' }, rejected],
  ['uses the offered token instead', { ...active, offered: b }, reject, withB],
  ['waits for a renewal instead', unrenewed, reject, expired],

  ['renews', renewable, renew, { ...renewable, kept: renewed, restarts: 0 }],
  [
    'renews what was rejected, and loads again',
    { ...expired, restarts: 1 },
    { ...renew, restarts: true },
    { ...renewable, kept: renewed, restarts: 2 },
  ],
  ['ignores a renewal of another token', active, renew, active],

  ['keeps trying to renew', renewable, failRenewal, stillUnrenewed(1)],
  ['counts the tries', unrenewed, failRenewal, stillUnrenewed(2)],
  ['ignores a failed renewal of another token', active, failRenewal, active],

  ['keeps a token that may still be valid', unrenewed, endRenewal, renewable],
  ['asks for a sign-in', expired, endRenewal, { ...rejected, kept: signedIn, problem: ended }],
  ['ignores the end of another sign-in', rejected, endRenewal, rejected],

  ['takes a rotated token', renewable, replace, { ...renewable, kept: renewed }],
  ['has no token to rotate', none, replace, none],

  ['forgets', { ...expired, place: 'device', notice: 'no', offered: b }, forget, forgotten],
  ['forgets with another tab', onDevice, { type: 'forget', ids: [b, a], asked: false }, none],
  ['keeps another token than that tab', active, { type: 'forget', ids: [b], asked: false }, active],
  ['has nothing to forget', none, { type: 'forget', ids: [a], asked: false }, none],

  ['moves to the tab when the device has another token', onDevice, changeDevice(b), active],
  ['moves to the tab when the device has none', onDevice, changeDevice(), active],
  ['stays on the device', onDevice, changeDevice(a), onDevice],
  ['stays in the tab', active, changeDevice(b), active],

  ['moves to the device', active, { type: 'keepIn', place: 'device' }, onDevice],
  ['moves to the tab', onDevice, { type: 'keepIn', place: 'tab' }, active],
])('%s', (_, before, event, after) => {
  const session = reduceSession(before, event);
  expect(session).toEqual(after);
  if (after === before) expect(session).toBe(before);
});

const noTokens = { tab: undefined, device: undefined };
const inTab = { ...noTokens, tab: entered };
const ofDevice = { ...noTokens, device: entered };

it.each<[title: string, opened: Session, session: Session]>([
  ['asks for a token', openSession(noTokens), none],
  ['has that of before the reload', openSession({ tab: entered, device: renewed }), active],
  ['has that of the device', openSession(ofDevice), onDevice],
  ['uses that of the address', openSession(noTokens, b), { ...withB, asked: false }],
  ['offers that of the address', openSession(inTab, b), { ...active, offered: b }],
  [
    'waits for a sign-in, whatever else there is',
    openSession(inTab, b, Promise.resolve()),
    { ...none, waiting: 'Signing in…' },
  ],
  ['says why the sign-in failed', openSession(noTokens, undefined, 'no'), { ...none, problem: 'no' }],
  ['ignores what looks like a sign-in', openSession(ofDevice, undefined, 'no'), onDevice],
])('opens a page that %s', (_, opened, session) => {
  expect(opened).toEqual(session);
});
