import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@plant-store/client';
import { cleanup, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { expect, it } from 'vitest';
import {
  button,
  choose,
  heading,
  openImportWithStore,
  press,
  pressUntil,
  reviewLines,
  total,
} from '../../test/open-import.js';
import { editByOthers } from '../../test/open-page.js';
import { UndoBar } from '../plants/undo-bar.js';

const csv = 'id,name\n1,Rose\n2,Fern\nx,Ivy\n';

/** Chooses a file, and continues to the review of its lines with the recognized columns. */
async function review(text: string) {
  await choose(text);
  await reviewLines();
}

type Stored = readonly [id: number, name: string, tag?: string];

/** Opens the import beside a store with some plants. */
async function openWith(...plants: readonly Stored[]) {
  const opened = openImportWithStore();
  const client = createClient(opened.store);
  for (const [id, name, tag] of plants)
    await client.createPlant({ body: { id, name, ...(tag !== undefined && { tag }) } });
  const edit = (id: number, name: string, tag?: string) =>
    editByOthers(opened.store, id, { name, ...(tag !== undefined && { tag }) });
  const names = () => [...opened.store.plants].map(([id, { name, tag }]) => `${id} ${name} [${tag ?? ''}]`);
  return { ...opened, client, edit, names };
}

const step = () => screen.getByRole('listitem', { current: 'step' }).textContent;

it('skips the column step if the titles are clear, says what is not imported, and can return to that step', async () => {
  const { store } = openImportWithStore();
  await choose('id,name,Price,tag,Supplier\n1,Rose,5,Shrub,Kew\n');
  await heading(/^Review/);
  expect(step()).toBe('Review');
  const about = () => screen.queryByText(/^Not imported:/)?.closest('p')?.textContent;
  expect(about()).toBe('Not imported: Price, Supplier.');
  await press('Back');
  expect(document.activeElement).toBe(await heading('Check the columns'));
  expect(step()).toBe('Columns');
  await userEvent.selectOptions(await screen.findByLabelText('tag Import as'), '');
  await userEvent.selectOptions(await screen.findByLabelText('Supplier Import as'), 'Tag');
  await pressUntil('Review lines', /^Review/);
  expect(about()).toBe('Not imported: Price, tag.');
  await pressUntil('Add 1 plant', '1 plant added from plants.csv.');
  expect(store.plants.get(1n)).toEqual({ name: 'Rose', tag: 'Kew' });
});

/** Whether the browser would close the page without asking. */
const closes = () => window.dispatchEvent(new Event('beforeunload', { cancelable: true }));

it('shows the lines with a problem before it sends anything, then stores the others', async () => {
  const { store } = openImportWithStore();
  await choose(csv);
  expect(document.activeElement).toBe(await heading(/^Review/));
  expect((await button('All 3')).getAttribute('aria-pressed')).toBe('true');
  await button('Problems 1');
  const line = screen.getByRole('form', { name: 'Line 4' });
  expect(within(line).getByText(/The ID must be a whole number/)).toBeDefined();
  expect(screen.getByRole('status').textContent).toBe('0 changed, 2 new plants, 1 line with a problem.');
  expect(store.plants.size).toBe(0);
  await press('Add 2 plants');
  const outcome = await heading('2 plants added from plants.csv. 1 was left out.');
  await waitFor(() => expect(document.activeElement).toBe(outcome));
  expect(total('Problems')).toBe('1');
  expect(screen.getByRole('link', { name: 'View plants' }).getAttribute('href')).toBe('/');
  await button('Download these lines');
  expect(screen.getByRole('status').textContent).toContain('Finished. 2 of 2 plants processed.');
});

it('counts a duplicate line of the file as a duplicate, not as already stored', async () => {
  const { store } = await openWith([1, 'Oak'], [9, 'Oak']);
  await review('id,name\n1,Oak\n1,Oak\n2,Rose\n2,Rose\n2,Rose\n9,Ash\nx,Ivy\n');
  await press('Update 1 and add 1 plant');
  await heading(
    '1 plant added and 1 updated from plants.csv. 1 was unchanged. 3 were the same as another line. 1 was left out.',
  );
  expect(['Saved', 'Unchanged'].map(total)).toEqual(['2', '4']);
  await press('Undo this import');
  await pressUntil('Restore 1 plant and delete 1', 'Undone: 1 plant deleted and 1 restored.');
  expect(['Saved', 'Unchanged', 'New', 'Changed'].map(total)).toEqual([undefined, '4', '1', '1']);
  expect(store.plants.get(9n)).toEqual({ name: 'Oak' });
});

it('can also be undone from the list, but only once', async () => {
  const { store } = openImportWithStore(<UndoBar />);
  await review(csv);
  await press('Add 2 plants');
  await screen.findByText('2 plants imported.');
  history.replaceState(null, '', '/');
  await pressUntil('Undo', 'Undone: 2 plants deleted.');
  expect([location.pathname, screen.queryByText('2 plants imported.')]).toEqual(['/import', null]);
  expect([...store.plants.values()].filter((plant) => plant !== undefined)).toEqual([]);
  cleanup();
  openImportWithStore(<UndoBar />);
  await review(csv);
  await press('Add 2 plants');
  await screen.findByText('2 plants imported.');
  await press('Undo this import');
  await pressUntil('Delete the 2 plants that it added', 'Undone: 2 plants deleted.');
  expect(screen.queryByText('2 plants imported.')).toBeNull();
});

it('fixes a problem in place, and sends only that after the others', async () => {
  const { store, fetch } = await openWith([9, 'Oak']);
  await review(`${csv}y,Ash\n`);
  await pressUntil('Add 2 plants', '2 plants added from plants.csv. 2 were left out.');
  await button('Undo this import');
  expect(closes()).toBe(true);
  const line = await screen.findByRole('form', { name: 'Line 4' });
  const id = within(line).getByLabelText<HTMLInputElement>('ID');
  expect(id.getAttribute('aria-invalid')).toBe('true');
  expect(within(line).getByLabelText('Name').getAttribute('aria-invalid')).toBe('false');
  await userEvent.clear(id);
  await userEvent.type(id, '1{Enter}');
  await within(line).findByText('Line 2 has the same ID.');
  // The plant that is stored under the new id is shown before anything is sent.
  await userEvent.clear(id);
  await userEvent.type(id, '9{Enter}');
  await button('Update 1 plant');
  expect(screen.queryByRole('form', { name: 'Line 4' })).toBeNull();
  const next = screen.getByRole('form', { name: 'Line 5' });
  await waitFor(() => expect(document.activeElement).toBe(within(next).getByLabelText('ID')));
  expect(screen.getByRole('status').textContent).toBe('Line 4 is ready.');
  expect(closes()).toBe(false);
  expect(screen.getByText('Oak').closest('del')).not.toBeNull();
  fetch.mockClear();
  await pressUntil('Update 1 plant', '2 plants added and 1 updated from plants.csv. 1 was left out.');
  expect(closes()).toBe(true);
  expect(fetch).toHaveBeenCalledTimes(1);
  expect(store.plants.get(9n)).toEqual({ name: 'Ivy' });
});

/** Reviews a file against a store with three plants. The first plant is unchanged, and one line is new. */
async function reviewChanges() {
  const opened = await openWith([1, 'Rose', 'bed'], [2, 'Fern', 'bed'], [3, 'Moss', 'bed']);
  await review('id,name,tag\n1,Rose,bed\n2,Fern of the north,bed\n3,Moss,\n4,Ivy,wall\n');
  return opened;
}

it('shows what is new, changed, and unchanged, updates and adds with one button, and undoes both', async () => {
  const { names } = await reviewChanges();
  const [fern, moss] = within(screen.getByRole('region', { name: 'Changed' })).getAllByRole('listitem');
  const partsOf = (line: HTMLElement | undefined, tag: string) =>
    [...(line?.querySelectorAll(tag) ?? [])].map(({ textContent }) => textContent);
  expect([partsOf(fern, 'del'), partsOf(fern, 'ins')]).toEqual([
    ['Saved: Fern'],
    ['In this line: Fern of the north'],
  ]);
  expect(partsOf(fern, 'mark')).toEqual(['', ' of the north']);
  expect([partsOf(moss, 'del'), partsOf(moss, 'ins')]).toEqual([['Saved: bed'], ['In this line: none']]);
  await button('New 1');
  await button('Unchanged 1');
  await press('Update 2 and add 1 plant');
  await heading('1 plant added and 2 updated from plants.csv. 1 was unchanged.');
  expect(names()).toEqual(['1 Rose [bed]', '2 Fern of the north [bed]', '3 Moss []', '4 Ivy [wall]']);
  await press('Undo this import');
  await pressUntil('Restore 2 plants and delete 1', 'Undone: 1 plant deleted and 2 restored.');
  expect(names()).toEqual(['1 Rose [bed]', '2 Fern [bed]', '3 Moss [bed]']);
});

it('leaves a changed plant out, and includes it again', async () => {
  const { names } = await reviewChanges();
  await press('Leave out line 3');
  await press('Leave out line 4');
  await button('Add 1 plant');
  await press('Include line 4');
  await press('Update 1 and add 1 plant');
  await heading('1 plant added and 1 updated from plants.csv. 1 was unchanged. 1 was left out.');
  expect(names()).toEqual(['1 Rose [bed]', '2 Fern [bed]', '3 Moss []', '4 Ivy [wall]']);
});

it('does not overwrite changes that others make after the review, and shows them', async () => {
  const { edit, client, names } = await reviewChanges();
  await edit(2, 'Bracken', 'bed');
  await client.createPlant({ body: { id: 4, name: 'Oak' } });
  await press('Update 2 and add 1 plant');
  await heading(
    '1 plant updated from plants.csv. 1 was unchanged. 2 were changed by someone else after the review.',
  );
  expect(names()).toEqual(['1 Rose [bed]', '2 Bracken [bed]', '3 Moss []', '4 Oak []']);
  expect(await screen.findAllByText('Someone else changed this plant after you reviewed it.')).toHaveLength(
    2,
  );
  expect(screen.getByText('Bracken').closest('del')).not.toBeNull();
  await press('Leave out line 5');
  await pressUntil('Update 1 plant', '2 plants updated from plants.csv. 1 was unchanged. 1 was left out.');
  expect(names()).toEqual(['1 Rose [bed]', '2 Fern of the north [bed]', '3 Moss []', '4 Oak []']);
});

it('keeps stored fields that have no column in the file', async () => {
  const { store } = await openWith([1, 'Rose', 'bed']);
  await review('id,name\n1,Roses\n');
  expect(screen.getByText('bed').closest('del, ins')).toBeNull();
  await pressUntil('Update 1 plant', '1 plant updated from plants.csv.');
  expect(store.plants.get(1n)).toEqual({ name: 'Roses', tag: 'bed' });
});

/** Rejects the requests to a path from now on. */
const forbid = ({ fetch, store }: ReturnType<typeof openImportWithStore>, path: string, message: string) =>
  fetch.mockImplementation(async (url, init) =>
    url.endsWith(path) ? Response.json({ error: 40300, message }, { status: 403 }) : store.fetch(url, init),
  );

it('says why lines are not compared if the token may not read, and adds new plants', async () => {
  const opened = await openWith([1, 'Rose'], [2, 'Oak']);
  forbid(opened, '/get', 'It may not read.');
  await review('id,name\n1,Rose\n2,Ash\n3,Ivy\n');
  await screen.findByText(/^These lines could not be compared with the saved plants. It may not read/);
  await pressUntil('Add 3 plants', '1 plant added from plants.csv. 1 was unchanged. 1 was rejected.');
  expect(
    within(screen.getByRole('form', { name: 'Line 3' })).getByText(
      /^Plant 2 already exists with different values/,
    ),
  ).toBeDefined();
});

it('rejects changed lines if the token may not update', async () => {
  forbid(await reviewChanges(), '/update', 'It may not update.');
  await press('Update 2 and add 1 plant');
  await heading('1 plant added from plants.csv. 1 was unchanged. 2 were rejected.');
  expect(screen.getAllByText('It may not update.')).toHaveLength(2);
});

it('shows plants that were deleted before, and adds them again on request', async () => {
  const { store, fetch, client, names } = await openWith([1, 'Oak'], [2, 'Oak'], [3, 'Oak']);
  for (const id of [1, 2, 3]) await client.deletePlant({ params: { id } });
  await review('id,name\n1,Rose\n2,Fern\n3,Ivy\n4,Ash\n');
  await pressUntil('Add 4 plants', '1 plant added from plants.csv. 3 were previously deleted.');
  const line = await screen.findByRole('form', { name: 'Line 2' });
  expect(within(line).getByText(/^A plant with this ID was deleted./)).toBeDefined();
  fetch.mockImplementation(async (url, init) => {
    const elm = { params: { id: 2 }, body: { name: 'Elm' } };
    if (url.endsWith('/2')) await client.updatePlant({ ...elm, headers: { 'if-none-match': '*' } });
    return store.fetch(url, init);
  });
  // The reply to the request after the batch is lost: the run continues.
  store.fail({ kind: 'delay', ms: 0 }, { kind: 'drop', stored: true });
  await press('Add 3 deleted plants again');
  await waitFor(() => expect(document.querySelector('.import-stop')?.textContent).toMatch(/Trying again.$/));
  await heading(/^2 plants added from plants.csv. 1 was unchanged. 1 was changed by someone else/);
  expect(names().toSorted()).toEqual(['1 Rose []', '2 Elm []', '3 Ivy []', '4 Ash []']);
});

it('shows each column of a file with its title and samples, and drops none silently', async () => {
  openImportWithStore();
  const lines = '1;Rose;\t5;Strauch\n2;Fern;6;Farn\n3;Ivy;6;\n4;Oak;6;Baum\n5;Ash;6;x';
  await choose(`Nummer;Bezeichnung;Preis;Art\n${lines}`);
  const select = (title: string) => screen.findByLabelText<HTMLSelectElement>(`${title} Import as`);
  const chosen = async () => {
    const selects = await Promise.all(['Nummer', 'Bezeichnung', 'Preis', 'Art'].map(select));
    return selects.map(({ selectedOptions }) => selectedOptions[0]?.textContent);
  };
  expect(await chosen()).toEqual(['ID', 'Name', 'Not imported', 'Tag']);
  const samplesOf = (title: string) =>
    within(screen.getByRole('list', { name: `Samples of ${title}` }))
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent);
  expect(samplesOf('Art')).toEqual(['Strauch', 'Farn', 'Baum']);
  expect(samplesOf('Preis')).toEqual(['\\u00095', '6', '6']);
  await userEvent.selectOptions(await select('Preis'), 'ID');
  expect(await chosen()).toEqual(['Not imported', 'Name', 'ID', 'Tag']);
  await userEvent.selectOptions(await select('Bezeichnung'), '');
  expect((await button('Review lines')).getAttribute('aria-disabled')).toBe('true');
  expect(screen.getByText('Choose which column contains the name.')).toBeDefined();
  await userEvent.selectOptions(await select('Bezeichnung'), 'Name');
  await userEvent.selectOptions(screen.getByLabelText('Header row'), 'None: all lines are plants');
  expect(await screen.findByRole('heading', { name: 'Column 1' })).toBeDefined();
  expect(samplesOf('Column 1')).toEqual(['Nummer', '1', '2']);
});

