import { readFile, stat } from "node:fs/promises";
import { openLedger } from "@longarm/ledger/ledger";
import { playerAccount } from "@longarm/ledger/rules/address";

import type { Account } from "@longarm/load/account";

import { listPlaySessions } from "../../modules/play/operations/index.ts";
import type { PlayersTables } from "../../modules/players/accounts/index.ts";
import { createPlayers, playersOfGroup, setBanned } from "../../modules/players/accounts/index.ts";
import type { AuthTables } from "../../modules/players/auth/index.ts";
import { endSessions } from "../../modules/players/auth/index.ts";
import { moveBetweenCageAndWallet } from "../../modules/staff/desk/index.ts";
import { newId } from "../../random.ts";
import type { CommandDeps } from "../command.ts";
import { CommandRefused } from "../command.ts";
import { printable, writeAmount } from "../output.ts";
import { asStaff, ledgerActorOf, notifyPlatform } from "../staff.ts";

/** The group of players that are made for a run: the group and their names identify those of a run that was cut off. */
const GROUP = "load";
/** Checked too, because a venue may have a group of this name. */
const NAME = /^load-[0-9a-f]{8}-\d{4}$/;
/** How long the platform may take to begin ending a session, ms. */
const PLATFORM_BEGINS_WITHIN_MS = 10_000;
/** The longest wait for a session's end and its transfers, ms. */
const HOME_MS = 60_000;
const LOOK_MS = 250;
const PASSWORD_BYTES = 24;

/** A player made for a run. */
export type TemporaryPlayer = Account & { readonly id: string };

/** One run, as the books name it, and the person who started it. */
export type Run = { readonly name: string; readonly by: string };

/** Makes one player, with a deposit from the cage when one is given. @throws Error when the platform refuses. */
export async function makePlayer(
  deps: CommandDeps,
  run: Run,
  number: number,
  depositMinor: number | undefined,
): Promise<TemporaryPlayer> {
  const username = `${run.name}-${String(number).padStart(4, "0")}`;
  const password = deps.random.bytes(PASSWORD_BYTES).toString("base64url");
  const id = await asStaff(deps, run.by, async (transaction) => {
    const ledger = openLedger(transaction);
    const players = await createPlayers({ db: { kysely: transaction }, ledger, random: deps.random });
    const added = await players.add({ username, password, name: "Load", lastname: run.name, group: GROUP });
    if (added.is !== "added") throw new Error(`The player ${username} could not be made.`);
    if (depositMinor === undefined) return added.id;
    const moved = await moveBetweenCageAndWallet(ledger, {
      kind: "deposit",
      id: newId(deps.random, "w"),
      playerId: added.id,
      amountMinor: depositMinor,
      actor: ledgerActorOf(run.by),
      reason: `longarm load: ${run.name} begins`,
    });
    if (moved.is === "refused")
      throw new Error(`${username} got no deposit: ${moved.problem.detail ?? moved.problem.name}.`);
    return added.id;
  });
  return { id, username, password };
}

/** What could not be brought home of a player. */
export type LeftBehind = { readonly username: string; readonly sentence: string };

/** Sends each player home, also when another one fails. Returns what could not be brought home. */
export async function sendAllHome(
  deps: CommandDeps,
  run: Run,
  players: readonly TemporaryPlayer[],
): Promise<LeftBehind[]> {
  const left: LeftBehind[] = [];
  for (const one of players) {
    const rest = await sendHome(deps, run, one).catch((error: unknown) => ({
      username: one.username,
      sentence: `could not be sent home: ${error instanceof Error ? error.message : String(error)}`,
    }));
    if (rest !== undefined) left.push(rest);
  }
  return left;
}

