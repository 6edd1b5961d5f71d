import type { Answer, Refusal } from "./answer.ts";
import type { Stop, Timers } from "./socket.ts";

type Waiting = { readonly settle: (answer: Answer<unknown>) => void; readonly stop: Stop };

/** Ids of the public protocol are 32 bit; they only need to differ among open requests. */
const ID_MAX = 0xffff_ffff;

/** The requests of one socket that wait for their answer. Each is settled exactly once. */
export function openRequests(timers: Timers) {
  const waiting = new Map<number, Waiting>();
  let last = 0;

  function settle(id: number, answer: Answer<unknown>): void {
    const open = waiting.get(id);
    if (open === undefined) return;
    waiting.delete(id);
    open.stop();
    open.settle(answer);
  }

  return {
    /** Opens one; without an answer after `deadlineMs` it is unknown. */
    open(deadlineMs: number): { id: number; answered: Promise<Answer<unknown>> } {
      last = last >= ID_MAX ? 1 : last + 1;
      const id = last;
      const answered = new Promise<Answer<unknown>>((settled) => {
        const stop = timers.after(deadlineMs, () => settle(id, { is: "unknown", cause: "deadline" }));
        waiting.set(id, { settle: settled, stop });
      });
      return { id, answered };
    },
    done: (id: number, data: unknown) => settle(id, { is: "done", data }),
    refused: (id: number, refusal: Refusal) => settle(id, { is: "refused", refusal }),
    closeAll(): void {
      for (const id of [...waiting.keys()]) settle(id, { is: "unknown", cause: "closed" });
    },
  };
}