it('generates missing ids, always the same ones, and explains it', async () => {
  const { store } = openImportWithStore();
  const text = 'name\nRose\nRose\n';
  await choose(text);
  const about = (await screen.findByText('IDs are generated for you.')).closest('p')?.textContent;
  expect(about).toContain('importing it again adds no duplicates');
  await press('Review lines');
  await pressUntil('Add 2 plants', '2 plants added from plants.csv.');
  expect([...store.plants.keys()].every((id) => id > 0n && id < 2n ** 53n)).toBe(true);
  await press('Import another file');
  await review(text);
  await screen.findByText('Everything in these lines is already saved.');
  await button('Unchanged 2');
});

it('asks for another token when the service rejects it, and resumes automatically with the new one', async () => {
  const { store, onTokenRejected, useToken } = openImportWithStore();
  store.acceptTokens('another');
  await review(csv);
  await waitFor(() => expect(onTokenRejected).toHaveBeenCalledTimes(1));
  expect(onTokenRejected.mock.calls[0]?.[1]).toContain('The access token is unknown.');
  useToken('wrong');
  await waitFor(() => expect(onTokenRejected).toHaveBeenCalledTimes(2));
  useToken('another');
  await waitFor(() => expect(screen.queryByText(/^These lines could not be compared/)).toBeNull());
  store.acceptTokens('third');
  await press('Add 2 plants');
  await waitFor(() => expect(onTokenRejected).toHaveBeenCalledTimes(3));
  useToken('third');
  await heading('2 plants added from plants.csv. 1 was left out.');
  expect(onTokenRejected).toHaveBeenCalledTimes(3);
});

