import { constants } from "node:fs";
import { copyFile, mkdir } from "node:fs/promises";
import { enableCompileCache } from "node:module";
import { join, resolve } from "node:path";
import { COMPILE_CACHE } from "./compile-cache.ts";
import { fileLog } from "./log.ts";
import type { Options } from "./options.ts";
import { HELP, OptionProblem, readOptions } from "./options.ts";
import type { Venue } from "./venue.ts";

/*
 * `npm start`: web and console are built when their sources changed, then database, platform and agent are started and watched until
 * Ctrl+C.
 */

// What is imported before is compiled anew each time, so the large parts come after it.
enableCompileCache(COMPILE_CACHE);
const [{ ROOT, startVenue }, { DEMO_PLAYERS, firstAdministrator }, { buildPage }] = await Promise.all([
  import("./venue.ts"),
  import("./seed.ts"),
  import("./web-build.ts"),
]);

// A terminal or a pipe that is gone must not end the programs that play on.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

async function run(options: Options): Promise<void> {
  if (options.build) {
    await buildPage(ROOT, "web", say);
    await buildPage(ROOT, "console", say);
  }
  if (options.cabinets > 0 && process.env["MACHINES"]) {
    throw new OptionProblem(
      "--cabinets needs the simulated floor, and MACHINES names another list: unset one of them.",
    );
  }
  const dataFolder = resolve(options.dataFolder);
  await giveSettings(dataFolder);
  const log = fileLog(options.verbose ? null : join(dataFolder, "logs/launcher.log"), Date.now);
  const venue = await startVenue({
    ...options,
    dataFolder,
    databaseUrl: process.env["DATABASE_URL"] || undefined,
    floor: { machines: options.machines, cabinets: options.cabinets, seed: options.seed, timeCode: options.timeCode },
    log,
    say,
    revive: true,
  });
  const invitation = venue.staffHref === undefined ? undefined : await firstAdministrator(venue.databaseUrl, log);
  welcome(venue, options, invitation);
  endOnSignal(venue.stop);
}

/** The settings of the web that ship become the operator's own, to be changed there; those that are there stay. */
async function giveSettings(dataFolder: string): Promise<void> {
  await mkdir(dataFolder, { recursive: true });
  const shipped = join(ROOT, "deploy/operator/Settings.json");
  await copyFile(shipped, join(dataFolder, "Settings.json"), constants.COPYFILE_EXCL).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    },
  );
}

function welcome(venue: Venue, { machines }: Options, invitation: string | undefined): void {
  const { href, staffHref, dataFolder, demoPasswordHolds, demoPinHolds, cabinets } = venue;
  const player = DEMO_PLAYERS[0];
  say("");
  say(`  Longarm is open:  ${href}`);
  const password = demoPasswordHolds ? player?.password : "(you have changed it)";
  const pin = demoPinHolds ? player?.pin : "(as it was)";
  say(`  Log in as         ${player?.username}   password ${password}   PIN ${pin}`);
  say("");
  if (staffHref !== undefined) say(`  The staff's console:  ${staffHref}`);
  if (invitation !== undefined)
    say(`  First administrator:  ${staffHref}/invitation#${invitation}   works once, for a day`);
  say("");
  say(`  ${machines} simulated machines · wallets, history and Settings.json in ${dataFolder} · Ctrl+C closes`);
  for (const { machineId, controlHref } of cabinets)
    say(`  ${machineId} runs as a cabinet and is driven over SAS · its control: ${controlHref} (docs/hardware.md)`);
  say("");
}

function endOnSignal(stop: () => Promise<void>): void {
  let ending = false;
  const end = (): void => {
    if (ending) process.exit(1);
    ending = true;
    say("\nClosing: games end, credits stay on their machines, the database is written down…");
    stop().then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    );
  };
  process.on("SIGINT", end);
  process.on("SIGTERM", end);
  process.on("SIGHUP", end);
}

function fail(error: unknown): never {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

try {
  const options = readOptions(process.argv.slice(2));
  if (options === "help") say(HELP);
  else await run(options);
} catch (error) {
  if (error instanceof OptionProblem) process.exitCode = 2;
  fail(error);
}
