import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { beginAdding, recordResult, restoreAdded } from '../src/add/added/added-plants.js';
import { ImportPlantsView } from '../src/import/import-plants-view.js';
import { ImportSession } from '../src/import/session/import-session.js';
import { generateId } from '../src/import/worker/check/generate-id.js';
import { ImportWorker } from '../src/import/worker/import-worker.js';
import { exportPlants } from '../src/plants/export-plants.js';
import { PlantSheet } from '../src/plants/plant-sheet.js';
import { Plants } from '../src/plants/plants.js';
import { queryOptions } from '../src/query-options.js';
import { noTexts } from '../src/shared/fields.js';
import { addButton, describes, field, fill, holdReplies, listed, open, tab } from './open-add-sheet.js';
import { writeWorkbook } from './write-workbook.js';

const saveFile = vi.hoisted(() => vi.fn());
vi.mock('../src/shared/save-file.js', () => ({ saveFile }));

const rose = { id: 7, name: 'Rose', location: 'bed "3"' };
/** Spread, since the types have no such field. */
const elsewhere = { location: 'bed 4' };
const filter = { order: 'newest' } as const;
const addedAt = '2026-11-25T10:00:00.000Z';
const ignore = () => undefined;

/** The text of the file that was saved last. */
async function readSaved(): Promise<string> {
  const file: Blob = saveFile.mock.lastCall?.[0];
  return new TextDecoder().decode(await file.arrayBuffer());
}

/** The service with one plant. */
function serveRose() {
  const stored = { ...rose, idText: '7', addedAt };
  const fetch = async (url: string) =>
    Response.json(new URL(url).pathname === '/plants' ? { plants: [stored] } : stored);
  vi.stubGlobal('fetch', fetch);
  vi.stubGlobal('matchMedia', () => ({
    matches: false,
    addEventListener: ignore,
    removeEventListener: ignore,
  }));
  vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(480);
  vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(1_000);
}

describe('the form', () => {
  const bodies = () => tab.sent.map(({ body }) => JSON.parse(String(body)));

  it('sends the field, lists it, and is empty afterwards', async () => {
    const user = open();
    await fill(user, { Id: '7', Name: 'Rose', Location: 'bed "3"' });
    await user.click(addButton());
    await screen.findByText(/^Stored: Rose/);
    expect(bodies()).toEqual([rose]);
    expect(listed()).toEqual([expect.stringContaining('bed "3"')]);
    expect([field('Name').value, field('Location').value]).toEqual(['', '']);
  });

  it('keeps what was typed into the field while another plant was being stored', async () => {
    const user = open();
    const reply = holdReplies();
    await fill(user, { Id: '7', Name: 'Rose' });
    await user.click(addButton());
    await waitFor(() => expect(listed()).toEqual([expect.stringMatching(/^adding/)]));
    await user.type(field('Location'), 'bed 4');
    reply();
    await screen.findByText(/^Stored: Rose/);
    expect([field('Name').value, field('Location').value]).toEqual(['Rose', 'bed 4']);
  });

  it('shows a problem of the field until it is changed', async () => {
    const user = open();
    await fill(user, { Id: 'x', Name: 'Rose' });
    fireEvent.change(field('Location'), { target: { value: 'bed\0' } });
    await user.click(addButton());
    const problem = 'Location must not contain the character NUL (U+0000).';
    await waitFor(() => expect(describes(field('Location'))).toBe(problem));
    expect(document.activeElement).toBe(field('Location'));
    await user.type(field('Id'), '7');
    expect(describes(field('Location'))).toBe(problem);
    fireEvent.change(field('Location'), { target: { value: 'bed' } });
    expect(describes(field('Location'))).toBe('Optional.');
  });

  it('keeps it over a reload, and sends it again from the list', async () => {
    const user = open();
    tab.store.fail({ kind: 'drop' }, { kind: 'drop' }, { kind: 'drop' });
    await fill(user, { Id: '7', Name: 'Rose', Location: 'bed "3"' });
    await user.click(addButton());
    await screen.findByRole('button', { name: 'Try again' });
    const after = open();
    expect(field('Location').value).toBe('bed "3"');
    await after.click(screen.getByRole('button', { name: 'Try again: Rose' }));
    await screen.findByText(/^Stored: Rose/);
    expect(bodies()).toEqual(Array(4).fill(rose));
  });

  it('takes plants for the same only if the field is, and restores no other value than a text', () => {
    const plant = { ...rose, id: 7n };
    const tried = recordResult(beginAdding([], plant, 1), 1, { state: 'unconfirmed', reason: 'away' });
    expect(beginAdding(tried, plant, 2)).toHaveLength(1);
    expect(beginAdding(tried, { ...plant, ...elsewhere }, 2)).toHaveLength(2);
    expect(restoreAdded(tried)).toEqual(tried);
    expect(restoreAdded([{ ...tried[0], location: 3 }])).toEqual([]);
  });
});