it('resumes after a cancel, and with a new token after a sign-out; until the end the browser asks before it closes', async () => {
  const { store, fetch, onTokenRejected, useToken } = openImportWithStore();
  await review(csv);
  fetch.mockClear();
  store.fail({ kind: 'delay', ms: 600_000 }, { kind: 'delay', ms: 600_000 });
  expect(closes()).toBe(true);
  await press('Add 2 plants');
  expect(closes()).toBe(false);
  await waitFor(() => expect(fetch).toHaveBeenCalledTimes(1));
  await pressUntil('Cancel', 'Canceled');
  expect(total('New')).toBe('2');
  await press('Continue');
  await waitFor(() => expect(fetch).toHaveBeenCalledTimes(2));
  useToken(undefined);
  expect(closes()).toBe(false);
  useToken(store.token);
  await heading('2 plants added from plants.csv. 1 was left out.');
  expect(closes()).toBe(true);
  expect(onTokenRejected).not.toHaveBeenCalled();
});

it('keeps what was typed for editing, also if the worker fails or cannot read it, and shows what to do', async () => {
  const { listener } = openImportWithStore();
  const field = () => screen.findByRole<HTMLTextAreaElement>('textbox', { name: /Rows from/ });
  await userEvent.type(await field(), '1;Rose{Enter}2;');
  await press('Read lines');
  await press('Back');
  expect((await field()).value).toBe('1;Rose\n2;');
  expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Import plants' }));
  await press('Read lines');
  await button('Review lines');
  listener()?.onCrash('');
  const alert = await screen.findByText(/failed to load or ran out of memory/);
  expect(alert.textContent).toContain('Nothing was saved. Reload the page, then choose the same file');
  expect((await field()).value).toBe('1;Rose\n2;');
  await choose('');
  expect((await screen.findByText(/There are no lines to import/)).closest('[role]')?.role).toBe('alert');
  await userEvent.type(await field(), 'Fern');
  await press('Read lines');
  await press('Review lines');
  await press('Back');
  await press('Review lines');
  await pressUntil('Add 2 plants', '2 plants added from the pasted lines.');
  await press('Import other lines');
  expect((await field()).value).toBe('');
});

