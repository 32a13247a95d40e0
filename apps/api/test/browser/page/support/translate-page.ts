/**
 * Translates a document as Chrome does, to the same words: runs in it before its own scripts, and puts a copy of each text into two
 * elements `font`, also of each that comes later, except below `translate="no"`. What a script then writes into the text that was
 * replaced nobody sees: each such change is an error of the console.
 */
export function translatePage(): void {
  // Not texts that are edited or run.
  const untranslated = '[translate=no], font, script, style, textarea, title';
  const replaced = new MutationObserver((changes) => {
    for (const { target, oldValue } of changes)
      console.error(`Not seen where translated: "${oldValue}" has become "${target.textContent}"`);
  });
  const translate = (root: Node) => {
    const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const found: Node[] = [];
    for (let node: Node | null = root; node !== null; node = texts.nextNode()) found.push(node);
    for (const text of found) {
      const { parentElement } = text;
      if (!(text instanceof Text) || parentElement === null || !/\p{L}|\p{N}/u.test(text.data)) continue;
      if (parentElement.closest(untranslated) !== null) continue;
      const [outer, inner] = [document.createElement('font'), document.createElement('font')];
      inner.append(text.data);
      outer.append(inner);
      text.replaceWith(outer);
      replaced.observe(text, { characterData: true, characterDataOldValue: true });
    }
  };
  new MutationObserver((changes) => {
    for (const { type, target, addedNodes } of changes) {
      if (type === 'characterData') translate(target);
      else for (const node of addedNodes) translate(node);
    }
  }).observe(document, { subtree: true, childList: true, characterData: true });
}
