import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { startOidcProvider } from '../browser/page/support/start-oidc-provider.js';
import { type PlantStore, startPlantStore } from '../browser/page/support/start-plant-store.js';
import { until as pollUntil } from '../support/until.js';
import { type OpenBrowser, openChromium, openFirefox, openWebKit } from './open-browser.js';

/** How often each situation is tried: `SIGN_IN_RUNS=20 pnpm test:on other-browsers sign-in`. */
const runs = Number(process.env['SIGN_IN_RUNS'] || 1);

/** Each time asks the browser, which takes a while. */
const until = (condition: () => unknown) => pollUntil(condition, 100);

const provider = await startOidcProvider();
afterAll(provider.stop);

/** How many seconds the clocks of the provider and the service differ from that of the browser. */
let clockOffsetSeconds = 0;
const { now } = Date;
beforeAll(() => {
  const spy = vi.spyOn(Date, 'now').mockImplementation(() => now() + clockOffsetSeconds * 1_000);
  return () => spy.mockRestore();
});

/** Starts a service whose clock differs from that of the browser. */
function startStore(offsetSeconds: number): Promise<PlantStore> {
  const script = `const { now } = Date; Date.now = () => now() + ${offsetSeconds * 1_000}`;
  const shift = `--import="data:text/javascript,${encodeURIComponent(script)}"`;
  return startPlantStore({ ...provider.settings, ...(offsetSeconds !== 0 && { NODE_OPTIONS: shift }) });
}

const stores = new Map<number, PlantStore>();
beforeAll(async () => {
  for (const seconds of [0, 600, -600]) stores.set(seconds, await startStore(seconds));
});
afterAll(async () => {
  for (const store of stores.values()) await store.stop();
});

beforeEach(() => {
  clockOffsetSeconds = 0;
  provider.away = undefined;
});

