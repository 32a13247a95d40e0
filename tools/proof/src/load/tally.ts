import type { ProofResult } from '../proof.js';
import type { Comparison } from './compare-plants.js';

/** Adds up what the comparisons of several databases found. */
export class Tally {
  readonly failures: string[] = [];
  private readonly counts = {
    ...{ acknowledged: 0, deleted: 0, shown: 0, lost: 0, lostDeletes: 0, phantom: 0, double: 0 },
    ...{ unknown: 0, unknownStored: 0, unknownDeletes: 0, unknownDeleted: 0 },
  };

  /** Notes what a comparison of a part of the plants found wrong. */
  check({ failures }: Comparison, when: string): void {
    this.failures.push(...failures.map((failure) => `${when}: ${failure}`));
  }

  /** Adds the comparison of all plants of a database, and what the engine's own check found. */
  addDatabase(comparison: Comparison, damage: readonly string[]): void {
    for (const name of Object.keys(this.counts) as (keyof typeof this.counts)[])
      this.counts[name] += comparison[name];
    this.check(comparison, 'at the end');
    this.failures.push(...damage.map((text) => `integrity check: ${text}`));
  }

  /** The figures, those of the caller first. */
  toResult(promise: string, figures: ProofResult['figures']): ProofResult {
    const { acknowledged, deleted, shown, lost, lostDeletes, phantom, double, ...unknown } = this.counts;
    return {
      promise,
      figures: {
        ...figures,
        ...{ acknowledged, deleted, shown, lost, 'lost deletes': lostDeletes, phantom, double },
        'outcome unknown': unknown.unknown,
        'of those stored': unknown.unknownStored,
        'deletes unknown': unknown.unknownDeletes,
        'of those deleted': unknown.unknownDeleted,
      },
      failures: this.failures,
    };
  }
}
