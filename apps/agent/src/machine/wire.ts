import type { MachineAbout } from "@longarm/contract/about-machine";
import type { AgentMachine, EgmState } from "@longarm/contract/agent-link";
import type { MachineFacts, MachineTotals, Meters } from "@longarm/contract/machine";
import type { Egm, EgmDescription, EgmJackpot, EgmMeters, EgmTotals } from "../ports/egm.ts";

/** Facts of a machine that its own protocol does not know; from the configuration. */
export type MachineView = Pick<MachineFacts, "videoType"> &
  Partial<Pick<MachineFacts, "cutScreen" | "layout" | "simulated">> & {
    /** The machine has a camera of the room. */
    readonly webcam?: boolean;
  };

/** What the operator states of a machine in the agent's list: its protocol cannot, or the law wants it said. */
export type OperatorStates = Pick<MachineAbout, "rules"> & { readonly returnPercent?: number | undefined };

/** The machine's meters in the words of the contract; all amounts in minor units. */
export function wireMeters(meters: EgmMeters): Meters {
  const {
    credit,
    bet,
    win,
    winLines = [],
    freeSpins,
    bonus,
    gamesPlayed,
    activeBand,
    inGame,
    handPay,
    lockup,
  } = meters;
  return {
    credit,
    bet,
    win,
    freeSpins,
    bonus,
    gamesPlayed,
    activeBand,
    inGame,
    ...(winLines.length > 0 && { winLines: [...winLines] }),
    ...(handPay === undefined ? {} : { handPay: { id: handPay.id, amount: handPay.amount, kind: handPay.kind } }),
    ...(lockup === undefined ? {} : { lockup }),
  };
}

/** The machine's running meters in the words of the contract. */
export function wireTotals(totals: EgmTotals): MachineTotals {
  return {
    wagered: totals.wageredTotal,
    won: totals.wonTotal,
    machinePaid: totals.machinePaidTotal,
    handPaid: totals.handPaidTotal,
    cashIn: totals.cashInTotal,
    cashOut: totals.cashOutTotal,
    otherIn: totals.otherInTotal,
    otherOut: totals.otherOutTotal,
  };
}

/** Free spins count as a bonus: nothing but the bonus itself can be played until they are over. */
export function wireState(meters: EgmMeters): EgmState {
  if (meters.lockup === "disabled") return "disabled";
  if (meters.lockup !== undefined) return "locked";
  if (meters.bonus || (meters.inGame && meters.freeSpins > 0)) return "inBonus";
  return meters.inGame ? "inGame" : "idle";
}

/** Largest first, as the lobby shows them. */
export function wireJackpots(jackpots: readonly EgmJackpot[]): AgentMachine["jackpots"] {
  return jackpots.map(({ name, amount }) => ({ name, amount })).sort((a, b) => b.amount - a.amount);
}

/** What `hello` tells of a machine. `epoch`: the highest one ever seen for it. */
export function wireMachine(
  description: EgmDescription,
  view: MachineView,
  meters: EgmMeters,
  epoch: number,
): AgentMachine {
  const { id, name, brand, denominationMinor, bands, buttons, limits, stakes } = description;
  return {
    id,
    name,
    brand,
    ...view,
    denomination: denominationMinor,
    bandSelects: bands.map((band) => ({ ...band })),
    buttons: buttons.map((button) => ({ ...button })),
    limits: { ...limits },
    ...(stakes !== undefined && { stakes }),
    webcam: view.webcam ?? false,
    state: wireState(meters),
    meters: wireMeters(meters),
    totals: wireTotals(meters.totals),
    epoch,
    jackpots: wireJackpots(meters.jackpots),
  };
}

/** What players may read of a machine. The operator answers for a return that it states, so that one is shown before the machine's. */
export function wireAbout(
  egm: Pick<Egm, "description" | "stated">,
  { returnPercent, rules }: OperatorStates,
): MachineAbout {
  const { model, paytable, returnPercent: own } = egm.stated?.() ?? {};
  const percent = returnPercent ?? own;
  const by = returnPercent === undefined ? ("machine" as const) : ("operator" as const);
  return {
    ...(model !== undefined && { model }),
    ...(egm.description.stakes !== undefined && { stakes: egm.description.stakes }),
    ...(paytable !== undefined && { paytable }),
    ...(percent !== undefined && { return: { percent, by } }),
    ...(rules !== undefined && { rules }),
  };
}
