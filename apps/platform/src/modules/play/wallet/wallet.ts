import type { EgmMoneyAnswer, MoneyRefusal } from "@longarm/contract/agent-link";
import type { Balance } from "@longarm/contract/notification-socket";
import type { Problem, ProblemName } from "@longarm/contract/problems";
import { batchReads } from "@longarm/database/batch-reads";
import { machineAccount, playerAccount } from "@longarm/ledger/rules/address";
import { noteRefusal } from "../../protection/care/index.ts";
import { playProblem } from "../../protection/gates/index.ts";
import type { LimitsTables } from "../../protection/limits/index.ts";
import type { AgentAnswer, Links } from "../agents/index.ts";
import type { PlayDeps } from "../deps.ts";
import { cashInProblem } from "../limits.ts";
import type { OpenSeat, Seats, WithinSeat } from "../seat/index.ts";
import { Refusal, rowOfState } from "../seat/index.ts";
import { balancesOf } from "./balance.ts";
import { EventWaits } from "./event-waits.ts";
import type { MoneyStep } from "./money-steps.ts";
import type { Direction, KnownOutcome, TransferRow } from "./transfer.ts";
import {
  decideTransfer,
  findTransfer,
  insertTransfer,
  LedgerBroken,
  markUnknown,
  NotExplained,
  openTransferOf,
} from "./transfer.ts";
import { olderTransferIdOf, transferIdOf } from "./transfer-id.ts";

/**
 * A money command of the player who holds the seat. `id` is the web's own, the same in every repeat. Minor units; `amount` null: everything
 * (cash-out only). Once it is written down it is a `TransferRow`.
 */
export type MoneyCommand = {
  readonly machineId: string;
  readonly playerId: string;
  readonly epoch: number;
  readonly id: string;
  readonly amount: number | null;
};
export type CashInCommand = MoneyCommand & { readonly amount: number };

/** The outcome of a money command. `unknown` is decided later, and then announced. */
export type MoneyOutcome =
  | { readonly is: "done"; readonly amount: number }
  | { readonly is: "unknown" }
  | { readonly is: "refused"; readonly problem: Problem };

/** A money command that broke off on this node: no request waits for its answer, and it may or may not be written down. */
export type BrokenOff = {
  readonly machineId: string;
  readonly transferId: string;
  /** What a player's page requested and got "unknown" for, under the page's own id; null: no page did. */
  readonly page: (Pick<MoneyCommand, "playerId" | "id" | "amount"> & { readonly direction: Direction }) | null;
};

type Written = { readonly row: TransferRow; readonly isNew: boolean };

/** Money between wallets and machines: hold, intent, request, book. Refusals of state are thrown as `Refusal` of the seats. */
export class Wallet {
  readonly deps: PlayDeps;
  readonly within: WithinSeat;
  readonly links: Pick<Links, "request">;
  /** How long events have been awaited that would explain an outcome. */
  readonly waits: EventWaits;
  /** Commands to look up again, by transfer id. Those of a node that ends are found by its name in their rows. */
  readonly brokenOff = new Map<string, BrokenOff>();
  readonly balanceOf: (playerId: string) => Promise<Balance>;

  constructor(deps: PlayDeps, { within }: Seats, links: Pick<Links, "request">) {
    this.deps = deps;
    this.within = within;
    this.links = links;
    this.waits = new EventWaits(deps.clock);
    this.balanceOf = batchReads(async (playerIds) => {
      const own = await balancesOf(deps.pool, playerIds);
      return deps.remoteWallet === undefined ? own : withRemote(own, await deps.remoteWallet.balances(playerIds));
    });
  }

  /** The player looks at the balance: the operator's wallet, where there is one, is queried. */
  lookedAt(playerId: string): void {
    this.deps.remoteWallet?.lookedAt(playerId);
  }

