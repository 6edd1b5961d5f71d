import type { ProblemName } from "@longarm/contract/problems";
import { sql } from "kysely";
import type { CheckAnswer, CheckTables } from "../../protection/checks/index.ts";
import { answerOpenCheck } from "../../protection/checks/index.ts";
import type { EndReason } from "../seat/index.ts";
import { Refusal } from "../seat/index.ts";
import type { GameParts } from "./connection.ts";
import { returnPrice } from "./hold.ts";

/** How long the end of a play session waits for its credits, ms; below the web's own limit for money. */
const END_WITHIN_MS = 12_000;
/** It is looked at again when its seat changes, and after these waits: each doubles the one before. */
const LOOK_FIRST_MS = 100;
const LOOK_MS_MAX = 2_000;

/** What such an end answers to a reality check that is shown. After every other one the player finds it again. */
const CHECK_ANSWERS: Readonly<Partial<Record<EndReason, CheckAnswer>>> = {
  left: "leave",
  cancelled: "leave",
  idle: "none",
};

export type EndCommand = {
  readonly machineId: string;
  readonly playerId: string;
  readonly event: "playerEnds" | "houseEnds";
  readonly reason: EndReason;
  /** The refusal for a seat that is not the player's. */
  readonly notYours: ProblemName;
};
export type Ended = { readonly outcome: "done" | "unknown"; readonly amount: number };

/**
 * Ends a player's play session and waits until its credits are back in the wallet. `unknown`: they are not yet, and the platform
 * goes on by itself. Refuses with: `notYours`, what the state says, game.in_progress.
 */
export async function endSession(parts: GameParts, command: EndCommand): Promise<Ended> {
  const playSessionId = await parts.seats.within(command.machineId, async (seat) => {
    if (seat.row.player_id !== command.playerId || seat.row.play_session_id === null)
      throw new Refusal(command.notYours);
    const { meters, checked } = await seat.facts();
    if (command.event === "playerEnds" && (meters.inGame || meters.bonus)) throw new Refusal("game.in_progress");
    const before = seat.row;
    const problem = await seat.happen(command.event, { given: command.reason });
    if (problem !== null) throw new Refusal(problem);
    if (command.reason === "house") await returnPrice(parts.deps.ledger, seat, before);
    const answer = CHECK_ANSWERS[command.reason];
    if (checked && answer !== undefined)
      await answerOpenCheck(seat.trx.withTables<CheckTables>(), command.playerId, answer);
    return seat.row.play_session_id;
  });
  const { clock, bus } = parts.deps;
  const late = Promise.withResolvers<"late">();
  const stop = clock.after(END_WITHIN_MS, () => late.resolve("late"));
  let changed = Promise.withResolvers<void>();
  const unsubscribe = bus.subscribe("seat.changed", ({ machineId }) => {
    if (machineId === command.machineId) changed.resolve();
  });
  try {
    for (let pauseMs = LOOK_FIRST_MS; ; pauseMs = Math.min(2 * pauseMs, LOOK_MS_MAX)) {
      changed = Promise.withResolvers();
      // A silent machine may keep one settling for longer than anybody may be kept waiting.
      if ((await Promise.race([settleQuietly(parts, command.machineId), late.promise])) === "late") return UNKNOWN;
      const amount = await returnedBy(parts, playSessionId);
      if (amount !== undefined) return { outcome: "done", amount };
      const stopPause = clock.after(pauseMs, changed.resolve);
      const woken = await Promise.race([changed.promise, late.promise]);
      stopPause();
      if (woken === "late") return UNKNOWN;
    }
  } finally {
    stop();
    unsubscribe();
  }
}

const UNKNOWN: Ended = { outcome: "unknown", amount: 0 };

/** The seat is ending already and its own time tries again, so a failure here is not the caller's. */
async function settleQuietly({ settler, deps }: GameParts, machineId: string): Promise<void> {
  try {
    await settler.settle(machineId);
  } catch (error) {
    deps.log.error({ err: error, machineId }, "a play session could not be settled, it is tried again");
  }
}

/** What the end of a play session brought back, once it is settled. */
async function returnedBy({ deps }: GameParts, playSessionId: string): Promise<number | undefined> {
  const session = await deps.db
    .selectFrom("play_session")
    .select("ended_at")
    .where("id", "=", playSessionId)
    .executeTakeFirst();
  if (!session?.ended_at) return undefined;
  const { amount } = await deps.db
    .selectFrom("machine_transfer")
    .select(sql<number>`coalesce(sum(amount), 0)::bigint`.as("amount"))
    .where("play_session_id", "=", playSessionId)
    .where("told_id", "is", null)
    .where("state", "=", "done")
    .executeTakeFirstOrThrow();
  return amount;
}

/** What the end of a play session came to, at which machine. */
export type EndedAt = Ended & { readonly machineId: string };

type Held = { readonly machineId: string; readonly playerId: string };

/** Ends every play session of a player: a game that runs is completed first, all credits go back to the wallet. */
export async function endSessionsOf(parts: GameParts, playerId: string, reason: EndReason): Promise<EndedAt[]> {
  const held = await parts.deps.db.selectFrom("seat").select("machine_id").where("player_id", "=", playerId).execute();
  const ended: EndedAt[] = [];
  for (const { machine_id: machineId } of held) {
    const one = await endHeld(parts, { machineId, playerId }, reason);
    if (one !== null) ended.push({ machineId, ...one });
  }
  return ended;
}

/** The same for the play session at a machine; null: none runs there, or another one than `playSessionId`. */
export async function endSessionAt(
  parts: GameParts,
  machineId: string,
  reason: EndReason,
  playSessionId?: string,
): Promise<Ended | null> {
  const seat = await parts.deps.db
    .selectFrom("seat")
    .select(["player_id", "play_session_id"])
    .where("machine_id", "=", machineId)
    .executeTakeFirst();
  const isMeant = playSessionId === undefined || seat?.play_session_id === playSessionId;
  return seat?.player_id && isMeant ? await endHeld(parts, { machineId, playerId: seat.player_id }, reason) : null;
}

/** Null: it was over before. */
async function endHeld(parts: GameParts, held: Held, reason: EndReason): Promise<Ended | null> {
  try {
    return await endSession(parts, { ...held, event: "houseEnds", reason, notYours: "session.terminated" });
  } catch (error) {
    if (error instanceof Refusal && error.problem === "session.terminated") return null;
    throw error;
  }
}
