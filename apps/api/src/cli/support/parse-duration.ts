const unitsMs: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** The milliseconds in a text such as `90s`, `30m`, `12h`, `30d` or `52w`; `undefined` when it is not one. */
export function parseDuration(text: string): number | undefined {
  const [, amount, unit = ''] = /^([1-9]\d{0,5})([smhdw])$/.exec(text) ?? [];
  const unitMs = unitsMs[unit];
  return amount === undefined || unitMs === undefined ? undefined : Number(amount) * unitMs;
}
