import { staffProblems } from "@longarm/contract/staff-problems";
import { runTransaction } from "@longarm/database/run-transaction";
import { readEnvironment } from "@longarm/link/environment";
import type { Kysely, Transaction } from "kysely";
import { systemClock } from "../clock.ts";
import { platformVariables } from "../config/variables.ts";
import { machineExists } from "../modules/play/machines.ts";
import type { OperationAnswer, OperationKind, OperationOrder } from "../modules/play/operations/index.ts";
import { askOperation } from "../modules/play/operations/index.ts";
import { balancesOf } from "../modules/play/wallet/index.ts";
import type { Player, PlayersTables } from "../modules/players/accounts/index.ts";
import { findPlayerByName } from "../modules/players/accounts/index.ts";
import type { Notices } from "../modules/players/auth/index.ts";
import { createNotices } from "../modules/players/auth/index.ts";
import { openAudit, staffActor } from "../modules/records/audit/index.ts";
import { Refused } from "../modules/staff/sign-in/index.ts";
import type { CommandDeps } from "./command.ts";
import { CommandRefused } from "./command.ts";
import { printableLine, writeAmount } from "./output.ts";

/** The program's name in the audit log. */
export const SOURCE = "longarm staff";

/** Where staff reaches the console, as far as this process knows; empty: it does not. */
export function consoleOrigin({ environment }: Pick<CommandDeps, "environment">): string {
  const port = environment["STAFF_PORT"];
  return environment["STAFF_PUBLIC_URL"] || (port ? `http://localhost:${port}` : "");
}

/** The actor of an audit entry. */
export const actorOf = staffActor;

/** The actor of a ledger transfer, whose length the ledger limits. */
export const ledgerActorOf = (by: string): string => actorOf(by).slice(0, 100);

/**
 * Writes to the database in one transaction that the audit log attributes to `by`. A dry run does the same and rolls it back. `work` may run
 * again when the database rolled it back by itself.
 */
export async function asStaff<T>(
  { db }: Pick<CommandDeps, "db">,
  by: string,
  work: (transaction: Transaction<unknown>) => Promise<T>,
  dryRun = false,
): Promise<T> {
  try {
    return await runTransaction(db, async (transaction) => {
      await openAudit(transaction, SOURCE).actAs(actorOf(by));
      const result = await work(transaction);
      if (dryRun) throw new RolledBack(result);
      return result;
    });
  } catch (error) {
    if (error instanceof RolledBack) return error.result as T;
    throw error;
  }
}

const { SMTP_URL, TIME_ZONE, WALLET_URL } = platformVariables;

/** Mails to players about their accounts, which the running platform sends; null: this process knows of no mail server. */
export function noticesOf({ environment, random }: Pick<CommandDeps, "environment" | "random">): Notices | null {
  const settings = readEnvironment({ SMTP_URL, TIME_ZONE }, environment);
  if (settings.SMTP_URL === null) return null;
  return createNotices({ random, clock: systemClock, timeZone: settings.TIME_ZONE });
}

/** @throws Refused where players' money is in the operator's wallet: none is added or withdrawn here. */
export function checkOurWallet({ environment }: Pick<CommandDeps, "environment">): void {
  if (readEnvironment({ WALLET_URL }, environment).WALLET_URL !== null) throw new Refused("wallet.operators");
}

/** A refusal of a staff act, as the command line says it. Any other error stays what it is. */
export function refusedCommand(error: unknown): unknown {
  if (!(error instanceof Refused)) return error;
  const { name, params = {} } = error.problem;
  const money = (key: string, value: string | number) =>
    key === "available" && typeof value === "number" ? writeAmount(value) : String(value);
  const sentence = staffProblems[name].text.replaceAll(/\{(\w+)\}/g, (whole, key: string) =>
    params[key] === undefined ? whole : money(key, params[key]),
  );
  return new CommandRefused(printableLine(/[.!?]$/.test(sentence) ? sentence : `${sentence}.`));
}

