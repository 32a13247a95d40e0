import { createClient } from '@plant-store/client';
import { createFakePlantStore } from '@plant-store/client/testing';
import { cleanup, render, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { ImportPlantsView } from './import-plants-view.js';
import { ImportSession } from './session/import-session.js';
import type { WorkerListener } from './session/spawn-worker.js';
import { ImportWorker } from './worker/import-worker.js';

afterEach(cleanup);

/** The view, whose worker runs in this thread and sends to a fake plant store. */
function open() {
  const store = createFakePlantStore({ baseUrl: location.origin });
  const fetch = vi.fn(store.fetch);
  const onTokenRejected = vi.fn();
  const listeners: WorkerListener[] = [];
  const session = new ImportSession((listener) => {
    listeners.push(listener);
    const worker = new ImportWorker(listener.onReport, { fetch, retries: 0 });
    return { send: (command) => void worker.handle(command), end: () => undefined };
  });
  const view = (token: string | undefined) =>
    token !== undefined && (
      <ImportPlantsView session={session} token={token} onTokenRejected={onTokenRejected} />
    );
  const rendered = render(view(store.token));
  const crash = (message: string) => listeners.at(-1)?.onCrash(message);
  /** `undefined` forgets it. */
  const useToken = (token: string | undefined) => rendered.rerender(view(token));
  return { store, fetch, onTokenRejected, crash, useToken };
}

const slow = { timeout: 30_000 };
const choose = (text: string) =>
  userEvent.upload(screen.getByLabelText('File with plants'), new File([text], 'plants.csv'));
const button = (name: string | RegExp) => screen.findByRole('button', { name }, slow);
const heading = (name: string | RegExp) => screen.findByRole('heading', { name, level: 2 }, slow);
const press = async (name: string | RegExp) => userEvent.click(await button(name));
const total = (title: string) => screen.getByText(title, { selector: 'dt' }).nextElementSibling?.textContent;
const csv = 'id,name\n1,Rose\n2,Fern\nx,Ivy\n';

/** Chooses a file, and goes on to the review of its lines with the columns that were recognized. */
async function review(text: string) {
  await choose(text);
  await press('Review lines');
  await heading('Review');
}

it('shows the lines with a problem before it sends anything, then stores the others', async () => {
  const { store } = open();
  await choose(csv);
  expect(document.activeElement).toBe(await heading('Columns'));
  expect(screen.getByText('Columns', { selector: 'li' }).getAttribute('aria-current')).toBe('step');
  await press('Review lines');
  expect(document.activeElement).toBe(await heading('Review'));
  expect((await button('Problems (1)')).getAttribute('aria-pressed')).toBe('true');
  const line = screen.getByRole('form', { name: 'Line 4' });
  expect(within(line).getByText(/an id has digits only/)).toBeDefined();
  expect(screen.getByRole('status').textContent).toBe('2 plants ready, 1 line with a problem.');
  expect(store.plants.size).toBe(0);
  await press('Add 2 plants');
  const outcome = await heading('2 plants added from plants.csv.');
  await waitFor(() => expect(document.activeElement).toBe(outcome), slow);
  expect(total('Skipped')).toBe('1');
  expect(screen.getByRole('link', { name: 'View them' }).getAttribute('href')).toBe('/');
  await button('Download 1 line');
  expect(screen.getByRole('status').textContent).toContain('Finished. 2 of 2 plants done.');
  await press('Import another file');
  await review(csv);
  await press('Add 2 plants');
  await heading('0 plants added from plants.csv. 2 were there already.');
});

it('corrects a problem in place, and sends only that after the others', async () => {
  const { store, fetch } = open();
  await createClient(store).createPlant({ body: { id: 2, name: 'Oak' } });
  await review(`${csv}y,Ash\n`);
  await press('Add 2 plants');
  await heading('1 plant added from plants.csv.');
  expect(total('Rejected')).toBe('1');
  await press('Correct 3 lines');
  const line = await screen.findByRole('form', { name: 'Line 3' }, slow);
  expect(within(line).getByText(/The id 2 belongs to another plant/)).toBeDefined();
  const id = within(line).getByLabelText<HTMLInputElement>('Id');
  expect(id.getAttribute('aria-invalid')).toBe('true');
  expect(within(line).getByLabelText('Name').getAttribute('aria-invalid')).toBe('false');
  await userEvent.clear(id);
  await userEvent.type(id, '1{Enter}');
  await within(line).findByText(/line 2 has another plant under the id 1/, {}, slow);
  await userEvent.type(id, '2{Enter}');
  await button('Add 1 plant');
  expect(screen.queryByRole('form', { name: 'Line 3' })).toBeNull();
  const next = screen.getByRole('form', { name: 'Line 4' });
  await waitFor(() => expect(document.activeElement).toBe(within(next).getByLabelText('Id')), slow);
  expect(screen.getByRole('status').textContent).toBe('Line 3 is ready.');
  fetch.mockClear();
  await press('Add 1 plant');
  await heading('2 plants added from plants.csv.');
  expect(fetch).toHaveBeenCalledTimes(1);
  expect(store.plants.get(12n)).toEqual({ name: 'Fern' });
});

it('shows each column of a file, and loses none silently', async () => {
  open();
  await choose('Nummer;Bezeichnung;Preis;Art\n1;Rose;5;Strauch\n2;Fern;6;Farn');
  const select = (title: string) => screen.findByLabelText<HTMLSelectElement>(`${title} Import as`, {}, slow);
  const chosen = async () => {
    const titles = ['Nummer', 'Bezeichnung', 'Preis', 'Art'];
    const selects = await Promise.all(titles.map(select));
    return selects.map(({ selectedOptions }) => selectedOptions[0]?.textContent);
  };
  expect(await chosen()).toEqual(['Id', 'Name', 'Not imported', 'Tag']);
  const samples = screen.getByRole('list', { name: 'Samples of Art' });
  expect(
    within(samples)
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent),
  ).toEqual(['Strauch', 'Farn']);
  await userEvent.selectOptions(await select('Preis'), 'Id');
  expect(await chosen()).toEqual(['Not imported', 'Name', 'Id', 'Tag']);
  await userEvent.selectOptions(await select('Bezeichnung'), '');
  expect((await button('Review lines')).getAttribute('aria-disabled')).toBe('true');
  expect(screen.getByText('Choose which column is the name.')).toBeDefined();
  await userEvent.selectOptions(await select('Bezeichnung'), 'Name');
  await userEvent.click(screen.getByLabelText('First line has titles'));
  expect(await screen.findByRole('heading', { name: 'Column 1' }, slow)).toBeDefined();
});

