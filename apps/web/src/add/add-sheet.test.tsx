import { createClient, errors } from '@plant-store/client';
import { errorTexts } from '@plant-store/contract/error-texts';
import { act, cleanup, screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { add, addButton, expectList, field, fill, hold, open, tab } from '../../test/open-add-sheet.js';
import { describes } from '../../test/render-view.js';

/** Stores plant 7, Fern, without the page. */
const storeFern = () => createClient(tab.store).createPlant({ body: { id: 7, name: 'Fern' } });

it('suggests an id, accepts another one, adds by Enter, and keeps the tag for the next plant', async () => {
  const user = open();
  expect(document.activeElement).toBe(field('Name'));
  const suggested = screen.getByText(/^\d{12}$/).textContent;
  await user.click(screen.getByRole('button', { name: 'Change the ID' }));
  expect([document.activeElement, field('ID').value]).toEqual([field('ID'), suggested]);
  await user.click(screen.getByRole('button', { name: 'Suggest another ID' }));
  expect(field('ID').value).toMatch(/^[1-9]\d{11}$/);
  expect(field('ID').value).not.toBe(suggested);
  await fill(user, { Name: 'Rose', Tag: 'shrub' });
  await user.keyboard('{Enter}');
  const announced = await screen.findByText(/^Stored: Rose, ID [1-9]\d{11}\.$/);
  expect(announced.closest('.visually-hidden')).not.toBeNull();
  expectList(/^stored.*Rose.*shrub.*ID [1-9]\d{11}$/);
  expect([...tab.store.plants.values()]).toEqual([{ name: 'Rose', tag: 'shrub' }]);
  expect([document.activeElement, addButton().textContent]).toEqual([field('Name'), 'Add']);
  expect([field('Name').value, field('Tag').value]).toEqual(['', 'shrub']);
  await user.click(addButton());
  await waitFor(() => expect(describes(field('Name'))).toBe('Name is required.'));
  expect(screen.queryByText(/^Stored: Rose/)).toBeNull();
});

it('shows at each field how to fix its problem, sends nothing, and moves the focus to the first', async () => {
  const user = open();
  await add(user, { ID: '1.5' });
  await waitFor(() => expect(document.activeElement).toBe(field('Name')));
  expect(describes(field('ID'))).toBe('ID must be a whole number, such as 42 or -7.');
  expect(describes(field('Name'))).toBe('Name is required.');
  const invalid = () =>
    ['ID', 'Name', 'Tag'].filter((name) => field(name).getAttribute('aria-invalid') === 'true');
  expect(invalid()).toEqual(['ID', 'Name']);
  expect(tab.sent).toEqual([]);
  await user.type(field('Name'), 'R');
  expect(invalid()).toEqual(['ID']);
});

it('shows a taken id at its field and the plant that has it, and keeps what was typed', async () => {
  await storeFern();
  const user = open();
  await add(user, { ID: '7', Name: 'Rose' });
  await waitFor(() => expect(document.activeElement).toBe(field('ID')));
  expect(describes(field('ID'))).toBe('Another plant has this ID. Choose another ID.');
  expect([field('ID').value, field('Name').value]).toEqual(['7', 'Rose']);
  expectList(/^rejected/);
  await user.click(await screen.findByRole('button', { name: 'Open it' }));
  expect(location.pathname).toBe('/p/7');
  expect(screen.getByText(/^Plant with ID/).closest('p')?.textContent).toBe('Plant with ID 7: Fern');
  await user.click(screen.getByRole('button', { name: 'Use an available ID' }));
  expect(document.activeElement).toBe(addButton());
  expect(screen.queryByText(/^Plant with ID/)).toBeNull();
  await user.click(addButton());
  await screen.findByText(/^Stored: Rose/);
});

it('announces a problem of the field that has the focus already', async () => {
  const user = open();
  await fill(user, { ID: '1.5', Name: 'Rose' });
  await user.type(field('ID'), '{Enter}');
  await waitFor(() => expect(field('ID').getAttribute('aria-invalid')).toBe('true'));
  expect(document.activeElement).toBe(field('ID'));
  const alerts = screen.getAllByRole('alert').map(({ textContent }) => textContent);
  expect(alerts).toContain(describes(field('ID')));
});

it('sends a plant once even if it is submitted again, and shows that it takes a while', async () => {
  const user = open();
  const reply = hold();
  await fill(user, { ID: '7', Name: 'Rose' });
  // Twice before anything is rendered, and again while the request is in flight.
  const form = addButton().closest('form');
  act(() => {
    form?.requestSubmit();
    form?.requestSubmit();
  });
  await user.dblClick(addButton());
  await user.type(field('Name'), '{Enter}');
  await waitFor(() => expect(addButton().getAttribute('aria-disabled')).toBe('true'));
  expectList(/^adding/);
  await waitFor(() => expect(screen.getByRole('status').textContent).toBe('Waiting for the server…'));
  reply();
  await screen.findByText(/^Stored: Rose/);
  expect(tab.sent.length).toBe(1);
});

it('keeps the draft and the list over a reload, and lists a plant that was being sent as not confirmed', async () => {
  const user = open();
  await add(user, { ID: '7', Name: 'Rose' });
  await screen.findByText(/^Stored: Rose/);
  tab.store.fail({ operation: 'createPlant', kind: 'delay', ms: 60_000, stored: true });
  await add(user, { ID: '8', Name: 'Fern', Tag: 'shade' });
  await waitFor(() => expectList(/^adding/, /^stored/));
  cleanup();
  expect(tab.sent.map(({ signal }) => signal?.aborted)).toEqual([false, true]);

  const after = open();
  expect([field('ID').value, field('Name').value, field('Tag').value]).toEqual(['8', 'Fern', 'shade']);
  expectList(/^not confirmed.*interrupted.*may already be saved/, /^stored.*Rose/);
  await after.click(screen.getByRole('button', { name: 'Try again: Fern' }));
  await screen.findByText(/^(Stored|Already stored): Fern, ID 8/);
  expect(document.activeElement).toBe(field('Name'));
});

/** The next request has no reply although the plant is stored, or gets this error of the registry. */
function failWith(name: keyof typeof errors | 'no reply') {
  if (name === 'no reply') return tab.store.fail({ operation: 'createPlant', kind: 'drop', stored: true });
  const { status, error } = errors[name];
  const { example: message } = errorTexts[name];
  const headers = { 'Content-Type': 'application/json', 'Retry-After': '0' };
  tab.store.fail({
    operation: 'createPlant',
    kind: 'status',
    status,
    headers,
    body: JSON.stringify({ error, message }),
  });
}

it.each<[state: string, result: string, failures: readonly Parameters<typeof failWith>[0][]]>([
  ['not added yet', 'Stored', ['overloaded', 'rate_limited', 'shutting_down']],
  ['not added yet', 'Stored', ['database_damaged', 'identity_provider_unavailable', 'overloaded']],
  ['not confirmed', 'Stored', ['overloaded', 'database_unavailable', 'overloaded']],
  ['not confirmed', 'Stored', ['internal_error', 'overloaded', 'overloaded']],
  ['not confirmed', 'Already stored', ['no reply', 'rate_limited', 'rate_limited']],
  ['not confirmed', 'Already stored', ['no reply', 'no reply', 'no reply']],
])('lists a plant as "%s", and then as "%s", after %j', async (state, result, names) => {
  const user = open();
  for (const name of names) failWith(name);
  await add(user, { ID: '7', Name: 'Rose' });
  const retry = await screen.findByRole('button', { name: 'Try again' });
  const alert = screen.getByRole('alert');
  expect(alert.textContent?.includes('may have been saved')).toBe(names.at(-1) === 'no reply');
  expectList(new RegExp(`^${state}.*Rose.*ID 7.*\\.$`));
  expect(field('Name').value).toBe('Rose');
  await user.click(retry);
  await screen.findByText(new RegExp(`^${result}: Rose`));
  expectList(new RegExp(`^${result}`, 'i'));
  expect([alert.textContent, field('Name').value, document.activeElement]).toEqual(['', '', field('Name')]);
  expect(tab.sent.length).toBe(names.length + 1);
});

it('never reuses the id of an unconfirmed plant', async () => {
  const user = open();
  for (let attempt = 0; attempt < 3; attempt++) failWith('no reply');
  await add(user, { ID: '7', Name: 'Rose' });
  await screen.findByRole('button', { name: 'Try again' });
  await add(user, { Name: 'Oak' });
  await screen.findByText(/^Stored: Oak, ID \d{12}\.$/);
  expectList(/^stored.*Oak/, /^not confirmed.*Rose.*ID 7/);
});

it('does not show a taken id at a field with another id, names the plant, and keeps the reason in the list', async () => {
  const user = open();
  for (let attempt = 0; attempt < 3; attempt++) failWith('overloaded');
  await add(user, { ID: '7', Name: 'Rose' });
  const retry = await screen.findByRole('button', { name: 'Try again' });
  await storeFern();
  await fill(user, { ID: '8', Name: 'Oak' });
  await user.click(retry);
  await screen.findByText('Rose, ID 7: Another plant has this ID. Choose another ID.');
  expect(field('ID').getAttribute('aria-invalid')).toBe('false');
  expect(document.activeElement).toBe(addButton());
  await user.click(addButton());
  await screen.findByText('Stored: Oak, ID 8.');
  expectList(/^stored.*Oak/, /^rejected.*Rose.*Another plant has this ID\. Choose another ID\.$/);
});
