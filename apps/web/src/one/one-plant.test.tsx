import { createFakePlantStore } from '@plant-store/client/testing';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { queryOptions } from '../query-options.js';
import { OnePlant } from './one-plant.js';

const onTokenRejected = vi.fn();
let store = createFakePlantStore();
let sent: RequestInit[] = [];

beforeEach(() => {
  store = createFakePlantStore({ baseUrl: location.origin });
  sent = [];
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
    sent.push(init);
    return store.fetch(url, init);
  });
});

afterEach(() => onTokenRejected.mockClear());

/** Shows the tab; again, as after a reload, once it was shown before. */
function open(token = store.token) {
  cleanup();
  render(
    <QueryClientProvider client={new QueryClient(queryOptions)}>
      <OnePlant token={token} onTokenRejected={onTokenRejected} />
    </QueryClientProvider>,
  );
  return userEvent.setup();
}

const field = (name: string) => screen.getByRole<HTMLInputElement>('textbox', { name });
const addButton = () => screen.getByRole('button', { name: 'Add plant' });
const listed = () => screen.queryAllByRole('listitem').map((item) => item.textContent);
const describes = (input: HTMLElement) =>
  document.getElementById(input.getAttribute('aria-describedby') ?? '')?.textContent;

async function fill(user: ReturnType<typeof open>, values: Record<string, string>) {
  for (const [name, value] of Object.entries(values)) {
    await user.clear(field(name));
    if (value !== '') await user.type(field(name), value);
  }
}

it.each(['9223372036854775807', '-9223372036854775808', '9007199254740993'])(
  'stores the id %s exactly, by keyboard alone, and lists it',
  async (id) => {
    const user = open();
    await fill(user, { Id: id, Name: 'Rose', Tag: 'shrub' });
    await user.keyboard('{Enter}');
    await screen.findByText(`Stored: Rose, id ${id}.`);
    expect([...store.plants]).toEqual([[BigInt(id), { name: 'Rose', tag: 'shrub' }]]);
    expect(listed()).toEqual([expect.stringMatching(new RegExp(`^stored.*Rose.*shrub.*Id ${id}$`))]);
    expect(document.activeElement).toBe(field('Tag'));
    expect([field('Name').value, field('Tag').value]).toEqual(['', '']);
    expect(field('Id').value).toMatch(/^\d{12}$/);
  },
);

it('suggests an id, takes another, and leaves out an empty tag', async () => {
  const user = open();
  const suggested = field('Id').value;
  expect(suggested).toMatch(/^\d{12}$/);
  await user.click(screen.getByRole('button', { name: 'Suggest another id' }));
  expect(field('Id').value).toMatch(/^\d{12}$/);
  expect(field('Id').value).not.toBe(suggested);
  await fill(user, { Name: 'Rose' });
  await user.click(addButton());
  await screen.findByText(/^Stored: Rose/);
  expect([...store.plants.values()]).toEqual([{ name: 'Rose' }]);
  expect(document.activeElement).toBe(addButton());
});

it('shows problems at their fields in the words of the contract, sends nothing, and moves the focus to the first', async () => {
  const user = open();
  await fill(user, { Id: '1.5' });
  await user.click(addButton());
  await waitFor(() => expect(document.activeElement).toBe(field('Id')));
  expect(describes(field('Id'))).toBe(
    'Id must be an integer from -9223372036854775808 to 9223372036854775807.',
  );
  expect(describes(field('Name'))).toBe('Name is required.');
  expect(['Id', 'Name', 'Tag'].map((name) => field(name).getAttribute('aria-invalid'))).toEqual([
    'true',
    'true',
    'false',
  ]);
  expect(sent).toEqual([]);
  await user.type(field('Name'), 'R');
  expect(field('Name').getAttribute('aria-invalid')).toBe('false');
  expect(field('Id').getAttribute('aria-invalid')).toBe('true');
});

