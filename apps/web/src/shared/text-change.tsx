import './text-change.css';

interface TextChangeProps {
  readonly before: string;
  readonly after: string;
  /** The names of the two texts, for people who cannot see the marks. */
  readonly labels: readonly [before: string, after: string];
}

/** Shows the old and the new text, with the differing words marked. */
export function TextChange({ before, after, labels }: TextChangeProps) {
  const [start, removed, added, end] = splitChange(before, after);
  return (
    <>
      {before !== '' && (
        <del>
          <span className="visually-hidden" translate="yes">
            {labels[0]}{' '}
          </span>
          {start}
          <mark>{removed}</mark>
          {end}
        </del>
      )}
      <ins>
        <span className="visually-hidden" translate="yes">
          {labels[1]}{' '}
        </span>
        {after === '' ? (
          <i translate="yes">none</i>
        ) : (
          <>
            {start}
            <mark>{added}</mark>
            {end}
          </>
        )}
      </ins>
    </>
  );
}

/** Splits two texts into their common first words, the differing words, and their common last words. */
function splitChange(
  before: string,
  after: string,
): readonly [start: string, removed: string, added: string, end: string] {
  const [oldWords, newWords] = [before, after].map((text) => text.split(/(?<=\s)|(?=\s)/)) as [
    string[],
    string[],
  ];
  const commonLength = Math.min(oldWords.length, newWords.length);
  let start = 0;
  while (start < commonLength && oldWords[start] === newWords[start]) start++;
  let end = 0;
  while (end < commonLength - start && oldWords.at(-1 - end) === newWords.at(-1 - end)) end++;
  return [
    oldWords.slice(0, start).join(''),
    oldWords.slice(start, oldWords.length - end).join(''),
    newWords.slice(start, newWords.length - end).join(''),
    oldWords.slice(oldWords.length - end).join(''),
  ];
}
