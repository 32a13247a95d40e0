import { errors } from '@plant-store/client';
import { cleanup, screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { addButton, field, fill, listed, open, storeFern, tab } from '../../test/open-add-sheet.js';

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

/** The next request is answered with this error of the registry. */
function failWith(name: keyof typeof errors) {
  const { status, error, example: message } = errors[name];
  const headers = { 'Content-Type': 'application/json', 'Retry-After': '0' };
  tab.store.fail({ kind: 'status', status, headers, body: JSON.stringify({ error, message }) });
}

it.each([
  ['not added yet', ['overloaded', 'rate_limited', 'shutting_down']],
  ['not added yet', ['database_damaged', 'identity_provider_unavailable', 'overloaded']],
  ['not confirmed', ['overloaded', 'database_unavailable', 'overloaded']],
  ['not confirmed', ['internal_error', 'overloaded', 'overloaded']],
] as const)(
  'lists a plant as "%s" after the replies %j, and offers to add it again',
  async (state, names) => {
    const user = open();
    for (const name of names) failWith(name);
    await fill(user, { Id: '7', Name: 'Rose' });
    await user.click(addButton());
    await user.click(await screen.findByRole('button', { name: 'Try again' }));
    await screen.findByText(/^Stored: Rose/);
    expect(tab.sent.length).toBe(names.length + 1);

    for (const name of names) failWith(name);
    await fill(user, { Id: '8', Name: 'Fern' });
    await user.click(addButton());
    await screen.findByRole('button', { name: 'Try again' });
    expect(listed()[0]).toMatch(new RegExp(`^${state}.*Fern.*Id 8.*\\.$`));
  },
);

it('lists a plant as not confirmed if an attempt before the last had no reply', async () => {
  const user = open();
  tab.store.fail({ kind: 'drop', stored: true });
  failWith('rate_limited');
  failWith('rate_limited');
  await fill(user, { Id: '7', Name: 'Rose' });
  await user.click(addButton());
  await screen.findByRole('button', { name: 'Try again' });
  expect(listed()).toEqual([expect.stringMatching(/^not confirmed/)]);
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

it('stops what is in flight when the token is forgotten, and lists it as not confirmed', async () => {
  const user = open();
  tab.store.fail({ kind: 'delay', ms: 60_000, stored: true });
  await fill(user, { Id: '7', Name: 'Rose' });
  await user.click(addButton());
  await waitFor(() => expect(tab.sent.length).toBe(1));
  expect(tab.sent[0]?.signal?.aborted).toBe(false);
  cleanup();
  expect(tab.sent[0]?.signal?.aborted).toBe(true);
  open();
  expect(listed()).toEqual([expect.stringMatching(/^not confirmed.*interrupted.*may be stored/)]);
  expect(tab.onTokenRejected).not.toHaveBeenCalled();
});

it('asks for another token when the service rejects it, and keeps what was typed', async () => {
  const user = open(`pst_${'0'.repeat(49)}`);
  await fill(user, { Id: '7', Name: 'Rose' });
  await user.click(addButton());
  await waitFor(() => expect(tab.onTokenRejected).toHaveBeenCalledTimes(1));
  expect(tab.onTokenRejected.mock.calls).toEqual([[expect.stringMatching(/token is not known.*is kept\.$/)]]);
  expect([field('Id').value, field('Name').value]).toEqual(['7', 'Rose']);
  expect(listed()).toEqual([expect.stringMatching(/^not added yet.*Rose.*token is not known.*Try again/)]);
});
