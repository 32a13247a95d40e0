import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PlantStore, startPlantStore } from '../browser/page/support/start-plant-store.js';
import { until } from '../support/until.js';
import { type OpenBrowser, openFirefox, openWebKit } from './open-browser.js';

let injected: string;
beforeAll(async () => {
  const entryPoints = [join(import.meta.dirname, 'in-page.ts')];
  const { outputFiles } = await build({ entryPoints, bundle: true, format: 'iife', write: false });
  injected = outputFiles[0]?.text ?? '';
});

const named = (role: string, name: string) => `find(${JSON.stringify(role)}, ${JSON.stringify(name)})`;

describe.each(Object.entries({ Firefox: openFirefox, WebKit: openWebKit }))('%s', (_, open) => {
  let store: PlantStore;
  let browser: OpenBrowser;
  beforeAll(async () => {
    store = await startPlantStore();
    browser = await open();
  });
  afterAll(async () => {
    await browser?.close();
    await store?.stop();
  });

  const see = (text: string) =>
    until(async () => ((await browser.evaluate('document.body.innerText')) as string).includes(text));
  const find = async (role: string, name: string) => {
    const element = named(role, name);
    await until(() => browser.evaluate(`${element} !== undefined`));
    return element;
  };
  const click = async (role: string, name: string) => browser.click(await find(role, name));
  const type = async (role: string, name: string, text: string) => browser.type(await find(role, name), text);
  const isGone = (role: string, name: string) =>
    until(() => browser.evaluate(`${named(role, name)} === undefined`));

  it('opens at the printed address, and takes the token out of it', async () => {
    await browser.goto(store.address);
    await see('Every plant, in one list');
    await browser.evaluate(`(() => { ${injected}; return true; })()`);
    expect(await browser.evaluate('location.href')).toBe(`${store.baseUrl}/`);
  });

  it('adds the first plant', async () => {
    await type('textbox', 'Name', 'Ivy');
    await browser.press('Enter');
    await find('row', 'Ivy…');
  });

  it('adds the plant with the largest id', async () => {
    await click('link', 'Add plant');
    await click('button', 'Change the ID');
    await browser.evaluate(`${await find('textbox', 'ID')}.select()`);
    await type('textbox', 'ID', '9223372036854775807');
    await type('textbox', 'Name', 'Monstera');
    await type('combobox', 'Tag', 'bed');
    await browser.press('Enter');
    await see('Stored: Monstera');
    expect(store.readPlants()).toContainEqual({ id: '9223372036854775807', name: 'Monstera', tag: 'bed' });
    await browser.press('Escape');
    await find('row', 'Monstera…');
  });

  it('finds a plant, opens it and edits it', async () => {
    const plants = Array.from({ length: 50 }, (_, index) => ({ id: index + 1, name: `Fern ${index + 1}` }));
    await store.send('/plants/batch', { plants });
    await type('searchbox', 'Search…', 'fern 17');
    await see('1 plant found');
    // The first cell selects it.
    await browser.click(`document.querySelector('td.plant-name')`);
    await click('button', 'Edit');
    await type('textbox', 'Name', ' a');
    await browser.press('Enter');
    await see('Saved.');
    expect(store.readPlants()).toContainEqual({ id: '17', name: 'Fern 17 a', tag: null });
  });

  it('deletes a plant and brings it back', async () => {
    await click('button', 'Delete');
    await isGone('row', 'Fern 17 a…');
    await click('button', 'Undo');
    await find('row', 'Fern 17 a…');
    expect(store.readPlants()).toContainEqual({ id: '17', name: 'Fern 17 a', tag: null });
  });

  it('opens and closes a plant by keys', async () => {
    await click('link', 'All plants…');
    await find('row', 'Fern 50…');
    await browser.evaluate(`${await find('searchbox', 'Search…')}.focus()`);
    const isRow = `document.activeElement.matches('tr')`;
    // Tab stops where something can be done alone.
    const isControl = `document.activeElement.matches('a, button, input, select, summary')`;
    for (let stops = 0; !(await browser.evaluate(isRow)); stops++) {
      expect(stops).toBeLessThan(30);
      expect(await browser.evaluate(isControl)).toBe(true);
      await browser.press('Tab');
    }
    const first = await browser.evaluate('document.activeElement.ariaRowIndex');
    await browser.press('ArrowDown');
    expect(await browser.evaluate('document.activeElement.ariaRowIndex')).toBe(`${Number(first) + 1}`);
    await browser.press('o');
    await find('button', 'Delete');
    await browser.press('Escape');
    await until(() => browser.evaluate(`document.querySelector('.plant-panel') === null && ${isRow}`));
  });

  it('imports a file', async () => {
    await click('link', 'Import');
    const folder = mkdtempSync(join(tmpdir(), 'plant-store-file-'));
    const path = join(folder, 'plants.csv');
    writeFileSync(path, 'id,name,tag\n101,Äpfelbaum,tree\n102,"Rose, ""Thai""",\nx,Ivy,\n');
    await find('button', 'Choose file');
    await browser.choose(`document.querySelector('input[type=file]')`, path);
    await click('button', 'Add 2 plants');
    rmSync(folder, { recursive: true });
    await see('2 plants added from');
    expect(store.readPlants()).toContainEqual({ id: '101', name: 'Äpfelbaum', tag: 'tree' });
    expect(store.readPlants()).toContainEqual({ id: '102', name: 'Rose, "Thai"', tag: null });
  });

  it('has had no error of the page', async () => {
    expect(await browser.evaluate('errors')).toEqual([]);
  });
});
