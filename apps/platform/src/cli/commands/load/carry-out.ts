import { readFile, stat } from "node:fs/promises";
import type { Account } from "@longarm/load/account";
import type { Verdict } from "@longarm/load/run/report";
import { figuresOf, judge, tableLines } from "@longarm/load/run/report";
import type { LoadResult } from "@longarm/load/run/run-load";
import { runLoad } from "@longarm/load/run/run-load";
import type { Venue } from "@longarm/load/venue";
import { findVenue, VenueProblem } from "@longarm/load/venue";
import { listMachines } from "../../../modules/play/machines.ts";
import { writeAmount } from "../../amount.ts";
import { whoAsks } from "../../ask-platform.ts";
import type { AloneDeps, CommandDeps } from "../../command.ts";
import { CommandRefused, NotAsItMustBe } from "../../command.ts";
import { withDatabase } from "../../database.ts";
import { printable, printableLine } from "../../printable.ts";
import type { LoadWish } from "./load-wish.ts";
import type { Left, Run, Temporary } from "./temporary-players.ts";
import { leftBehind, makePlayer, sendAllHome } from "./temporary-players.ts";

const RUN_BYTES = 4;

/** Does what was wished, and tells what people felt. @throws CommandRefused, NotAsItMustBe. */
export async function carryOut({ say, ...others }: AloneDeps, wish: LoadWish): Promise<object> {
  // Names of machines, reasons and refusals are written by the venue, which may be anybody's.
  const deps = { ...others, say: (line: string) => say(printableLine(line)) };
  if (wish.accounts !== undefined) return await withAccounts(deps, wish, wish.accounts);
  // The folder was named already, by option or environment.
  return await withDatabase(deps.environment, deps.dataFolder, (db, databaseUrl) =>
    withOwnPlayers({ ...deps, db, databaseUrl }, wish),
  );
}

async function withAccounts(deps: AloneDeps, wish: LoadWish, path: string): Promise<object> {
  const accounts = await readAccounts(path);
  const wanted = wish.players + wish.viewers;
  if (accounts.length < wanted)
    throw new CommandRefused(`The file names ${accounts.length} accounts, and ${wanted} people are to go there.`);
  const venue = await venueAt(wish.url);
  if (!venue.secret)
    deps.say("Note: passwords and tokens of these people go there unencrypted; write https:// if it can.");
  if (wish.dryRun) {
    deps.say(`Would send ${people(wish)} of the file to ${venue.href}. Nothing was changed.`);
    return { url: venue.href, ...{ players: wish.players, viewers: wish.viewers, dryRun: true } };
  }
  const interrupts = onInterrupt(() =>
    deps.say("Ended at once: seats and credits of these accounts stay as they are."),
  );
  try {
    const players = accounts.slice(0, wish.players);
    const result = await send(deps, wish, {
      venue,
      players,
      viewers: accounts.slice(wish.players, wanted),
      interrupts,
    });
    return tell(deps, wish, venue, result);
  } finally {
    interrupts.off();
  }
}

async function withOwnPlayers(deps: CommandDeps, wish: LoadWish): Promise<object> {
  const who = whoAsks(deps, wish.by);
  if (wish.cleanUp) return await cleanUp(deps, who, wish);
  const only = await machinesOfBooks(deps, wish.realMoney);
  const venue = await venueAt(wish.url);
  const run: Run = { name: `load-${deps.random.bytes(RUN_BYTES).toString("hex")}`, who };
  if (wish.dryRun) {
    const deposits = `${wish.players} deposits of ${writeAmount(wish.depositMinor)}`;
    deps.say(
      `Would make ${people(wish)} with ${deposits}, send them to ${venue.href} and at most ${Math.min(wish.machines, only.size)} machines, and bring all of it back. Nothing was changed.`,
    );
    return { url: venue.href, machines: [...only].slice(0, wish.machines), dryRun: true };
  }
  const interrupts = onInterrupt(() => deps.say(`Ended at once. ${run.name} is left behind: ${cleanUpOf(run.name)}`));
  const made: Temporary[] = [];
  const left: Left[] = [];
  let result: LoadResult | undefined;
  try {
    deps.say(`Makes ${people(wish)}, called ${run.name}-0001 and so on.`);
    for (let number = 1; number <= wish.players + wish.viewers && !interrupts.stop.aborted; number += 1)
      made.push(await makePlayer(deps, run, number, number <= wish.players ? wish.depositMinor : undefined));
    if (!interrupts.stop.aborted) {
      const [players, viewers] = [made.slice(0, wish.players), made.slice(wish.players)];
      result = await send(deps, wish, { venue, players, viewers, interrupts, only });
    }
  } finally {
    left.push(...(await sendAllHome(deps, run, made)));
    interrupts.off();
    if (result === undefined) for (const { username, sentence } of left) deps.say(`${username}: ${sentence}`);
    if (result === undefined && left.length > 0) deps.say(`Something is left: ${cleanUpOf(run.name)}`);
  }
  if (result !== undefined) return tell(deps, wish, venue, result, { run, left });
  if (left.length > 0) throw new NotAsItMustBe("It was ended before anybody went there.", { interrupted: true, left });
  deps.say("It was ended before anybody went there; everybody who was made is banned again.");
  return { url: venue.href, interrupted: true, left };
}

type Sent = {
  readonly venue: Venue;
  readonly players: readonly Account[];
  readonly viewers: readonly Account[];
  readonly interrupts: Interrupts;
  readonly only?: ReadonlySet<string>;
};