describe('a plant', () => {
  const show = (view: React.ReactNode) =>
    render(<QueryClientProvider client={new QueryClient(queryOptions)}>{view}</QueryClientProvider>);

  it('has the field in the table', async () => {
    serveRose();
    show(<Plants token="a" route={{ view: 'plants', filter }} onTokenRejected={ignore} />);
    const cell = await screen.findByText('bed "3"');
    const cells = [...(cell.closest('tr')?.cells ?? [])];
    const titles = screen.getAllByRole('columnheader').map(({ textContent }) => textContent);
    expect(titles).toEqual(['Name', 'Tag', 'Location', 'Id', 'Added']);
    expect(cells.indexOf(cell as HTMLTableCellElement)).toBe(2);
    expect(screen.getByRole('grid').getAttribute('aria-colcount')).toBe('5');
  });

  it('has it in its sheet, and in the calls that create it', async () => {
    serveRose();
    show(<PlantSheet token="a" id={7n} onClose={ignore} onDelete={ignore} onTokenRejected={ignore} />);
    const title = await screen.findByText('Location', { selector: 'dt' });
    expect(title.nextElementSibling?.textContent).toBe('bed "3"');
    expect(screen.getByText(/^curl http/).textContent).toContain(
      `-d '{"id":7,"name":"Rose","location":"bed \\"3\\""}'`,
    );
    expect(screen.getByText(/^await client/).textContent).toContain(
      '{ id: 7n, name: "Rose", location: "bed \\"3\\"" }',
    );
  });

  it.each([
    ['csv', `id,name,tag,location,addedAt\r\n7,Rose,,"bed ""3""",${addedAt}\r\n`],
    ['ndjson', `{"id":7,"name":"Rose","location":"bed \\"3\\"","addedAt":"${addedAt}"}\n`],
  ] as const)('is exported as %s with it', async (format, text) => {
    serveRose();
    const { signal } = new AbortController();
    expect(await exportPlants({ token: 'a', filter, format, signal, onProgress: ignore })).toBe(1);
    expect(await readSaved()).toBe(text);
  });
});