it("reads a long paste together with the field's text, without putting it into the field", async () => {
  openImportWithStore();
  await userEvent.type(screen.getByRole('textbox'), 'id;name{Enter}');
  const lines = Array.from({ length: 3000 }, (_, id) => `${id};Rose`);
  await userEvent.paste(lines.join('\n'));
  await button('Add 3,000 plants');
  await press('Back');
  await press('Back');
  expect(screen.queryByRole('textbox')).toBeNull();
  await press('Read lines');
  await button('Add 3,000 plants');
  await press('Back');
  await press('Back');
  await press('Discard these lines');
  expect(screen.getByRole<HTMLTextAreaElement>('textbox').value).toBe('');
});

const fixture = (name: string) => readFileSync(join(import.meta.dirname, '../../test/import-files', name));

it('reads the file again with another title line, sheet or encoding', async () => {
  const { store } = openImportWithStore();
  await choose('Plants\n1;Rose\n\nNr;Name\n2;Fern\n');
  await userEvent.selectOptions(await screen.findByLabelText('Header row'), 'Line 4: Nr · Name');
  expect(await screen.findByLabelText('Nr Import as')).toBeDefined();
  await press('Review lines');
  await press('Add 1 plant');
  await press('Import another file');
  await choose(fixture('openpyxl-hidden-sheets.xlsx'), 'plants.xlsx');
  await userEvent.selectOptions(await screen.findByLabelText('Sheet'), 'Seeds & more');
  await screen.findByText('Seeds & more', { selector: 'bdi' });
  await press('Review lines');
  await screen.findByText('Everything in these lines is already saved.');
  await press('Import another file');
  await choose(fixture('excel-russian-windows-1251.csv'));
  await userEvent.selectOptions(await screen.findByLabelText(/^If names look wrong/), 'windows-1251');
  await screen.findByText('Роза', { selector: 'li' });
  await press('Review lines');
  await pressUntil('Add 1 plant', '1 plant added from plants.csv.');
  expect([...store.plants.values()].map(({ name }) => name)).toEqual(['Fern', 'Роза']);
});

