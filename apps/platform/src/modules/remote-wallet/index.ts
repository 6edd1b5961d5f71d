import type { ProblemName } from "@longarm/contract/problems";
import type { DEBIT_REFUSALS, WalletCall, WalletRequests } from "@longarm/contract/remote-wallet";
import { WALLET_ANSWER_BYTES_MAX, WALLET_ANSWER_MS, WalletAnswers } from "@longarm/contract/remote-wallet";
import { runTransaction } from "@longarm/database/run-transaction";
import type { Ledger } from "@longarm/ledger/ledger";
import type * as z from "zod/mini";
import type { AnyDb, PlatformDeps } from "../../deps.ts";
import { newId } from "../../random.ts";
import type { RepeatedLook } from "../../repeat-look.ts";
import { repeatLook } from "../../repeat-look.ts";
import type { CallerParts, Said, SignedAddress } from "../../standard-webhooks.ts";
import { signedCaller } from "../../standard-webhooks.ts";
import type { Movement } from "./movements.ts";
import {
  bookDebit,
  findMovement,
  keepBalance,
  moveOn,
  overdueMoves,
  playersWithMoney,
  remoteBalances,
  takeDue,
  tryLater,
  undoDebit,
  undoLeft,
  writeCredit,
  writeDebit,
} from "./movements.ts";

export { overdueMoves, remoteBreaches, shownWallet } from "./movements.ts";

/** How often what is open is looked at, ms. */
const LOOK_MS = 1_000;
const LEFT_MS = 30_000;
/** From one try to the next of another node at the earliest, ms: longer than one call. */
const MEANWHILE_MS = 10_000;
/** How often a player's balance is requested at most, ms. */
const ASK_MS = 2_000;
const PLAYERS_MAX = 10_000;
const AT_ONCE = 20;
const PLAYERS_AT_ONCE = 100;

/** A cash-in that wants money of the operator's wallet. `id`: of the cash-in, the same in every repeat. */
export type Wanted = {
  readonly id: string;
  readonly playerId: string;
  readonly machineId: string;
  /** Minor units. */
  readonly amount: number;
};

/** Asks the operator's wallet once. Never throws. */
export type Ask = <Call extends WalletCall>(
  call: Call,
  body: z.input<(typeof WalletRequests)[Call]>,
) => Promise<Said<z.output<(typeof WalletAnswers)[Call]>>>;

