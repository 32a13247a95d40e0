import { createFakePlantStore } from '@plant-store/client/testing';
import { cleanup, render, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { ImportPlantsView } from './import-plants-view.js';
import { ImportSession } from './session/import-session.js';
import type { WorkerListener } from './session/spawn-worker.js';
import { ImportWorker } from './worker/import-worker.js';

afterEach(cleanup);

/** The tab, whose worker runs in this thread and sends to a fake plant store. */
function open() {
  const store = createFakePlantStore({ baseUrl: location.origin });
  const onTokenRejected = vi.fn();
  const listeners: WorkerListener[] = [];
  const session = new ImportSession((listener) => {
    listeners.push(listener);
    const worker = new ImportWorker(listener.onReport, { fetch: store.fetch, retries: 0 });
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
  return { store, onTokenRejected, crash, useToken };
}

const slow = { timeout: 30_000 };
const choose = (text: string) =>
  userEvent.upload(screen.getByLabelText('File with plants'), new File([text], 'plants.csv'));
const button = (name: string | RegExp) => screen.findByRole('button', { name }, slow);
const total = (title: string) => screen.getByText(title, { selector: 'dt' }).nextElementSibling?.textContent;
const csv = 'id,name\n1,Rose\n2,Fern\nx,Ivy\n';

it('shows the faulty lines before it sends anything, then stores the others', async () => {
  const { store } = open();
  await choose(csv);
  const add = await button('Add 2 plants');
  expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Preview' }));
  expect(total('Faulty lines')).toBe('1');
  const row = screen.getByRole('rowheader', { name: '4' }).closest('tr');
  expect(within(row ?? document.body).getByText(/an id has digits only/)).toBeDefined();
  expect(store.plants.size).toBe(0);
  await userEvent.click(add);
  const heading = await screen.findByRole('heading', { name: 'Summary' }, slow);
  await waitFor(() => expect(document.activeElement).toBe(heading), slow);
  expect(total('Stored')).toBe('2');
  expect(total('Rejected')).toBe('1');
  await button('Download rejected lines');
  expect(screen.getByRole('status').textContent).toContain('Finished. 2 of 2 plants done.');
  await userEvent.click(await button('Choose another file'));
  await choose(csv);
  await userEvent.click(await button('Add 2 plants'));
  await screen.findByRole('heading', { name: 'Summary' }, slow);
  expect(total('Was there already')).toBe('2');
});

it('takes pasted lines and another choice of columns', async () => {
  open();
  await userEvent.type(screen.getByLabelText('Lines from a spreadsheet'), 'Rose;7{Enter}Fern;8');
  await userEvent.click(await button('Preview lines'));
  await button('Add 2 plants');
  await userEvent.selectOptions(screen.getByLabelText('Name column'), '');
  await waitFor(() => expect(total('Faulty lines')).toBe('2'), slow);
  expect(screen.queryByRole('button', { name: /^Add/ })).toBeNull();
});

it('shows what is wrong with a file, and takes another', async () => {
  open();
  await choose('');
  expect((await screen.findByText(/There are no lines in it/, {}, slow)).getAttribute('role')).toBe('alert');
  await choose(csv);
  await button('Add 2 plants');
});

it('asks for another token when the service rejects it, and goes on with that', async () => {
  const { store, onTokenRejected, useToken } = open();
  store.acceptTokens('another');
  await choose(csv);
  await userEvent.click(await button('Add 2 plants'));
  await waitFor(() => expect(onTokenRejected).toHaveBeenCalledTimes(1), slow);
  expect(onTokenRejected.mock.calls[0]?.[0]).toContain('The access token is not known here.');
  useToken('another');
  await userEvent.click(await button('Resume'));
  await screen.findByRole('heading', { name: 'Summary' }, slow);
  expect(total('Stored')).toBe('2');
  expect(onTokenRejected).toHaveBeenCalledTimes(1);
});

it('asks again when the service rejects the next token, too, also after one was forgotten', async () => {
  const { store, onTokenRejected, useToken } = open();
  store.acceptTokens('another');
  await choose(csv);
  await userEvent.click(await button('Add 2 plants'));
  await waitFor(() => expect(onTokenRejected).toHaveBeenCalledTimes(1), slow);
  useToken('wrong');
  await userEvent.click(await button('Resume'));
  await waitFor(() => expect(onTokenRejected).toHaveBeenCalledTimes(2), slow);
  useToken(undefined);
  useToken('wrong-too');
  await screen.findByText(/There is no token/, {}, slow);
  await userEvent.click(await button('Resume'));
  await waitFor(() => expect(onTokenRejected).toHaveBeenCalledTimes(3), slow);
});

it('keeps what was typed for an edit, and when its worker fails or cannot read it', async () => {
  const { crash } = open();
  const field = () => screen.findByRole<HTMLTextAreaElement>('textbox', {}, slow);
  await userEvent.type(await field(), '1;Rose{Enter}2;');
  await userEvent.click(await button('Preview lines'));
  await userEvent.click(await button('Edit lines'));
  expect((await field()).value).toBe('1;Rose\n2;');
  expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Many plants' }));
  await userEvent.click(await button('Preview lines'));
  await button('Edit lines');
  crash('');
  expect((await field()).value).toBe('1;Rose\n2;');
  await choose('');
  await screen.findByText(/There are no lines in it/, {}, slow);
  await userEvent.type(await field(), 'Fern');
  await userEvent.click(await button('Preview lines'));
  await userEvent.click(await button('Add 2 plants'));
  await screen.findByRole('heading', { name: 'Summary' }, slow);
  await userEvent.click(await button('Add more plants'));
  expect((await field()).value).toBe('');
});

it('reads a long paste without putting it into the field, together with what is there', async () => {
  open();
  await userEvent.type(screen.getByRole('textbox'), 'id;name{Enter}');
  const lines = Array.from({ length: 3000 }, (_, id) => `${id};Rose`);
  await userEvent.paste(lines.join('\n'));
  await button('Add 3,000 plants');
  await userEvent.click(await button('Back to the pasted lines'));
  expect(screen.queryByRole('textbox')).toBeNull();
  await userEvent.click(await button('Preview lines'));
  await button('Add 3,000 plants');
  await userEvent.click(await button('Back to the pasted lines'));
  await userEvent.click(await button('Discard these lines'));
  expect(screen.getByRole<HTMLTextAreaElement>('textbox').value).toBe('');
});

it('shows what to do when its worker cannot be loaded or fails', async () => {
  const { crash } = open();
  await choose(csv);
  await button('Add 2 plants');
  crash('');
  const alert = await screen.findByText(/could not be loaded or has run out of memory/, {}, slow);
  expect(alert.textContent).toContain('Reload the page, then choose the same file');
});

it('lets the browser ask before the page is closed while a run is not finished', async () => {
  const { store, useToken } = open();
  const close = () => !window.dispatchEvent(new Event('beforeunload', { cancelable: true }));
  await choose(csv);
  // Longer than the next lines take on a slow machine.
  store.fail({ kind: 'delay', ms: 2_000 }, { kind: 'delay', ms: 2_000 });
  const add = await button('Add 2 plants');
  expect(close()).toBe(false);
  await userEvent.click(add);
  expect(close()).toBe(true);
  useToken(undefined);
  expect(close()).toBe(true);
  useToken(store.token);
  await userEvent.click(await button('Resume'));
  await screen.findByRole('heading', { name: 'Summary' }, slow);
  expect(close()).toBe(false);
});
