// What a program imports once so that JSON.stringify writes every bigint as a number with all its digits.
declare global {
  interface BigInt {
    toJSON(): unknown;
  }
  interface JSON {
    rawJSON(text: string): unknown;
  }
}

BigInt.prototype.toJSON = function toJSON() {
  return JSON.rawJSON(String(this));
};

export {};