/** The operator's own wallet in the place of ours, by the buy-in model (record 0243). */
export type RemoteWallet = RepeatedLook & {
  /**
   * Takes the money of a cash-in out of the operator's wallet, once for each id. It counts for the player once it is booked.
   * @returns why it may not: the operator refuses, or its wallet is not reached; null: it is granted
   */
  bring(wanted: Wanted): Promise<ProblemName | null>;
  /** Books what was brought, in the transaction that sets it aside for the machine. False: it is granted no more. */
  book(trx: AnyDb, id: string): Promise<boolean>;
  /** Gives back what was brought and is not booked. */
  giveBack(id: string): Promise<void>;
  /** A player looks at the balance: asks the operator's wallet, at most once in a while, and announces what it says. */
  lookedAt(playerId: string): void;
  /** What the operator's wallet has of each player, minor units, as it said last. */
  balances(playerIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
};

export type RemoteWalletParts = Pick<PlatformDeps, "db" | "ledger" | "random" | "clock" | "log" | "bus"> & {
  readonly askOperator: Ask;
  /** ISO 4217. */
  readonly currency: () => string;
  /** After how long a debit that no process requests or books any more is undone, ms: longer than both take. Default: half a minute. */
  readonly leftMs?: number;
};

const REFUSALS: Readonly<Record<(typeof DEBIT_REFUSALS)[number], ProblemName>> = {
  insufficient: "wallet.insufficient_funds",
  locked: "wallet.refused",
  unknownPlayer: "wallet.refused",
  notNow: "wallet.refused",
};

/** A cash-in that was requested before: its page, or another node, asks again. */
function problemOfKnown(
  known: Movement,
  { playerId, amount }: Pick<Wanted, "playerId" | "amount">,
): ProblemName | null {
  if (known.playerId !== playerId || known.amount !== amount) return "transfer.id_conflict";
  if (known.state === "granted") return null;
  if (known.state === "requested") return "transfer.being_checked";
  if (known.state !== "refused") return "wallet.unreachable";
  return known.answer === "insufficient" ? "wallet.insufficient_funds" : "wallet.refused";
}

/** Only what is granted is booked. */
async function bookGranted(trx: AnyDb, ledger: Ledger, id: string): Promise<boolean> {
  const movement = await findMovement(trx, id);
  return movement !== undefined && (await bookDebit(trx, ledger, movement));
}

/** The id of the debit of a cash-in. */
const debitOf = (id: string): string => `rw:${id}`.slice(0, 64);

/** The operator's own wallet, where one is set. `askOperator`: in the place of HTTP; `currency`: ISO 4217. */
export function openRemoteWallet(
  deps: PlatformDeps & { readonly askOperator?: Ask },
  currency: () => string,
): RemoteWallet | undefined {
  const { wallet } = deps.config;
  if (wallet === null) return undefined;
  const ending = new AbortController();
  const askOperator = deps.askOperator ?? overHttp(wallet, { ...deps, signal: ending.signal });
  const remote = createRemoteWallet({ ...deps, askOperator, currency });
  return {
    ...remote,
    async close() {
      ending.abort();
      await remote.close();
    },
  };
}

/** The operator's wallet over HTTP. */
function overHttp(address: SignedAddress, parts: CallerParts): Ask {
  const limits = { answerMs: WALLET_ANSWER_MS, bytesMax: WALLET_ANSWER_BYTES_MAX };
  const call = signedCaller(address, parts, limits);
  return async (name, body) => (await call(name, body, WalletAnswers[name])) as never;
}

/** Keeps money in the operator's wallet: takes it out for a cash-in, and sends back all that comes home. */
export function createRemoteWallet(parts: RemoteWalletParts): RemoteWallet {
  const { ledger, clock, log } = parts;
  const db = parts.db.kysely as AnyDb;
  const requestedAt = new Map<string, number>();
  const failed = "movements of the operator's wallet could not be looked at, the next look tries again";
  const look = repeatLook({ clock, log, everyMs: LOOK_MS, failed }, async (isClosed) => {
    await undoLeft(db, parts.leftMs ?? LEFT_MS);
    let ended = await sendCredits(parts, isClosed);
    await callOut(parts);
    // Batch after batch while each ends whole: a wallet that does not answer must not keep this look from its end.
    for (let isMore = true; isMore && !isClosed(); ) {
      const due = await takeDue(db, MEANWHILE_MS, AT_ONCE);
      const tries = due.map((movement) => alone(parts, movement.playerId, tryOnce(parts, movement)));
      const done = (await Promise.all(tries)).filter(Boolean).length;
      ended += done;
      isMore = done === AT_ONCE;
    }
    return ended;
  });
  return {
    ...look,
    bring: (wanted) => bring(parts, wanted),
    lookedAt(playerId) {
      const now = clock.now();
      if (now - (requestedAt.get(playerId) ?? 0) < ASK_MS) return;
      if (requestedAt.size > PLAYERS_MAX) requestedAt.clear();
      requestedAt.set(playerId, now);
      askBalance(parts, playerId).catch((error: unknown) => log.warn({ err: error, playerId }, failed));
    },
    book: (trx, id) => bookGranted(trx, ledger.within(trx), debitOf(id)),
    giveBack: (id) => undoDebit(db, debitOf(id)),
    balances: (playerIds) => remoteBalances(db, playerIds),
  };
}

async function bring(
  parts: RemoteWalletParts,
  { id, playerId, machineId, amount }: Wanted,
): Promise<ProblemName | null> {
  const db = parts.db.kysely;
  const debit = debitOf(id);
  const { isNew, movement } = await writeDebit(db, { id: debit, playerId, amount });
  if (!isNew) return problemOfKnown(movement, { playerId, amount });
  const request = { id: debit, player: playerId, currency: parts.currency(), amount, machine: machineId };
  const said = await parts.askOperator("debit", request);
  if (said.is === "nothing") {
    parts.log.warn({ movement: debit, why: said.why }, "the operator's wallet did not answer a debit: it is undone");
    await moveOn(db, debit, "requested", "undoing", { answer: said.why });
    return "wallet.unreachable";
  }
  const { answer } = said;
  if (answer.is === "refused") {
    await moveOn(db, debit, "requested", "refused", { answer: answer.reason });
    return REFUSALS[answer.reason];
  }
  // Too late: another look has begun to undo it.
  return (await moveOn(db, debit, "requested", "granted", { balance: answer.balance })) ? null : "wallet.unreachable";
}

/** What fails for one player keeps no other from their turn; the next look tries it again. */
async function alone<T>({ log }: Pick<RemoteWalletParts, "log">, playerId: string, work: Promise<T>) {
  return await work.catch((error: unknown) => {
    log.error(
      { err: error, alarm: "wallet", playerId },
      "a player's money could not be moved, the next look tries again",
    );
    return undefined;
  });
}

/** Sends home what players have here. */
async function sendCredits(parts: RemoteWalletParts, isClosed: () => boolean): Promise<number> {
  const { db, ledger, random, bus } = parts;
  let sent = 0;
  for (const playerId of await playersWithMoney(db.kysely, PLAYERS_AT_ONCE)) {
    if (isClosed()) break;
    const id = newId(random, "rc");
    const written = runTransaction(db.kysely, (trx) => writeCredit(trx, ledger.within(trx), id, playerId));
    const amount = await alone(parts, playerId, written);
    if (amount === undefined) continue;
    sent += 1;
    bus.publish("balance.changed", { playerId });
  }
  return sent;
}

/** One try of a movement that is open; true: it has ended. */
async function tryOnce(parts: RemoteWalletParts, { id, playerId, kind, amount }: Movement): Promise<boolean> {
  const db = parts.db.kysely;
  const call = kind === "debit" ? "undo" : "credit";
  const said = await parts.askOperator(call, { id, player: playerId, currency: parts.currency(), amount });
  if (said.is === "nothing") {
    await tryLater(db, id, said.why);
    return false;
  }
  const [from, to] = kind === "debit" ? (["undoing", "undone"] as const) : (["sending", "done"] as const);
  const ended = await moveOn(db, id, from, to, { balance: said.answer.balance });
  if (ended) parts.bus.publish("balance.changed", { playerId });
  return ended;
}

async function callOut({ db, log }: RemoteWalletParts): Promise<void> {
  const { count, oldest } = await overdueMoves(db.kysely);
  if (count === 0) return;
  log.error({ alarm: "wallet", count, oldest }, "movements of the operator's wallet are open for over a minute");
}

async function askBalance(parts: RemoteWalletParts, playerId: string): Promise<void> {
  const said = await parts.askOperator("balance", { player: playerId, currency: parts.currency() });
  if (said.is === "nothing") return;
  await keepBalance(parts.db.kysely, playerId, said.answer.balance);
  parts.bus.publish("balance.changed", { playerId });
}
