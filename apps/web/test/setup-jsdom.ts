import { cleanup, configure } from '@testing-library/react';
import { afterEach, vi } from 'vitest';

// Only a test that fails waits this long, even on a busy machine.
configure({ asyncUtilTimeout: 30_000 });

// In this order: what is unmounted may keep something in the tab.
afterEach(() => {
  cleanup();
  sessionStorage.clear();
  localStorage.clear();
  for (const warn of warnings.splice(0)) window.removeEventListener('beforeunload', warn);
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

// What a test leaves unfinished, such as an import, must not warn in the next one, which has the same window.
const warnings: EventListenerOrEventListenerObject[] = [];
const addEventListener = window.addEventListener.bind(window);
window.addEventListener = (
  type: string,
  listener: EventListenerOrEventListenerObject,
  options?: boolean | AddEventListenerOptions,
) => {
  if (type === 'beforeunload') warnings.push(listener);
  addEventListener(type, listener, options);
};

// What jsdom lacks: modal dialogs (theirs is the focus that it would give them), sizes, so that rows are shown, and that these change, and
// media queries.
HTMLDialogElement.prototype.showModal = function showModal() {
  this.open = true;
};
HTMLDialogElement.prototype.close = function close() {
  this.open = false;
};
Object.defineProperties(Element.prototype, {
  clientHeight: { configurable: true, get: () => 480 },
  clientWidth: { configurable: true, get: () => 1_000 },
});
window.ResizeObserver = class {
  observe() {}
  unobserve() {}
  disconnect() {}
};
window.matchMedia = () => Object.assign(new EventTarget(), { matches: false }) as MediaQueryList;