async function send(
  deps: Pick<CommandDeps, "pause" | "say">,
  { machines, durationMs, seed, realMoney }: LoadWish,
  { venue, players, viewers, interrupts, only }: Sent,
): Promise<LoadResult> {
  const { stop, abandon } = interrupts;
  return await runLoad(
    { venue, players, viewers, machines, durationMs, seed, realMoney, ...(only && { only }) },
    { now: () => performance.now(), pause: deps.pause, progress: deps.say, stop, abandon },
  ).catch((error: unknown) => {
    throw error instanceof VenueProblem ? new CommandRefused(error.message, { cause: error }) : error;
  });
}

function tell(
  { say }: Pick<CommandDeps, "say">,
  wish: LoadWish,
  venue: Venue,
  result: LoadResult,
  own?: { readonly run: Run; readonly left: readonly Left[] },
): object {
  const left = own?.left ?? [];
  const verdict: Verdict = judge(result);
  const failures = [...verdict.failures, ...left.map(({ username, sentence }) => `${username}: ${sentence}`)];
  for (const line of ["", ...tableLines(result), ""]) say(line);
  for (const problem of result.problems) say(`Problem: ${problem}`);
  for (const warning of verdict.warnings) say(`Note: ${warning}`);
  for (const failure of failures) say(`Not as it must be: ${failure}`);
  const told = {
    ...{ url: venue.href, machines: result.machines, players: wish.players, viewers: wish.viewers },
    ...{ ranMs: Math.round(result.ranMs), interrupted: result.interrupted, effort: result.effort },
    ...{ figures: figuresOf(result), money: result.tally.money, problems: result.problems },
    ...{ warnings: verdict.warnings, failures },
  };
  if (failures.length > 0)
    throw new NotAsItMustBe(
      own && left.length > 0
        ? `Not all is well, and something is left: ${cleanUpOf(own.run.name)}`
        : "Not all is well.",
      told,
    );
  say("All money is where it belongs, and nobody was without a picture.");
  return told;
}

const cleanUpOf = (name: string): string => `longarm load --clean-up --run ${name}`;

async function cleanUp(deps: CommandDeps, who: string, { run, dryRun }: LoadWish): Promise<object> {
  const found = await leftBehind(deps, run);
  const names = found.map(({ username }) => username);
  const whose = run ?? "earlier runs";
  if (dryRun) {
    deps.say(`Would send home ${names.length} players of ${whose}. Nothing was changed.`);
    return { players: names, dryRun };
  }
  const left = await sendAllHome(deps, { name: run ?? "what was left", who }, found);
  for (const { username, sentence } of left) deps.say(`${username}: ${sentence}`);
  if (left.length > 0) throw new NotAsItMustBe("Not all is home yet: ask again later.", { players: names, left });
  deps.say(`${names.length} players of ${whose} were sent home; nothing is left behind.`);
  return { players: names, left };
}

/** Machines that may be played, as the books know them. @throws CommandRefused when there is none. */
async function machinesOfBooks({ db }: CommandDeps, realMoney: boolean): Promise<ReadonlySet<string>> {
  const rows = await listMachines(db);
  const may = rows.filter(({ facts }) => realMoney || facts.simulated === true);
  if (may.length === 0)
    throw new CommandRefused(
      rows.length === 0
        ? "There is no machine here: enrol an agent first."
        : "No machine here says that it is simulated. --real-money plays real ones, with real games.",
    );
  return new Set(may.map(({ id }) => id));
}

async function venueAt(url: string): Promise<Venue> {
  return await findVenue(url).catch((error: unknown) => {
    throw error instanceof VenueProblem ? new CommandRefused(error.message, { cause: error }) : error;
  });
}

const people = ({ players, viewers }: LoadWish): string => `${players} players and ${viewers} viewers`;

/** What Ctrl-C asks for: the first time to end well, the second time to end. */
type Interrupts = { readonly stop: AbortSignal; readonly abandon: AbortSignal; off(): void };

/** Listens for Ctrl-C, and for a service manager's wish to end. `ended`: the last words, before the process ends at once. */
function onInterrupt(ended: () => void): Interrupts {
  const stop = new AbortController();
  const abandon = new AbortController();
  const hear = (): void => {
    if (!stop.signal.aborted) {
      stop.abort();
      return;
    }
    abandon.abort();
    ended();
    process.exit(1);
  };
  process.on("SIGINT", hear);
  process.on("SIGTERM", hear);
  return {
    ...{ stop: stop.signal, abandon: abandon.signal },
    off() {
      process.off("SIGINT", hear);
      process.off("SIGTERM", hear);
    },
  };
}

/** Bytes; longer is no such file. */
const BYTES_MAX = 1_000_000;
const ACCOUNTS_MAX = 2_000;
/** As the login takes them. */
const FIELD_MAX = 256;
const PIN = /^\d{4,12}$/;

/**
 * Reads `username:password` or `username:password:pin` from the lines of a file; empty lines and those that begin with # are passed over.
 * A password may hold colons: what stands last is a PIN only where it is one. @throws CommandRefused; no sentence tells a password.
 */
async function readAccounts(path: string): Promise<Account[]> {
  const found = await stat(path).catch(() => undefined);
  if (!found?.isFile()) throw new CommandRefused(`There is no file "${printable(path).slice(0, 100)}".`);
  if (found.size > BYTES_MAX) throw new CommandRefused(`The file of accounts is larger than ${BYTES_MAX} bytes.`);
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
      throw new CommandRefused(`Line ${index + 1} of the accounts names somebody a second time.`);
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