  /**
   * Wallet to machine: a hold and the intent, then the request to the machine, then the hold is posted or void. `mayBegin`: false while the idle
   * lock holds. A repeat begins nothing, so the lock does not refuse it: its page would take that for the outcome.
   * Refuses with: session.locked, session.not_yours, seat.stale_epoch, what the seat's state says, transfer.amount_outside_limits,
   * machine.locked (staff has taken it out of play), player.excluded, limit.required, limit.cash_in, limit.loss, limit.wager, limit.time,
   * transfer.id_conflict, transfer.being_checked, wallet.insufficient_funds, wallet.refused, wallet.unreachable, machine.unreachable.
   */
  async cashIn(command: CashInCommand, mayBegin: () => Promise<boolean>): Promise<MoneyOutcome> {
    return await this.#begin(command, mayBegin).catch(async (error: unknown) => {
      if (error instanceof Refusal && FAILED_DEPOSITS.has(error.problem)) await this.#noteFailed(command.playerId);
      throw error;
    });
  }

  /** For those who look after players; what cannot be kept does not change the answer. */
  async #noteFailed(playerId: string): Promise<void> {
    await noteRefusal(this.deps.db, playerId, "cashIn").catch((error: unknown) =>
      this.deps.log.warn({ err: error, playerId }, "a refused cash-in could not be kept"),
    );
  }

  async #begin(command: CashInCommand, mayBegin: () => Promise<boolean>): Promise<MoneyOutcome> {
    const { machineId } = command;
    const id = transferIdOf(command.playerId, command.id);
    const older = olderTransferIdOf(command.playerId, command.id);
    this.#step("cashIn.received");
    const broken = { machineId, transferId: id, page: brokenOffPage(command, "cashIn") };
    return await this.#orUnknown(broken, async () => {
      // A page repeats by itself, which is no sign of its player.
      const isKnown = (await findTransfer(this.deps.db, id, older)) !== undefined;
      const allowed = isKnown || (await mayBegin());
      const write = () =>
        this.within(machineId, async (seat): Promise<Written> => {
          const known = await findTransfer(seat.trx, id, older);
          if (known) return { row: sameContent(known, command, "cashIn"), isNew: false };
          if (!allowed) throw new Refusal("session.locked");
          await this.#mayCashIn(seat, command);
          await this.#hold(seat, id, command);
          return { row: await this.#write(seat, id, "cashIn", command), isNew: true };
        });
      const written = isKnown || !allowed ? await write() : await this.#withMoney(id, command, write);
      return written.isNew ? await this.#run(written.row) : moneyOutcome(written.row);
    });
  }

  /** @throws Refusal. */
  async #mayCashIn(seat: OpenSeat, command: CashInCommand): Promise<void> {
    checkHolder(seat, command);
    checkState(seat, "cashIn");
    await checkLimits(seat, command.amount);
    await checkPlayer(seat, command, this.deps.helpListed());
    await checkNoneOpen(seat);
  }

  /** With a wallet of the operator's own the money comes from there first, and goes back unless the cash-in is written down (record 0243). */
  async #withMoney(id: string, command: CashInCommand, write: () => Promise<Written>): Promise<Written> {
    const remote = this.deps.remoteWallet;
    if (remote === undefined) return await write();
    const { playerId, machineId, amount } = command;
    // What the seat refuses takes nothing out of the operator's wallet.
    await this.within(machineId, (seat) => this.#mayCashIn(seat, command));
    const problem = await remote.bring({ id, playerId, machineId, amount });
    if (problem !== null) throw new Refusal(problem);
    try {
      return await write();
    } catch (error) {
      await remote.giveBack(id);
      throw error;
    }
  }

  /**
   * Machine to wallet: the intent, then the request to the machine, then what it gave is booked.
   * Refuses with: session.not_yours, seat.stale_epoch, what the seat's state says, transfer.id_conflict, transfer.being_checked,
   * machine.unreachable, machine.locked, transfer.amount_outside_limits.
   */
  async cashOut(command: MoneyCommand): Promise<MoneyOutcome> {
    const { machineId } = command;
    const id = transferIdOf(command.playerId, command.id);
    const older = olderTransferIdOf(command.playerId, command.id);
    this.#step("cashOut.received");
    return await this.#orUnknown({ machineId, transferId: id, page: brokenOffPage(command, "cashOut") }, async () => {
      const written = await this.within(machineId, async (seat): Promise<Written> => {
        const known = await findTransfer(seat.trx, id, older);
        if (known) return { row: sameContent(known, command, "cashOut"), isNew: false };
        checkHolder(seat, command);
        checkState(seat, "cashOut");
        await checkWholeCredits(seat, command.amount);
        await checkNoneOpen(seat);
        return { row: await this.#write(seat, id, "cashOut", command), isNew: true };
      });
      return written.isNew ? await this.#run(written.row) : moneyOutcome(written.row);
    });
  }

  /**
   * The cash-out of everything at the end of a play session, under an id of the platform's own.
   * @returns null when it has nothing to do: another transfer is open, or the play session is not ending.
   */
  async cashOutAll(machineId: string, id: string): Promise<MoneyOutcome | null> {
    return await this.#orUnknown({ machineId, transferId: id, page: null }, async () => {
      const row = await this.within(machineId, async (seat) => {
        const { epoch, state } = seat.row;
        if (state !== "ending" || (await openTransferOf(seat.trx, machineId))) return null;
        return await this.#write(seat, id, "cashOut", { id: null, epoch, amount: null });
      });
      return row === null ? null : await this.#run(row);
    });
  }

  /** True while the outcome of a transfer of the machine is open. */
  async hasOpenTransfer(machineId: string): Promise<boolean> {
    return (await openTransferOf(this.deps.db, machineId)) !== undefined;
  }

  /** Sets the amount aside in the wallet until the machine has answered. */
  async #hold(seat: OpenSeat, id: string, { playerId, machineId, amount }: CashInCommand): Promise<void> {
    const { remoteWallet } = this.deps;
    if (remoteWallet && !(await remoteWallet.book(seat.trx, id))) throw new Refusal("wallet.unreachable");
    const held = await this.deps.ledger.within(seat.trx).hold({
      id,
      kind: "cashIn",
      from: playerAccount(playerId),
      to: machineAccount(machineId),
      amountMinor: amount,
      about: { playSessionId: seat.row.play_session_id ?? "", machineId, actor: `player:${playerId}` },
    });
    if (held.is === "refused") throw new Refusal(holdProblem(held.problem.name), held.problem.detail);
  }

  /** Writes the intent down. It is committed before the agent gets the request. */
  async #write(
    seat: OpenSeat,
    id: string,
    direction: Direction,
    { id: webId, epoch, amount }: Pick<MoneyCommand, "epoch" | "amount"> & { readonly id: string | null },
  ): Promise<TransferRow> {
    const { machine_id, play_session_id, player_id } = seat.row;
    const row = await insertTransfer(seat.trx, {
      id,
      told_id: webId,
      machine_id,
      play_session_id: play_session_id ?? "",
      player_id: player_id ?? "",
      epoch,
      direction,
      asked: amount,
      expected: direction === "cashIn" ? 0 : await this.#expected(seat, amount),
      node_id: this.deps.config.play.NODE_ID,
    });
    seat.announce("balance.changed", { playerId: row.player_id });
    return row;
  }

  /** What a cash-out probably brings: the ledger does not know the games that the machine has not reported yet. */
  async #expected(seat: OpenSeat, amount: number | null): Promise<number> {
    const { balanceMinor } = await this.deps.ledger.within(seat.trx).account(machineAccount(seat.row.machine_id));
    return Math.max(0, Math.min(balanceMinor, amount ?? balanceMinor));
  }

  /**
   * Sends the machine a transfer that is written down, and books what it answers. Silence, a lost link and a crash anywhere leave the
   * transfer open, and `recoverTransfer` finishes it.
   */
  async #run(transfer: TransferRow): Promise<MoneyOutcome> {
    const { id, machine_id: machineId, epoch, direction, asked } = transfer;
    const counted = this.deps.numbers?.begin(direction);
    this.#step(`${direction}.intentStored`);
    const command = { machineId, epoch, transferId: id, ...(asked === null ? {} : { amount: asked }) };
    const answer = this.links.request(direction === "cashIn" ? "egm.cashIn" : "egm.cashOut", command);
    this.#step(`${direction}.asked`);
    const known = outcomeOf(await answer);
    this.#step(`${direction}.answered`);
    const decided = known && (await this.#book(transfer, known));
    if (decided === undefined) await this.#leaveUnknown(transfer);
    else this.#step(`${direction}.posted`);
    if (decided?.state === "refused")
      this.deps.log.warn({ transferId: id, machineId, direction, reason: decided.reason }, "a transfer was refused");
    const outcome: MoneyOutcome = decided === undefined ? { is: "unknown" } : moneyOutcome(decided);
    counted?.(outcome.is);
    return outcome;
  }

  /** Undefined: it is not booked. The machine may have moved the money all the same, so that is never reported as a refusal. */
  async #book(transfer: TransferRow, known: KnownOutcome): Promise<TransferRow | undefined> {
    try {
      return await decideTransfer(this.deps, this.within, transfer, known);
    } catch (error) {
      if (error instanceof NotExplained) return undefined;
      const alarm = error instanceof LedgerBroken && { alarm: "transfer" };
      this.deps.log.error({ err: error, ...alarm, transferId: transfer.id }, "an outcome could not be booked");
      return undefined;
    }
  }

  /** While the database does not answer the transfer stays *asking*, until it can be marked. */
  async #leaveUnknown({ id: transferId, machine_id: machineId }: TransferRow): Promise<void> {
    try {
      await this.within(machineId, (seat) => markUnknown(seat, transferId, this.deps.config.play.NODE_ID));
    } catch (error) {
      this.deps.log.error({ err: error, transferId }, "a transfer could not be marked as unknown yet");
      this.brokenOff.set(transferId, { machineId, transferId, page: null });
    }
  }

  /**
   * Runs a money command. A failure on the way (a database that goes away) leaves open whether the command was written down: that is
   * unknown, never a refusal. Throws `Refusal` alone.
   */
  async #orUnknown<T>(command: BrokenOff, run: () => Promise<T>): Promise<T | { readonly is: "unknown" }> {
    try {
      return await run();
    } catch (error) {
      if (error instanceof Refusal) throw error;
      const { transferId, machineId } = command;
      const sentence = "a money command broke off; what is known of it is looked up";
      this.deps.log.error({ err: error, transferId, machineId }, sentence);
      this.brokenOff.set(transferId, command);
      return { is: "unknown" };
    }
  }

  #step(name: MoneyStep): void {
    this.deps.steps(name);
  }
}