const browsers = { Chromium: openChromium, Firefox: openFirefox, WebKit: openWebKit };
describe.each(Object.entries(browsers))('%s', (_, open) => {
  let browser: OpenBrowser;
  beforeAll(async () => {
    browser = await open();
  });
  afterAll(() => browser?.close());

  const address = () => `${stores.get(clockOffsetSeconds)?.baseUrl}/`;
  /** What an expression is; `undefined` while another document is loaded. */
  const evaluate = (expression: string) => browser.evaluate(expression).catch(() => undefined);
  const button = (name: string) =>
    `[...document.querySelectorAll('button')].find((each) => each.textContent === '${name}')`;
  const click = async (element: string) => {
    await until(() => evaluate(`${element} !== undefined && ${element} !== null`));
    await browser.evaluate(`void ${element}.click()`);
  };
  const see = (text: string) =>
    until(async () => String(await evaluate('document.body.innerText')).includes(text));
  const isSignedIn = async () => (await evaluate(`document.querySelector('.views') !== null`)) === true;
  /** Waits until the page shows the plants, or asks for a token. */
  const untilShown = async () => {
    await until(() => evaluate(`document.querySelector('.views, .token-panel') !== null`));
    return isSignedIn();
  };
  const expectSignedIn = async () => expect(await untilShown()).toBe(true);

  /** Answers the forms of the provider, each once, until that has sent the person back. */
  async function answerProvider(): Promise<void> {
    await until(async () => {
      if (String(await evaluate('location.href')).startsWith(address())) return true;
      await evaluate(`(() => {
        const form = document.forms[0];
        if (document.readyState !== 'complete' || !form || form.dataset.sent) return;
        for (const field of form.querySelectorAll('[name=login], [name=password]')) field.value = 'alice';
        form.dataset.sent = true;
        form.querySelector('[type=submit]').click();
      })()`);
      return false;
    });
  }

  async function signIn({ remember = false, lifetimeSeconds = 3_600 } = {}): Promise<void> {
    provider.grants.length = 0;
    provider.lifetimeSeconds = lifetimeSeconds;
    await browser.goto(address());
    if (remember) await click(`document.querySelector('.token-panel input[type=checkbox]')`);
    await click(button('Sign in'));
    await until(() => provider.grants.length > 0 || leaveTo(provider.issuer));
    await answerProvider();
    await until(isSignedIn);
  }
  const leaveTo = async (origin: string) => String(await evaluate('location.href')).startsWith(origin);

  const renewals = () => provider.grants.filter((grant) => grant === 'refresh_token granted').length;
  const untilRenewed = async (times: number) => {
    const before = renewals();
    const isInvalid = () => provider.grants.some((grant) => grant.includes('invalid'));
    await until(() => renewals() >= before + times || isInvalid());
  };

  const place = `('plant-store.token' in sessionStorage ? sessionStorage : localStorage)`;
  const kept = `JSON.parse(${place}['plant-store.token'])`;

  /** Expects that each tab is signed in, also after a reload, and that the provider never got a code or token twice. */
  async function expectKept(tabs = 1): Promise<void> {
    // A document that is left during a renewal may lose the token.
    provider.lifetimeSeconds = 3_600;
    for (let tab = 0; tab < tabs; tab++) {
      await browser.useTab(tab);
      await expectSignedIn();
      await until(() => evaluate(`${kept}.signIn.expiresAt > Date.now() + 60_000`));
      await browser.goto(address());
      await expectSignedIn();
    }
    // The page renews a token that has expired at once.
    const expired = `JSON.stringify({ ...${kept}, signIn: { ...${kept}.signIn, expiresAt: 0 } })`;
    await browser.evaluate(`void (${place}['plant-store.token'] = ${expired})`);
    const before = renewals();
    await browser.goto(address());
    await until(() => renewals() > before || provider.grants.some((grant) => !grant.endsWith(' granted')));
    await expectSignedIn();
    expect(provider.grants.filter((grant) => !grant.endsWith(' granted'))).toEqual([]);
    await click(button('More'));
    await click(button('Forget token'));
    await see('Your access token');
    await browser.closeTabs();
  }

  const situations: Readonly<Record<string, () => Promise<void>>> = {
    async 'in three tabs of a remembered sign-in'() {
      await signIn({ remember: true, lifetimeSeconds: 3 });
      for (let tab = 1; tab <= 2; tab++) {
        await browser.openTab();
        await browser.goto(address());
      }
      await untilRenewed(2);
      await expectKept(3);
    },
    async 'in a duplicated tab'() {
      await signIn({ lifetimeSeconds: 3 });
      const copied = await browser.evaluate('JSON.stringify(sessionStorage)');
      await browser.openTab();
      await browser.goto(address());
      await browser.evaluate(`void Object.assign(sessionStorage, ${copied})`);
      await browser.goto(address());
      await untilRenewed(2);
      await expectKept(2);
    },
    async 'after Back to the form of the provider'() {
      await signIn();
      // As its forms do when they were answered before.
      await browser.goto(String(provider.visited.form.at(-1)));
      await answerProvider();
      await expectSignedIn();
      await expectKept();
    },
    async 'after an address that looks like a reply, or was one'() {
      await signIn();
      const reply = String(provider.visited.reply.at(-1));
      for (const query of ['?state=a&code=b', '?state=a&error=access_denied', new URL(reply).search]) {
        await browser.goto(address() + query);
        await expectSignedIn();
        expect(await browser.evaluate('location.href')).toBe(address());
      }
      await expectKept();
    },
    async 'with a clock ten minutes ahead'() {
      clockOffsetSeconds = -600;
      await signIn();
      await expectKept();
    },
    async 'with a clock ten minutes behind'() {
      clockOffsetSeconds = 600;
      await signIn();
      await expectKept();
    },
    async 'while the provider returns 503'() {
      await signIn({ lifetimeSeconds: 3 });
      provider.away = /./;
      await see('keeps trying to renew your access');
      // Once the token has expired, the service rejects it.
      await new Promise((resolve) => setTimeout(resolve, provider.lifetimeSeconds * 1_000));
      await browser.goto(address());
      await see('keeps trying to renew your access');
      await until(async () => !(await isSignedIn()));
      expect(await browser.evaluate(`document.querySelector('.token-panel') === null`)).toBe(true);
      provider.away = undefined;
      await until(isSignedIn);
      await expectKept();
    },
    async 'when the provider returns 503 to the code'() {
      provider.away = /^\/token/;
      const before = provider.refused;
      const signingIn = signIn();
      await until(() => provider.refused > before);
      provider.away = undefined;
      await signingIn;
      await expectKept();
    },
  };

  it.each(Object.entries(situations))(
    `stays signed in %s, ${runs} of ${runs} times`,
    async (_, situation) => {
      for (let run = 1; run <= runs; run++) {
        await situation().catch(async (cause) => {
          const shown = await evaluate(`location.href + ": " + document.body.innerText`);
          throw new Error(`Run ${run}, after ${provider.grants.join(', ')}, at ${shown}`, { cause });
        });
      }
    },
    runs * 300_000,
  );
});
