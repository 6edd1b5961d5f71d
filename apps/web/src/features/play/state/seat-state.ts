import type { InitAnswer } from "@longarm/contract/game-socket";
import type { Storage } from "../../../shared/storage/storage.ts";
import { gamesBefore } from "./games-before.ts";
import type { PlayState } from "./play-state.ts";

type SeatState = Pick<
  PlayState,
  "machine" | "webcam" | "bands" | "buttons" | "limits" | "playSession" | "gamesBefore" | "agentAway"
>;

/** What the screen shows of a seat that was just taken (again). Bands are ordered by `Order`, descending. */
export function seatState(answer: InitAnswer, storage: Storage): SeatState {
  const { machine, webcam, bandSelects, buttons, limits, playSession, meters } = answer;
  return {
    ...{ machine, webcam, buttons, limits, playSession },
    bands: [...bandSelects].sort((a, b) => b.Order - a.Order),
    gamesBefore: meters && playSession && gamesBefore(storage, playSession.id, meters.gamesPlayed),
    agentAway: false,
  };
}
