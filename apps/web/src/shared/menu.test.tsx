import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { Menu } from './menu.js';

function open() {
  const onPress = vi.fn<() => void>();
  render(
    <>
      <Menu label="Export">
        <button type="button" onClick={onPress}>
          CSV
        </button>
      </Menu>
      <button type="button">Elsewhere</button>
    </>,
  );
  const user = userEvent.setup();
  return { user, onPress, button: screen.getByRole('button', { name: 'Export' }) };
}

const isOpen = (button: HTMLElement) =>
  [button.getAttribute('aria-expanded'), button.parentElement?.hasAttribute('data-open')].join();

it.each([
  ['its button', (user: ReturnType<typeof userEvent.setup>) => user.click(screen.getByText('Export'))],
  ['Escape', (user) => user.keyboard('{Tab}{Escape}')],
  ['a press elsewhere', (user) => user.click(document.body)],
  ['the focus elsewhere', (user) => user.keyboard('{Tab}{Tab}')],
])('opens, and closes on %s', async (_, close) => {
  const { user, button, onPress } = open();
  expect(isOpen(button)).toBe('false,false');
  await user.click(button);
  expect(isOpen(button)).toBe('true,true');
  await close(user);
  expect(isOpen(button)).toBe('false,false');
  expect(onPress).not.toHaveBeenCalled();
});

it('closes once something in it is pressed, and moves the focus away from the hidden part', async () => {
  const { user, button, onPress } = open();
  await user.click(button);
  await user.keyboard('{Tab}{Enter}');
  expect([isOpen(button), onPress.mock.calls.length]).toEqual(['false,false', 1]);
  expect(document.activeElement).toBe(button);
});