it('makes ids where there are none, and explains it', async () => {
  const { store } = open();
  await choose('name\nRose\nFern\n');
  expect((await screen.findByText('Generate ids:', {}, slow)).parentElement?.textContent).toContain(
    'Importing the same file again stores nothing twice',
  );
  await press('Review lines');
  await press('Add 2 plants');
  await heading('2 plants added from plants.csv.');
  expect([...store.plants.keys()].every((id) => id > 0n && id < 2n ** 53n)).toBe(true);
  await press('Import another file');
  await review('name\nRose\nFern\n');
  await press('Add 2 plants');
  await heading('0 plants added from plants.csv. 2 were there already.');
});

it('shows what is wrong with a file, and takes another', async () => {
  open();
  await choose('');
  expect((await screen.findByText(/There are no lines in it/, {}, slow)).getAttribute('role')).toBe('alert');
  await review(csv);
});

it('asks for another token when the service rejects it, and goes on with that by itself', async () => {
  const { store, onTokenRejected, useToken } = open();
  store.acceptTokens('another');
  await review(csv);
  await press('Add 2 plants');
  await waitFor(() => expect(onTokenRejected).toHaveBeenCalledTimes(1), slow);
  expect(onTokenRejected.mock.calls[0]?.[0]).toContain('The access token is not known here.');
  useToken('wrong');
  await waitFor(() => expect(onTokenRejected).toHaveBeenCalledTimes(2), slow);
  useToken('another');
  await heading('2 plants added from plants.csv.');
  expect(onTokenRejected).toHaveBeenCalledTimes(2);
});