/** Ends the transaction of a dry run. */
class RolledBack extends Error {
  readonly result: unknown;
  constructor(result: unknown) {
    super("dry run");
    this.result = result;
  }
}

/**
 * Has the running platform apply what the command has saved in the database, and prints what it did.
 * @returns false when no platform runs: the next one that starts applies it.
 * @throws CommandRefused, and an error when the outcome is unknown.
 */
export async function carryOut<K extends OperationKind>(
  deps: CommandDeps,
  operation: OperationOrder<K>,
): Promise<boolean> {
  const answer = await request(deps, operation);
  if (answer.notAccepted) {
    deps.say("The change is saved. No platform runs on this database now: the next one that starts applies it.");
    return false;
  }
  reportAnswer(deps, answer, "The change is saved. ");
  return true;
}

/**
 * Has the running platform do something that is not saved in the database: without a platform nothing happens. Prints what it did.
 * @throws CommandRefused, and an error when the outcome is unknown.
 */
export async function requestOperation<K extends OperationKind>(
  deps: CommandDeps,
  operation: OperationOrder<K>,
): Promise<void> {
  reportAnswer(deps, await request(deps, operation));
}

/** How long a notification may wait for a platform, ms: without one no page waits for it either. */
const NOTIFY_WITHIN_MS = 1_000;

/** Lets pages show at once what is done already. Fails silently: they show it later then. */
export async function notifyPlatform<K extends OperationKind>(
  deps: CommandDeps,
  operation: OperationOrder<K>,
): Promise<void> {
  await request(deps, { beginWithinMs: NOTIFY_WITHIN_MS, ...operation }).catch(() => undefined);
}

async function request<K extends OperationKind>(
  deps: CommandDeps,
  operation: OperationOrder<K>,
): Promise<OperationAnswer> {
  const { beginWithinMs } = deps;
  return await askOperation(deps, { ...operation, ...(beginWithinMs !== undefined && { beginWithinMs }) });
}

/** Prints what the platform did. An agent may have written the sentence: it stays on one line, so that it cannot look like ours. */
export function reportAnswer({ say }: Pick<CommandDeps, "say">, answer: OperationAnswer, before = ""): void {
  const sentence = printableLine(answer.sentence);
  if (answer.is === "refused") throw new CommandRefused(sentence);
  if (answer.is === "unknown") throw new Error(`${before}${sentence}`);
  if (sentence !== "") say(sentence);
}

/** Prints what the running platform would do to a machine that exists. @throws CommandRefused. */
export async function sayDryOperation({ db, say }: CommandDeps, machineId: string, what: string): Promise<object> {
  if (!(await machineExists(db, machineId))) throw new CommandRefused(noMachine(machineId));
  if (what !== "") say(printableLine(`Would ask the running platform to ${what}. Nothing was changed.`));
  return { machine: machineId, dryRun: true };
}

export const noMachine = (id: string): string => printableLine(`There is no machine "${id.slice(0, 64)}" here.`);

/** The player with this name, in any spelling. @throws CommandRefused. */
export async function namedPlayer(db: Kysely<unknown>, username: string): Promise<Player> {
  const player = await findPlayerByName(db.withTables<PlayersTables>(), username);
  if (!player) throw new CommandRefused(`There is no player called "${username.slice(0, 64)}".`);
  return player;
}

/** The id of the player with this name; undefined: no name was given. @throws CommandRefused. */
export async function namedPlayerId(db: Kysely<unknown>, username: string | undefined): Promise<string | undefined> {
  return username === undefined ? undefined : (await namedPlayer(db, username)).id;
}

/** A player and where the player's money is. @throws CommandRefused. */
export async function namedWallet(db: Kysely<unknown>, username: string) {
  const player = await namedPlayer(db, username);
  const balance = (await balancesOf(db, [player.id])).get(player.id) ?? { balance: 0 };
  return { player, balance };
}
