import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { prove } from "@longarm/platform/modules/play/reconciliation/index";
import type { Browser } from "playwright-core";
import { DEMO_DEPOSIT_MINOR } from "../../launcher/seed.ts";
import type { Counts } from "../../rig/figures.ts";
import { createCounts } from "../../rig/figures.ts";
import { bookFaults, restless } from "../../rig/venue/books.ts";
import { confirmHandPays } from "../../rig/venue/staff.ts";
import type { Venue, VenuePlayer } from "../../rig/venue/venue.ts";
import { NO_RATE_LIMITS, openVenue } from "../../rig/venue/venue.ts";
import { openCrowd } from "./crowd.ts";
import type { Finding } from "./growth.ts";
import { createRecords, growthFaults } from "./growth.ts";
import type { LongRunOptions } from "./options.ts";
import type { SteadyPage } from "./page.ts";
import { openSteadyPage } from "./page.ts";
import type { Program, Sampler } from "./samples.ts";
import { createSampler, MEDIA_PROCESS, OWN_NAME, openPrograms } from "./samples.ts";
import type { ScreenRun } from "./screen-run.ts";
import { openScreenRun } from "./screen-run.ts";

export type LongRunResult = {
  readonly findings: readonly Finding[];
  /** One sentence for everything that is not as it must be: growth, screens, money. */
  readonly faults: readonly string[];
  readonly deeds: Counts;
  /** How often the money was proved. */
  readonly proofs: number;
};

export type LongRunIo = {
  readonly say: (line: string) => void;
  /** Launches a browser; only called when there is to be one. */
  readonly browser: () => Promise<Browser>;
  /** Called each minute with what was read until then. */
  readonly minute: (findings: readonly Finding[], deeds: Counts) => void;
  /** True: every player leaves now, and what was read until then is judged. */
  readonly stopped: () => boolean;
};

const LOOK_MS = 10_000;
const LOOK_INSIDE_MS = 30_000;
/** A shorter run is sampled as often in all as one of so many minutes. */
const FULL_MINUTES = 10;
const MINUTE_MS = 60_000;
const REST_MS_MAX = 180_000;
const CYCLE_MS = 1_000;
/** Longer than the web's gap between two presses. */
const CYCLE_MS_OF_BROWSERS = 2_000;
/** Large enough for an hour. */
const DEPOSIT_MINOR = 500_000_000;
const BROWSERS = 3;
/** An open transfer calls for staff after this, ms: from then on the books are wrong for the player who waits. */
const TRANSFER_ALARM_MS = 60_000;

/** Short, so that an hour has many lives; the shortest that a busy computer does not trip over. */
const TIMES = {
  NO_DEPOSIT_MS: "20000",
  IDLE_MS: "20000",
  IDLE_COUNT_MS: "5000",
  WAITING_MS: "5000",
  BONUS_WAITING_MS: "8000",
  MONEY_RETRY_MS: "500",
  TRANSFER_ALARM_MS: String(TRANSFER_ALARM_MS),
};
/** Long enough for a page to explain them, short enough that an hour meets each of them often. */
const TIMES_OF_BROWSERS = { IDLE_MS: "30000", IDLE_COUNT_MS: "25000", NO_DEPOSIT_MS: "60000", WAITING_MS: "90000" };

/** Starts a venue, lets players use it for so long, and judges what was measured meanwhile. */
export async function longRun(options: LongRunOptions, io: LongRunIo): Promise<LongRunResult> {
  const undo: (() => Promise<unknown>)[] = [];
  try {
    return await measure(options, io, undo);
  } finally {
    for (const step of undo.reverse()) await step().catch(() => {});
  }
}

