import { act, createEvent, fireEvent, screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { catchSaved, openImport, total } from '../../test/open-import.js';
import { mapFields, noTexts } from '../shared/fields.js';
import type { Command, Counts, List, Preview, Progress, Report, Row } from './protocol.js';

/** The import, whose worker is the test: `commands` are what it gets, and `report` is what it sends. */
function open() {
  const commands: Command[] = [];
  const { listener, ...opened } = openImport(() => (command) => void commands.push(command));
  const report = (sent: Report) => act(() => listener()?.onReport(sent));
  return { ...opened, commands, types: () => commands.map(({ type }) => type), report };
}

const row: Row = {
  ...noTexts,
  record: 1,
  line: 2,
  id: 'x',
  name: 'بلوط',
  state: 'problem',
  problem: 'id "x": an id has digits only',
  editable: { ...noTexts, id: 'x', name: 'بلوط\n' },
  before: undefined,
};
const preview: Preview = {
  fileName: 'plants.csv',
  format: 'CSV',
  notes: ['A note on the file.'],
  sheets: undefined,
  encoding: undefined,
  columns: {
    header: 0,
    choice: { ...mapFields(() => undefined), id: 0, name: 1 },
    firstRows: [],
    columns: ['id', 'name'].map((title, column) => ({ column, title, samples: [] })),
  },
};
const counts: Counts = {
  lines: 100,
  ready: 90,
  changed: 0,
  conflicts: 0,
  retired: 0,
  skipped: 0,
  problems: 10,
  stored: 0,
  updated: 0,
  replayed: 0,
  repeated: 0,
  duplicates: 2,
  fixable: { generate: 0, separators: 0, decimals: 0, replace: 0, tidy: 0 },
};
const list: List = { filter: 'all', offset: 0, total: 100, rows: [row] };
const steady = { stop: undefined, retrying: undefined, kept: 0, restored: 0 };
const progress: Progress = {
  ...steady,
  task: 'add',
  runs: 1,
  state: 'running',
  done: 9,
  total: 90,
  rejected: 0,
  rejections: [],
};
const file = new File(['id,name\n1,Rose'], 'plants.csv');
const button = (name: string) => screen.getByRole('button', { name });

async function openColumns() {
  const opened = open();
  await userEvent.upload(screen.getByLabelText('File with plants'), file);
  opened.report({ type: 'read', preview });
  return opened;
}

async function openReview() {
  const opened = await openColumns();
  await userEvent.click(button('Review lines'));
  opened.report({ type: 'checked', notes: ['A note on the lines.'], counts, list });
  opened.report({ type: 'compared', notes: ['A note on the lines.'], counts, list, failure: undefined });
  return opened;
}

async function openRun() {
  const opened = await openReview();
  await userEvent.click(button('Add 90 plants'));
  const runs = () => opened.types().filter((type) => type === 'run').length;
  const show = (changes: Partial<Progress>, countChanges: Partial<Counts> = {}) =>
    opened.report({
      type: 'progress',
      progress: { ...progress, runs: runs(), ...changes },
      counts: { ...counts, ready: 81, stored: 9, ...countChanges },
    });
  return { ...opened, show };
}

it('takes a dropped file, one at a time, keeps files from replacing the page, and lets text be dragged', () => {
  const { commands } = open();
  const zone = button('Choose file').parentElement ?? document.body;
  const drag = (types: string[], target: Element) => {
    const event = createEvent.dragOver(target, { dataTransfer: { types, dropEffect: 'copy', files: [] } });
    fireEvent(target, event);
    return [event.defaultPrevented, 'dataTransfer' in event && event.dataTransfer];
  };
  expect(drag(['text/plain'], document.body)[0]).toBe(false);
  expect(drag(['Files'], document.body)).toMatchObject([true, { dropEffect: 'none' }]);
  expect(drag(['text/plain'], zone)[0]).toBe(false);
  expect(drag(['Files'], zone)).toMatchObject([true, { dropEffect: 'copy' }]);
  fireEvent.drop(zone, { dataTransfer: { files: [file, file], types: ['Files'] } });
  expect(screen.getByRole('alert').textContent).toBe('Drop one file at a time.');
  expect(commands).toEqual([]);
  fireEvent.drop(zone, { dataTransfer: { files: [file], types: ['Files'] } });
  expect(commands).toEqual([{ type: 'read', source: { file }, readAs: {} }]);
});

it('shows how far the check of the lines is, and then what the person should know of them', async () => {
  const { report, commands } = await openColumns();
  expect(screen.getByText('A note on the file.')).toBeDefined();
  await userEvent.selectOptions(screen.getByLabelText('id Import as'), 'Tag');
  await userEvent.click(button('Review lines'));
  const columns = { id: undefined, name: 1, tag: 0 };
  expect(commands.at(-1)).toEqual({ type: 'check', header: 0, columns });
  report({ type: 'reading', step: 'check', fraction: 0.5 });
  expect(screen.getByRole<HTMLProgressElement>('progressbar').value).toBe(0.5);
  expect(screen.getByRole('listitem', { current: 'step' }).textContent).toBe('Review');
  report({ type: 'checked', notes: ['A note on the lines.'], counts, list });
  expect(commands.at(-1)).toMatchObject({ type: 'compare' });
  report({ type: 'compared', notes: ['A note on the lines.'], counts, list, failure: undefined });
  expect(screen.queryByRole('progressbar')).toBeNull();
  expect(screen.getByText('A note on the lines.')).toBeDefined();
  expect(screen.getByText(/^2 lines with the same plant as an earlier line/)).toBeDefined();
});

it('lists the lines of a kind, page by page', async () => {
  const { commands, report } = await openReview();
  await userEvent.click(button('New 90'));
  expect(commands.at(-1)).toEqual({ type: 'list', filter: 'ready', offset: 0 });
  report({ type: 'list', counts, list: { ...list, filter: 'ready', offset: 50, total: 90 } });
  expect(button('New 90').getAttribute('aria-pressed')).toBe('true');
  await userEvent.click(button('Previous lines'));
  expect(commands.at(-1)).toEqual({ type: 'list', filter: 'ready', offset: 0 });
});

it('sends the texts of a line as they were, where the person has not changed them', async () => {
  const { commands } = await openReview();
  const form = screen.getByRole('form', { name: 'Line 2' });
  expect(within(form).getByLabelText('Name').getAttribute('dir')).toBe('auto');
  const id = within(form).getByLabelText('Id');
  const reason = document.getElementById(id.getAttribute('aria-describedby') ?? '');
  expect(reason?.textContent).toBe(row.problem);
  await userEvent.clear(id);
  await userEvent.type(id, '7{Enter}');
  const texts = { ...noTexts, id: '7', name: 'بلوط\n' };
  expect(commands.at(-1)).toEqual({ type: 'edit', record: 1, texts });
});

it('shows a line that is too long to edit here, and those that were sent', async () => {
  const { report } = await openReview();
  const long = { ...row, editable: undefined };
  const sent = (['stored', 'replayed', 'repeated'] as const).map((state) => ({
    ...long,
    state,
    problem: undefined,
  }));
  const rows = [long, ...sent].map((each, index) => ({ ...each, record: index + 1, line: index + 2 }));
  report({ type: 'list', counts, list: { ...list, rows } });
  const items = within(screen.getByRole('region', { name: 'Lines' })).getAllByRole('listitem');
  const texts = ['an id has digits only', 'added', 'unchanged', 'same as another line'].map((text) =>
    expect.stringContaining(text),
  );
  expect(items.map(({ textContent }) => textContent)).toEqual(texts);
  for (const name of screen.getAllByText('بلوط')) expect(name.getAttribute('dir')).toBe('auto');
});

it('writes one file at a time to download', async () => {
  const { types, report } = await openReview();
  const saved = catchSaved();
  await userEvent.dblClick(button('Download 10 lines'));
  const downloads = () => types().filter((type) => type === 'download');
  expect(downloads()).toHaveLength(1);
  report({ type: 'download', file, fileName: 'plants-rejected.csv' });
  expect(saved.files).toEqual([file]);
  await userEvent.click(button('Download 10 lines'));
  expect(downloads()).toHaveLength(2);
});

it('counts what is skipped from the first moment on, and shows the per cent in the title', async () => {
  document.title = 'Plant Store';
  const { show } = await openRun();
  expect(total('Skipped')).toBe('10');
  expect(document.title).toBe('0 % · Plant Store');
  show({});
  expect(document.title).toBe('10 % · Plant Store');
  show({ done: 45 }, { stored: 44, problems: 11 });
  expect(document.title).toBe('50 % · Plant Store');
  show({ done: 90, rejected: 1, state: 'ended' }, { stored: 89, ready: 0, problems: 11 });
  expect(document.title).toBe('Plant Store');
  expect([total('Rejected'), total('Skipped')]).toEqual(['1', '10']);
});

it('shows why it tries again, why it has stopped, and no longer that nothing was sent', async () => {
  const { show, types, report } = await openRun();
  show({ retrying: 'The service cannot be reached. Trying again.' });
  expect(screen.getByText('The service cannot be reached. Trying again.')).toBeDefined();
  show({ state: 'stopped', stop: { cause: 'other', message: 'The service did not answer in time.' } });
  expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Interrupted' }));
  expect(screen.getByText(/^The service did not answer in time. Nothing is lost/)).toBeDefined();
  await userEvent.click(button('Continue'));
  expect(types().at(-1)).toBe('run');
  expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Saving plants' }));
  show({ done: 0 });
  report({ type: 'failed', message: 'out of memory' });
  expect(screen.getByRole('alert').textContent).toContain('What was stored stays stored.');
});

it('asks for a token once for each that is rejected, whatever was on its way when the run went on', async () => {
  const { show, onTokenRejected, useToken, types } = await openRun();
  const rejected = { state: 'stopped', stop: { cause: 'token', message: 'It is not known here.' } } as const;
  show(rejected);
  show(rejected);
  expect(onTokenRejected).toHaveBeenCalledTimes(1);
  useToken('another');
  expect(types().filter((type) => type === 'run')).toHaveLength(2);
  show({ ...rejected, runs: 1 });
  expect(onTokenRejected).toHaveBeenCalledTimes(1);
  show(rejected);
  expect(onTokenRejected).toHaveBeenCalledTimes(2);
});
