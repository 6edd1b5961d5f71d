import type { HandPay } from "@longarm/contract/machine";
import type { Problem } from "@longarm/contract/problems";
import type { Ledger } from "@longarm/ledger/ledger";
import { machineAccount, playerAccount } from "@longarm/ledger/rules/address";
import type { Selectable } from "kysely";
import type * as z from "zod/mini";
import { databaseNow } from "../../../database-time.ts";
import { staffActor } from "../../records/audit/index.ts";
import type { OpenSeat } from "../seat/index.ts";
import { lockSeat, Refusal } from "../seat/index.ts";
import type { PlayTables, PlayTransaction } from "../tables.ts";
import { handPayTransferId } from "../wallet/index.ts";
import type { PlayParts } from "./deps.ts";

/** Writes down that a machine owes a payout that it will not make itself, to the player of that play session. */
export async function noteHandPay(
  seat: OpenSeat,
  handPay: z.output<typeof HandPay>,
  playSessionId: string | null,
): Promise<void> {
  // An event may arrive late, when another player has the seat.
  const session = await seat.trx
    .selectFrom("play_session")
    .select("player_id")
    .where("id", "=", playSessionId)
    .executeTakeFirst();
  await seat.trx
    .insertInto("hand_pay")
    .values({
      machine_id: seat.row.machine_id,
      hand_pay_id: handPay.id,
      amount: handPay.amount,
      kind: handPay.kind,
      play_session_id: playSessionId,
      player_id: session?.player_id ?? null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** What this confirmation paid. `before`: an earlier one has paid it; `unknownPlayer`: no wallet, because the player who won it is not known. */
export type HandPayPaid = "player" | "before" | "unknownPlayer";

export type ConfirmHandPay = {
  readonly machineId: string;
  readonly handPayId: string;
  /** The staff member who confirms it. */
  readonly staff: string;
  /** It was paid by `payHandPay` a moment ago: the player is notified now. */
  readonly announce?: boolean | undefined;
};

export type HandPayRow = Selectable<PlayTables["hand_pay"]>;

/**
 * Staff confirms a hand pay: it is paid to the player's wallet, once, and the machine is reset. A win comes from the account `house`;
 * cancelled credits are the player's own and come from the machine's. A repeat pays nothing and asks the machine again. `reset` is false while the machine could not be reached. Refuses with: machine.not_available (no such hand pay).
 */
export async function confirmHandPay(
  parts: PlayParts,
  command: ConfirmHandPay,
): Promise<{ is: "done"; paid: HandPayPaid; reset: boolean } | { is: "refused"; problem: Problem }> {
  const { machineId, handPayId } = command;
  let paid: HandPayPaid;
  try {
    paid = await parts.seats.within(machineId, (seat) => pay(parts, seat, command));
  } catch (error) {
    if (error instanceof Refusal) return { is: "refused", problem: { name: error.problem, detail: error.message } };
    throw error;
  }
  const reset = await parts.agents.request("egm.resetHandPay", { machineId, handPayId });
  if (reset.is !== "done")
    parts.deps.log.error({ alarm: "handPay", machineId, handPayId }, "a paid hand pay is not reset on its machine");
  return { is: "done", paid, reset: reset.is === "done" };
}

async function pay({ deps }: PlayParts, seat: OpenSeat, command: ConfirmHandPay): Promise<HandPayPaid> {
  const { paid, row } = await payHandPay(seat.trx, deps.ledger, command);
  const isNew = paid === "player" || (paid === "before" && command.announce === true);
  if (isNew && row.player_id !== null) {
    seat.announce("balance.changed", { playerId: row.player_id });
    await announcePaid(seat, row, row.player_id);
  }
  return paid;
}

/**
 * Pays a hand pay to the wallet in the caller's transaction, once. The machine is reset, and the player notified, by `confirmHandPay` after it.
 * @throws Refusal machine.not_available: there is no such hand pay.
 */
export async function payHandPay(
  trx: PlayTransaction,
  ledger: Ledger,
  { machineId, handPayId, staff }: ConfirmHandPay,
): Promise<{ readonly paid: HandPayPaid; readonly row: HandPayRow }> {
  await lockSeat(trx, machineId);
  const row = await trx
    .selectFrom("hand_pay")
    .selectAll()
    .where("machine_id", "=", machineId)
    .where("hand_pay_id", "=", handPayId)
    .executeTakeFirst();
  if (row === undefined)
    throw new Refusal("machine.not_available", `The machine ${machineId} has no hand pay ${handPayId}`);
  if (row.confirmed_at !== null) return { paid: "before", row };
  if (row.player_id !== null) {
    const paid = await ledger.within(trx).transfer({
      id: handPayTransferId(machineId, handPayId),
      kind: row.kind === "jackpot" ? "jackpot" : "handPay",
      from: row.kind === "cancelledCredits" ? machineAccount(machineId) : "house",
      to: playerAccount(row.player_id),
      amountMinor: row.amount,
      about: {
        machineId,
        handPayId,
        actor: staffActor(staff).slice(0, 100),
        ...(row.play_session_id && { playSessionId: row.play_session_id }),
      },
    });
    if (paid.is === "refused")
      throw new Error(`the hand pay ${handPayId} of ${machineId} cannot be paid: ${paid.problem.detail}`);
  }
  await trx
    .updateTable("hand_pay")
    .set({ confirmed_at: databaseNow(), confirmed_by: staff })
    .where("machine_id", "=", machineId)
    .where("hand_pay_id", "=", handPayId)
    .execute();
  return { paid: row.player_id === null ? "unknownPlayer" : "player", row };
}

/** Notifies the player on every page: the machine's own notice is gone with its reset (player 11). */
async function announcePaid(
  seat: OpenSeat,
  { hand_pay_id: handPayId, kind, amount }: { hand_pay_id: string; kind: string; amount: number },
  playerId: string,
): Promise<void> {
  const machineId = seat.row.machine_id;
  const machine = await seat.trx.selectFrom("machine").select("facts").where("id", "=", machineId).executeTakeFirst();
  seat.announce("player.paid", {
    playerId,
    id: handPayTransferId(machineId, handPayId),
    kind: kind === "jackpot" ? "jackpot" : "handPay",
    amount,
    machine: machine?.facts.name ?? machineId,
  });
}
