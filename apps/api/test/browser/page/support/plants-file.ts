/** A file of plants, and what is expected of it. */
export interface PlantsFile {
  readonly name: string;
  readonly text: string;
  readonly plants: readonly { readonly id: string; readonly name: string; readonly tag: string | null }[];
  /** The numbers of the faulty lines, from 1. */
  readonly faultyLines: readonly number[];
}

/** The lines of each kind, by a number that no other line has. */
const faulty: readonly ((number: number) => string)[] = [
  (number) => `${number}`,
  () => '9223372036854775808,Monstera,beyond the range',
  (number) => `A-${number},Monstera,letters`,
  (number) => `${number}.5,Monstera,no whole number`,
  (number) => `${number},Mon\0stera,NUL`,
  () => ',Monstera,no id',
  () => '9.22337E+18,Monstera,shortened by a spreadsheet',
  (number) => `"${number},000",Monstera,thousands`,
];

/** So that most ids are those that a double cannot hold. */
const largestId = 9_223_372_036_854_775_807n;

/**
 * Makes a CSV file with a header, then so many lines, of which every so-many-th is faulty: without a name, with
 * NUL, or with an id that is missing, no number, out of range, fractional, shortened or grouped by thousands. The ids descend.
 */
export function makePlantsFile(
  count: number,
  { faultyEvery, firstId = largestId }: { readonly faultyEvery: number; readonly firstId?: bigint },
): PlantsFile {
  const lines = ['id,name,tag'];
  const plants = [];
  const faultyLines = [];
  for (let number = 1; number <= count; number++) {
    if (number % faultyEvery === 0) {
      faultyLines.push(lines.length + 1);
      lines.push(faulty[(number / faultyEvery) % faulty.length]?.(number) ?? '');
    } else {
      const id = String(firstId - BigInt(number - 1));
      const tag = number % 3 === 0 ? null : `bed ${number % 7}`;
      plants.push({ id, name: `Monstera ${number}, "Thai"`, tag });
      lines.push(`${id},"Monstera ${number}, ""Thai""",${tag ?? ''}`);
    }
  }
  return { name: 'plants.csv', text: `${lines.join('\n')}\n`, plants, faultyLines };
}
