import type { MachineAbout } from "@longarm/contract/about-machine";
import type { AgentMachine, EgmState, Game, MachineEvent } from "@longarm/contract/agent-link";
import type { MachineFacts, MachineTotals, Meters } from "@longarm/contract/machine";
import { isFaultEvent } from "@longarm/contract/machine";
import type { MachineReport } from "../journal/records.ts";
import type {
  Egm,
  EgmDescription,
  EgmEvent,
  EgmEventBody,
  EgmEventId,
  EgmGameFacts,
  EgmHandPay,
  EgmJackpot,
  EgmMeters,
  EgmTotals,
} from "../ports/egm.ts";

/** Facts of a machine that its own protocol does not know; from the configuration. */
export type MachineView = Pick<MachineFacts, "videoType"> &
  Partial<Pick<MachineFacts, "cutScreen" | "layout" | "simulated" | "sourceDelayMs">> & {
    /** The machine has a camera of the room. */
    readonly webcam?: boolean;
  };

/** What the operator states of a machine in the agent's list: its protocol cannot, or the law wants it said. */
export type OperatorStates = Pick<MachineAbout, "rules"> & { readonly returnPercent?: number | undefined };

/** The machine's meters in the shape of the contract; all amounts in minor units. */
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
    kinds,
    handPays,
    lockup,
  } = meters;
  const [handPay, ...more] = handPays.map(({ id, amount, kind }) => ({ id, amount, kind }));
  return {
    credit,
    ...(kinds !== undefined && kinds.cashable !== credit && { kinds: { ...kinds } }),
    ...(bet !== undefined && { bet }),
    ...(win !== undefined && { win }),
    ...(freeSpins !== undefined && { freeSpins }),
    ...(bonus !== undefined && { bonus }),
    gamesPlayed,
    activeBand: activeBand ?? null,
    inGame,
    ...(winLines.length > 0 && { winLines: [...winLines] }),
    ...(handPay !== undefined && { handPay }),
    ...(handPay !== undefined && more.length > 0 && { handPays: [handPay, ...more] }),
    ...(lockup === undefined ? {} : { lockup }),
  };
}

/** The machine's running meters in the shape of the contract. */
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
    ...(totals.other !== undefined && { other: { ...totals.other } }),
  };
}

/** Free spins count as a bonus: nothing but the bonus itself can be played until they are over. */
export function wireState(meters: EgmMeters): EgmState {
  if (meters.lockup === "disabled") return "disabled";
  if (meters.lockup !== undefined) return "locked";
  if (meters.bonus === true || (meters.inGame && (meters.freeSpins ?? 0) > 0)) return "inBonus";
  return meters.inGame ? "inGame" : "idle";
}

/** Largest first, as the lobby shows them. */
export function wireJackpots(jackpots: readonly EgmJackpot[] = []): AgentMachine["jackpots"] {
  return jackpots.map(({ name, amount }) => ({ name, amount })).sort((a, b) => b.amount - a.amount);
}

/** A machine as `hello` describes it. `epoch`: the highest one ever seen for it. */
export function wireMachine(
  description: EgmDescription,
  view: MachineView,
  meters: EgmMeters,
  epoch: number,
): AgentMachine {
  const { id, name, brand, denominationMinor, bands, buttons, limits, card } = description;
  return {
    id,
    name,
    brand,
    ...view,
    denomination: denominationMinor,
    bandSelects: bands.map((band) => ({ ...band })),
    buttons: buttons.map((button) => ({ ...button })),
    limits: { ...limits },
    ...card,
    webcam: view.webcam ?? false,
    state: wireState(meters),
    meters: wireMeters(meters),
    totals: wireTotals(meters.totals),
    epoch,
    jackpots: wireJackpots(meters.jackpots),
  };
}

/** What players may read of a machine. The operator is liable for a return that it states, so that one replaces the machine's. */
export function wireAbout(
  egm: Pick<Egm, "description" | "stated">,
  { returnPercent, rules }: OperatorStates,
): MachineAbout {
  const { card } = egm.description;
  const { model, paytable, returnPercent: own } = egm.stated?.() ?? {};
  const percent = returnPercent ?? own;
  const by = returnPercent === undefined ? ("machine" as const) : ("operator" as const);
  return {
    ...(model !== undefined && { model }),
    ...(card.stakes !== undefined && { stakes: card.stakes }),
    ...(paytable !== undefined && { paytable }),
    ...(percent !== undefined && { return: { percent, by } }),
    ...(rules !== undefined && { rules }),
  };
}