describe('the import', () => {
  /** Chooses a file; `sent` are the plants that the service gets, and stores. */
  async function choose(fileName: string, content: string | Uint8Array<ArrayBuffer>) {
    const sent: unknown[] = [];
    const fetch = async (_url: string, { body }: RequestInit) => {
      const { plants } = JSON.parse(String(body));
      sent.push(...plants);
      return Response.json({ results: plants.map(() => ({ status: 200, replayed: false })) });
    };
    const session = new ImportSession(({ onReport }) => {
      const worker = new ImportWorker(onReport, { fetch, retries: 0 });
      return { send: (command) => void worker.handle(command), end: ignore };
    });
    render(<ImportPlantsView session={session} token="a" onTokenRejected={ignore} />);
    await userEvent.upload(screen.getByLabelText('File with plants'), new File([content], fileName));
    return sent;
  }
  const press = async (name: string) => userEvent.click(await screen.findByRole('button', { name }));
  const add = async (noun = '1 plant') => {
    await press(`Add ${noun}`);
    await screen.findByRole('heading', { name: new RegExp(`^${noun} added`) });
  };

  it('recognizes the title of the field, and sends it', async () => {
    const sent = await choose('plants.csv', 'Location;Nummer;Name\n"bed ""3""";7;Rose\n');
    const chosen = await screen.findByLabelText<HTMLSelectElement>('Location Import as');
    expect(chosen.value).toBe('location');
    await press('Review lines');
    expect(await screen.findByText('bed "3"')).toBeDefined();
    await add();
    expect(sent).toEqual([rose]);
  });

  it('takes the title of the field alone for a header, and its column for no other field', async () => {
    await choose('plants.csv', 'Location;Foo\nbed 3;Rose\nbed 4;Fern\n');
    const choiceOf = (title: string) => screen.getByLabelText<HTMLSelectElement>(`${title} Import as`).value;
    await screen.findByLabelText('Location Import as');
    expect(['Location', 'Foo'].map(choiceOf)).toEqual(['location', 'name']);
  });

  it('imports a column as the field that a person chooses, and another one no longer', async () => {
    const sent = await choose('plants.csv', 'id,name,Location,Wo\n7,Rose,none,"bed ""3"""\n');
    await userEvent.selectOptions(await screen.findByLabelText('Wo Import as'), 'Location');
    expect(screen.getByLabelText<HTMLSelectElement>('Location Import as').value).toBe('');
    await press('Review lines');
    await add();
    expect(sent).toEqual([rose]);
  });

  it('sends the field of NDJSON', async () => {
    const sent = await choose('plants.ndjson', JSON.stringify(rose));
    await add();
    expect(sent).toEqual([rose]);
  });

  it.each([
    ['plants.csv', 'id,name,location\nx,Rose,bed 2\n'],
    ['plants.ndjson', '{"id":"x","name":"Rose","location":"bed 2"}\n'],
  ])('lets a person correct it in %s', async (fileName, content) => {
    const sent = await choose(fileName, content);
    if (fileName.endsWith('.csv')) await press('Review lines');
    const form = within(await screen.findByRole('form'));
    expect(form.getByLabelText<HTMLInputElement>('Location').value).toBe('bed 2');
    fireEvent.change(form.getByLabelText('Location'), { target: { value: 'bed "3"' } });
    await userEvent.clear(form.getByLabelText('Id'));
    await userEvent.type(form.getByLabelText('Id'), '7{Enter}');
    await add();
    expect(sent).toEqual([rose]);
  });

  it.each([
    ['plants.csv', 'id,name,location\nx,Rose,bed 2\n', 'y,Rose,"bed ""3""",2'],
    ['names.csv', 'Rose,x,bed 2\n', 'name,id,location,line,error,reason\r\nRose,y,"bed ""3""",1'],
    [
      'plants.ndjson',
      '{"id":"x","name":"Rose","location":"bed 2"}\n',
      '"name":"Rose","location":"bed \\"3\\""',
    ],
  ])('downloads the lines of %s with what was corrected in it', async (fileName, content, expected) => {
    await choose(fileName, content);
    if (fileName === 'names.csv') {
      await userEvent.selectOptions(await screen.findByLabelText('Column 2 Import as'), 'Id');
      await userEvent.selectOptions(screen.getByLabelText('Column 3 Import as'), 'Location');
    }
    if (fileName.endsWith('.csv')) await press('Review lines');
    const form = within(await screen.findByRole('form'));
    fireEvent.change(form.getByLabelText('Location'), { target: { value: 'bed "3"' } });
    await userEvent.clear(form.getByLabelText('Id'));
    await userEvent.type(form.getByLabelText('Id'), 'y{Enter}');
    await screen.findByText(/^id "y"/);
    saveFile.mockClear();
    await press('Download 1 line');
    await waitFor(() => expect(saveFile).toHaveBeenCalledTimes(1));
    expect(await readSaved()).toContain(expected);
  });

  it('takes lines for the same plant only if the field is', async () => {
    await choose('plants.csv', 'id,name,location\n7,Rose,bed 2\n7,Rose,bed 2\n7,Rose,bed 3\n');
    await press('Review lines');
    expect(await screen.findByText(/^line 2 has another plant under the id 7/)).toBeDefined();
    expect(screen.getByText(/^1 line with the same plant/)).toBeDefined();
  });

  it('shows a problem of the field at it', async () => {
    const workbook = {
      Plants: [
        ['id', 'name', 'location'],
        ['7', 'Rose', { number: '1E+20' }],
      ],
    };
    await choose('plants.xlsx', writeWorkbook(workbook));
    await press('Review lines');
    expect(await screen.findByText(/^location "1E\+20": the spreadsheet may have rounded/)).toBeDefined();
    expect(screen.getByLabelText('Location').getAttribute('aria-invalid')).toBe('true');
  });

  it('counts it among what is too long to correct on the page', async () => {
    await choose('plants.csv', `id,name,location\nx,Rose,${'b'.repeat(10_000)}\n`);
    await press('Review lines');
    await screen.findByText(/an id has digits only/);
    expect(screen.queryByRole('form')).toBeNull();
  });

  it('shows a line of NDJSON that has nothing but the field', async () => {
    await choose('plants.ndjson', '{"location":"bed 2"}\n');
    const form = within(await screen.findByRole('form'));
    expect(form.getByLabelText<HTMLInputElement>('Name').value).toBe('');
  });

  it('gives lines that differ in the field alone different ids', () => {
    const { id: _, ...texts } = noTexts;
    const named = { ...texts, name: 'Rose' };
    const others = [named, { ...named, location: 'bed 3' }, { ...named, ...elsewhere }];
    expect(new Set(others.map((each) => generateId(undefined, 1, each))).size).toBe(3);
  });
});
