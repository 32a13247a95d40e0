import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { CopyButton } from './copy-button.js';

afterEach(() => Reflect.deleteProperty(document, 'execCommand'));

/** Presses the button in a browser with this clipboard and this result of the `copy` command. */
async function press(clipboard: object | undefined, copies: boolean) {
  const user = userEvent.setup();
  vi.spyOn(navigator, 'clipboard', 'get').mockReturnValue(clipboard as Clipboard);
  const selected: (string | undefined)[] = [];
  Object.assign(document, {
    execCommand: () => {
      const { activeElement } = document;
      selected.push(activeElement instanceof HTMLTextAreaElement ? activeElement.value : undefined);
      return copies;
    },
  });
  render(<CopyButton text="70" label="Copy the ID 70" />);
  await user.click(screen.getByRole('button', { name: 'Copy the ID 70' }));
  return { user, selected };
}

it('copies by the clipboard of the browser', async () => {
  const writeText = vi.fn().mockResolvedValue(undefined);
  const { selected } = await press({ writeText }, false);
  await screen.findByRole('button', { name: 'Copied' });
  expect([writeText.mock.calls, selected]).toEqual([[['70']], []]);
});

it.each([
  ['without a clipboard, as at an address without HTTPS', undefined],
  ['whose clipboard refuses', { writeText: () => Promise.reject(new DOMException('', 'NotAllowedError')) }],
])('copies in a browser %s', async (_, clipboard) => {
  const { selected } = await press(clipboard, true);
  const button = await screen.findByRole('button', { name: 'Copied' });
  expect([selected, document.activeElement, screen.queryByRole('textbox')]).toEqual([['70'], button, null]);
});

it('shows the text for copying with the keyboard if the browser refuses', async () => {
  const { user } = await press(undefined, false);
  expect((await screen.findByRole('alert')).textContent).toBe('Your browser blocked copying. Press Ctrl+C.');
  const field = screen.getByRole<HTMLTextAreaElement>('textbox');
  await waitFor(() => expect(document.activeElement).toBe(field));
  expect(field.value.slice(field.selectionStart, field.selectionEnd)).toBe('70');
  await user.tab();
  await screen.findByRole('button', { name: 'Copy the ID 70' });
});
