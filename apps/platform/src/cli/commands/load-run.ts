import type { Account } from "@longarm/load/account";
import type { Verdict } from "@longarm/load/run/report";
import { figuresOf, judge, tableLines } from "@longarm/load/run/report";
import type { LoadResult } from "@longarm/load/run/run-load";
import { runLoad } from "@longarm/load/run/run-load";
import type { Venue } from "@longarm/load/venue";
import { findVenue, VenueProblem } from "@longarm/load/venue";
import { listMachines } from "../../modules/play/machines.ts";
import { asRootUser } from "../acting.ts";
import type { CommandDeps, StandaloneDeps } from "../command.ts";
import { CheckFailed, CommandRefused } from "../command.ts";
import { withDatabase } from "../database.ts";
import { printableLine, writeAmount } from "../output.ts";
import { checkOurWallet } from "../staff.ts";
import type { LeftBehind, Run, TemporaryPlayer } from "./load-players.ts";
import { leftBehind, makePlayer, readAccounts, sendAllHome } from "./load-players.ts";

export type LoadInput = {
  readonly players: number;
  readonly viewers: number;
  readonly machines: number;
  readonly durationMs: number;
  readonly url: string;
  /** Path of a file; absent: players are made here. */
  readonly accounts: string | undefined;
  readonly depositMinor: number;
  readonly realMoney: boolean;
  readonly seed: number;
  readonly cleanUp: boolean;
  /** The run whose players are cleaned up; absent: all that are found. */
  readonly run: string | undefined;
  readonly asRoot: string | undefined;
  readonly dryRun: boolean;
};

const RUN_BYTES = 4;

/** Runs the simulated players, and reports what they experienced. @throws CommandRefused, CheckFailed. */
export async function runLoadCommand({ say, ...others }: StandaloneDeps, input: LoadInput): Promise<object> {
  // Names of machines, reasons and refusals come from the venue, which may belong to somebody else.
  const deps = { ...others, say: (line: string) => say(printableLine(line)) };
  if (input.accounts !== undefined) return await withAccounts(deps, input, input.accounts);
  // The folder was named already, by option or environment.
  return await withDatabase(deps.environment, deps.dataFolder, (db, databaseUrl) =>
    withOwnPlayers({ ...deps, db, databaseUrl }, input),
  );
}

async function withAccounts(deps: StandaloneDeps, input: LoadInput, path: string): Promise<object> {
  const accounts = await readAccounts(path);
  const wanted = input.players + input.viewers;
  if (accounts.length < wanted)
    throw new CommandRefused(`The file names ${accounts.length} accounts, and ${wanted} are needed.`);
  const venue = await venueAt(input.url);
  if (!venue.secret)
    deps.say("Note: passwords and tokens of these accounts go there unencrypted; write https:// if it can.");
  if (input.dryRun) {
    deps.say(`Would send ${numbersOf(input)} of the file to ${venue.href}. Nothing was changed.`);
    return { url: venue.href, players: input.players, viewers: input.viewers, dryRun: true };
  }
  const interrupts = onInterrupt(() =>
    deps.say("Ended at once: seats and credits of these accounts stay as they are."),
  );
  try {
    const players = accounts.slice(0, input.players);
    const viewers = accounts.slice(input.players, wanted);
    return report(deps, input, venue, await simulate(deps, input, { venue, players, viewers, interrupts }));
  } finally {
    interrupts.off();
  }
}

async function withOwnPlayers(deps: CommandDeps, input: LoadInput): Promise<object> {
  const { by } = await asRootUser(deps, "load", input.asRoot ?? "a dry run", input.dryRun);
  if (input.cleanUp) return await cleanUp(deps, by, input);
  if (input.players > 0) checkOurWallet(deps);
  const only = await machinesOfBooks(deps, input.realMoney);
  const venue = await venueAt(input.url);
  const run: Run = { name: `load-${deps.random.bytes(RUN_BYTES).toString("hex")}`, by };
  if (input.dryRun) {
    const deposits = `${input.players} deposits of ${writeAmount(input.depositMinor)}`;
    deps.say(
      `Would make ${numbersOf(input)} with ${deposits}, send them to ${venue.href} and at most ${Math.min(input.machines, only.size)} machines, and bring all of it back. Nothing was changed.`,
    );
    return { url: venue.href, machines: [...only].slice(0, input.machines), dryRun: true };
  }
  const interrupts = onInterrupt(() => deps.say(`Ended at once. ${run.name} is left behind: ${cleanUpOf(run.name)}`));
  const made: TemporaryPlayer[] = [];
  const left: LeftBehind[] = [];
  let result: LoadResult | undefined;
  try {
    deps.say(`Makes ${numbersOf(input)}, called ${run.name}-0001 and so on.`);
    for (let number = 1; number <= input.players + input.viewers && !interrupts.stop.aborted; number += 1)
      made.push(await makePlayer(deps, run, number, number <= input.players ? input.depositMinor : undefined));
    if (!interrupts.stop.aborted) {
      const [players, viewers] = [made.slice(0, input.players), made.slice(input.players)];
      result = await simulate(deps, input, { venue, players, viewers, interrupts, only });
    }
  } finally {
    left.push(...(await sendAllHome(deps, run, made)));
    interrupts.off();
    if (result === undefined) for (const { username, sentence } of left) deps.say(`${username}: ${sentence}`);
    if (result === undefined && left.length > 0) deps.say(`Something is left: ${cleanUpOf(run.name)}`);
  }
  if (result !== undefined) return report(deps, input, venue, result, { run, left });
  if (left.length > 0) throw new CheckFailed("It was ended before a player went there.", { interrupted: true, left });
  deps.say("It was ended before a player went there; all players made for it are banned again.");
  return { url: venue.href, interrupted: true, left };
}

