import type { LegacyEncoding } from '../../protocol.js';

/** The text of a file, and how its bytes were read. */
export interface DecodedText {
  readonly text: string;
  readonly encoding: 'UTF-8' | 'UTF-16' | LegacyEncoding;
  readonly hasByteOrderMark: boolean;
}

/** The encoding in which spreadsheets write CSV, by language. */
const encodingsByLanguage: Readonly<Record<string, LegacyEncoding>> = {
  ...Object.fromEntries(['cs', 'hr', 'hu', 'pl', 'ro', 'sk', 'sl'].map((each) => [each, 'windows-1250'])),
  ...Object.fromEntries(['be', 'bg', 'mk', 'ru', 'sr', 'uk'].map((each) => [each, 'windows-1251'])),
  el: 'windows-1253',
  tr: 'windows-1254',
  ja: 'shift_jis',
  zh: 'gbk',
  ko: 'euc-kr',
};

/**
 * Decodes a file with the chosen encoding. If none is chosen, decodes it as UTF-16 if the first bytes look like that, or as UTF-8 if that
 * is valid, or else with the encoding that spreadsheets use in the browser's language. Removes a byte order mark.
 */
export function decodeText(bytes: Uint8Array, chosen?: LegacyEncoding): DecodedText {
  const start = Array.from(bytes.subarray(0, 4), (byte) => byte.toString(16).padStart(2, '0')).join('');
  const decode = (encoding: DecodedText['encoding'], label: string, hasByteOrderMark: boolean) => {
    const isFatal = encoding === 'UTF-8';
    return { text: new TextDecoder(label, { fatal: isFatal }).decode(bytes), encoding, hasByteOrderMark };
  };
  if (chosen !== undefined) return decode(chosen, chosen, false);
  if (start.startsWith('fffe')) return decode('UTF-16', 'utf-16le', true);
  if (start.startsWith('feff')) return decode('UTF-16', 'utf-16be', true);
  if (/^(?!00)..00(?!00)..00$/.test(start)) return decode('UTF-16', 'utf-16le', false);
  try {
    return decode('UTF-8', 'utf-8', start.startsWith('efbbbf'));
  } catch {
    const guessed = encodingsByLanguage[navigator.language.slice(0, 2)] ?? 'windows-1252';
    return decode(guessed, guessed, false);
  }
}
