import type { SimulatedEvent, SimulatedFault } from "@longarm/contract/machine";
import { SIMULATED_FAULTS } from "@longarm/contract/machine";
import type { Wish } from "@longarm/reels/game/dealer";
import type { EgmMeters } from "../../../ports/egm.ts";
import { FAULTS } from "../faults.ts";
import type { Machine } from "../machine.ts";
import { overLine } from "./cut-line.ts";

type Simulated = Pick<Machine, "egm" | "faults" | "state" | "wish"> & { close(): Promise<void> };

/** A simulated machine at which things can be made to happen, also while no agent has it open. */
export type Pretending<M> = {
  /** Powers it up behind its line. Rejects while the line is cut. */
  open(): Promise<M>;
  /** Answers what will be seen. Rejects with a sentence when it cannot happen now. */
  simulate(what: SimulatedEvent): Promise<string>;
};

const isFault = (what: Wish | SimulatedFault): what is SimulatedFault => Object.hasOwn(FAULTS, what);

const WISHES: Readonly<Record<Wish, string>> = {
  handpay: "The next game ends in a hand pay. The machine stays locked until staff confirms it.",
  bonus: "The next game brings the bonus.",
  freespins: "The next game brings free spins.",
  jackpot: "The next game wins the GRAND jackpot.",
};

export function pretending<M extends Simulated>(powerUp: () => Promise<M>): Pretending<M> {
  let powered: M | undefined;
  let cut = false;

  async function repair(): Promise<string> {
    const wasCut = cut;
    cut = false;
    if (powered === undefined)
      return wasCut ? "The line is repaired. The machine comes back." : "The machine comes back.";
    powered.wish(null);
    const [handPay] = (await powered.egm.meters()).handPays;
    const faults = SIMULATED_FAULTS.filter((kind) => powered?.state().faults[kind] !== undefined);
    for (const kind of faults) await powered.faults.end(kind);
    if (handPay !== undefined)
      return "Repaired, but a hand pay is owed: the machine stays locked until staff confirms it.";
    return wasCut || faults.length > 0 ? "Repaired." : "There was nothing to repair.";
  }

  return {
    async open() {
      if (cut) throw new Error("the line to the machine is dead");
      const machine = await powerUp();
      powered = machine;
      return {
        ...machine,
        egm: overLine(machine.egm, () => cut),
        close: async () => {
          powered = undefined;
          await machine.close();
        },
      };
    },
    async simulate(what) {
      if (what === "repair") return await repair();
      if (powered === undefined || cut) throw new Error("The machine is offline: repair it first.");
      if (what === "offline") {
        cut = true;
        return "The line to the machine is cut: within seconds it counts as offline, until it is repaired.";
      }
      return await happen(powered, what, await powered.egm.meters());
    },
  };
}

async function happen(
  { faults, state, wish }: Simulated,
  what: Wish | SimulatedFault,
  { handPays }: EgmMeters,
): Promise<string> {
  if (isFault(what)) {
    if (state().faults[what] === undefined) await faults.begin(what, FAULTS[what].code);
    return FAULTS[what].said;
  }
  if (handPays.length > 0) throw new Error("A hand pay is owed: confirm it first, no game can begin before.");
  wish(what);
  return WISHES[what];
}