/** Refusals of a cash-in that say that a player wanted to play with more than there was, or than was allowed. */
const FAILED_DEPOSITS: ReadonlySet<ProblemName> = new Set<ProblemName>([
  "wallet.insufficient_funds",
  "limit.cash_in",
  "limit.loss",
  "limit.wager",
  "limit.time",
]);

const withRemote = (own: ReadonlyMap<string, Balance>, remote: ReadonlyMap<string, number>) =>
  new Map([...own].map(([id, one]) => [id, { ...one, balance: one.balance + (remote.get(id) ?? 0) }]));

function brokenOffPage({ playerId, id, amount }: MoneyCommand, direction: Direction): BrokenOff["page"] {
  return { playerId, id, amount, direction };
}

function holdProblem(
  name: string,
): "wallet.insufficient_funds" | "transfer.amount_outside_limits" | "transfer.id_conflict" {
  if (name === "wallet.insufficient_funds" || name === "transfer.amount_outside_limits") return name;
  return "transfer.id_conflict";
}

/** A repeat must be the same command, wherever it comes from. */
function sameContent(known: TransferRow, command: MoneyCommand, direction: Direction): TransferRow {
  const same =
    known.direction === direction &&
    known.machine_id === command.machineId &&
    known.player_id === command.playerId &&
    known.asked === command.amount;
  if (!same) throw new Refusal("transfer.id_conflict");
  return known;
}