/** Ends what a player has open, moves the money to the cage and bans the player; undefined: nothing is left. Safe to repeat. */
async function sendHome(
  deps: CommandDeps,
  run: Run,
  { id, username }: TemporaryPlayer,
): Promise<LeftBehind | undefined> {
  await asStaff(deps, run.by, async (transaction) => {
    await setBanned(transaction.withTables<PlayersTables>(), id, true);
    await endSessions(transaction.withTables<AuthTables>(), { playerId: id }, "banned");
  });
  if (await hasSomethingOpen(deps, id)) {
    await notifyPlatform(deps, {
      kind: "player",
      body: { playerId: id },
      by: run.by,
      beginWithinMs: PLATFORM_BEGINS_WITHIN_MS,
    });
    for (let waited = 0; waited < HOME_MS && (await hasSomethingOpen(deps, id)); waited += LOOK_MS)
      await deps.pause(LOOK_MS);
  }
  const ledger = openLedger(deps.db);
  const { availableMinor } = await ledger.account(playerAccount(id));
  if (availableMinor > 0) {
    const moved = await asStaff(deps, run.by, (transaction) =>
      moveBetweenCageAndWallet(openLedger(transaction), {
        kind: "withdraw",
        id: newId(deps.random, "w"),
        playerId: id,
        amountMinor: availableMinor,
        actor: ledgerActorOf(run.by),
        reason: `longarm load: ${run.name} is over`,
      }),
    );
    if (moved.is === "refused")
      return { username, sentence: `${writeAmount(availableMinor)} could not be withdrawn: ${moved.problem.name}` };
  }
  const { balanceMinor } = await ledger.account(playerAccount(id));
  if (balanceMinor > 0) return { username, sentence: `${writeAmount(balanceMinor)} is still being checked` };
  return (await hasSomethingOpen(deps, id)) ? { username, sentence: "a play session still runs" } : undefined;
}

async function hasSomethingOpen({ db }: CommandDeps, playerId: string): Promise<boolean> {
  const running = await listPlaySessions(db, { playerId, openOnly: true, limit: 1 });
  if (running.length > 0) return true;
  const { heldMinor } = await openLedger(db).account(playerAccount(playerId));
  return heldMinor > 0;
}

/** Players of runs, or of one, that were not sent home whole: not banned yet, or with money, or at a machine. */
export async function leftBehind(deps: CommandDeps, run: string | undefined): Promise<TemporaryPlayer[]> {
  const rows = await playersOfGroup(deps.db, GROUP);
  const left: TemporaryPlayer[] = [];
  const isOfRun = (name: string) => NAME.test(name) && (run === undefined || name.startsWith(`${run}-`));
  for (const { id, username, banned_at } of rows.filter((row) => isOfRun(row.username))) {
    const { balanceMinor } = await openLedger(deps.db).account(playerAccount(id));
    if (banned_at === null || balanceMinor > 0 || (await hasSomethingOpen(deps, id)))
      left.push({ id, username, password: "" });
  }
  return left;
}

const ACCOUNTS_BYTES_MAX = 1_000_000;
const ACCOUNTS_MAX = 2_000;
/** The login has the same limit. */
const FIELD_MAX = 256;
const PIN = /^\d{4,12}$/;

/**
 * Reads `username:password` or `username:password:pin` from the lines of a file; empty lines and those that begin with # are skipped.
 * A password may hold colons: the last field is a PIN only when it has the form of one. @throws CommandRefused; no message contains a password.
 */
export async function readAccounts(path: string): Promise<Account[]> {
  const found = await stat(path).catch(() => undefined);
  if (!found?.isFile()) throw new CommandRefused(`There is no file "${printable(path).slice(0, 100)}".`);
  if (found.size > ACCOUNTS_BYTES_MAX)
    throw new CommandRefused(`The file of accounts is larger than ${ACCOUNTS_BYTES_MAX} bytes.`);
  return parseAccounts(await readFile(path, "utf8"));
}

/** The accounts in a file's text. @throws CommandRefused. */
export function parseAccounts(text: string): Account[] {
  const accounts: Account[] = [];
  const names = new Set<string>();
  for (const [index, raw] of text
    .replace(/^\uFEFF/, "")
    .split("\n")
    .entries()) {
    const line = raw.replace(/\r$/, "");
    if (line.trim() === "" || line.startsWith("#")) continue;
    const account = parseLine(line);
    if (account === undefined)
      throw new CommandRefused(`Line ${index + 1} of the accounts must be username:password or username:password:pin.`);
    if (names.has(account.username))
      throw new CommandRefused(`Line ${index + 1} of the accounts names an account a second time.`);
    if (accounts.length >= ACCOUNTS_MAX) throw new CommandRefused(`There are more than ${ACCOUNTS_MAX} accounts.`);
    names.add(account.username);
    accounts.push(account);
  }
  return accounts;
}

function parseLine(line: string): Account | undefined {
  const [username = "", ...rest] = line.split(":");
  const last = rest.at(-1) ?? "";
  const pin = rest.length > 1 && PIN.test(last) ? last : undefined;
  const password = (pin === undefined ? rest : rest.slice(0, -1)).join(":");
  const isField = (text: string): boolean =>
    text.length >= 1 && text.length <= FIELD_MAX && text.isWellFormed() && printable(text) === text;
  if (!isField(username.trim()) || !isField(password)) return undefined;
  return { username: username.trim(), password, ...(pin !== undefined && { pin }) };
}
