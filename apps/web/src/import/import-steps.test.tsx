import { act, createEvent, fireEvent, screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { catchSaved, openImport } from '../../test/open-import.js';
import { mapFields, noTexts } from '../shared/fields.js';
import {
  noCounts,
  type Preview,
  type Progress,
  type Report,
  type Request,
  type Row,
  type View,
} from './protocol.js';

/** Opens the import with the test as its worker: `requests` are its input, and `show` sends a report. */
function open() {
  const requests: Request[] = [];
  const { listener, ...opened } = openImport(() => (request) => void requests.push(request));
  const report = (sent: Report) => act(() => listener()?.onReport(sent));
  const show = (view: Partial<View>) => report({ type: 'view', view });
  return { ...opened, requests, names: () => requests.map(([name]) => name), report, show };
}

const row: Row = {
  ...noTexts,
  index: 0,
  line: 2,
  id: 'x',
  name: 'بلوط',
  state: 'problem',
  problem: 'The ID must be a whole number.',
  warning: undefined,
  editing: { texts: { ...noTexts, id: 'x', name: 'بلوط\n' }, wrong: ['id'], freeId: '77' },
  before: undefined,
};
const preview: Preview = {
  fileName: 'plants.csv',
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
const counts = { ...noCounts, all: 102, ready: 90, new: 90, problem: 10, problems: 10, repeated: 2 };
const list: View['list'] = [{ group: 'problems', total: 10, rows: [row] }];
const checked = { step: 'review', notes: ['A note on the lines.'], counts, list } as const;
const progress: Progress = {
  task: 'add',
  state: 'running',
  stopReason: undefined,
  retrying: undefined,
  done: 9,
  total: 90,
  restored: 0,
};
const file = new File(['id,name\n1,Rose'], 'plants.csv');
const button = (name: string) => screen.getByRole('button', { name });

async function openColumns() {
  const opened = open();
  await userEvent.upload(screen.getByLabelText('File with plants'), file);
  opened.show({ step: 'columns', preview });
  return opened;
}

async function openReview() {
  const opened = await openColumns();
  await userEvent.click(button('Review lines'));
  opened.show({ ...checked, comparisonFailure: undefined });
  return opened;
}

async function openRun() {
  const opened = await openReview();
  await userEvent.click(button('Add 90 plants'));
  opened.show({ step: 'run', progress: { ...progress, done: 0 } });
  const showRun = (changes: Partial<Progress>) =>
    opened.show({
      progress: { ...progress, ...changes },
      counts: { ...counts, ready: 81, stored: 9 },
    });
  return { ...opened, showRun };
}

it('takes a dropped file, one at a time, keeps files from replacing the page, and lets text be dragged', () => {
  const { requests } = open();
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
  expect(requests).toEqual([]);
  fireEvent.drop(zone, { dataTransfer: { files: [file], types: ['Files'] } });
  expect(requests).toEqual([
    ['setTarget', { baseUrl: location.origin, token: 'a' }],
    ['read', { file }, {}],
  ]);
});

it('shows the progress of the comparison, then notices about the lines', async () => {
  const { show, requests } = await openColumns();
  expect(screen.getByText('A note on the file.')).toBeDefined();
  await userEvent.selectOptions(screen.getByLabelText('id Import as'), 'Tag');
  await userEvent.click(button('Review lines'));
  expect(requests.at(-1)).toEqual(['check', 0, { id: undefined, name: 1, tag: 0 }]);
  show({ step: 'reading', fraction: 0.5 });
  expect(screen.getByRole('listitem', { current: 'step' }).textContent).toBe('Review');
  expect(screen.getByRole<HTMLProgressElement>('progressbar').value).toBe(0.5);
  show({ ...checked, comparisonFailure: undefined });
  expect(screen.queryByRole('progressbar')).toBeNull();
  expect(screen.getByText('A note on the lines.')).toBeDefined();
  expect(screen.getByText(/^2 lines repeat an earlier line/)).toBeDefined();
});

it('lists ten columns that are not imported, and counts the others', async () => {
  const { show } = await openReview();
  expect(screen.queryByText('Not imported:')).toBeNull();
  const titles = ['id', 'name', ...Array.from({ length: 12 }, (_, index) => `Foo ${index + 1}`)];
  const columns = titles.map((title, column) => ({ column, title, samples: [] }));
  show({ preview: { ...preview, columns: preview.columns && { ...preview.columns, columns } } });
  const named = titles.slice(2, 12).join(', ');
  expect(screen.getByText('Not imported:').closest('p')?.textContent).toBe(
    `Not imported: ${named}, and 2 more.`,
  );
});

it('shows more lines of a group, and only one group', async () => {
  const { requests, show } = await openReview();
  await userEvent.click(button('Show 9 more'));
  expect(requests.at(-1)).toEqual(['change', ['showMore', 'problems']]);
  await userEvent.click(button('New 90'));
  expect(requests.at(-1)).toEqual(['change', ['show', 'new']]);
  show({ filter: 'new', list: [{ group: 'new', total: 90, rows: [] }] });
  expect(button('New 90').getAttribute('aria-pressed')).toBe('true');
  expect(button('Show 50 more')).toBeDefined();
});

it('sends unchanged texts of a line exactly', async () => {
  const { requests } = await openReview();
  const form = screen.getByRole('form', { name: 'Line 2' });
  expect(within(form).getByLabelText('Name').getAttribute('dir')).toBe('auto');
  const id = within(form).getByLabelText('ID');
  const reason = document.getElementById(id.getAttribute('aria-describedby') ?? '');
  expect(reason?.textContent).toBe(row.problem);
  await userEvent.clear(id);
  await userEvent.type(id, '7{Enter}');
  const texts = { ...noTexts, id: '7', name: 'بلوط\n' };
  expect(requests.at(-1)).toEqual(['change', ['edit', 0, texts]]);
  await userEvent.click(within(form).getByRole('button', { name: 'Choose an available ID' }));
  expect(requests.at(-1)).toEqual(['change', ['edit', 0, { ...texts, id: '77' }]]);
  await userEvent.click(within(form).getByRole('button', { name: 'Leave out' }));
  expect(requests.at(-1)).toEqual(['change', ['leaveOut', 0]]);
});

it('shows a line that is too long to edit here, and lines that were sent', async () => {
  const { show } = await openReview();
  const long = { ...row, editing: undefined };
  const sent = (['stored', 'replayed', 'repeated'] as const).map((state) => ({
    ...long,
    state,
    problem: undefined,
  }));
  const rows = [long, ...sent].map((each, index) => ({ ...each, index, line: index + 2 }));
  show({ list: [{ group: 'problems', total: 4, rows }] });
  const items = within(screen.getByRole('region', { name: 'Problems' })).getAllByRole('listitem');
  expect(items.map(({ textContent }) => textContent)).toEqual([
    'Line 2بلوطxLeave outThe ID must be a whole number.',
    'Line 3بلوطxAdded',
    'Line 4بلوطx',
    'Line 5بلوطxSame as another line',
  ]);
  for (const name of screen.getAllByText('بلوط')) expect(name.getAttribute('dir')).toBe('auto');
});

it('writes one file at a time to download', async () => {
  const { names, report } = await openReview();
  const saved = catchSaved();
  await userEvent.dblClick(button('Download these lines'));
  const downloads = () => names().filter((name) => name === 'download');
  expect(downloads()).toHaveLength(1);
  report({ type: 'download', file, fileName: 'plants-problems.csv' });
  expect(saved.files).toEqual([file]);
  await userEvent.click(button('Download these lines'));
  expect(downloads()).toHaveLength(2);
});

it('shows the progress of a run, why it retries or stopped, and after a failure that saved plants stay saved', async () => {
  const { showRun, names, report } = await openRun();
  expect(screen.getByText('0 of 90 (0%)')).toBeDefined();
  showRun({ retrying: 'The connection to the server failed. Trying again.' });
  expect(screen.getByText('9 of 90 (10%)')).toBeDefined();
  expect(document.querySelector('.import-stop')?.textContent).toMatch(/Trying again.$/);
  showRun({
    state: 'stopped',
    stopReason: { cause: 'other', message: 'The service did not answer in time.' },
  });
  expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Interrupted' }));
  expect(screen.getByText(/^The service did not answer in time. Nothing is lost/)).toBeDefined();
  await userEvent.click(button('Continue'));
  expect(names().at(-1)).toBe('run');
  showRun({});
  expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Saving plants' }));
  showRun({ done: 0 });
  report({ type: 'failed', message: 'out of memory' });
  expect(screen.getByRole('alert').textContent).toContain('Plants saved so far are kept.');
});

it('asks for a token once per rejected token, even if requests were in flight when the run resumed', async () => {
  const { report, onTokenRejected, useToken, requests } = await openRun();
  const reject = (token: string) => report({ type: 'rejected', token, message: 'It is not known here.' });
  reject('a');
  expect(onTokenRejected.mock.calls).toEqual([['a', 'It is not known here.']]);
  useToken('another');
  expect(requests.at(-1)).toEqual(['setTarget', { baseUrl: location.origin, token: 'another' }]);
  reject('a');
  expect(onTokenRejected).toHaveBeenCalledTimes(1);
  reject('another');
  expect(onTokenRejected).toHaveBeenCalledTimes(2);
});
