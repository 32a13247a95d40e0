/** The most digits that a number is written out with; an int64 has at most 19. */
const maxDigits = 30;

const int64Min = -(2n ** 63n);
const int64Max = 2n ** 63n - 1n;

/** A JSON number with its value kept exactly, whatever its size. */
export class ExactNumber {
  /**
   * @param canonical equal for two numbers if, and only if, their values are: digits without zeros around them, and an exponent
   * @param int64 the value, if it is an integer of 64 bits
   */
  constructor(
    readonly canonical: string,
    readonly int64: bigint | undefined,
  ) {}
}

/** Reads a number as RFC 8259, section 6, spells it. `1.0`, `10e-1` and `1` have the same value. */
export function readExactNumber(literal: string): ExactNumber {
  const [, sign = '', integer = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal) ?? [];
  const digits = `${integer}${fraction}`.replace(/^0+/, '');
  if (digits === '') return new ExactNumber('0', 0n);
  const significant = digits.replace(/0+$/, '');
  const scale = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length);
  const canonical = `${sign}${significant}e${scale}`;
  return new ExactNumber(canonical, toInt64(sign, significant, scale));
}

function toInt64(sign: string, significant: string, scale: bigint): bigint | undefined {
  if (scale < 0n || BigInt(significant.length) + scale > maxDigits) return undefined;
  const value = BigInt(`${sign}${significant}${'0'.repeat(Number(scale))}`);
  return value >= int64Min && value <= int64Max ? value : undefined;
}
