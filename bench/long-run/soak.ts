import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { findVenue } from "@longarm/load/venue";
import { prove } from "@longarm/platform/modules/play/reconciliation/index";
import type { Browser } from "playwright-core";
import { DEMO_PLAYERS } from "../../launcher/seed.ts";
import { createChance, seededRandom } from "../../rig/chance.ts";
import type { PageHeld } from "../../rig/process.ts";
import { pageHeld } from "../../rig/process.ts";
import { bookFaults, restless } from "../../rig/venue/books.ts";
import { confirmHandPays } from "../../rig/venue/staff.ts";
import type { BenchPlayer } from "../rig/player.ts";
import { openPlayer } from "../rig/player.ts";
import type { Counts } from "./counts.ts";
import { createCounts } from "./counts.ts";
import type { Finding } from "./growth.ts";
import { createRecords, growthFaults } from "./growth.ts";
import { live } from "./life.ts";
import { visitAsPlayer, visitAsViewer } from "./playing.ts";
import type { Sampler } from "./samples.ts";
import { createSampler } from "./samples.ts";
import type { AskedSoak } from "./soak-options.ts";
import type { SoakPlayer, SoakVenue } from "./soak-venue.ts";
import { openSoakVenue, TRANSFER_ALARM_MS } from "./soak-venue.ts";
import { vanishAgainAndAgain } from "./vanishing.ts";

export type Soaked = {
  readonly findings: readonly Finding[];
  /** What was not as it must be: growth, and money. */
  readonly faults: readonly string[];
  readonly deeds: Counts;
  /** How often the money was proved. */
  readonly proofs: number;
};

export type SoakDeps = {
  readonly say: (line: string) => void;
  /** Starts the page's browser; only asked when there is to be a page. */
  readonly browser: () => Promise<Browser>;
  /** Told each minute, with what was read until then. */
  readonly minute: (findings: readonly Finding[], deeds: Counts) => void;
  /** True: everybody is to get up now, and what was read until then is judged. */
  readonly stopped: () => boolean;
};

const LOOK_MS = 10_000;
const LOOK_INSIDE_MS = 30_000;
/** A short run is looked at as often in all as one of so many minutes. */
const FULL_MINUTES = 10;
const MONEY_MS = 60_000;
const REST_MS_MAX = 180_000;

/** Starts a venue, lets people live in it for so long, and judges what it held meanwhile. */
export async function soak(asked: AskedSoak, { say, browser, minute, stopped }: SoakDeps): Promise<Soaked> {
  const venue = await openSoakVenue(asked, say);
  let page: SoakPage | undefined;
  try {
    if (asked.page) page = await openSoakPage(await browser(), venue);
    const records = createRecords();
    const sampler = createSampler(venue, records, page?.held);
    const deeds = createCounts();
    const faults: string[] = [];
    const from = performance.now();
    const lasted = (): number => performance.now() - from;
    const goesOn = (): boolean => !stopped() && lasted() < asked.minutes * 60_000;
    let staffed = true;
    const staff = confirmHandPays({ venue, db: venue.db }, deeds, () => staffed);
    let proofs = 0;
    const proveMoney = async (): Promise<void> => {
      const wrong = await moneyFaults(venue);
      proofs += 1;
      for (const fault of wrong) say(`FAULT ${fault}`);
      faults.push(...wrong);
    };
    say(
      `${asked.players} players, ${asked.viewers} viewers, two who vanish${page ? ", one page" : ""}, ${asked.machines} machines, ${asked.minutes} minutes, seed ${asked.seed}`,
    );
    await Promise.all([
      people(asked, venue, deeds, goesOn),
      page?.live((deed) => deeds.add(deed), goesOn),
      watchOver(sampler, asked, goesOn),
      again(MONEY_MS, goesOn, async () => {
        await proveMoney();
        minute(records.findings(), deeds);
      }),
      snapshots(asked, venue, goesOn, say),
    ]);
    say("The time is over; everybody gets up.");
    await page?.close();
    page = undefined;
    const left = await comeToRest(venue);
    staffed = false;
    await staff;
    await proveMoney();
    faults.push(...sampler.ended(), ...left, ...(await alarms(venue.href)).map((line) => `staff was called: ${line}`));
    for (const line of sampler.kinds()) say(`what keeps busy: ${line}`);
    await snapshotOf(asked, venue, "end", say);
    const findings = records.findings();
    return { findings, faults: [...growthFaults(findings), ...new Set(faults)], deeds, proofs };
  } finally {
    await page?.close();
    await venue.close();
  }
}

async function people(asked: AskedSoak, own: SoakVenue, deeds: Counts, goesOn: () => boolean): Promise<void> {
  const { href, machines, players, viewers, vanishing } = own;
  const venue = await findVenue(href);
  const note = (deed: string): void => deeds.add(deed);
  const chanceOf = (name: string) => createChance(seededRandom(`${asked.seed} ${name}`));
  const deps = (who: SoakPlayer) => ({ venue, machines, who, note, goesOn, chance: chanceOf(who.username) });
  await Promise.all([
    ...players.map((who) => live(deps(who), visitAsPlayer)),
    ...viewers.map((who) => live(deps(who), visitAsViewer)),
    vanishAgainAndAgain(
      { note, goesOn, chance: chanceOf("vanishing") },
      { href, machines, ...vanishing, seed: asked.seed },
    ),
  ]);
}

