import type { Browser, BrowserContextOptions, Page, Request } from 'playwright-core';

/** A tab in a profile of its own, and what was seen of it since it was opened. */
export interface Tab {
  readonly page: Page;
  /** Every request, also of workers. */
  readonly requests: readonly Request[];
  /** What its documents and workers logged, and errors that nothing caught. */
  readonly messages: readonly string[];
  /** Violations of the Content-Security-Policy, as `directive blocked-URI`. */
  readonly violations: readonly string[];
  /** Sum of the scores of layout shifts without a recent input, of all documents. */
  readonly layoutShift: number;
  /** Clears what was seen so far, such as what a test has caused on purpose. */
  forget(): void;
  close(): Promise<void>;
}

/** Opens an empty tab. */
export async function openTab(browser: Browser, options: BrowserContextOptions = {}): Promise<Tab> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  // Only what never happens takes this long, even on a machine that is ten times slower than usual.
  context.setDefaultTimeout(120_000);
  const requests: Request[] = [];
  const messages: string[] = [];
  const violations: string[] = [];
  let layoutShift = 0;
  await context.exposeFunction('reportViolation', (text: string) => void violations.push(text));
  await context.exposeFunction('reportLayoutShift', (score: number) => {
    layoutShift += score;
  });
  await context.addInitScript(observe);
  context.on('request', (request) => requests.push(request));
  context.on('console', (message) => messages.push(`${message.type()}: ${message.text()}`));
  context.on('weberror', (error) => messages.push(`uncaught: ${error.error().stack}`));
  const page = await context.newPage();
  return {
    page,
    requests,
    messages,
    violations,
    get layoutShift() {
      return layoutShift;
    },
    forget() {
      for (const list of [requests, messages, violations]) list.length = 0;
      layoutShift = 0;
    },
    close: () => context.close(),
  };
}

/** Runs in each document before its own scripts. */
function observe(): void {
  const report = globalThis as unknown as {
    reportViolation(text: string): void;
    reportLayoutShift(score: number): void;
  };
  document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
    report.reportViolation(`${effectiveDirective} ${blockedURI}`),
  );
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { value, hadRecentInput } = entry as PerformanceEntry & {
        value: number;
        hadRecentInput: boolean;
      };
      if (!hadRecentInput) report.reportLayoutShift(value);
    }
  }).observe({ type: 'layout-shift', buffered: true });
}
