import type { PlayDeps } from "../deps.ts";
import type { WithinSeat } from "./open-seat.ts";
import { withinSeats } from "./open-seat.ts";
import type { PlayTimes } from "./play-states.ts";

export type { EndReason, PlayState } from "../tables.ts";
export { PLAY_STATES } from "../tables.ts";
export type { OpenSeat, WithinSeat } from "./open-seat.ts";
export { ensureSeat, keepHolders, Refusal, seatOfPlayer, seatsOfPlayers } from "./open-seat.ts";
export type { PlayedIn, SessionPlayed, TimePlayed } from "./play-session.ts";
export {
  addGame,
  addTransfer,
  beginPlaySession,
  endPlaySession,
  gamesSince,
  hasPlayed,
  netLossOf,
  PAUSE_MIN,
  sessionsPlayed,
  timePlayed,
} from "./play-session.ts";
export type { PlayEvent, PlayTimes, SeatFacts } from "./play-states.ts";
export { isAtRest, isFree, machineStatus, playStates, rowOfState } from "./play-states.ts";
export type { SeatRow } from "./seat-facts.ts";
export {
  isClosed,
  isInService,
  isReachable,
  lockSeat,
  reservedFor,
  reservedUntil,
} from "./seat-facts.ts";

/** Seats: the one way to change who sits where. */
export interface Seats {
  /** Runs `work` in one transaction under the seat's lock. @throws Refusal as `work` does; then nothing is written. */
  readonly within: WithinSeat;
  readonly times: PlayTimes;
}

export function createSeats(deps: PlayDeps): Seats {
  const { play } = deps.config;
  const times: PlayTimes = {
    // The venue may change these while the platform runs.
    get noDepositMs() {
      return play.NO_DEPOSIT_MS;
    },
    get idleMs() {
      return play.IDLE_MS;
    },
    get idleCountMs() {
      return play.IDLE_COUNT_MS;
    },
    waitingMs: play.WAITING_MS,
    bonusWaitingMs: play.BONUS_WAITING_MS,
    retryMs: play.MONEY_RETRY_MS,
    awayMs: play.AGENT_AWAY_MS,
  };
  return { within: withinSeats(deps, times), times };
}
