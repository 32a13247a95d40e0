import { createFakePlantStore } from '@plant-store/client/testing';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { beforeEach, expect, it, vi } from 'vitest';
import { renderView } from '../../test/render-view.js';
import { TagInput } from './tag-input.js';

const tags = ['shade', 'shade', 'sun', 'moss shade', 'Bed'];
const plants = tags.map((tag, id) => ({ id, name: `plant ${id}`, tag }));
const store = createFakePlantStore({ baseUrl: location.origin, plants });
const onSubmit = vi.fn<(tag: string) => void>();

beforeEach(() => {
  vi.stubGlobal('fetch', store.fetch);
  onSubmit.mockClear();
});

function View() {
  const [tag, setTag] = useState('sun');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit(tag);
      }}
    >
      <TagInput aria-label="Tag" value={tag} onChange={({ target }) => setTag(target.value)} />
    </form>
  );
}

const field = () => screen.getByRole<HTMLInputElement>('combobox', { name: 'Tag' });
const options = () => screen.queryAllByRole('option').map(({ textContent }) => textContent?.trim());
/** The option that Enter would take. */
const active = () =>
  document.getElementById(field().getAttribute('aria-activedescendant') ?? '')?.textContent;

/** Shows the field, and opens its list with a press. */
async function open() {
  const user = renderView(<View />, store.token);
  await user.click(field());
  await waitFor(() => expect(options()).toHaveLength(5));
  return user;
}

it('suggests the tags of the store: first those that begin with the typed text, and those with the most plants', async () => {
  const user = await open();
  expect(options()).toEqual([
    'shade 2',
    expect.any(String),
    expect.any(String),
    expect.any(String),
    'No tag',
  ]);
  expect([field().ariaExpanded ?? field().getAttribute('aria-expanded'), active()]).toEqual([
    'true',
    undefined,
  ]);
  await user.clear(field());
  await user.keyboard('SH');
  expect(options()).toEqual(['shade 2', 'moss shade 1', 'New tag “SH”', 'No tag']);
  await user.click(screen.getByRole('option', { name: 'moss shade 1' }));
  expect([field().value, options(), document.activeElement]).toEqual(['moss shade', [], field()]);
  expect(onSubmit).not.toHaveBeenCalled();
});

it('takes the option chosen with the keyboard, and otherwise leaves Enter to the form', async () => {
  const user = await open();
  await user.clear(field());
  await user.keyboard('sha{ArrowDown}{ArrowDown}{ArrowUp}');
  expect(active()?.trim()).toBe('shade 2');
  expect(screen.getByRole('option', { selected: true }).id).toBe(
    field().getAttribute('aria-activedescendant'),
  );
  await user.keyboard('{Enter}');
  expect([field().value, options(), onSubmit.mock.calls]).toEqual(['shade', [], []]);
  await user.keyboard('{Enter}');
  expect(onSubmit.mock.calls).toEqual([['shade']]);
});

it('offers the typed text as a new tag, unless it exists, and no tag', async () => {
  const user = await open();
  await user.clear(field());
  await user.keyboard('bed');
  // Tags are case-sensitive.
  expect(options()).toEqual(['Bed 1', 'New tag “bed”', 'No tag']);
  await user.click(screen.getByRole('option', { name: 'New tag “bed”' }));
  expect(field().value).toBe('bed');
  await user.clear(field());
  await user.keyboard('Bed');
  expect(options()).toEqual(['Bed 1', 'No tag']);
  await user.click(screen.getByRole('option', { name: 'No tag' }));
  expect(field().value).toBe('');
});

it('closes on Escape and when it loses the focus, and keeps what was typed', async () => {
  const user = await open();
  await user.keyboard('ny{ArrowDown}{Escape}');
  expect([field().value, options()]).toEqual(['sunny', []]);
  await user.keyboard('{ArrowDown}');
  expect(options()).not.toEqual([]);
  await user.tab();
  expect([field().value, options()]).toEqual(['sunny', []]);
});

it('accepts nothing while an input method composes text', async () => {
  await open();
  fireEvent.change(field(), { target: { value: 'むろ' } });
  fireEvent.keyDown(field(), { key: 'ArrowDown' });
  fireEvent.keyDown(field(), { key: 'Enter', isComposing: true });
  expect(options()).toEqual(['New tag “むろ”', 'No tag']);
  fireEvent.keyDown(field(), { key: 'Enter' });
  expect([field().value, options()]).toEqual(['むろ', []]);
});