async function watchOver(sampler: Sampler, { minutes }: AskedSoak, goesOn: () => boolean): Promise<void> {
  const share = Math.min(1, minutes / FULL_MINUTES);
  await Promise.all([
    again(LOOK_MS * share, goesOn, async () => sampler.look()),
    again(LOOK_INSIDE_MS * share, goesOn, () => sampler.lookInside()),
  ]);
}

/** At once, and then so often. */
async function again(everyMs: number, goesOn: () => boolean, act: () => Promise<void>): Promise<void> {
  for (let next = performance.now() + everyMs; goesOn(); next += everyMs) {
    await act();
    while (goesOn() && performance.now() < next) await pause(Math.min(250, Math.max(1, next - performance.now())));
  }
}

/** Once the first fifth is over: what is more at the end than then has grown. */
async function snapshots(
  asked: AskedSoak,
  venue: SoakVenue,
  goesOn: () => boolean,
  say: SoakDeps["say"],
): Promise<void> {
  if (asked.snapshots === undefined) return;
  const warmAt = performance.now() + asked.minutes * 12_000;
  while (goesOn() && performance.now() < warmAt) await pause(250);
  await snapshotOf(asked, venue, "warm", say);
}

async function snapshotOf(
  { snapshots: folder }: AskedSoak,
  venue: SoakVenue,
  when: string,
  say: SoakDeps["say"],
): Promise<void> {
  if (folder === undefined) return;
  await mkdir(folder, { recursive: true });
  for (const { name, inside } of venue.programs) {
    const path = join(folder, `${name.replaceAll(" ", "-")}-${when}.heapsnapshot`);
    await (await inside()).snapshot(path);
    say(`The heap of the ${name} is in ${path}`);
  }
}

/** Waits until no seat, hold or transfer is open any more. Answers what is after all that time. */
async function comeToRest(venue: SoakVenue): Promise<string[]> {
  const endsAt = performance.now() + REST_MS_MAX;
  for (;;) {
    const left = await notAtRest(venue);
    if (left.length === 0) return [];
    if (performance.now() > endsAt) return left.map((one) => `not at rest: ${one}`);
    await pause(500);
  }
}

/** Beside its alarm: the moment that the answer itself takes, ms. */
const LATE_MS = 10_000;

/**
 * Everything that must be true of the money while people play: what `longarm reconcile` proves, the ledger's own rules, that each open hold belongs
 * to an open transfer, that no transfer is open for longer than its alarm, and that nobody was called.
 */
async function moneyFaults({ db }: Pick<SoakVenue, "db">): Promise<string[]> {
  const proof = await prove(db.kysely, { is: "all" });
  const wrong = proof.checks.flatMap(({ name, count, breaches }) =>
    count === 0
      ? []
      : [`${name}: ${count} times, ${breaches.map(({ subject, detail }) => `${subject}: ${detail}`)[0]}`],
  );
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

/** What has not come home once everybody has gone. */
function notAtRest({ db }: Pick<SoakVenue, "db">): Promise<string[]> {
  return restless(db);
}

/** Alarms for staff that a platform's metrics count; empty: nobody was called. */
async function alarms(href: string): Promise<string[]> {
  const answer = await fetch(`${href}/metrics`);
  const lines = (await answer.text()).split("\n");
  return lines.filter((line) => line.startsWith("longarm_alarms_total{") && !line.endsWith(" 0"));
}

type SoakPage = {
  held(): Promise<PageHeld>;
  /** Plays on and on, until told to stop; gets up at the end. */
  live(note: (deed: string) => void, goesOn: () => boolean): Promise<void>;
  close(): Promise<void>;
};

/** Played out of before more is brought, minor units. */
const CREDIT_MIN = 40_000;
const SPELL_MS = 20_000;
/** So many spells at the machine, then to the lobby and back: the same page without a reload. */
const SPELLS = 3;

/** One page in a real browser that is never loaded anew, but after a failure. */
async function openSoakPage(browser: Browser, venue: SoakVenue): Promise<SoakPage> {
  const { pageMachine: machineId, pagePlayer } = venue;
  const [model] = DEMO_PLAYERS;
  if (model === undefined) throw new Error("There is no demo player.");
  const turnServer = (): never => {
    throw new Error("The page goes straight to the agent.");
  };
  const player = await openPlayer({ browser, venue, probe: "", turnServer }, { ...model, ...pagePlayer }, null);
  const cdp = await player.page.context().newCDPSession(player.page);
  return {
    held: () => pageHeld(cdp),
    async live(note, goesOn) {
      while (goesOn()) {
        try {
          await stay(player, machineId, { note, goesOn });
        } catch (error) {
          note(`failed: the page: ${firstLine(error)}`);
          await pause(1_000);
          await player.page.goto(`${venue.href}/lobby`, { waitUntil: "commit" }).catch(() => {});
        }
      }
    },
    close: () => player.close(),
  };
}

async function stay(
  player: BenchPlayer,
  machineId: string,
  { note, goesOn }: { readonly note: (deed: string) => void; readonly goesOn: () => boolean },
): Promise<void> {
  await player.sitDown(machineId);
  note("the page sits down");
  for (let spell = 0; spell < SPELLS && goesOn(); spell += 1) {
    if ((await player.credit()) < CREDIT_MIN) await player.cashIn();
    const { presses } = await player.spinFor(SPELL_MS);
    for (let press = 0; press < presses; press += 1) note("the page presses");
  }
  await player.leave();
  note("the page leaves");
}

const firstLine = (error: unknown): string => String(error).split("\n")[0]?.slice(0, 100) ?? "";