/** Where an event belongs. */
export type EventPlace = {
  machineId: string;
  seq: number;
  seat: { epoch: number; playSessionId: string } | undefined;
  /** The machine's meters when the event was journalled. */
  meters: EgmMeters;
};

/** The event's name in the machine's own queue; with its time, because a machine whose memory was replaced counts from 1 again. */
export function egmEventName({ seq, at, mark }: EgmEventId): string {
  return `${seq}@${at}${mark === undefined ? "" : ` ${mark}`}`;
}

/** Reads the name again; undefined: it is none. */
export function egmEventOf(name: string): EgmEventId | undefined {
  const [, seq, at, mark] = /^(\d+)@(-?\d+(?:\.\d+)?)(?: (.*))?$/s.exec(name) ?? [];
  if (seq === undefined || at === undefined) return undefined;
  return { seq: Number(seq), at: Number(at), ...(mark !== undefined && { mark }) };
}

/** A machine's event in the shape of the contract; undefined: nothing that the platform keeps. */
export function wireEvent(event: EgmEvent, place: EventPlace): MachineReport | undefined {
  const head = headOf(event, place);
  if (event.what === "gameStarted") {
    return { ...head, phase: "started", gameNumber: event.gameNumber, stake: event.stake } satisfies Game;
  }
  if (event.what === "gameEnded") return { ...head, phase: "ended", game: gameOf(event) } satisfies Game;
  const body = bodyOf(event);
  return body === undefined ? undefined : { ...head, ...body };
}

function headOf(event: EgmEvent, { machineId, seq, seat, meters }: EventPlace) {
  return { machineId, seq, at: instant(event.at), ...seat, meters: wireMeters(meters) };
}

function gameOf(facts: EgmGameFacts) {
  const { gameNumber, stake, win, before, after, handPaid, freeSpins, bonus, startedAt, endedAt } = facts;
  const said = { ...(freeSpins !== undefined && { freeSpins }), ...(bonus !== undefined && { bonus }) };
  const times = { startedAt: instant(startedAt), endedAt: instant(endedAt) };
  return { gameNumber, stake, win, before, after, handPaid, ...said, ...times };
}

type EventBody = Pick<MachineEvent, "kind" | "amount" | "name" | "handPay" | "transferId">;
type OtherEvent = Exclude<EgmEventBody, { what: "gameStarted" | "gameEnded" }>;

function bodyOf(event: OtherEvent): EventBody | undefined {
  // A fault of any kind: adding one to the contract needs nothing here.
  if (isFaultEventBody(event))
    return { kind: event.what, ...(event.code !== undefined && { name: event.code.slice(0, 64) }) };
  switch (event.what) {
    case "powerUp":
    case "bonusStarted":
      return { kind: event.what };
    case "bonusEnded":
      return { kind: "bonusEnded", amount: event.win };
    case "handPay":
      return { kind: "handPayPending", ...handPayOf(event.handPay) };
    case "handPayReset":
      return { kind: "handPayReset", ...handPayOf(event.handPay) };
    case "jackpot":
      return { kind: "jackpot", name: event.jackpot.slice(0, 64), amount: event.amount };
    case "transferComplete":
      return { kind: "transferComplete", transferId: event.transferId, amount: event.amount };
    case "eventsLost":
      return { kind: "eventsLost", name: `${event.count} events` };
    case "metersChanged":
      // The meters report themselves.
      return undefined;
    default:
      return event satisfies never;
  }
}

type FaultEventBody = Extract<EgmEventBody, { code?: string }>;
const isFaultEventBody = (event: OtherEvent): event is FaultEventBody => isFaultEvent(event.what);

function handPayOf({ id, amount, kind, jackpot }: EgmHandPay): Partial<EventBody> {
  const name = jackpot === undefined ? {} : { name: jackpot.slice(0, 64) };
  return { amount, handPay: { id, amount, kind }, ...name };
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}