it('fixes all ids of a kind at once, keeps manual edits, and undoes the fix', async () => {
  const { store } = openImportWithStore();
  await choose(fixture('ids-with-separators.csv'));
  await reviewLines();
  await screen.findByRole('form', { name: 'Line 6' });
  await press('Generate new IDs for 1 line with an unreadable ID');
  await screen.findByText('New IDs were generated for 1 line.');
  await button('Add 1 plant');
  await press('Undo this fix');
  const line = await screen.findByRole('form', { name: 'Line 6' });
  await userEvent.clear(within(line).getByLabelText('ID'));
  await userEvent.type(within(line).getByLabelText('ID'), '3{Enter}');
  await press('Generate IDs for 1 line without one');
  await screen.findByText('IDs were generated for 1 line.');
  await press('Read IDs such as 1.001 as 1001 in 2 lines');
  await press('Read IDs such as 7.0 as 7 in 1 line');
  await button('Add 5 plants');
  const [, takeBack] = await screen.findAllByRole('button', { name: 'Undo this fix' });
  if (takeBack) await userEvent.click(takeBack);
  await button('Read IDs such as 1.001 as 1001 in 2 lines');
  await pressUntil('Add 3 plants', /^3 plants added from plants.csv. \d (was|were) left out.$/);
  expect([...store.plants.keys()].toSorted((a, b) => Number(a - b)).slice(0, 2)).toEqual([3n, 7n]);
});

