import type { Browser, BrowserContextOptions, Request } from 'playwright-core';

/** A tab in a profile of its own, and what was seen of it since it was opened. */
export type Tab = Awaited<ReturnType<typeof openTab>>;

/** Opens an empty tab. */
export async function openTab(browser: Browser, options: BrowserContextOptions = {}) {
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
  return {
    page: await context.newPage(),
    /** Every request, also of workers. */
    requests,
    /** What its documents and workers logged, and errors that nothing caught. */
    messages,
    /** Violations of the Content-Security-Policy, as `directive blocked-URI`. */
    violations,
    /** Sum of the scores of layout shifts without a recent input, of all documents. */
    get layoutShift() {
      return layoutShift;
    },
    /** Clears what was seen so far, such as what a test has caused on purpose. */
    forget() {
      for (const list of [requests, messages, violations]) list.length = 0;
    },
    close: () => context.close(),
  };
}

/** What TypeScript's types do not have yet. */
type LayoutShift = PerformanceEntry & { readonly value: number; readonly hadRecentInput: boolean };

/** Runs in each document before its own scripts. */
function observe(): void {
  type Report = Record<'reportViolation' | 'reportLayoutShift', (seen: string | number) => void>;
  const report = globalThis as unknown as Report;
  document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
    report.reportViolation(`${effectiveDirective} ${blockedURI}`),
  );
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { value, hadRecentInput } = entry as LayoutShift;
      if (!hadRecentInput) report.reportLayoutShift(value);
    }
  }).observe({ type: 'layout-shift', buffered: true });
}
