import type { SimulatedFault } from "@longarm/contract/machine";
import { FAULT_EVENTS } from "@longarm/contract/machine";
import { outcomeWin } from "@longarm/reels/game/draw";
import { DEFAULT_BAND, DEFAULT_STEP, JACKPOTS } from "@longarm/reels/game/rules";
import type { EgmEventBody, EgmHandPay } from "../../../ports/egm.ts";
import { faultEvent } from "../faults.ts";
import type { Entry } from "./entries.ts";
import type { MachineState } from "./state.ts";
import { JACKPOT_SCALE } from "./state.ts";

/** Records kept of transfers that moved money, and of refused ones. A real machine keeps at most 127. */
export const DONE_RECORDS = 1_024;
export const REFUSED_RECORDS = 256;
/** Events kept unacknowledged; then the oldest without priority are dropped and counted. */
export const EVENT_RECORDS = 1_000;

/**
 * A machine fresh from the factory. `carried` is what its jackpots have collected above their start, `stops` where its reels were
 * left.
 */
export function factoryState(carried: readonly number[], stops: readonly number[] = [0, 0, 0, 0, 0]): MachineState {
  return {
    credit: 0,
    band: DEFAULT_BAND,
    step: DEFAULT_STEP,
    win: 0,
    gamesPlayed: 0,
    totals: { wageredTotal: 0, wonTotal: 0, machinePaidTotal: 0, handPaidTotal: 0, cashInTotal: 0, cashOutTotal: 0 },
    jackpots: JACKPOTS.map(({ name, start }, index) => ({
      name,
      scaled: (start + (carried[index] ?? 0)) * JACKPOT_SCALE,
    })),
    stops: [...stops],
    game: null,
    handPay: null,
    disabled: false,
    faults: {},
    attendant: false,
    done: [],
    refused: [],
    events: [],
    nextSeq: 1,
  };
}

const PRIORITY: ReadonlySet<EgmEventBody["what"]> = new Set<EgmEventBody["what"]>([
  "transferComplete",
  "handPay",
  "handPayReset",
  ...FAULT_EVENTS,
  "powerUp",
  "eventsLost",
]);

function queue(state: MachineState, at: number, body: EgmEventBody): MachineState {
  if (body.what === "metersChanged" && state.events.some((event) => event.what === "metersChanged")) return state;
  const event = { seq: state.nextSeq, at, priority: PRIORITY.has(body.what), ...body };
  const next = { ...state, nextSeq: state.nextSeq + 1, events: [...state.events, event] };
  return next.events.length > EVENT_RECORDS ? dropOldest(next, at) : next;
}

/** Drops one event without priority, and counts it in the one `eventsLost` of the queue. */
function dropOldest(state: MachineState, at: number): MachineState {
  const oldest = state.events.findIndex((event) => !event.priority);
  const events = state.events.filter((_, index) => index !== Math.max(oldest, 0));
  const lost = events.find((event) => event.what === "eventsLost");
  const before = typeof lost?.["count"] === "number" ? lost["count"] : 0;
  const rest = events.filter((event) => event !== lost);
  const counted = { seq: state.nextSeq, at, priority: true, what: "eventsLost", count: before + 1 };
  return { ...state, nextSeq: state.nextSeq + 1, events: [...rest, counted] };
}

function transfer(state: MachineState, entry: Extract<Entry, { do: "transfer" }>): MachineState {
  const { record } = entry;
  if (record.state === "refused") return { ...state, refused: [...state.refused, record].slice(-REFUSED_RECORDS) };
  const { transferId, direction, amount } = record;
  const into = direction === "cashIn";
  const next = {
    ...state,
    credit: state.credit + (into ? amount : -amount),
    totals: {
      ...state.totals,
      cashInTotal: state.totals.cashInTotal + (into ? amount : 0),
      cashOutTotal: state.totals.cashOutTotal + (into ? 0 : amount),
    },
    done: [...state.done, record].slice(-DONE_RECORDS),
  };
  return queue(next, entry.at, { what: "transferComplete", transferId, direction, amount });
}

function gameStart(state: MachineState, entry: Extract<Entry, { do: "gameStart" }>): MachineState {
  const { game } = entry;
  const hit = new Set(game.jackpotWins.map((win) => win.name));
  const jackpots = state.jackpots.map((jackpot, index) => {
    const rule = JACKPOTS[index];
    if (rule === undefined) return jackpot;
    const grown = jackpot.scaled + game.stake * rule.shareBp;
    return { ...jackpot, scaled: hit.has(jackpot.name) ? rule.start * JACKPOT_SCALE + (grown % JACKPOT_SCALE) : grown };
  });
  const totals = { ...state.totals, wageredTotal: state.totals.wageredTotal + game.stake };
  const next = { ...state, credit: state.credit - game.stake, totals, jackpots, game, win: 0 };
  const { number: gameNumber, stake, before, startedAt } = game;
  return queue(next, entry.at, { what: "gameStarted", gameNumber, stake, before, startedAt });
}

