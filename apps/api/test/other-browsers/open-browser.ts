import { type ChildProcess, spawn } from 'node:child_process';
import { findFreePort } from '@plant-store/postgresql-server';
import puppeteer, { type ElementHandle, type LaunchOptions } from 'puppeteer-core';
import { requireProgram } from '../support/process/programs.js';
import { until } from '../support/until.js';

/** The size of the window, in CSS pixels: with room for the side bar. */
const windowSize = { width: 1280, height: 800 };

/** The keys that are pressed, by their code in WebDriver (section 17.4.2). */
const keys = { Enter: '\uE007', Escape: '\uE00C', Tab: '\uE004', ArrowDown: '\uE015', o: 'o' } as const;

/** A browser, and its current tab. An element is named by an expression that is evaluated in the page. */
export interface OpenBrowser {
  /** Opens an empty tab, which becomes the current one. */
  openTab(): Promise<void>;
  /** Makes another tab the current one, by its number; the first is 0. */
  useTab(number: number): Promise<void>;
  /** Closes all tabs but the first. */
  closeTabs(): Promise<void>;
  goto(url: string): Promise<void>;
  /** Evaluates an expression; what it is must be JSON. */
  evaluate(expression: string): Promise<unknown>;
  click(element: string): Promise<void>;
  /** Types a text, after what is there. */
  type(element: string, text: string): Promise<void>;
  /** Presses a key where the focus is. */
  press(key: keyof typeof keys): Promise<void>;
  /** Chooses a file for an `input`. */
  choose(element: string, path: string): Promise<void>;
  close(): Promise<void>;
}

/** Debian's Chromium, or that of `CHROMIUM_PATH`. */
export function openChromium(): Promise<OpenBrowser> {
  const executablePath = process.env['CHROMIUM_PATH'] || '/usr/bin/chromium';
  requireProgram(executablePath, 'chromium');
  // Chromium's sandbox does not work as root; only the test's own page is loaded.
  const args = ['--no-sandbox', '--disable-quic', '--disable-background-networking'];
  return openByPuppeteer({ executablePath, args });
}

/** Debian's Firefox, by WebDriver BiDi, which it speaks itself. */
export function openFirefox(): Promise<OpenBrowser> {
  const executablePath = '/usr/bin/firefox-esr';
  requireProgram(executablePath, 'firefox-esr');
  return openByPuppeteer({ browser: 'firefox', executablePath });
}

async function openByPuppeteer(options: LaunchOptions): Promise<OpenBrowser> {
  const all = { ...options, defaultViewport: windowSize, protocolTimeout: 240_000 };
  const browser = await puppeteer.launch(all);
  let page = await browser.newPage();
  const pages = [page];
  const find = async (element: string) => {
    const found = (await page.evaluateHandle(element)).asElement();
    if (found === null) throw new Error(`There is no element ${element}.`);
    // What is typed into and clicked are elements; nothing here depends on which.
    return found as ElementHandle<HTMLInputElement>;
  };
  const useTab = async (number: number) => {
    page = pages[number] ?? page;
    await page.bringToFront();
  };
  return {
    async openTab() {
      page = await browser.newPage();
      pages.push(page);
    },
    useTab,
    async closeTabs() {
      for (const each of pages.splice(1)) await each.close();
      await useTab(0);
    },
    goto: async (url) => void (await page.goto(url)),
    evaluate: (expression) => page.evaluate(expression),
    click: async (element) => (await find(element)).click(),
    type: async (element, text) => (await find(element)).type(text),
    press: (key) => page.keyboard.press(key),
    choose: async (element, path) => (await find(element)).uploadFile(path),
    close: () => browser.close(),
  };
}

/** What WebDriver calls a reference to an element. */
const elementKey = 'element-6066-11e4-a52e-4f735466cecf';

/** Debian's WebKitGTK in its MiniBrowser, by WebDriver. It needs ten commands, and the library for them has 23 MB. */
export async function openWebKit(): Promise<OpenBrowser> {
  const binary = `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/webkit2gtk-4.1/MiniBrowser`;
  for (const path of ['/usr/bin/WebKitWebDriver', binary, '/usr/bin/xvfb-run', '/usr/bin/xauth'])
    requireProgram(path, 'webkit2gtk-driver xvfb xauth');
  const port = await findFreePort();
  const args = ['-a', '/usr/bin/WebKitWebDriver', `--port=${port}`];
  const driver = spawn('/usr/bin/xvfb-run', args, { detached: true, stdio: 'ignore' });
  const send = async (method: string, path: string, sent?: object): Promise<unknown> => {
    const body = sent === undefined ? null : JSON.stringify(sent);
    const reply = await fetch(`http://127.0.0.1:${port}${path}`, { method, body });
    const { value } = (await reply.json()) as { readonly value: unknown };
    if (!reply.ok) throw new Error(`${method} ${path}: ${JSON.stringify(value)}`);
    return value;
  };
  try {
    await until(() => send('GET', '/status').catch(() => false));
    const options = { binary, args: ['--automation'] };
    const capabilities = { alwaysMatch: { 'webkitgtk:browserOptions': options } };
    const { sessionId } = Object(await send('POST', '/session', { capabilities }));
    const session = `/session/${sessionId}`;
    const evaluate = (expression: string) =>
      send('POST', `${session}/execute/sync`, { script: `return ${expression}`, args: [] });
    const find = async (element: string) => {
      const { [elementKey]: id } = Object(await evaluate(element));
      if (id === undefined) throw new Error(`There is no element ${element}.`);
      return `${session}/element/${id}`;
    };
    const type = async (element: string, text: string) =>
      void (await send('POST', `${await find(element)}/value`, { text }));
    const tabs = [await send('GET', `${session}/window`)];
    await send('POST', `${session}/window/rect`, windowSize);
    const use = (handle: unknown) => send('POST', `${session}/window`, { handle });
    return {
      async openTab() {
        const { handle } = Object(await send('POST', `${session}/window/new`, { type: 'tab' }));
        tabs.push(handle);
        await use(handle);
      },
      useTab: async (number) => void (await use(tabs[number])),
      async closeTabs() {
        for (const handle of tabs.splice(1)) {
          await use(handle);
          await send('DELETE', `${session}/window`);
        }
        await use(tabs[0]);
      },
      goto: async (url) => void (await send('POST', `${session}/url`, { url })),
      evaluate,
      click: async (element) => void (await send('POST', `${await find(element)}/click`, {})),
      type,
      async press(key) {
        const actions = ['keyDown', 'keyUp'].map((pressed) => ({ type: pressed, value: keys[key] }));
        await send('POST', `${session}/actions`, { actions: [{ type: 'key', id: 'keyboard', actions }] });
      },
      choose: type,
      async close() {
        // It may be gone with the last window before it answers.
        await send('DELETE', session).catch(() => undefined);
        end(driver);
      },
    };
  } catch (error) {
    end(driver);
    throw error;
  }
}

/** Ends a process and those that it has started. */
function end({ pid }: ChildProcess): void {
  if (pid !== undefined) process.kill(-pid);
}
