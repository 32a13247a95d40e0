/**
 * Translates the page as browsers do: each text that may be translated, as soon as it is there, is replaced by another one
 * within two `<font>` elements. The words stay, so that the tests find them.
 */
import { afterEach, beforeEach, expect } from 'vitest';

/** Texts that React changed once the browser had replaced them: nobody sees that. */
const unseen: string[] = [];
let observer: MutationObserver | undefined;

beforeEach(() => {
  unseen.length = 0;
  const replaced = new MutationObserver((records) => {
    for (const { target, oldValue } of records) unseen.push(`"${oldValue}" became "${target.nodeValue}"`);
  });
  observer = new MutationObserver((records) => {
    for (const { target, addedNodes } of records)
      for (const node of [target, ...addedNodes]) translate(node, replaced);
  });
  observer.observe(document.body, { subtree: true, childList: true, characterData: true });
});

// Before the page is removed.
afterEach(() => {
  observer?.disconnect();
  expect(unseen, 'texts that change without an element of their own').toEqual([]);
});

function translate(node: Node, replaced: MutationObserver): void {
  if (node instanceof Text) {
    const parent = node.parentElement;
    if (parent === null || node.data.trim() === '') return;
    if (
      parent.closest('font, textarea, option, script, style, [translate="no"] > *, [translate="no"]') !== null
    )
      return;
    const font = document.createElement('font');
    font.append(document.createElement('font'));
    font.firstElementChild?.append(node.data.trim());
    const [before = '', after = ''] = node.data.split(node.data.trim());
    node.replaceWith(before, font, after);
    replaced.observe(node, { characterData: true, characterDataOldValue: true });
  } else for (const child of [...node.childNodes]) translate(child, replaced);
}