function gameEnd(state: MachineState, entry: Extract<Entry, { do: "gameEnd" }>): MachineState {
  const { game } = state;
  if (game === null) return state;
  const hits = game.jackpotWins;
  const win = outcomeWin(game.outcome) + hits.reduce((sum, hit) => sum + hit.amount, 0);
  const handPaid = win >= (game.handPayFrom ?? entry.handPayFrom) ? win : 0;
  const paid = win - handPaid;
  const gameNumber = game.number;
  const top = hits[0];
  const handPay =
    handPaid === 0
      ? null
      : {
          id: `HP${gameNumber}`,
          amount: handPaid,
          gameNumber,
          ...(top === undefined ? { kind: "win" as const } : { kind: "jackpot" as const, jackpot: top.name }),
        };
  const totals = {
    ...state.totals,
    wonTotal: state.totals.wonTotal + win,
    machinePaidTotal: state.totals.machinePaidTotal + paid,
  };
  const after = state.credit + paid;
  let next: MachineState = {
    ...state,
    credit: after,
    win,
    totals,
    handPay,
    game: null,
    gamesPlayed: gameNumber,
    stops: game.outcome.spins.at(-1)?.stops ?? state.stops,
  };
  for (const hit of hits)
    next = queue(next, entry.at, { what: "jackpot", jackpot: hit.name, amount: hit.amount, gameNumber });
  next = queue(next, entry.at, {
    what: "gameEnded",
    gameNumber,
    stake: game.stake,
    win,
    handPaid,
    before: game.before,
    after,
    freeSpins: game.outcome.spins.length - 1,
    bonus: game.outcome.picks.length > 0,
    startedAt: game.startedAt,
    endedAt: entry.at,
  });
  return handPay === null ? next : queue(next, entry.at, { what: "handPay", handPay });
}

/** A hand pay as the port spells it: without the jackpot's name when there was none. */
export function handPayFacts({ jackpot, ...rest }: NonNullable<MachineState["handPay"]>): EgmHandPay {
  return jackpot === undefined ? rest : { ...rest, jackpot };
}

function handPayReset(state: MachineState, entry: Extract<Entry, { do: "handPayReset" }>): MachineState {
  if (state.handPay === null || state.handPay.id !== entry.id) return state;
  const handPay = handPayFacts(state.handPay);
  const totals = { ...state.totals, handPaidTotal: state.totals.handPaidTotal + handPay.amount };
  return queue({ ...state, handPay: null, totals }, entry.at, { what: "handPayReset", handPay });
}

function bonusEvent(state: MachineState, at: number, ended: boolean): MachineState {
  if (state.game === null) return state;
  const gameNumber = state.game.number;
  const win = state.game.outcome.picks.reduce((sum, pick) => sum + pick, 0);
  const next = { ...state, game: { ...state.game, bonusOpen: !ended } };
  return queue(next, at, ended ? { what: "bonusEnded", gameNumber, win } : { what: "bonusStarted", gameNumber });
}

function fault(state: MachineState, at: number, kind: SimulatedFault, code: string | null): MachineState {
  const { [kind]: _, ...others } = state.faults;
  return queue({ ...state, faults: code === null ? others : { ...others, [kind]: code } }, at, faultEvent(kind, code));
}

/** The one place where a machine changes: replaying all entries in order gives the same state again. */
export function apply(state: MachineState, entry: Entry): MachineState {
  const { at } = entry;
  switch (entry.do) {
    case "power":
      return queue(state, at, { what: "powerUp" });
    case "transfer":
      return transfer(state, entry);
    case "gameStart":
      return gameStart(state, entry);
    case "bonusStart":
      return bonusEvent(state, at, false);
    case "bonusEnd":
      return bonusEvent(state, at, true);
    case "gameEnd":
      return gameEnd(state, entry);
    case "handPayReset":
      return handPayReset(state, entry);
    case "bet":
      return queue({ ...state, band: entry.band, step: entry.step }, at, { what: "metersChanged" });
    case "disabled":
      return queue({ ...state, disabled: entry.value }, at, { what: "metersChanged" });
    case "fault":
      return fault(state, at, entry.kind, entry.code);
    case "door":
      return fault(state, at, "door", entry.open ? "" : null);
    case "tilt":
      return fault(state, at, "tilt", entry.code);
    case "attendant":
      return { ...state, attendant: !state.attendant };
    case "ack": {
      const seqs = new Set(entry.seqs);
      return { ...state, events: state.events.filter((event) => !seqs.has(event.seq)) };
    }
  }
}
