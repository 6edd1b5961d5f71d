import type { EgmEventBody } from "../../../ports/egm.ts";
import type { EventData } from "../protocol/events.ts";
import { EXCEPTION, exceptionName } from "../protocol/events.ts";
import type { HandPayAnswer } from "../protocol/polls.ts";
import type { DriverState, OpenGame, WaitingHandPay } from "./memory.ts";
import type { Snapshot } from "./snapshot.ts";

/* What exceptions do to the driver's state, as pure functions: each changes the state that it is given and answers the events for the agent. */

/** Exceptions that open a door; the next code closes it. The cashbox counts as one: it is removed and installed. */
const DOORS: ReadonlySet<number> = new Set([0x11, 0x13, 0x15, 0x19, 0x1b, 0x1d]);
/** Exceptions after which a machine does not play until somebody has looked at it. */
const TILTS: ReadonlySet<number> = new Set([
  ...[0x20, 0x21, 0x22, 0x23, 0x24, 0x25],
  ...[0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39],
  ...[0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46],
  EXCEPTION.outOfService,
]);

/** Doors and tilts. Empty: the exception is about neither, or changes nothing. */
export function faultEvents(state: DriverState, code: number): EgmEventBody[] {
  if (DOORS.has(code)) {
    if (state.doors.includes(code)) return [];
    state.doors = [...state.doors, code];
    return [{ what: "doorOpened", code: exceptionName(code) }];
  }
  if (DOORS.has(code - 1)) {
    if (!state.doors.includes(code - 1)) return [];
    state.doors = state.doors.filter((door) => door !== code - 1);
    return [{ what: "doorClosed", code: exceptionName(code) }];
  }
  if (!TILTS.has(code) || state.tilted) return [];
  state.tilted = true;
  return [{ what: "tilt", code: exceptionName(code) }];
}

/** The protocol has no exception for the end of a tilt: a machine that moves money or begins a game again has none. */
export function tiltEnds(state: DriverState): EgmEventBody[] {
  if (!state.tilted) return [];
  state.tilted = false;
  return [{ what: "tiltCleared" }];
}

export type GameStart = { readonly at: number; readonly stake: number | null; readonly before: Snapshot };

/** A game began. One that never ended is counted as lost: its facts are gone. */
export function startGame(state: DriverState, { at, stake, before }: GameStart): EgmEventBody[] {
  const lost: EgmEventBody[] = state.game === null ? [] : [{ what: "eventsLost", count: 1 }];
  const number = state.games + 1;
  state.games = number;
  state.overflowAt = undefined;
  state.game = {
    ...{ number, startedAt: at, stake },
    coinIn: before.totals.wageredTotal,
    coinOut: before.totals.machinePaidTotal,
  };
  if (stake === null) return [...lost, ...tiltEnds(state)];
  return [...lost, ...tiltEnds(state), { what: "gameStarted", gameNumber: number, stake, startedAt: at }];
}

/** A game ended, by the settled meters after it. `win` undefined: the event did not say, and the meters do. */
export function endGame(
  state: DriverState,
  game: OpenGame,
  { at, win, after }: { readonly at: number; readonly win: number | undefined; readonly after: Snapshot },
): EgmEventBody[] {
  const machinePaid = Math.max(0, after.totals.machinePaidTotal - game.coinOut);
  const wagered = Math.max(0, after.totals.wageredTotal - game.coinIn);
  const stake = game.stake ?? wagered;
  const handPay = state.handPays.find(({ gameNumber, kind }) => gameNumber === game.number && kind === "win");
  const total = win ?? machinePaid + (handPay?.amount ?? 0);
  const handPaid = Math.max(0, total - machinePaid);
  const begun: EgmEventBody[] =
    game.stake === null ? [{ what: "gameStarted", gameNumber: game.number, stake, startedAt: game.startedAt }] : [];
  state.game = null;
  state.overflowAt = undefined;
  state.win = total;
  return [
    ...begun,
    {
      what: "gameEnded",
      ...{ gameNumber: game.number, stake, win: total, handPaid },
      ...{ before: after.credit + stake - (total - handPaid), after: after.credit },
      ...{ startedAt: game.startedAt, endedAt: at },
    },
  ];
}

/** Whether the meters have caught up with the end of a game, so that it can be booked. */
export function gameSettled(game: OpenGame, win: number | undefined, handPayWaits: boolean, now: Snapshot): boolean {
  const wagered = now.totals.wageredTotal - game.coinIn;
  if (wagered < (game.stake ?? 0) || now.gamesPlayed < game.number) return false;
  if (win === undefined || handPayWaits) return true;
  return now.totals.machinePaidTotal - game.coinOut >= win;
}

/**
 * A hand pay waits. The machine repeats the exception until its hand pay was read, so one like a waiting one is taken for the same: of two that are
 * alike the second is noted when the first is reset and the machine waits on.
 */
export function handPayEvents(state: DriverState, answer: HandPayAnswer): EgmEventBody[] {
  if (answer.amount === 0 || state.handPays.some((known) => isLike(known, answer))) return [];
  const handPay = newHandPay(state, answer);
  state.handPays = [...state.handPays, handPay];
  return [{ what: "handPay", handPay: shown(handPay) }];
}

/**
 * The oldest hand pay was reset, here or by a key at the machine. Several resets may be one exception, so `left` says what the machine waits for
 * now: nothing, its next hand pay, or undefined where it does not say.
 */
export function handPayResetEvents(state: DriverState, left: HandPayAnswer | "none" | undefined): EgmEventBody[] {
  const gone = left === "none" ? state.handPays : state.handPays.slice(0, 1);
  if (gone.length === 0) return [];
  state.handPays = state.handPays.slice(gone.length);
  const events = gone.map((handPay): EgmEventBody => ({ what: "handPayReset", handPay: shown(handPay) }));
  const [first] = state.handPays;
  if (left === "none" || left === undefined || left.amount === 0) return events;
  if (first !== undefined && isLike(first, left)) return events;
  const handPay = newHandPay(state, left);
  state.handPays = [handPay, ...state.handPays];
  return [...events, { what: "handPay", handPay: shown(handPay) }];
}

const CANCELLED_CREDITS = 0x80;

const kindOf = ({ level }: HandPayAnswer): WaitingHandPay["kind"] =>
  level === CANCELLED_CREDITS ? "cancelledCredits" : "win";

const isLike = ({ amount, kind }: WaitingHandPay, answer: HandPayAnswer): boolean =>
  amount === answer.amount && kind === kindOf(answer);

function newHandPay(state: DriverState, answer: HandPayAnswer): WaitingHandPay {
  const kind = kindOf(answer);
  state.handPayNumber += 1;
  return {
    ...{ id: `hp-${state.handPayNumber}`, amount: answer.amount, kind },
    ...(kind === "win" && state.games > 0 && { gameNumber: state.games }),
  };
}

export const shown = ({ id, amount, kind, gameNumber }: WaitingHandPay) => ({
  ...{ id, amount, kind },
  ...(gameNumber !== undefined && { gameNumber }),
});

/** Credits that a game's event states, in minor units. */
export function winIn(data: EventData | undefined, denominationMinor: number): number | undefined {
  return data?.what === "gameEnded" ? data.win * denominationMinor : undefined;
}