function checkHolder(seat: OpenSeat, { playerId, epoch }: MoneyCommand): void {
  if (seat.row.player_id !== playerId) throw new Refusal("session.not_yours");
  if (seat.row.epoch !== epoch) throw new Refusal("seat.stale_epoch");
}

function checkState(seat: OpenSeat, direction: Direction): void {
  const allowed = rowOfState(seat.row.state)[direction];
  if (allowed !== true) throw new Refusal(allowed);
}

async function checkNoneOpen(seat: OpenSeat): Promise<void> {
  if (await openTransferOf(seat.trx, seat.row.machine_id)) throw new Refusal("transfer.being_checked");
}

async function checkLimits(seat: OpenSeat, amount: number): Promise<void> {
  const { minTransfer, maxTransfer } = (await machineFacts(seat)).limits;
  if (amount < minTransfer || amount > maxTransfer)
    throw new Refusal("transfer.amount_outside_limits", `from ${minTransfer} to ${maxTransfer} minor units`);
  await checkWholeCredits(seat, amount);
}

/** A machine counts credits: it moves only multiples of its denomination. Null: everything, which is whole credits. */
async function checkWholeCredits(seat: OpenSeat, amount: number | null): Promise<void> {
  if (amount === null) return;
  const { denomination } = await machineFacts(seat);
  if (amount % denomination !== 0)
    throw new Refusal("transfer.amount_outside_limits", `only multiples of ${denomination} minor units`);
}

