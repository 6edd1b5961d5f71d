import type { EgmTransferAnswer } from "@longarm/contract/agent-link";
import type { Handled } from "@longarm/link/answer";

/**
 * The money commands of one machine that wait or run. It outlives an opened driver: a command of a driver that was closed meanwhile still runs, and
 * the desk of the next driver must not answer for it.
 */
export class UnderWay {
  readonly #copies = new Map<string, number>();
  /** Ids that are being promised as never seen; commands for them are refused from the first moment on. */
  readonly promising = new Map<string, Promise<Handled<EgmTransferAnswer>>>();

  has(id: string): boolean {
    return this.#copies.has(id);
  }

  /** Counts a copy of the command until `work` has ended. */
  async during<T>(id: string, work: () => Promise<T>): Promise<T> {
    this.#count(id, 1);
    try {
      return await work();
    } finally {
      this.#count(id, -1);
    }
  }

  #count(id: string, change: 1 | -1): void {
    const copies = (this.#copies.get(id) ?? 0) + change;
    if (copies === 0) this.#copies.delete(id);
    else this.#copies.set(id, copies);
  }
}
