import { createClient } from '@plant-store/client';
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { beginAdding, recordResult, restoreAdded } from '../src/add/added/added-plants.js';
import { generateId } from '../src/import/worker/check/generate-id.js';
import { exportPlants } from '../src/plants/export-plants.js';
import { PlantSheet } from '../src/plants/plant-sheet.js';
import { Plants } from '../src/plants/plants.js';
import { labels, noTexts, textNames } from '../src/shared/fields.js';
import { add, addButton, expectList, field, fill, hold, open, tab } from './open-add-sheet.js';
import { catchSaved, choose, openImportWithStore, press, reviewLines } from './open-import.js';
import { describes, renderView } from './render-view.js';
import { writeWorkbook } from './write-workbook.js';

const rose = { id: 7, name: 'Rose', imaginary: 'bed "3"' };
/** Spread, since the types have no such field. */
const elsewhere = { imaginary: 'bed 4' };
const filter = { order: 'newest' } as const;
const addedAt = '2026-11-25T10:00:00.000Z';
const ignore = () => undefined;

/** The service with one plant. */
function serveRose() {
  const stored = { ...rose, idText: '7', addedAt };
  vi.stubGlobal('fetch', async (url: string) => {
    const { pathname } = new URL(url);
    if (pathname.endsWith('/history')) return Response.json({ states: [] });
    return Response.json(pathname === '/plants' ? { plants: [stored] } : stored);
  });
}

describe('the form', () => {
  it('keeps what was typed into the field while another plant was being stored', async () => {
    const user = open();
    const reply = hold();
    await add(user, { ID: '7', Name: 'Rose' });
    await waitFor(() => expectList(/^adding/));
    await user.type(field('Imaginary'), 'bed 4');
    reply();
    await screen.findByText(/^Stored: Rose/);
    expect([field('Name').value, field('Imaginary').value]).toEqual(['Rose', 'bed 4']);
  });

  it('shows a problem of the field until it is changed', async () => {
    const user = open();
    await fill(user, { ID: 'x', Name: 'Rose' });
    fireEvent.change(field('Imaginary'), { target: { value: 'bed\0' } });
    await user.click(addButton());
    const problem = 'Imaginary must not contain the NUL character (U+0000).';
    await waitFor(() => expect(describes(field('Imaginary'))).toBe(problem));
    expect(document.activeElement).toBe(field('Imaginary'));
    await user.type(field('ID'), '7');
    expect(describes(field('Imaginary'))).toBe(problem);
    fireEvent.change(field('Imaginary'), { target: { value: 'bed' } });
    expect(describes(field('Imaginary'))).toBe('Optional.');
  });

  it('lists it, keeps it over a reload, sends it again from the list, and is empty afterwards', async () => {
    const user = open();
    tab.store.fail({ operation: 'createPlant', kind: 'drop', times: 3 });
    await add(user, { ID: '7', Name: 'Rose', Imaginary: 'bed "3"' });
    await screen.findByRole('button', { name: 'Try again' });
    const after = open();
    expect(field('Imaginary').value).toBe('bed "3"');
    expectList(/bed "3"/);
    await after.click(screen.getByRole('button', { name: 'Try again: Rose' }));
    await screen.findByText(/^Stored: Rose/);
    expect(tab.sent.map(({ body }) => JSON.parse(String(body)))).toEqual(Array(4).fill(rose));
    expect([field('Name').value, field('Imaginary').value]).toEqual(['', '']);
  });

  it('takes plants for the same only if the field is, and restores no other value than a text', () => {
    const plant = { ...rose, id: 7n };
    const tried = recordResult(beginAdding([], plant, 1), 1, { state: 'unconfirmed', reason: 'away' });
    expect(beginAdding(tried, plant, 2)).toHaveLength(1);
    expect(beginAdding(tried, { ...plant, ...elsewhere }, 2)).toHaveLength(2);
    expect(restoreAdded(tried)).toEqual(tried);
    expect(restoreAdded([{ ...tried[0], imaginary: 3 }])).toEqual([]);
  });
});