async function machineFacts(seat: OpenSeat) {
  const { machine_id } = seat.row;
  const row = await seat.trx.selectFrom("machine").select("facts").where("id", "=", machine_id).executeTakeFirst();
  if (row === undefined) throw new Error(`Machine ${machine_id} has a seat and no row.`);
  return row.facts;
}

/** What staff wants of the machine, and how much this player may put in and lose. */
async function checkPlayer(seat: OpenSeat, { playerId, amount }: CashInCommand, helpListed: boolean): Promise<void> {
  const { closed, credit } = await seat.facts();
  if (closed) throw new Refusal("machine.locked");
  const limited = { playerId, machineId: seat.row.machine_id };
  const limit =
    (await playProblem(seat.trx, { ...limited, helpListed, gate: "money" })) ??
    (await cashInProblem(seat.trx.withTables<LimitsTables>(), limited, { amount, credit }));
  if (limit !== null) throw new Refusal(limit.name, undefined, { params: limit.params });
}

/** Refusals of the link that prove that the command reached no machine. An agent's own refusal comes as an outcome. */
const NOT_SENT: Readonly<Partial<Record<ProblemName, MoneyRefusal>>> = {
  "machine.unreachable": "unreachable",
  "request.malformed": "other",
  "request.too_many": "busy",
  "seat.stale_epoch": "staleEpoch",
};

/**
 * What an agent's answer proves; undefined: nothing. An agent that failed over the command, or knows its id with another content,
 * may have moved the money before: then the machine's record decides.
 */
function outcomeOf(answer: AgentAnswer<EgmMoneyAnswer>): KnownOutcome | undefined {
  if (answer.is === "noLink") return { is: "refused", refusal: "unreachable", reason: "machine unreachable" };
  if (answer.is === "refused") {
    const { name, reason } = answer.refusal;
    const refusal = name && NOT_SENT[name];
    return refusal && { is: "refused", refusal, reason: `${name}: ${reason}` };
  }
  if (answer.is === "unknown" || answer.data.outcome === "unknown") return undefined;
  const { outcome, amount, refusal = "other", reason = "refused" } = answer.data;
  return outcome === "done" ? { is: "done", amount } : { is: "refused", refusal, reason };
}

/** The outcome of a row, for the first request and every repeat. The agent's sentence is for the log: it may name what only the venue may know. */
function moneyOutcome(row: TransferRow): MoneyOutcome {
  if (row.state === "done") return { is: "done", amount: row.amount };
  if (row.state !== "refused") return { is: "unknown" };
  return { is: "refused", problem: problemOf(row.refusal) };
}

const BUSY_SECONDS = 5;

const PROBLEMS = {
  unreachable: { name: "machine.unreachable" },
  staleEpoch: { name: "seat.stale_epoch" },
  inGame: { name: "game.in_progress" },
  beingChecked: { name: "transfer.being_checked" },
  amountOutsideLimits: { name: "transfer.amount_outside_limits" },
  nothingToPay: { name: "transfer.nothing_to_pay" },
  idConflict: { name: "transfer.id_conflict" },
  attendant: { name: "machine.locked" },
  agentFault: { name: "transfer.refused" },
  busy: { name: "request.too_many", params: { seconds: BUSY_SECONDS } },
  other: { name: "transfer.refused" },
} as const satisfies Record<MoneyRefusal, Problem>;

/** A node of a newer version may have written a kind that this one does not know. */
function problemOf(refusal: string | null): Problem {
  return refusal !== null && Object.hasOwn(PROBLEMS, refusal) ? PROBLEMS[refusal as MoneyRefusal] : PROBLEMS.other;
}
