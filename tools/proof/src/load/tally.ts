import type { ProofResult } from '../proof.js';
import type { Comparison, Counts } from './compare-records.js';
import type { Trial } from './trial.js';

/** Collects the failures and the figures of the trials of a kind. */
export class Tally {
  readonly failures: string[] = [];
  /** Counts and measurements that only this kind has. */
  readonly figures: Record<string, number | string> = {};
  private readonly totals: Partial<Counts> = {};

  /** Adds to a count. */
  add(figure: string, amount = 1): void {
    this.figures[figure] = Number(this.figures[figure] ?? 0) + amount;
  }

  /** Keeps the largest value, rounded. */
  max(figure: string, value: number): void {
    this.figures[figure] = Math.max(Number(this.figures[figure] ?? 0), Math.round(value));
  }

  /** Keeps every value, separated by commas. */
  list(figure: string, value: string): void {
    const before = this.figures[figure];
    this.figures[figure] = before === undefined ? value : `${before}, ${value}`;
  }

  fail(failure: string): void {
    this.failures.push(failure);
  }

  /** Adds the failures of a comparison. */
  addFailures({ failures }: Comparison, when: string): void {
    this.failures.push(...failures.map((failure) => `${when}: ${failure}`));
  }

  /**
   * Kills and restarts the service, compares the database and an export with the ledger, stops the service with SIGTERM, and checks the
   * database for damage.
   */
  async checkAtEnd(trial: Trial): Promise<void> {
    await (await trial.runningService()).killAll();
    const service = await trial.runningService();
    const comparison = await trial.compare();
    this.addFailures(comparison, 'at the end');
    this.addFailures(await trial.compare('export'), 'in the export at the end');
    const status = await service.kill('SIGTERM');
    if (status !== 0) this.fail(`The service ended with status ${status} on SIGTERM`);
    const damage = await trial.database.findDamage();
    this.failures.push(...damage.map((text) => `integrity check: ${text}`));
    const { acknowledged, deleted, ...others } = comparison.counts;
    const totals: Record<string, number> = this.totals;
    const counts = { acknowledged, deleted, ...trial.ledger.replies, ...others };
    for (const [name, count] of Object.entries(counts)) totals[name] = (totals[name] ?? 0) + count;
  }

  /** Returns the failures and the figures, first those that only this kind has. */
  toResult(): Omit<ProofResult, 'promise'> {
    return { figures: { ...this.figures, ...this.totals }, failures: this.failures };
  }
}
