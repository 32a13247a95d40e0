import type { ProofResult } from '../proof.js';
import type { Comparison, Counts } from './compare-records.js';
import type { Trial } from './trial.js';

/** Adds up the findings of comparisons of several databases. */
export class Tally {
  readonly failures: string[] = [];
  /** Additional counts and measurements of the kind. */
  readonly figures: Record<string, number | string> = {};
  private readonly totals: Partial<Counts> = {};

  add(figure: string, amount = 1): void {
    this.figures[figure] = Number(this.figures[figure] ?? 0) + amount;
  }

  /** Keeps the largest one. */
  max(figure: string, value: number): void {
    this.figures[figure] = Math.max(Number(this.figures[figure] ?? 0), Math.round(value));
  }

  /** Keeps one for each trial. */
  list(figure: string, value: string): void {
    const before = this.figures[figure];
    this.figures[figure] = before === undefined ? value : `${before}, ${value}`;
  }

  fail(failure: string): void {
    this.failures.push(failure);
  }

  /** Notes the failures of a comparison. */
  check({ failures }: Comparison, when: string): void {
    this.failures.push(...failures.map((failure) => `${when}: ${failure}`));
  }

  /**
   * Kills the service, starts it a last time, compares everything and an export, and checks the database once the service has
   * stopped by SIGTERM.
   */
  async checkAtEnd(trial: Trial): Promise<void> {
    await (await trial.service()).killAll();
    const service = await trial.service();
    const comparison = await trial.compare();
    this.check(comparison, 'at the end');
    this.check(await trial.compare('export'), 'in the export at the end');
    const status = await service.kill('SIGTERM');
    if (status !== 0) this.fail(`The service ended with status ${status} on SIGTERM`);
    const damage = await trial.database.findDamage();
    this.failures.push(...damage.map((text) => `integrity check: ${text}`));
    const { acknowledged, deleted, ...others } = comparison.counts;
    const totals: Record<string, number> = this.totals;
    const counts = { acknowledged, deleted, ...trial.ledger.replies, ...others };
    for (const [name, count] of Object.entries(counts)) totals[name] = (totals[name] ?? 0) + count;
  }

  /** The figures, starting with the figures of the kind. */
  toResult(): Omit<ProofResult, 'promise'> {
    return { figures: { ...this.figures, ...this.totals }, failures: this.failures };
  }
}