it('waits while the token is forgotten, and goes on with the next one', async () => {
  const { store, fetch, onTokenRejected, useToken } = open();
  store.fail({ kind: 'delay', ms: 600_000 });
  await review(csv);
  await press('Add 2 plants');
  await waitFor(() => expect(fetch).toHaveBeenCalled(), slow);
  useToken(undefined);
  useToken(store.token);
  await heading('2 plants added from plants.csv.');
  expect(onTokenRejected).not.toHaveBeenCalled();
});

it('can be cancelled, and continued', async () => {
  const { store, fetch } = open();
  store.fail({ kind: 'delay', ms: 600_000 });
  await review(csv);
  await press('Add 2 plants');
  await waitFor(() => expect(fetch).toHaveBeenCalled(), slow);
  await press('Cancel');
  await heading('Cancelled');
  expect(total('Left')).toBe('2');
  await press('Continue');
  await heading('2 plants added from plants.csv.');
});

it('keeps what was typed for an edit, and when its worker fails or cannot read it', async () => {
  const { crash } = open();
  const field = () => screen.findByRole<HTMLTextAreaElement>('textbox', { name: /Lines from/ }, slow);
  await userEvent.type(await field(), '1;Rose{Enter}2;');
  await press('Read lines');
  await press('Back to source');
  expect((await field()).value).toBe('1;Rose\n2;');
  expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Import' }));
  await press('Read lines');
  await button('Review lines');
  crash('');
  expect((await field()).value).toBe('1;Rose\n2;');
  await choose('');
  await screen.findByText(/There are no lines in it/, {}, slow);
  await userEvent.type(await field(), 'Fern');
  await press('Read lines');
  await press('Review lines');
  await press('Back to columns');
  await press('Review lines');
  await press('Add 2 plants');
  await heading('2 plants added from the pasted lines.');
  await press('Back to source');
  expect((await field()).value).toBe('');
});

it('reads a long paste without putting it into the field, together with what is there', async () => {
  open();
  await userEvent.type(screen.getByRole('textbox'), 'id;name{Enter}');
  const lines = Array.from({ length: 3000 }, (_, id) => `${id};Rose`);
  await userEvent.paste(lines.join('\n'));
  await press('Review lines');
  await button('Add 3,000 plants');
  await press('Back to columns');
  await press('Back to source');
  expect(screen.queryByRole('textbox')).toBeNull();
  await press('Read lines');
  await button('Review lines');
  await press('Back to source');
  await press('Discard these lines');
  expect(screen.getByRole<HTMLTextAreaElement>('textbox').value).toBe('');
});

it('shows what to do when its worker cannot be loaded or fails', async () => {
  const { crash } = open();
  await review(csv);
  crash('');
  const alert = await screen.findByText(/could not be loaded or has run out of memory/, {}, slow);
  expect(alert.textContent).toContain('Nothing was sent. Reload the page, then choose the same file');
});

it('lets the browser ask before the page is closed while a run is not finished', async () => {
  const { store, fetch, useToken } = open();
  const close = () => !window.dispatchEvent(new Event('beforeunload', { cancelable: true }));
  await review(csv);
  store.fail({ kind: 'delay', ms: 600_000 });
  expect(close()).toBe(false);
  await press('Add 2 plants');
  expect(close()).toBe(true);
  await waitFor(() => expect(fetch).toHaveBeenCalled(), slow);
  useToken(undefined);
  expect(close()).toBe(true);
  useToken(store.token);
  await heading('2 plants added from plants.csv.');
  expect(close()).toBe(false);
});