async function measure(
  options: LongRunOptions,
  { say, browser, minute, stopped }: LongRunIo,
  undo: (() => Promise<unknown>)[],
): Promise<LongRunResult> {
  const { measures, simulated } = options;
  const venue = await openLongRunVenue(options, say);
  undo.push(venue.close);
  const [pageMachine = "", ...others] = await venue.machineIds();
  const machines = simulated?.page ? others : [pageMachine, ...others];
  const deeds = createCounts();
  let began = performance.now();
  const isRunning = (): boolean => !stopped() && performance.now() - began < options.minutes * MINUTE_MS;

  let page: SteadyPage | undefined;
  if (simulated?.page) {
    const [account] = await venue.addPlayers("page", 1, DEPOSIT_MINOR);
    page = await openSteadyPage(await browser(), venue, pageMachine, account as VenuePlayer);
    undo.push(page.close);
  }
  const crowd = simulated && (await openCrowd(options, venue, machines, DEPOSIT_MINOR));
  const screens = options.browsers ? await openScreens(options, { venue, browser, say, isRunning }) : undefined;
  if (screens) undo.push(screens.close);
  const records = createRecords();
  const programs = measures.has("growth") ? await openPrograms(venue) : [];
  undo.push(async () => programs.forEach((program) => void program.close()));
  const sampler = measures.has("growth") ? createSampler(venue, programs, records, page?.held) : undefined;
  const faults: string[] = [];
  let proofs = 0;
  const proveMoney = async (): Promise<void> => {
    if (!measures.has("money") || simulated === null) return;
    const wrong = await moneyFaults(venue, options.faults);
    proofs += 1;
    for (const fault of wrong) say(`FAULT ${fault}`);
    faults.push(...wrong);
  };
  let staffed = true;
  const staff = simulated ? confirmHandPays(venue, deeds, () => staffed) : undefined;
  say(describe(options));
  began = performance.now();
  await Promise.all([
    crowd?.(deeds, isRunning),
    page?.live((deed) => deeds.add(deed), isRunning),
    screens?.play(),
    sampler && sampleAgainAndAgain(sampler, options, isRunning),
    again(MINUTE_MS, isRunning, async () => {
      await proveMoney();
      minute(records.findings(), deeds);
    }),
    snapshotWhenWarm(options, programs, isRunning, say),
  ]);
  say("The time is over; every player leaves.");
  await page?.close();
  faults.push(...((await screens?.finish()) ?? []));
  const left = simulated ? await comeToRest(venue) : [];
  staffed = false;
  await staff;
  await proveMoney();
  if (sampler) {
    faults.push(...sampler.ended());
    for (const line of sampler.kinds()) say(`what keeps busy: ${line}`);
  }
  faults.push(...left);
  if (simulated && !options.faults)
    faults.push(...(await alarms(venue.href)).map((line) => `staff was called: ${line}`));
  await writeSnapshots(options, programs, "end", say);
  const findings = records.findings();
  return { findings, faults: [...growthFaults(findings), ...new Set(faults)], deeds, proofs };
}

async function openScreens(
  options: LongRunOptions,
  around: Omit<Parameters<typeof openScreenRun>[1], "accounts" | "depositMinor">,
): Promise<ScreenRun> {
  const accounts = await around.venue.addPlayers("browser", BROWSERS, DEMO_DEPOSIT_MINOR);
  return await openScreenRun(options, { ...around, accounts, depositMinor: DEMO_DEPOSIT_MINOR });
}

function openLongRunVenue(options: LongRunOptions, say: (line: string) => void): Promise<Venue> {
  const { browsers, machines, measures, seed, simulated } = options;
  const inspected = measures.has("growth") ? { NODE_OPTIONS: INSPECTED } : {};
  return openVenue({
    ...{ say, web: browsers || simulated?.page === true },
    floor: {
      ...{ machines, seed: `long run ${seed}`, timeCode: browsers },
      minCycleMs: browsers ? CYCLE_MS_OF_BROWSERS : CYCLE_MS,
    },
    platformEnv: { ...(browsers ? TIMES_OF_BROWSERS : TIMES), ...NO_RATE_LIMITS, ...inspected },
    agentEnv: inspected,
    // Named to the server, so that the run's own connections are not counted as the platform's.
    connections: { max: 5, applicationName: OWN_NAME, statementMs: 60_000 },
  });
}

/** At a port that the system chooses: the agent's media process inherits the option. */
const INSPECTED = [process.env["NODE_OPTIONS"], "--inspect=127.0.0.1:0"].filter(Boolean).join(" ");