describe('a plant', () => {
  it('has the field in the table, in its sheet, and in the calls that create it', async () => {
    serveRose();
    renderView(<Plants route={{ view: 'plants', filter }} />);
    const cell = await screen.findByText('bed "3"');
    const cells = [...(cell.closest('tr')?.cells ?? [])];
    const titles = screen.getAllByRole('columnheader').map(({ textContent }) => textContent.trim());
    const titlesOfTexts = textNames.map((name) => labels[name]);
    expect(titles).toEqual(['', ...titlesOfTexts, 'Added', 'Actions']);
    expect(titles[cells.map(({ textContent }) => textContent).indexOf(cell.textContent)]).toBe('Imaginary');
    expect(screen.getByRole('grid').getAttribute('aria-colcount')).toBe(String(titles.length));
    renderView(
      <PlantSheet
        id={7n}
        filter={filter}
        onMove={ignore}
        onClose={ignore}
        onDelete={ignore}
        onPrintLabel={ignore}
      />,
    );
    const title = await screen.findByText('Imaginary', { selector: 'dt' });
    expect(title.nextElementSibling?.textContent).toBe('bed "3"');
    const json = `-d '{"id":7,"name":"Rose","imaginary":"bed \\"3\\""}'`;
    expect(screen.getByText(/^curl http/).textContent).toContain(json);
    const code = '{ id: 7n, name: "Rose", imaginary: "bed \\"3\\"" }';
    expect(screen.getByText(/^await client/).textContent).toContain(code);
  });

  const columns = ['id', ...textNames, 'addedAt'];
  const cells: Readonly<Record<string, string>> = {
    id: '7',
    name: 'Rose',
    imaginary: '"bed ""3"""',
    addedAt,
  };

  it.each([
    ['csv', `${columns}\r\n${columns.map((column) => cells[column] ?? '')}\r\n`],
    ['ndjson', `{"id":7,"name":"Rose","imaginary":"bed \\"3\\"","addedAt":"${addedAt}"}\n`],
  ] as const)('is exported as %s with it', async (format, text) => {
    serveRose();
    const saved = catchSaved();
    const { signal } = new AbortController();
    const client = createClient({ baseUrl: location.origin, token: 'a' });
    const { count } = await exportPlants({ client, filter, format, signal, onProgress: ignore });
    expect(count).toBe(1);
    expect(await saved.readLast()).toBe(text);
  });
});