it('deletes only the plants that it added, after two clicks, and then adds a fixed file with the same ids', async () => {
  const { store, fetch } = await openWith([1, 'Rose']);
  const lines = Array.from({ length: 1500 }, (_, index) => `${index + 1},${index === 0 ? 'Rose' : 'Fern'}`);
  await review(`id,name\n${lines.join('\n')}\n`);
  await press('Add 1,499 plants');
  await press('Undo this import');
  await press('Keep them');
  await press('Undo this import');
  fetch.mockClear();
  // Deleting the second batch fails at first.
  store.fail(
    { kind: 'delay', ms: 0 },
    { kind: 'status', status: 403, body: '{"error":40300,"message":"No."}' },
  );
  await pressUntil('Delete the 1,499 plants that it added', 'Interrupted');
  await pressUntil('Continue', 'Undone: 1,499 plants deleted.');
  expect([...store.plants.keys()]).toEqual([1n]);
  expect(total('Saved')).toBeUndefined();
  await press('Import another file');
  await review('id,name\n1,Rose\n2,Ivy\n');
  expect(screen.getByText('Previously deleted plants will be added again.')).toBeDefined();
  await pressUntil('Add 1 plant', '1 plant added from plants.csv. 1 was unchanged.');
  expect(store.plants.get(2n)).toEqual({ name: 'Ivy' });
});

it('does not delete what was changed after the import', async () => {
  const { store, client, edit } = await openWith();
  await review('id,name,tag\n1,Rose,red\n2,Fern,\n3,Ivy,\n');
  await pressUntil('Add 3 plants', '3 plants added from plants.csv.');
  await edit(2, 'Oak');
  await client.deletePlant({ params: { id: 3 } });
  await press('Undo this import');
  await press('Delete the 3 plants that it added');
  await heading('Undone: 2 plants deleted. 1 has changed since then and was kept.');
  await press('Show 1 more');
  expect(await screen.findAllByText('Changed since')).toHaveLength(1);
  expect([...store.plants]).toEqual([[2n, { name: 'Oak' }]]);
});

it('tidies names and tags that differ only in spaces, case, or composition to the most common form, and undoes that', async () => {
  const { names } = await openWith([7, 'Oak', 'Staude'], [8, 'Oak', 'Staude']);
  const lines = [
    '1,Rosa  rugosa,staude',
    '2, Fern ,Staude ',
    '3,Gra\u0308ser,Farn',
    '4,Gräser,farn',
    '5,Ivy,farn',
  ];
  await review(`id,name,tag\n${lines.join('\n')}\n`);
  const about = /^Some names or tags differ only in spacing/;
  await screen.findByText(about);
  await press('Clean up 6 values');
  await screen.findByText('6 values cleaned up.');
  expect(screen.queryByText(about)).toBeNull();
  await press('Undo this fix');
  await press('Clean up 6 values');
  await pressUntil('Add 5 plants', '5 plants added from plants.csv.');
  expect(names().slice(2)).toEqual([
    '1 Rosa rugosa [Staude]',
    '2 Fern [Staude]',
    '3 Gräser [farn]',
    '4 Gräser [farn]',
    '5 Ivy [farn]',
  ]);
});

it('warns if the ids probably belong to other plants', async () => {
  await openWith([1, 'Rosa rugosa'], [2, 'Ivy'], [3, 'Moss']);
  const warning = /^Most changed lines have very different names/;
  await review('id,name\n1,Rosa rugosa alba\n2,Oak\n3,Green moss\n');
  expect(screen.queryByText(warning)).toBeNull();
  await press('Back');
  await press('Back');
  await review('id,name\n1,Elm\n2,Oak\n3,Moss\n');
  await screen.findByText(warning);
});