function describe({ simulated, browsers, faults, machines, minutes, seed }: LongRunOptions): string {
  const who = [
    ...(simulated ? [`${simulated.players} players`, `${simulated.viewers} viewers`, "two who vanish"] : []),
    ...(simulated?.page ? ["one page"] : []),
    ...(browsers ? [`${BROWSERS} browsers${faults ? " with faults" : ""}`] : []),
  ];
  return `${who.join(", ")}, ${machines} machines, ${minutes} minutes, seed ${seed}`;
}

async function sampleAgainAndAgain(
  sampler: Sampler,
  { minutes }: LongRunOptions,
  isRunning: () => boolean,
): Promise<void> {
  const share = Math.min(1, minutes / FULL_MINUTES);
  await Promise.all([
    again(LOOK_MS * share, isRunning, async () => sampler.look()),
    again(LOOK_INSIDE_MS * share, isRunning, () => sampler.lookInside()),
  ]);
}

/** At once, and then every so often. */
async function again(everyMs: number, isRunning: () => boolean, act: () => Promise<void>): Promise<void> {
  for (let next = performance.now() + everyMs; isRunning(); next += everyMs) {
    await act();
    while (isRunning() && performance.now() < next) await pause(Math.min(250, Math.max(1, next - performance.now())));
  }
}

/** After the first fifth: what is more at the end than then has grown. */
async function snapshotWhenWarm(
  options: LongRunOptions,
  programs: readonly Program[],
  isRunning: () => boolean,
  say: LongRunIo["say"],
): Promise<void> {
  if (options.snapshots === undefined) return;
  const warmAt = performance.now() + options.minutes * 12_000;
  while (isRunning() && performance.now() < warmAt) await pause(250);
  await writeSnapshots(options, programs, "warm", say);
}

async function writeSnapshots(
  { snapshots: folder }: LongRunOptions,
  programs: readonly Program[],
  when: string,
  say: LongRunIo["say"],
): Promise<void> {
  if (folder === undefined) return;
  await mkdir(folder, { recursive: true });
  for (const { name, inside } of programs) {
    // The agent ends a media process that answers nothing for as long as a snapshot takes.
    if (name === MEDIA_PROCESS) continue;
    const path = join(folder, `${name.replaceAll(" ", "-")}-${when}.heapsnapshot`);
    await (await inside()).snapshot(path);
    say(`The heap of the ${name} is in ${path}`);
  }
}

/** Waits until no seat, hold or transfer is open any more. Returns those that stay open. */
async function comeToRest({ db }: Venue): Promise<string[]> {
  const endsAt = performance.now() + REST_MS_MAX;
  for (;;) {
    const left = await restless(db);
    if (left.length === 0) return [];
    if (performance.now() > endsAt) return left.map((one) => `not at rest: ${one}`);
    await pause(500);
  }
}

/** Beside its alarm: the moment that the answer itself takes, ms. */
const LATE_MS = 10_000;

/**
 * Everything that must be true of the money while players play: what `longarm reconcile` proves, the ledger's own rules, that each open
 * hold belongs to an open transfer, and, while no faults are injected, that no transfer is open for longer than its alarm.
 */
async function moneyFaults({ db }: Venue, withFaults: boolean): Promise<string[]> {
  const proof = await prove(db.kysely, { is: "all" });
  const wrong = proof.checks.flatMap(({ name, count, breaches }) =>
    count === 0
      ? []
      : [`${name}: ${count} times, ${breaches.map(({ subject, detail }) => `${subject}: ${detail}`)[0]}`],
  );
  if (withFaults) return [...wrong, ...(await bookFaults(db))];
  const { rows: late } = await db.pool.query<{ id: string; state: string }>(
    `select id, state from machine_transfer where state in ('asking', 'unknown')
     and created_at < clock_timestamp() - $1::int * interval '1 millisecond'`,
    [TRANSFER_ALARM_MS + LATE_MS],
  );
  return [
    ...wrong,
    ...(await bookFaults(db)),
    ...late.map(({ id, state }) => `the transfer ${id} is ${state} for longer than its alarm`),
  ];
}

/** Alarms for staff that a platform's metrics count; empty: staff was not called. */
async function alarms(href: string): Promise<string[]> {
  const answer = await fetch(`${href}/metrics`);
  const lines = (await answer.text()).split("\n");
  return lines.filter((line) => line.startsWith("longarm_alarms_total{") && !line.endsWith(" 0"));
}
