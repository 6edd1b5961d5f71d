import type WebSocket from "ws";
import type { PlatformDeps } from "../../../apps/platform/src/deps.ts";
import type { Schedule } from "../world/schedule.ts";

/*
 * Bugs put in on purpose: the model has to find each of them, or it proves nothing. The third one, an agent that has lost its journal, is
 * a disk that is empty at every start.
 */

type Ledger = PlatformDeps["ledger"];

/** What a hold is posted as is moved once more under a new id. */
export function postsTwice(real: Ledger): Ledger {
  return {
    ...real,
    within: (transaction) => postsTwice(real.within(transaction)),
    post: async (holdId, command) => {
      const posted = await real.post(holdId, command);
      if (posted.is === "refused" || posted.replayed) return posted;
      const { kind, from, to, amountMinor } = posted.transfer;
      // Only now and then, as such a bug would be.
      if (kind !== "correction" && amountMinor % 7 === 0)
        await real.transfer({ id: `${holdId}-2`, kind, from, to, amountMinor });
      return posted;
    },
  };
}

/** After this long without an answer a hopeful platform believes in one, ms. */
const HOPE_MS = 700;

/** A cash-out that nobody answers counts as made: what was asked for is credited on hope. */
export function hopesFor(socket: WebSocket, schedule: Schedule): WebSocket {
  const send = socket.send.bind(socket) as (text: string) => void;
  return Object.assign(socket, {
    send: (text: string) => {
      send(text);
      const { request, id, method, data } = JSON.parse(text) as Record<string, unknown>;
      const amount = (data as { amount?: number } | undefined)?.amount;
      if (request !== true || method !== "egm.cashOut" || amount === undefined) return;
      const answer = { response: true, id, ok: true, data: { outcome: "done", amount } };
      schedule.after(HOPE_MS, () => void socket.emit("message", JSON.stringify(answer), false));
    },
  });
}
