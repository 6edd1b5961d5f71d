import { MINOR_PER_UNIT } from "@longarm/contract/money";
import type { CarriedOut } from "../control/index.ts";
import type { Ended } from "../play/index.ts";
import type { OperationParts, Operations } from "./parts.ts";

/** What staff does to machines and to the play sessions on them. */
export function floorOperations({ control, play }: OperationParts): Pick<Operations, "carryOut" | "endSession"> {
  return {
    async carryOut({ machineId }) {
      return { is: "done", sentence: carriedOut(machineId, await control.carryOut(machineId)) };
    },
    async endSession({ machineId }, { playSessionId }) {
      const ended = await play.endSessionAt(machineId, "house", playSessionId);
      if (ended === null) return { is: "refused", sentence: `No such play session runs at ${machineId}.` };
      return { is: "done", sentence: endedAt(machineId, ended) };
    },
  };
}

const STANDS: Readonly<Record<Exclude<CarriedOut["mode"], "open">, string>> = {
  draining: "takes nobody new",
  disabled: "is disabled: no new game and nobody new, cashing out works",
  stopped: "is stopped: every press is refused",
};

function carriedOut(machineId: string, { mode, machine, ended }: CarriedOut): string {
  const away = machine === "away" ? " The machine itself could not be told yet: it is told as soon as it answers." : "";
  // Whoever asked knows what opened it: a mode, a reservation, an explanation.
  if (mode === "open") return away.trimStart();
  return `${machineId} ${STANDS[mode]}.${away}${ended === null ? "" : ` ${endedAt(machineId, ended)}`}`;
}

/** What became of a play session and its credits. */
export function endedAt(machineId: string, { outcome, amount }: Ended): string {
  if (outcome === "done")
    return `The play session at ${machineId} has ended: ${(amount / MINOR_PER_UNIT).toFixed(2)} went back to the wallet.`;
  return `The play session at ${machineId} is ending: its credits go back to the wallet as soon as its game is over and the machine answers.`;
}