it('shows a taken id at its field, and keeps what was typed', async () => {
  await store.fetch(`${location.origin}/plants`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${store.token}`, 'Content-Type': 'application/json' },
    body: '{"id":7,"name":"Fern"}',
  });
  const user = open();
  await fill(user, { Id: '7', Name: 'Rose' });
  await user.click(addButton());
  await waitFor(() => expect(document.activeElement).toBe(field('Id')));
  expect(describes(field('Id'))).toBe('This id belongs to another plant. Choose another id.');
  expect([field('Id').value, field('Name').value]).toEqual(['7', 'Rose']);
  expect(listed()).toEqual([expect.stringMatching(/^rejected/)]);
  await user.click(screen.getByRole('button', { name: 'Suggest another id' }));
  await user.click(addButton());
  await screen.findByText(/^Stored: Rose/);
});

it('says that a plant was there already', async () => {
  const user = open();
  for (const words of [/^Stored: Rose/, /^Was there already: Rose/]) {
    await fill(user, { Id: '7', Name: 'Rose' });
    await user.click(addButton());
    await screen.findByText(words);
  }
  expect(listed()).toEqual([expect.stringMatching(/^was there already/), expect.stringMatching(/^stored/)]);
});

it('says that a plant may be stored when no reply came, and adds it again safely', async () => {
  const user = open();
  store.fail({ kind: 'drop', stored: true }, { kind: 'drop' }, { kind: 'drop' });
  await fill(user, { Id: '7', Name: 'Rose' });
  await user.click(addButton());
  const alert = screen.getByRole('alert');
  await waitFor(() => expect(alert.textContent).toContain('may be stored'));
  expect(listed()).toEqual([expect.stringMatching(/^not confirmed/)]);
  expect(field('Name').value).toBe('Rose');
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  await screen.findByText(/^Was there already: Rose/);
  expect(alert.textContent).toBe('');
  expect(listed()).toEqual([expect.stringMatching(/^was there already/)]);
  expect(field('Name').value).toBe('');
});

it('sends a plant once, however often it is submitted, and shows that it takes a while', async () => {
  const user = open();
  const { fetch } = globalThis;
  let reply = () => {};
  const replied = new Promise<void>((resolve) => {
    reply = resolve;
  });
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => replied.then(() => fetch(url, init)));
  await fill(user, { Id: '7', Name: 'Rose' });
  // Twice before anything is rendered, and again while the reply is away.
  const form = addButton().closest('form');
  act(() => {
    form?.requestSubmit();
    form?.requestSubmit();
  });
  await user.dblClick(addButton());
  await user.type(field('Name'), '{Enter}');
  await waitFor(() => expect(addButton().getAttribute('aria-disabled')).toBe('true'));
  expect(listed()).toEqual([expect.stringMatching(/^adding/)]);
  await waitFor(() => expect(screen.getByRole('status').textContent).toBe('Waiting for the service…'));
  reply();
  await screen.findByText(/^Stored: Rose/, undefined);
  expect(sent.length).toBe(1);
});

it('asks for another token when the service rejects it, and keeps what was typed', async () => {
  const user = open(`pst_${'0'.repeat(49)}`);
  await fill(user, { Id: '7', Name: 'Rose' });
  await user.click(addButton());
  await waitFor(() => expect(onTokenRejected).toHaveBeenCalledTimes(1));
  expect(onTokenRejected.mock.calls).toEqual([[expect.stringMatching(/token is not known.*is kept\.$/)]]);
  expect([field('Id').value, field('Name').value]).toEqual(['7', 'Rose']);
});

it('keeps the draft and the list over a reload, and what was being sent then as not confirmed', async () => {
  const user = open();
  await fill(user, { Id: '7', Name: 'Rose' });
  await user.click(addButton());
  await screen.findByText(/^Stored: Rose/);
  store.fail({ kind: 'delay', ms: 60_000, stored: true });
  await fill(user, { Id: '8', Name: 'Fern', Tag: 'shade' });
  await user.click(addButton());
  await waitFor(() => expect(listed()[0]).toMatch(/^adding/));

  const after = open();
  expect([field('Id').value, field('Name').value, field('Tag').value]).toEqual(['8', 'Fern', 'shade']);
  expect(listed()).toEqual([
    expect.stringMatching(/^not confirmed.*may be stored/),
    expect.stringMatching(/^stored.*Rose/),
  ]);
  const [first] = screen.getAllByRole('listitem');
  if (first === undefined) throw new Error('Nothing is listed.');
  await after.click(within(first).getByRole('button', { name: 'Try again: Fern' }));
  await screen.findByText(/^(Stored|Was there already): Fern, id 8/);
});
