import './text-change.css';

interface TextChangeProps {
  readonly before: string;
  readonly after: string;
  /** The names of the two texts, for people who cannot see the marks. */
  readonly labels: readonly [before: string, after: string];
}

/** The old and the new text, with the differing words marked. */
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
  const [one, other] = [before, after].map((text) => text.split(/(?<=\s)|(?=\s)/)) as [string[], string[]];
  const shorter = Math.min(one.length, other.length);
  let start = 0;
  while (start < shorter && one[start] === other[start]) start++;
  let end = 0;
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end++;
  return [
    one.slice(0, start).join(''),
    one.slice(start, one.length - end).join(''),
    other.slice(start, other.length - end).join(''),
    one.slice(one.length - end).join(''),
  ];
}
