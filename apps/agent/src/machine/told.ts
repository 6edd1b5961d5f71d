import type { Game, MachineEvent } from "@longarm/contract/agent-link";
import type { Told } from "../journal/records.ts";
import type { EgmEvent, EgmGameFacts, EgmHandPay, EgmMeters } from "../ports/egm.ts";
import { wireMeters } from "./wire.ts";

/** Where an event belongs. */
export type EventPlace = {
  machineId: string;
  seq: number;
  seat: { epoch: number; playSessionId: string } | undefined;
  /** The machine's meters when the event was journalled. */
  meters: EgmMeters;
};

/** The event's name in the machine's own queue; with its time, because a machine whose memory was replaced counts from 1 again. */
export function egmEventName(event: EgmEvent): string {
  return `${event.seq}@${event.at}`;
}

/** A machine's event in the words of the contract; undefined: nothing the platform keeps (meters are told by themselves). */
export function toldEvent(event: EgmEvent, place: EventPlace): Told | undefined {
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
  const times = { startedAt: instant(startedAt), endedAt: instant(endedAt) };
  return { gameNumber, stake, win, before, after, handPaid, freeSpins, bonus, ...times };
}

type EventBody = Pick<MachineEvent, "kind" | "amount" | "name" | "handPay" | "transferId">;

function bodyOf(event: EgmEvent): EventBody | undefined {
  switch (event.what) {
    case "doorOpened":
    case "doorClosed":
    case "tiltCleared":
    case "powerUp":
    case "bonusStarted":
      return { kind: event.what };
    case "bonusEnded":
      return { kind: "bonusEnded", amount: event.win };
    case "tilt":
      return { kind: "tilt", name: event.code.slice(0, 64) };
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
    default:
      return undefined;
  }
}

function handPayOf({ id, amount, kind, jackpot }: EgmHandPay): Partial<EventBody> {
  const name = jackpot === undefined ? {} : { name: jackpot.slice(0, 64) };
  return { amount, handPay: { id, amount, kind }, ...name };
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}
