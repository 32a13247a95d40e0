import { cleanup, configure } from '@testing-library/react';
import { afterEach, vi } from 'vitest';

// Only a test that fails waits this long, even on a busy machine.
configure({ asyncUtilTimeout: 30_000 });

// In this order: what is unmounted may keep something in the tab.
afterEach(() => {
  cleanup();
  sessionStorage.clear();
  vi.unstubAllGlobals();
});

// Modal dialogs, which jsdom lacks; theirs is the focus that it would give them.
HTMLDialogElement.prototype.showModal = function showModal() {
  this.open = true;
};
HTMLDialogElement.prototype.close = function close() {
  this.open = false;
};