describe('the import', () => {
  type Choice = readonly [column: string, field: string];
  const choiceOf = async (title: string) =>
    (await screen.findByLabelText<HTMLSelectElement>(`${title} Import as`)).value;

  /** Shows the import with a file and choices of columns. `addRose` expects that the rose is stored from it. */
  async function open(fileName: string, content: BlobPart, choices: readonly Choice[] = []) {
    const { store } = openImportWithStore();
    await choose(content, fileName);
    for (const [column, name] of choices)
      await userEvent.selectOptions(await screen.findByLabelText(`${column} Import as`), name);
    const addRose = async () => {
      await press('Add 1 plant');
      await screen.findByRole('heading', { name: /^1 plant added/ });
      expect([...store.plants]).toEqual([[7n, { name: 'Rose', imaginary: 'bed "3"' }]]);
    };
    return { addRose };
  }

  it('recognizes the title of the field, alone, too, and sends it', async () => {
    await open('plants.csv', 'Imaginary;Foo\nbed 3;Rose\nbed 4;Fern\n');
    expect([await choiceOf('Imaginary'), await choiceOf('Foo')]).toEqual(['imaginary', 'name']);
    cleanup();
    const { addRose } = await open('plants.csv', 'Imaginary;Nummer;Name\n"bed ""3""";7;Rose\n');
    await reviewLines();
    expect(await screen.findByText('bed "3"')).toBeDefined();
    await addRose();
  });

  it('imports a column as the field that a person chooses, and another one no longer', async () => {
    const content = 'id,Foo,Imaginary,Wo\n7,Rose,none,"bed ""3"""\n';
    const { addRose } = await open('plants.csv', content, [['Wo', 'Imaginary']]);
    expect(await choiceOf('Imaginary')).toBe('');
    await reviewLines();
    await addRose();
  });

  const ndjson = '{"id":"x","name":"Rose","imaginary":"bed 2"}\n';
  const header = 'name,id,imaginary,line,error,reason\r\n';
  const choices: readonly Choice[] = Object.entries({ 'Column 2': 'ID', 'Column 3': 'Imaginary' });

  it.each<[fileName: string, content: string, download: string, choices?: readonly Choice[]]>([
    ['plants.csv', 'id,name,imaginary\nx,Rose,bed 2\n', 'y,Rose,"bed ""3""",2'],
    ['names.csv', 'Rose,x,bed 2\n', `${header}Rose,y,"bed ""3""",1`, choices],
    ['plants.ndjson', ndjson, '"name":"Rose","imaginary":"bed \\"3\\""'],
  ])('lets a person edit it in %s, download it, and sends it', async (fileName, content, text, choices) => {
    const { addRose } = await open(fileName, content, choices);
    await reviewLines();
    const form = within(await screen.findByRole('form'));
    const [id, imaginary] = ['ID', 'Imaginary'].map((label) => form.getByLabelText<HTMLInputElement>(label));
    expect(imaginary?.value).toBe('bed 2');
    if (imaginary) fireEvent.change(imaginary, { target: { value: 'bed "3"' } });
    if (id) await userEvent.type(id, '{Backspace}y{Enter}');
    await screen.findByText('The ID must be a whole number.');
    const saved = catchSaved();
    await press('Download these lines');
    await waitFor(() => expect(saved.files).toHaveLength(1));
    expect(await saved.readLast()).toContain(text);
    if (id) await userEvent.type(id, '{Backspace}7{Enter}');
    await addRose();
  });

  it('takes lines for the same plant only if the field is', async () => {
    await open('plants.csv', 'id,name,imaginary\n7,Rose,bed 2\n7,Rose,bed 2\n7,Rose,bed 3\n');
    await reviewLines();
    expect(await screen.findByText('Line 2 has the same ID.')).toBeDefined();
    expect(screen.getByText(/^1 line repeats an earlier line/)).toBeDefined();
  });

  it('shows a problem of the field at it', async () => {
    const row = ['7', 'Rose', { number: '1E+20' }];
    await open('plants.xlsx', writeWorkbook({ Plants: [['id', 'name', 'imaginary'], row] }));
    await reviewLines();
    expect(
      await screen.findByText(/^The imaginary contains a number that the spreadsheet may have rounded/),
    ).toBeDefined();
    expect(screen.getByLabelText('Imaginary').getAttribute('aria-invalid')).toBe('true');
  });

  it('counts it among what is too long to edit on the page', async () => {
    await open('plants.csv', `id,name,imaginary\nx,Rose,${'b'.repeat(10_000)}\n`);
    await reviewLines();
    await screen.findByText('The ID must be a whole number.');
    expect(screen.queryByRole('form')).toBeNull();
  });

  it('sends the field of NDJSON, and shows a line that has nothing else', async () => {
    const { addRose } = await open('plants.ndjson', JSON.stringify(rose));
    await addRose();
    cleanup();
    await open('plants.ndjson', '{"imaginary":"bed 2"}\n');
    const form = within(await screen.findByRole('form'));
    expect(form.getByLabelText<HTMLInputElement>('Name').value).toBe('');
  });

  it('gives lines that differ in the field alone different ids', () => {
    const { id: _, ...texts } = noTexts;
    const named = { ...texts, name: 'Rose' };
    const others = [named, { ...named, imaginary: 'bed 3' }, { ...named, ...elsewhere }];
    expect(new Set(others.map((each) => generateId(undefined, 1, each))).size).toBe(3);
  });
});
