import { errors } from '@plant-store/client';
import { act, cleanup, screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import {
  addButton,
  field,
  fill,
  holdReplies,
  listed,
  open,
  storeFern,
  tab,
} from '../../test/open-add-sheet.js';
import { describes } from '../../test/render-view.js';

it.each(['9223372036854775807', '-9223372036854775808'])(
  'stores the id %s exactly, by Enter, and lists it',
  async (id) => {
    const user = open();
    await fill(user, { Id: id, Name: 'Rose', Tag: 'shrub' });
    await user.keyboard('{Enter}');
    await screen.findByText(`Stored: Rose, id ${id}.`);
    expect([...tab.store.plants]).toEqual([[BigInt(id), { name: 'Rose', tag: 'shrub' }]]);
    expect(listed()).toEqual([expect.stringMatching(new RegExp(`^stored.*Rose.*shrub.*Id ${id}$`))]);
    expect(document.activeElement).toBe(field('Name'));
    expect([field('Name').value, field('Tag').value]).toEqual(['', '']);
    expect(field('Id').value).toMatch(/^\d{12}$/);
  },
);

it('suggests an id, takes another, leaves out an empty tag, and shows nothing of that plant with the next one', async () => {
  const user = open();
  expect(document.activeElement).toBe(field('Name'));
  const suggested = screen.getByText(/^\d{12}$/).textContent;
  await user.click(screen.getByRole('button', { name: 'Change the id' }));
  expect([document.activeElement, field('Id').value]).toEqual([field('Id'), suggested]);
  await user.click(screen.getByRole('button', { name: 'Suggest another id' }));
  expect(field('Id').value).toMatch(/^[1-9]\d{11}$/);
  expect(field('Id').value).not.toBe(suggested);
  await fill(user, { Name: 'Rose' });
  await user.click(addButton());
  await screen.findByText(/^Stored: Rose/);
  expect([...tab.store.plants.values()]).toEqual([{ name: 'Rose' }]);
  expect([document.activeElement, addButton().textContent]).toEqual([field('Name'), 'Add another']);
  await user.click(addButton());
  await waitFor(() => expect(describes(field('Name'))).toBe('Name is required.'));
  expect(screen.queryByText(/^Stored: Rose/)).toBeNull();
});

it('shows problems at their fields in the words of the contract, sends nothing, and moves the focus to the first', async () => {
  const user = open();
  await fill(user, { Id: '1.5' });
  await user.click(addButton());
  await waitFor(() => expect(document.activeElement).toBe(field('Name')));
  expect(describes(field('Id'))).toBe(
    'Id must be an integer from -9223372036854775808 to 9223372036854775807.',
  );
  expect(describes(field('Name'))).toBe('Name is required.');
  expect(['Id', 'Name', 'Tag'].map((name) => field(name).getAttribute('aria-invalid'))).toEqual([
    'true',
    'true',
    'false',
  ]);
  expect(tab.sent).toEqual([]);
  await user.type(field('Name'), 'R');
  expect(field('Name').getAttribute('aria-invalid')).toBe('false');
  expect(field('Id').getAttribute('aria-invalid')).toBe('true');
});

it('shows a taken id at its field, the plant that has it, and keeps what was typed', async () => {
  await storeFern();
  const user = open();
  await fill(user, { Id: '7', Name: 'Rose' });
  await user.click(addButton());
  await waitFor(() => expect(document.activeElement).toBe(field('Id')));
  expect(describes(field('Id'))).toBe('This id belongs to another plant. Choose another id.');
  expect([field('Id').value, field('Name').value]).toEqual(['7', 'Rose']);
  expect(listed()).toEqual([expect.stringMatching(/^rejected/)]);
  await user.click(await screen.findByRole('button', { name: 'Open it' }));
  expect(location.pathname).toBe('/p/7');
  expect(screen.getByText(/^The plant with the id/).textContent).toBe('The plant with the id 7: Fern');
  await user.click(screen.getByRole('button', { name: 'Use a free id' }));
  expect(document.activeElement).toBe(addButton());
  expect(screen.queryByText(/^The plant with the id/)).toBeNull();
  await user.click(addButton());
  await screen.findByText(/^Stored: Rose/);
});

it('announces a problem of the field that has the focus already', async () => {
  const user = open();
  await fill(user, { Id: '1.5', Name: 'Rose' });
  await user.type(field('Id'), '{Enter}');
  await waitFor(() => expect(field('Id').getAttribute('aria-invalid')).toBe('true'));
  expect(document.activeElement).toBe(field('Id'));
  const alerts = screen.getAllByRole('alert').map(({ textContent }) => textContent);
  expect(alerts).toContain(describes(field('Id')));
});

it('sends a plant once, however often it is submitted, and shows that it takes a while', async () => {
  const user = open();
  const reply = holdReplies();
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
  expect(tab.sent.length).toBe(1);
});

it('keeps the draft and the list over a reload, which stops what is being sent, and lists that as not confirmed', async () => {
  const user = open();
  await fill(user, { Id: '7', Name: 'Rose' });
  await user.click(addButton());
  await screen.findByText(/^Stored: Rose/);
  tab.store.fail({ kind: 'delay', ms: 60_000, stored: true });
  await fill(user, { Id: '8', Name: 'Fern', Tag: 'shade' });
  await user.click(addButton());
  await waitFor(() => expect(listed()[0]).toMatch(/^adding/));
  cleanup();
  expect(tab.sent.map(({ signal }) => signal?.aborted)).toEqual([false, true]);

  const after = open();
  expect([field('Id').value, field('Name').value, field('Tag').value]).toEqual(['8', 'Fern', 'shade']);
  expect(listed()).toEqual([
    expect.stringMatching(/^not confirmed.*interrupted.*may be stored/),
    expect.stringMatching(/^stored.*Rose/),
  ]);
  const [first] = screen.getAllByRole('listitem');
  if (first === undefined) throw new Error('Nothing is listed.');
  await after.click(within(first).getByRole('button', { name: 'Try again: Fern' }));
  await screen.findByText(/^(Stored|Was there already): Fern, id 8/);
  expect(document.activeElement).toBe(field('Name'));
});

it('shows that a plant may be stored when no reply came, and adds it again safely', async () => {
  const user = open();
  tab.store.fail({ kind: 'drop', stored: true }, { kind: 'drop' }, { kind: 'drop' });
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
  expect(document.activeElement).toBe(field('Name'));
});

/** The next request has no reply though the plant is stored, or is answered with this error of the registry. */
function failWith(name: keyof typeof errors | 'no reply') {
  if (name === 'no reply') return tab.store.fail({ kind: 'drop', stored: true });
  const { status, error, example: message } = errors[name];
  const headers = { 'Content-Type': 'application/json', 'Retry-After': '0' };
  tab.store.fail({ kind: 'status', status, headers, body: JSON.stringify({ error, message }) });
}

it.each([
  ['not added yet', ['overloaded', 'rate_limited', 'shutting_down']],
  ['not added yet', ['database_damaged', 'identity_provider_unavailable', 'overloaded']],
  ['not confirmed', ['overloaded', 'database_unavailable', 'overloaded']],
  ['not confirmed', ['internal_error', 'overloaded', 'overloaded']],
  ['not confirmed', ['no reply', 'rate_limited', 'rate_limited']],
] as const)('lists a plant as "%s" after %j, and offers to add it again', async (state, names) => {
  const user = open();
  for (const name of names) failWith(name);
  await fill(user, { Id: '7', Name: 'Rose' });
  await user.click(addButton());
  const retry = await screen.findByRole('button', { name: 'Try again' });
  expect(listed()).toEqual([expect.stringMatching(new RegExp(`^${state}.*Rose.*Id 7.*\\.$`))]);
  await user.click(retry);
  await screen.findByText(/^(Stored|Was there already): Rose/);
  expect(tab.sent.length).toBe(names.length + 1);
});

it('shows a taken id at no field that holds another one, names the plant, and keeps its reason listed', async () => {
  const user = open();
  for (let attempt = 0; attempt < 3; attempt++) failWith('overloaded');
  await fill(user, { Id: '7', Name: 'Rose' });
  await user.click(addButton());
  const retry = await screen.findByRole('button', { name: 'Try again' });
  await storeFern();
  await fill(user, { Id: '8', Name: 'Oak' });
  await user.click(retry);
  await screen.findByText('Rose, id 7: This id belongs to another plant. Choose another id.');
  expect(field('Id').getAttribute('aria-invalid')).toBe('false');
  expect(document.activeElement).toBe(addButton());
  await user.click(addButton());
  await screen.findByText('Stored: Oak, id 8.');
  expect(listed()).toEqual([
    expect.stringMatching(/^stored.*Oak/),
    expect.stringMatching(/^rejected.*Rose.*This id belongs to another plant\. Choose another id\.$/),
  ]);
});
