import { MINOR_PER_UNIT } from "@longarm/contract/money";
import type { ProblemName } from "@longarm/contract/problems";
import { problems } from "@longarm/contract/problems";
import type { Ledger } from "@longarm/ledger/ledger";
import { openLedger } from "@longarm/ledger/ledger";
import { playerAccount } from "@longarm/ledger/rules/address";
import type { Kysely } from "kysely";
import { depositProblem } from "../../play/limits.ts";
import type { PlayersTables } from "../../players/accounts/index.ts";
import { findPlayer } from "../../players/accounts/index.ts";
import { breakOf } from "../../protection/breaks/index.ts";
import { moneyProblem } from "../../protection/gates/index.ts";
import type { LimitsTables } from "../../protection/limits/index.ts";
import { limitsOf, lockLimits } from "../../protection/limits/index.ts";
import { Refused } from "../sign-in/index.ts";

export type WalletMove = {
  readonly kind: "deposit" | "withdraw";
  /** The sender's own id: the same one moves money once. */
  readonly id: string;
  /** Whose ids these are. Absent: staff's. */
  readonly from?: "staff" | "integration";
  readonly playerId: string;
  readonly amountMinor: number;
  /** `staff:…` or `integration:…`, at most 100 characters. */
  readonly actor: string;
  readonly reason: string;
  /** Money that is held for this withdrawal: it moves what was set aside. */
  readonly holdId?: string | undefined;
};

/** The ledger's id of a transfer that staff, or another sender, makes. */
export const walletTransferId = (id: string, from: NonNullable<WalletMove["from"]> = "staff"): string =>
  `${from}:${id}`;

/** Moves money between the cage and a wallet, once for an id. The ledger refuses what the wallet does not have. */
export function moveBetweenCageAndWallet(
  ledger: Ledger,
  { kind, id, from, playerId, amountMinor, actor, reason, holdId }: WalletMove,
) {
  const wallet = playerAccount(playerId);
  if (holdId !== undefined)
    return ledger.post(holdId, { id: walletTransferId(id, from), amountMinor, about: { actor, reason } });
  return ledger.transfer({
    id: walletTransferId(id, from),
    kind,
    amountMinor,
    from: kind === "deposit" ? "cage" : wallet,
    to: kind === "deposit" ? wallet : "cage",
    about: { actor, reason },
  });
}

/**
 * A player who is banned, excluded or at a deposit limit gets no deposit; withdrawing always works, and so does the repeat of a move that was made,
 * by its `id`. Without an amount: whether anything may move. @throws Refused.
 */
export async function checkMayMove(
  db: Kysely<unknown>,
  { kind, playerId, amountMinor = 1, id, from }: Pick<WalletMove, "kind" | "playerId"> & Partial<WalletMove>,
): Promise<{ readonly id: string; readonly username: string }> {
  const player = await findPlayer(db.withTables<PlayersTables>(), playerId);
  if (player === undefined) throw new Refused("thing.unknown", { kind: "player" });
  const unproved = await moneyProblem(db, playerId, kind === "withdraw" ? "withdrawal" : "deposit");
  if (unproved !== null)
    throw new Refused("act.refused", {
      sentence: `${player.username}: ${unprovedSentence(unproved.name)}`,
      reason: unproved.name,
    });
  if (kind === "withdraw") return player;
  if (id !== undefined && (await openLedger(db).findTransfer(walletTransferId(id, from))) !== undefined) return player;
  if (player.banned_at !== null)
    throw new Refused("act.refused", { sentence: `${player.username} is banned.`, reason: "auth.banned" });
  const limited = db.withTables<LimitsTables>();
  const { exclusion } = await limitsOf(limited, { playerId });
  if (exclusion !== null) {
    const until = new Date(exclusion).toISOString().slice(0, 16).replace("T", " ");
    const sentence = `${player.username} is excluded from play until ${until} UTC; no deposits before that.`;
    throw new Refused("act.refused", { sentence, reason: "player.excluded" });
  }
  const onBreak = await breakOf(db, playerId);
  if (onBreak !== undefined && onBreak.kind !== "forced") {
    const until = (onBreak.opensAt ?? onBreak.until).toISOString().slice(0, 16).replace("T", " ");
    const end = onBreak.isOver && onBreak.opensAt === null ? "until the player opens it again" : `until ${until} UTC`;
    throw new Refused("act.refused", {
      sentence: `${player.username} has closed play ${end}; no deposits before that.`,
      reason: "player.on_break",
    });
  }
  const problem = await depositProblem(limited, playerId, amountMinor);
  if (problem !== null)
    throw new Refused("act.refused", {
      sentence: depositSentence(player.username, problem.params ?? {}),
      reason: problem.name,
    });
  return player;
}

/** What the desk can do about it; else what the player reads. */
function unprovedSentence(name: ProblemName): string {
  if (name === "identity.required" || name === "identity.pending")
    return "The market wants the identity confirmed before money moves. Look at a document, and confirm it on the player's page under Identity; the money stays in the wallet until then.";
  if (name === "limits.unanswered")
    return "The market wants the player to say whether limits are wanted: the page asks at the next sign-in, and Safer play does at any moment.";
  return problems[name].text;
}

function depositSentence(
  username: string,
  { left, until, owner, period }: Readonly<Record<string, string | number>>,
): string {
  const whose = `${OWNERS[String(owner)] ?? "one"}, by the ${String(period)}`;
  if (typeof left === "number" && left > 0)
    return `The deposit limit of ${username} (${whose}) leaves ${(left / MINOR_PER_UNIT).toFixed(2)}; a larger deposit is refused.`;
  const again = until === undefined ? "" : `, until ${String(until).slice(0, 16).replace("T", " ")} UTC`;
  return `${username} has reached the deposit limit (${whose}): no deposits${again}.`;
}

const OWNERS: Readonly<Record<string, string>> = {
  player: "the player's own",
  operator: "the operator's",
  market: "the market's",
};

/** Checks, moves and answers the balance before and after. @throws Refused. */
export async function moveMoney(
  db: Kysely<unknown>,
  ledger: Ledger,
  move: WalletMove,
): Promise<{
  readonly before: number;
  readonly after: number;
  readonly replayed: boolean;
  readonly transferId: string;
}> {
  // Two deposits at the same moment count each other.
  await lockLimits(db.withTables<LimitsTables>(), move.playerId);
  await checkMayMove(db, move);
  const done = await moveBetweenCageAndWallet(ledger, move);
  if (done.is === "refused") {
    const { availableMinor } = await ledger.account(playerAccount(move.playerId));
    if (done.problem.name === "wallet.insufficient_funds")
      throw new Refused("wallet.insufficient", { available: availableMinor });
    throw new Refused("act.refused", { sentence: `Nothing was moved: ${done.problem.detail}.` });
  }
  const { fromBalanceMinor, toBalanceMinor, id: transferId } = done.transfer;
  const after = move.kind === "deposit" ? toBalanceMinor : fromBalanceMinor;
  const before = move.kind === "deposit" ? after - move.amountMinor : after + move.amountMinor;
  return { before, after, replayed: done.replayed, transferId };
}
