/** Limits the bytes that all bodies hold together while they are being read. */
export interface BodyBudget {
  /** How many bytes are held now. */
  readonly held: number;
  /**
   * Takes room for a body. No holder may have more than is left free, so that there is always room for others: one holder
   * gets at most half of the limit, each of two a third, and so on.
   *
   * @param holder who calls, as `callerOf` names them
   * @returns whether there is room; if not, nothing is taken
   */
  take(holder: number | string, bytes: number): boolean;
  /** Returns room that was taken. */
  release(holder: number | string, bytes: number): void;
}

export function createBodyBudget(limitBytes: number): BodyBudget {
  const heldBy = new Map<number | string, number>();
  let total = 0;
  return {
    get held() {
      return total;
    },
    take(holder, bytes) {
      const held = (heldBy.get(holder) ?? 0) + bytes;
      if (held > limitBytes - total - bytes) return false;
      heldBy.set(holder, held);
      total += bytes;
      return true;
    },
    release(holder, bytes) {
      const held = (heldBy.get(holder) ?? 0) - bytes;
      if (held > 0) heldBy.set(holder, held);
      else heldBy.delete(holder);
      total -= bytes;
    },
  };
}