type Crowd = {
  readonly venue: Venue;
  readonly players: readonly Account[];
  readonly viewers: readonly Account[];
  readonly interrupts: Interrupts;
  readonly only?: ReadonlySet<string>;
};

async function simulate(
  deps: Pick<CommandDeps, "pause" | "say">,
  { machines, durationMs, seed, realMoney }: LoadInput,
  { venue, players, viewers, interrupts, only }: Crowd,
): Promise<LoadResult> {
  const { stop, abandon } = interrupts;
  return await runLoad(
    { venue, players, viewers, machines, durationMs, seed, realMoney, ...(only && { only }) },
    { now: () => performance.now(), pause: deps.pause, progress: deps.say, stop, abandon },
  ).catch(refuseVenue);
}

function report(
  { say }: Pick<CommandDeps, "say">,
  input: LoadInput,
  venue: Venue,
  result: LoadResult,
  own?: { readonly run: Run; readonly left: readonly LeftBehind[] },
): object {
  const left = own?.left ?? [];
  const verdict: Verdict = judge(result);
  const failures = [...verdict.failures, ...left.map(({ username, sentence }) => `${username}: ${sentence}`)];
  for (const line of ["", ...tableLines(result), ""]) say(line);
  for (const problem of result.problems) say(`Problem: ${problem}`);
  for (const warning of verdict.warnings) say(`Note: ${warning}`);
  for (const failure of failures) say(`Not as it must be: ${failure}`);
  const summary = {
    url: venue.href,
    machines: result.machines,
    players: input.players,
    viewers: input.viewers,
    ranMs: Math.round(result.ranMs),
    interrupted: result.interrupted,
    effort: result.effort,
    figures: figuresOf(result),
    money: result.tally.money,
    problems: result.problems,
    warnings: verdict.warnings,
    failures,
  };
  if (own && left.length > 0)
    throw new CheckFailed(`Not all is well, and something is left: ${cleanUpOf(own.run.name)}`, summary);
  if (failures.length > 0) throw new CheckFailed("Not all is well.", summary);
  say("All money is where it belongs, and every viewer received video.");
  return summary;
}

const cleanUpOf = (name: string): string => `longarm load --clean-up --run ${name} --as-root "what was left"`;

async function cleanUp(deps: CommandDeps, by: string, { run, dryRun }: LoadInput): Promise<object> {
  const found = await leftBehind(deps, run);
  const players = found.map(({ username }) => username);
  const runs = run ?? "earlier runs";
  if (dryRun) {
    deps.say(`Would send home ${players.length} players of ${runs}. Nothing was changed.`);
    return { players, dryRun };
  }
  const left = await sendAllHome(deps, { name: run ?? "what was left", by }, found);
  for (const { username, sentence } of left) deps.say(`${username}: ${sentence}`);
  if (left.length > 0) throw new CheckFailed("Not all is home yet: ask again later.", { players, left });
  deps.say(`${players.length} players of ${runs} were sent home; nothing is left behind.`);
  return { players, left };
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

const venueAt = (url: string): Promise<Venue> => findVenue(url).catch(refuseVenue);

function refuseVenue(error: unknown): never {
  throw error instanceof VenueProblem ? new CommandRefused(error.message, { cause: error }) : error;
}

const numbersOf = ({ players, viewers }: LoadInput): string => `${players} players and ${viewers} viewers`;

/** Ctrl-C: the first one ends the run in order (`stop`), the second one at once (`abandon`). */
type Interrupts = { readonly stop: AbortSignal; readonly abandon: AbortSignal; off(): void };

/** Listens for Ctrl-C, and for a service manager's signal to end. `lastWords` is called before the process ends at once. */
function onInterrupt(lastWords: () => void): Interrupts {
  const stop = new AbortController();
  const abandon = new AbortController();
  const interrupt = (): void => {
    if (!stop.signal.aborted) {
      stop.abort();
      return;
    }
    abandon.abort();
    lastWords();
    process.exit(1);
  };
  process.on("SIGINT", interrupt);
  process.on("SIGTERM", interrupt);
  return {
    stop: stop.signal,
    abandon: abandon.signal,
    off() {
      process.off("SIGINT", interrupt);
      process.off("SIGTERM", interrupt);
    },
  };
}
