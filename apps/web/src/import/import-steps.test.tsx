import { act, cleanup, createEvent, fireEvent, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { ImportPlantsView } from './import-plants-view.js';
import type { Command, Preview, Progress, Report } from './protocol.js';
import { ImportSession } from './session/import-session.js';
import type { WorkerListener } from './session/spawn-worker.js';

const saveFile = vi.hoisted(() => vi.fn());
vi.mock('../shared/save-file.js', () => ({ saveFile }));
afterEach(cleanup);

/** The tab, whose worker is the test: `commands` are what it gets, and `report` is what it sends. */
function open(onTokenRejected = vi.fn()) {
  const commands: Command[] = [];
  const listeners: WorkerListener[] = [];
  const session = new ImportSession((listener) => {
    listeners.push(listener);
    return { send: (command) => commands.push(command), end: () => undefined };
  });
  render(<ImportPlantsView session={session} token="a-token" onTokenRejected={onTokenRejected} />);
  const report = (sent: Report) => act(() => listeners.at(-1)?.onReport(sent));
  const types = () => commands.map(({ type }) => type);
  return { commands, types, report, onTokenRejected };
}

const row = { line: 2, id: '1', name: 'Rose', tag: '', problem: undefined };
const preview: Preview = {
  fileName: 'plants.csv',
  format: 'CSV',
  notes: [],
  columns: { titles: ['id', 'name'], hasHeader: true, choice: { id: 0, name: 1, tag: undefined } },
  plants: 90,
  faulty: 10,
  duplicates: 0,
  list: { filter: 'all', offset: 0, total: 100, rows: [row] },
};
const progress: Progress = {
  starts: 1,
  state: 'running',
  stop: undefined,
  resumesAt: undefined,
  stored: 1,
  replayed: 0,
  rejected: 0,
  open: 89,
  inFlight: 12,
  rate: 1,
  secondsLeft: 89,
};
const file = new File(['id,name\n1,Rose'], 'plants.csv');
const button = (name: string) => screen.getByRole('button', { name });
const buttons = () => screen.queryAllByRole('button').map(({ textContent }) => textContent);

async function openPreview() {
  const opened = open();
  await userEvent.upload(screen.getByLabelText('File with plants'), file);
  opened.report({ type: 'checked', preview });
  return opened;
}

async function openRun(source?: Partial<Preview>) {
  const opened = await openPreview();
  if (source !== undefined) opened.report({ type: 'checked', preview: { ...preview, ...source } });
  await userEvent.click(button('Add 90 plants'));
  const starts = () => opened.types().filter((type) => type === 'start' || type === 'resume').length;
  const show = (changes: Partial<Progress>) =>
    opened.report({ type: 'progress', progress: { ...progress, starts: starts(), ...changes } });
  show({});
  return { ...opened, show };
}

it('takes a dropped file, and asks for one at a time', () => {
  const { commands } = open();
  const zone = button('Choose file').parentElement ?? document.body;
  fireEvent.drop(zone, { dataTransfer: { files: [file, file], types: ['Files'] } });
  expect(screen.getByRole('alert').textContent).toBe('Drop one file at a time.');
  expect(commands).toEqual([]);
  fireEvent.drop(zone, { dataTransfer: { files: [file], types: ['Files'] } });
  expect(commands).toEqual([{ type: 'read', source: { file } }]);
});

it('keeps files from replacing the page, and lets text be dragged', () => {
  open();
  const drag = (types: string[], target: Element) => {
    const event = createEvent.dragOver(target, { dataTransfer: { types, dropEffect: 'copy', files: [] } });
    fireEvent(target, event);
    return [event.defaultPrevented, 'dataTransfer' in event && event.dataTransfer];
  };
  expect(drag(['text/plain'], document.body)[0]).toBe(false);
  expect(drag(['Files'], document.body)).toMatchObject([true, { dropEffect: 'none' }]);
  const zone = button('Choose file').parentElement ?? document.body;
  expect(drag(['text/plain'], zone)[0]).toBe(false);
  expect(drag(['Files'], zone)).toMatchObject([true, { dropEffect: 'copy' }]);
});

it('shows how far the check of another choice is, and leaves the lines alone meanwhile', async () => {
  const { types, report } = await openPreview();
  await userEvent.selectOptions(screen.getByLabelText('Tag column'), 'name');
  report({ type: 'reading', step: 'check', fraction: 0.5 });
  expect(screen.getByRole<HTMLProgressElement>('progressbar').value).toBe(0.5);
  const before = types();
  for (const name of ['Next lines', 'Download faulty lines', 'Add 90 plants']) {
    expect(button(name).getAttribute('aria-disabled')).toBe('true');
    await userEvent.click(button(name));
  }
  await userEvent.click(screen.getByLabelText('Only faulty lines'));
  expect(types()).toEqual(before);
  report({ type: 'checked', preview });
  expect(screen.queryByRole('progressbar')).toBeNull();
  await userEvent.click(button('Next lines'));
  expect(types().at(-1)).toBe('list');
});

it('writes one file at a time to download', async () => {
  const { types, report } = await openPreview();
  await userEvent.dblClick(button('Download faulty lines'));
  const downloads = () => types().filter((type) => type === 'download');
  expect(downloads()).toHaveLength(1);
  report({ type: 'download', file, fileName: 'plants-rejected.csv' });
  expect(saveFile).toHaveBeenCalledTimes(1);
  await userEvent.click(button('Download faulty lines'));
  expect(downloads()).toHaveLength(2);
});

it('can be paused while it waits, and keeps the focus when it goes on', async () => {
  const { types, show } = await openRun();
  const stop = { cause: 'overload', message: 'The service has too much to do.' } as const;
  show({ state: 'waiting', stop, resumesAt: Date.now() + 60_000 });
  expect(buttons()).toEqual(['Pause', 'Resume now', 'Cancel']);
  await userEvent.click(button('Resume now'));
  expect(types().at(-1)).toBe('resume');
  show({});
  expect(document.activeElement).toBe(button('Pause'));
  show({ state: 'waiting', stop, resumesAt: Date.now() + 60_000 });
  await userEvent.click(button('Pause'));
  expect(types().at(-1)).toBe('pause');
  show({ state: 'paused', stop });
  expect(document.activeElement).toBe(button('Resume'));
});

it('asks for a token once for each that is rejected, whatever was on its way when the run was resumed', async () => {
  const { show, onTokenRejected } = await openRun();
  const rejected = { state: 'paused', stop: { cause: 'token', message: 'It is not known here.' } } as const;
  show(rejected);
  show({ ...rejected, inFlight: 3 });
  expect(onTokenRejected).toHaveBeenCalledTimes(1);
  await userEvent.click(button('Resume'));
  show({ ...rejected, starts: 1, inFlight: 2 });
  expect(onTokenRejected).toHaveBeenCalledTimes(1);
  show(rejected);
  expect(onTokenRejected).toHaveBeenCalledTimes(2);
});

it('offers nothing while a cancelled run waits for what is in flight', async () => {
  const { show } = await openRun();
  await userEvent.click(button('Cancel'));
  show({ state: 'cancelling', inFlight: 7 });
  expect(buttons()).toEqual([]);
  expect(screen.getByText('Cancelling: 7 in flight')).toBeDefined();
  expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Cancelling' }));
  show({ state: 'ended', open: 82, inFlight: 0 });
  expect(screen.getByText('Not confirmed or not sent').nextElementSibling?.textContent).toBe('82');
});

it.each([
  ['file', {}, 'choose the same file', 'Choose another file'],
  ['pasted lines', { fileName: undefined }, 'paste the same lines', 'Edit lines'],
])('shows how a cancelled run goes on later: %s', async (_, source, again, startOver) => {
  const { show } = await openRun(source);
  expect(screen.getByText(new RegExp(`close the page: ${again} again later`))).toBeDefined();
  show({ state: 'ended', inFlight: 0 });
  const note = screen.getByText(/^The run was cancelled/).textContent;
  expect(note).toContain(
    again === 'choose the same file' ? 'Choose the same file' : 'Preview the same lines',
  );
  button(startOver);
});

it('does not claim that nothing was sent once a run has begun', async () => {
  const { show, report } = await openRun();
  show({ stored: 0 });
  report({ type: 'failed', message: 'out of memory' });
  expect(screen.getByRole('alert').textContent).toContain('What was stored stays stored.');
});
