import type { Clock } from "../../../clock.ts";

/** How long a machine that answers may report no event before those it has counted count as lost, ms. */
const SILENT_MS_MAX = 15_000;
/** Looks further apart than this do not add up: the machine was away meanwhile, ms. */
const GAP_MS_MAX = 10_000;

type Wait = { readonly seq: number; readonly since: number; readonly looked: number };

/** How long events have been awaited from machines that answer and report none. */
export class EventWaits {
  readonly #clock: Pick<Clock, "now">;
  readonly #waits = new Map<string, Wait>();

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  /**
   * Called at each look, with the last event stored and whether the agent says that it has more. True: they do not come any more. While it
   * has more no time decides: one lost answer, a full disk or a slow database delay them for long, and they come all the same.
   */
  areOver(machineId: string, seq: number, eventsWait: boolean | undefined): boolean {
    if (eventsWait === true) {
      this.forget(machineId);
      return false;
    }
    const now = this.#clock.now();
    const before = this.#waits.get(machineId);
    const goesOn = before !== undefined && before.seq === seq && now - before.looked <= GAP_MS_MAX;
    const since = goesOn ? before.since : now;
    this.#waits.set(machineId, { seq, since, looked: now });
    return now - since >= SILENT_MS_MAX;
  }

  forget(machineId: string): void {
    this.#waits.delete(machineId);
  }
}
