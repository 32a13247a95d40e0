/** Returns an ID that is almost certainly unused: a random integer of 12 digits, which every JSON parser reads exactly. */
export function suggestId(): string {
  const [random = 0n] = crypto.getRandomValues(new BigUint64Array(1));
  return String(10n ** 11n + (random % (9n * 10n ** 11n)));
}

/** Whether an ID looks like a suggested one. */
export function isSuggestedId(id: string): boolean {
  return /^[1-9]\d{11}$/.test(id);
}
