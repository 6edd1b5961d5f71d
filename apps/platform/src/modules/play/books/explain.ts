import type { Ledger } from "@longarm/ledger/ledger";
import type { AccountAddress } from "@longarm/ledger/rules/address";
import { playerAccount } from "@longarm/ledger/rules/address";
import { databaseNow } from "../../../database-time.ts";
import { staffActor } from "../../records/audit/index.ts";
import type { PlayTransaction } from "../tables.ts";

/** Who gets, or gives, what a difference left in suspense: the player of its play session, or the house. */
export type Counterpart = "player" | "house";

export type ExplainOrder = {
  readonly id: number;
  /** 1 to 500 characters, kept for ever. */
  readonly reason: string;
  /** Who explains it. */
  readonly by: string;
  /** Needed when money of it is in suspense. */
  readonly to: Counterpart | null;
  /** Minor units that the house pays the player beside it: a claim that was right after all. */
  readonly payMinor: number | null;
};

/** The postings that an explanation would make of the money in suspense, as the ledger writes them. */
export function plannedPostings(
  inSuspense: number,
  to: Counterpart | null,
  playerId: string | null,
): { readonly account: string; readonly amount: number }[] {
  if (inSuspense === 0 || to === null) return [];
  return [
    { account: "suspense", amount: -inSuspense },
    { account: to === "player" ? playerAccount(playerId ?? "") : "house", amount: inSuspense },
  ];
}

/** `sentence`: for its sender. */
export type Explained =
  | { readonly is: "done"; readonly sentence: string; readonly machineId: string; readonly playerId: string | null }
  | { readonly is: "refused"; readonly sentence: string };

type Books = { readonly ledger: Ledger; readonly trx: PlayTransaction };
type Row = {
  readonly id: number;
  readonly machine_id: string;
  readonly play_session_id: string | null;
  readonly ledger_amount: number;
  readonly transfer_id: string | null;
  readonly explained_at: Date | null;
  readonly explained_by: string | null;
};

/**
 * A person explains a difference: what of it is in suspense goes where it belongs by a transfer that carries the reason, and
 * the machine may be played again once none of it is open (GLI-19 2.8.5, 2.8.8, B.3.2).
 */
export async function explainDifference({ ledger, trx }: Books, order: ExplainOrder): Promise<Explained> {
  const at = await trx.selectFrom("discrepancy").select("machine_id").where("id", "=", order.id).executeTakeFirst();
  if (at === undefined) return refused(`There is no difference ${order.id}.`);
  // The seat first, as everywhere.
  await trx.selectFrom("seat").select("state").where("machine_id", "=", at.machine_id).forUpdate().execute();
  const row = await trx
    .selectFrom("discrepancy")
    .select(["id", "machine_id", "play_session_id", "ledger_amount", "transfer_id", "explained_at", "explained_by"])
    .where("id", "=", order.id)
    .forUpdate()
    .executeTakeFirstOrThrow();
  if (row.explained_at !== null)
    return refused(`The difference ${order.id} was explained before, by ${row.explained_by}.`);
  const playerId = await playerOf(trx, row);
  const moved = await clear(ledger.within(trx), row, order, playerId);
  if (moved.is === "refused") return moved;
  await trx
    .updateTable("discrepancy")
    .set({
      ...{ explained_at: databaseNow(), explained_by: order.by.slice(0, 100), explanation: order.reason },
      cleared_by: moved.transferId,
    })
    .where("id", "=", row.id)
    .execute();
  return {
    is: "done",
    sentence: `The difference ${row.id} of ${row.machine_id} is explained${moved.told}.`,
    machineId: row.machine_id,
    playerId,
  };
}

type Cleared = { readonly is: "cleared"; readonly transferId: string | null; readonly told: string };

async function clear(
  books: Ledger,
  row: Row,
  { to, payMinor, by, reason }: ExplainOrder,
  playerId: string | null,
): Promise<Cleared | Extract<Explained, { is: "refused" }>> {
  const inSuspense = row.transfer_id === null ? 0 : row.ledger_amount;
  if (inSuspense !== 0 && to === null)
    return refused(
      `Money of the difference ${row.id} is in suspense: say where it belongs with --to player or --to house.`,
    );
  if (inSuspense === 0 && to !== null)
    return refused(`No money of the difference ${row.id} is in suspense: leave --to out.`);
  if ((to === "player" || payMinor !== null) && playerId === null)
    return refused(`Nobody is known who played when the difference ${row.id} was found.`);
  const about = {
    machineId: row.machine_id,
    discrepancy: row.id,
    reason,
    actor: staffActor(by),
    ...(row.play_session_id !== null && { playSessionId: row.play_session_id }),
  };
  if (inSuspense !== 0) {
    const other: AccountAddress = to === "player" ? playerAccount(playerId ?? "") : "house";
    const move = { from: inSuspense > 0 ? "suspense" : other, to: inSuspense > 0 ? other : "suspense" };
    const cleared = await books.transfer({
      id: `explain:${row.id}`,
      kind: "suspense",
      ...move,
      amountMinor: Math.abs(inSuspense),
      about,
    });
    if (cleared.is === "refused") return refused(`The ledger refuses: ${cleared.problem.detail}.`);
  }
  if (payMinor !== null) {
    const paid = await books.transfer({
      id: `explain.pay:${row.id}`,
      kind: "suspense",
      from: "house",
      to: playerAccount(playerId ?? ""),
      amountMinor: payMinor,
      about,
    });
    if (paid.is === "refused") return refused(`The ledger refuses: ${paid.problem.detail}.`);
  }
  const paidId = payMinor === null ? null : `explain.pay:${row.id}`;
  const told = [
    inSuspense === 0
      ? ""
      : `, its ${money(Math.abs(inSuspense))} ${inSuspense > 0 ? "went to" : "came from"} the ${to}`,
    payMinor === null ? "" : `, the house paid the player ${money(payMinor)}`,
  ];
  return {
    is: "cleared",
    transferId: inSuspense !== 0 ? `explain:${row.id}` : paidId,
    told: told.join(""),
  };
}

const money = (minor: number): string => (minor / 100).toFixed(2);

async function playerOf(trx: PlayTransaction, { play_session_id: id }: Row): Promise<string | null> {
  const session = await trx.selectFrom("play_session").select("player_id").where("id", "=", id).executeTakeFirst();
  return session?.player_id ?? null;
}

const refused = (sentence: string): Extract<Explained, { is: "refused" }> => ({ is: "refused", sentence });
