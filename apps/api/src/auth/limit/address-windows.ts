import { LRUCache } from 'lru-cache';
import { FailureWindow, windowMs } from './failure-window.js';

/** How many client addresses are counted. Past that the one whose latest request is the longest ago is forgotten. */
export const countedAddresses = 10_000;

/** The windows of all addresses. Those with a failure end by themselves, a minute after the first. */
export class AddressWindows {
  readonly #limit: number;
  readonly #failed: LRUCache<string, FailureWindow>;
  /** Most addresses never have a failure. Adding them to the cache and removing them would cost more than a look-up. */
  readonly #pending = new Map<string, FailureWindow>();

  /**
   * @param limit how many failures an address may have
   * @param onEnd called with each address that was limited, once that is over
   */
  constructor(limit: number, onEnd: (address: string, rejected: number) => void) {
    this.#limit = limit;
    this.#failed = new LRUCache({
      max: countedAddresses,
      ttl: windowMs,
      ttlAutopurge: true,
      // The clock of the windows, too.
      perf: performance,
      // Otherwise it starts a timer instead of reading the clock again within a millisecond.
      ttlResolution: 0,
      dispose: ({ rejected }, address) => {
        if (rejected > 0) onEnd(address, rejected);
      },
    });
  }

  /** The window of an address, with its failures, for one that fails now. */
  get(address: string): FailureWindow {
    return this.#failed.get(address) ?? this.#pending.get(address) ?? this.#create(address);
  }

  /** Makes a look-up within the window of an address, which is not kept afterwards if none has failed. */
  async use<Result>(address: string, lookUp: (window: FailureWindow) => Promise<Result>): Promise<Result> {
    const window = this.get(address);
    if (!window.hasFailures) this.#pending.set(address, window);
    window.pending++;
    try {
      return await lookUp(window);
    } finally {
      window.pending--;
      if (window.pending === 0 && this.#pending.get(address) === window) this.#pending.delete(address);
    }
  }

  /** Forgets all failures. */
  clear(): void {
    this.#failed.clear();
  }

  #create(address: string): FailureWindow {
    const window: FailureWindow = new FailureWindow(this.#limit, () => {
      this.#pending.delete(address);
      this.#failed.set(address, window);
    });
    return window;
  }
}
