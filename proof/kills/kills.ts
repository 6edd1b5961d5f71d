import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { systemClock } from "@longarm/database/clock";
import type { Database } from "@longarm/database/connection";
import { findVenue } from "@longarm/load/venue";
import { sql } from "kysely";
import type { Chance } from "../../rig/chance.ts";
import { chanceOf } from "../../rig/chance.ts";
import type { Counts } from "../../rig/figures.ts";
import { createCounts } from "../../rig/figures.ts";
import { HURRIED, playAtRandom } from "../../rig/random-player.ts";
import { bookFaults, restless } from "../../rig/venue/books.ts";
import { confirmHandPays, runLongarm } from "../../rig/venue/staff.ts";
import type { Part } from "../part.ts";
import { computer, endOnInterrupt } from "../part.ts";
import type { Killer, Target } from "./targets.ts";
import { createKiller, TARGETS } from "./targets.ts";
import type { KillVenue } from "./venue.ts";
import { openKillVenue, playDb, recordFaults } from "./venue.ts";

/** Options of a fault run. */
type KillOptions = {
  /** How many kills. */
  readonly times: number;
  /** Makes load and kills; what the computer makes of their timing differs from run to run. */
  readonly seed: string;
};

const OPTIONS: readonly string[] = [
  "--times N   how many kills (200)",
  "--seed S    makes players and kills; without: one of its own, which is printed",
];

const TIMES = 200;
const TIMES_MAX = 100_000;

/** @throws a sentence for words that cannot be meant. */
function readKills(words: readonly string[], freshSeed: () => string): KillOptions {
  const { values } = parseArgs({ args: [...words], options: { times: { type: "string" }, seed: { type: "string" } } });
  const times = /^\d{1,6}$/.test(values.times ?? String(TIMES)) ? Number(values.times ?? TIMES) : 0;
  if (times < 1 || times > TIMES_MAX) throw new Error(`--times must be a whole number from 1 to ${TIMES_MAX}.`);
  return { times, seed: values.seed ?? freshSeed() };
}

/** Real processes die under load, and no credit is lost, doubled or left behind. */
export const kills: Part = {
  proves: "kill -9 of platform, agents and database under load: nothing is lost, doubled or left behind",
  options: OPTIONS,
  async run(words, say) {
    const options = readKills(words, () => randomBytes(4).toString("hex"));
    say(`seed ${options.seed}, ${options.times} kills; ${computer()}`);
    const done = await runKills(options, { say, begins: (end) => endOnInterrupt(end, say) });
    for (const line of report(done)) say(line);
    const held = done.faults.length === 0 && done.counts.of("kills") === options.times;
    say(verdict(done, options.times, held));
    if (!held) say(`again: npm run proof -- kills --times ${options.times} --seed ${options.seed}`);
    return held;
  },
};

function verdict({ faults, counts }: KillRun, times: number, held: boolean): string {
  if (held) return `HELD: ${times} kills, nothing lost, nothing doubled, nothing left behind.`;
  return `BROKEN: ${faults.length} faults after ${counts.of("kills")} of ${times} kills.`;
}

function report({ counts, faults, tookMs }: KillRun): string[] {
  const list = (prefix: string): string =>
    counts
      .under(prefix)
      .map(([what, count]) => `${what} ${count}`)
      .join(", ") || "none";
  return [
    "",
    `kills        ${counts.of("kills")} in ${(tookMs / 1_000).toFixed(0)} s: ${list("killed: ")}`,
    `together     ${list("together: ")} (number of kills before the first was repaired, how often)`,
    `play         ${counts.of("games")} games in ${counts.of("play sessions")} play sessions, ${counts.of("hand pays")} hand pays`,
    `transfers    ${list("transfers: ")}`,
    `requests     ${counts.of("requests")}; without an answer: ${list("failed: ")}`,
    `refused      ${list("refused: ")}`,
    ...[...TARGETS, "several"].map((target) => timesOf(counts, target)),
    `sum of all accounts ${counts.of("sum of all accounts")}`,
    ...faults.map((fault) => `FAULT ${fault}`),
    "",
  ];
}

function timesOf(counts: Counts, target: string): string {
  const spreadText = (prefix: string): string => {
    const spread = counts.spread(`${prefix}: ${target}`);
    if (spread === null) return "-";
    const seconds = [spread.p50, spread.p95, spread.max].map((ms) => (ms / 1_000).toFixed(2));
    return `p50 ${seconds[0]} s, p95 ${seconds[1]} s, max ${seconds[2]} s`;
  };
  return `back after ${target === "several" ? "the last of several" : target}: serves ${spreadText("serves")}; all decided ${spreadText("decided")}`;
}

type KillRun = {
  readonly counts: Counts;
  /** Sentences; none: everything held. */
  readonly faults: readonly string[];
  readonly tookMs: number;
};

const PLAYERS = 8;
/** Between two kills, once the one before is repaired, ms. */
const CALM_MS = [100, 1_500] as const;
const BUSY_WITHIN_MS = 120_000;
const REST_WITHIN_MS = 180_000;
/** The first breaches are enough to find the cause. */
const FAULTS_MAX = 20;

const REPORT_EVERY = 10;

type RunDeps = {
  say(line: string): void;
  /** Called before anything is started, with a function that ends all of it at any moment. */
  begins(end: () => Promise<void>): void;
};

/** Plays and kills until it has killed so often, lets everything come to rest and looks into every book there is. */
export async function runKills({ times, seed }: KillOptions, { say, begins }: RunDeps): Promise<KillRun> {
  const began = systemClock.now();
  const counts = createCounts();
  const faults: string[] = [];
  const opening = openKillVenue({ seed, players: PLAYERS });
  begins(async () => (await opening).close());
  const venue = await opening;
  try {
    say(`durability of the database: ${await durability(venue)}`);
    const killer = createKiller(venue, chanceOf(`${seed} starts`));
    let playing = true;
    const isRunning = (): boolean => playing;
    const players = await startPlayers(venue, seed, counts, isRunning);
    const staff = confirmHandPays(venue, counts, isRunning);
    // Killing programs that no player uses proves nothing.
    if (!(await until(performance.now() + BUSY_WITHIN_MS, async () => counts.of("done: cashIn") >= PLAYERS)))
      faults.push("no player could begin to play");
    const chance = chanceOf(`${seed} kills`);
    await killOnAndOn({ venue, killer, counts, faults, chance, say }, times);
    playing = false;
    await Promise.all([staff, ...players.map(({ done }) => done)]);
    say("everybody has gone; waiting until all is at rest");
    faults.push(...(await comeToRest(venue, counts)), ...killer.endedThemselves);
    killer.finish();
    faults.push(
      ...(await bookFaults(venue.db)),
      ...(await outcomeFaults(venue.db, players)),
      ...(await reconciled(venue)),
    );
    await countPlay(venue, counts);
    await Promise.all([venue.agent.stop(), venue.agentB.stop()]);
    faults.push(...(await recordFaults(venue)));
  } finally {
    await venue.close();
  }
  return { counts, faults, tookMs: systemClock.now() - began };
}

async function startPlayers(venue: KillVenue, seed: string, counts: Counts, isRunning: () => boolean) {
  const reached = await findVenue(venue.href);
  return venue.players.map((account) => ({
    account,
    ...playAtRandom({
      ...{ venue: reached, account, counts, isRunning, habits: HURRIED },
      machines: Object.values(venue.machines).flat(),
      chance: chanceOf(`${seed} ${account.username}`),
    }),
  }));
}

type Players = Awaited<ReturnType<typeof startPlayers>>;

type Killing = SalvoParts & { readonly faults: string[]; say(line: string): void };

async function killOnAndOn(parts: Killing, times: number): Promise<void> {
  const { venue, chance, faults, counts, say } = parts;
  let reportedAt = 0;
  while (counts.of("kills") < times && faults.length < FAULTS_MAX) {
    await pause(chance.between(...CALM_MS));
    const found = await strikeAndMend(parts, times - counts.of("kills"));
    const at = counts.of("kills");
    for (const fault of [...found, ...(await readBooks(venue))]) {
      faults.push(`after kill ${at}: ${fault}`);
      say(`FAULT after kill ${at}: ${fault}`);
    }
    if (at - reportedAt < REPORT_EVERY) continue;
    reportedAt = at;
    say(`${at} kills, ${counts.of("requests")} requests, ${faults.length} faults`);
  }
}

async function readBooks({ db }: KillVenue): Promise<string[]> {
  try {
    return await bookFaults(db);
  } catch (error) {
    return [`the books cannot be read: ${String(error)}`];
  }
}

async function comeToRest(venue: KillVenue, counts: Counts): Promise<string[]> {
  let left: string[] = ["no request was answered"];
  const endsAt = performance.now() + REST_WITHIN_MS;
  const staffOn = { on: true };
  const staff = confirmHandPays(venue, counts, () => staffOn.on);
  const rests = await until(endsAt, async () => {
    left = await restless(venue.db);
    return left.length === 0;
  });
  staffOn.on = false;
  await staff;
  return rests ? [] : left.map((sentence) => `it does not come to rest: ${sentence}`);
}

/** The venue's own proof of its books. */
async function reconciled(venue: KillVenue): Promise<string[]> {
  const { code, said, complained } = await runLongarm(venue, ["reconcile"]);
  const wrong = said.filter((line) => !line.startsWith("ok "));
  return code === 0 ? [] : [`longarm reconcile ends with ${code}: ${[...wrong, ...complained].join(" / ")}`];
}

async function durability(venue: KillVenue): Promise<string> {
  const settings = ["fsync", "synchronous_commit", "full_page_writes"];
  const values = await Promise.all(settings.map((name) => venue.ask(`select current_setting('${name}') as answer`)));
  const wrong = settings.filter((_name, place) => values[place] !== "on");
  if (wrong.length > 0) throw new Error(`The database runs without ${wrong.join(" and ")}: this would prove nothing.`);
  return settings.map((name) => `${name} on`).join(", ");
}

async function countPlay(venue: KillVenue, counts: Counts): Promise<void> {
  const number = async (question: string): Promise<number> => Number(await venue.ask(`select (${question}) as answer`));
  counts.add("games", await number("select count(*) from game"));
  counts.add("play sessions", await number("select count(*) from play_session"));
  counts.add("hand pays", await number("select count(*) from hand_pay"));
  for (const direction of ["cashIn", "cashOut"])
    for (const state of ["done", "refused"])
      counts.add(
        `transfers: ${direction} ${state}`,
        await number(`select count(*) from machine_transfer where direction = '${direction}' and state = '${state}'`),
      );
  counts.add("sum of all accounts", await number("select sum(balance_minor) from ledger.accounts"));
}

type Row = { readonly told_id: string; readonly state: string; readonly amount: number };

/** The outcomes that players received for their money commands, against the books. */
async function outcomeFaults({ kysely }: Database<unknown>, players: Players): Promise<string[]> {
  const faults: string[] = [];
  for (const { account, outcomes } of players) {
    const { rows } = await sql<Row>`
      select told_id, state, amount from machine_transfer where player_id = ${account.id} and told_id is not null`.execute(
      kysely,
    );
    const booked = new Map(rows.map((row) => [row.told_id, row]));
    for (const [id, outcome] of outcomes) {
      const row = booked.get(id);
      const agrees =
        outcome.is === "done" ? row?.state === "done" && row.amount === outcome.amount : row?.state !== "done";
      if (!agrees)
        faults.push(`the player received ${JSON.stringify(outcome)} for ${id}, the books say ${JSON.stringify(row)}`);
    }
  }
  return faults;
}

type SalvoParts = {
  readonly venue: KillVenue;
  readonly killer: Killer;
  readonly counts: Counts;
  readonly chance: Chance;
};

const WEIGHTS: readonly (readonly [weight: number, target: Target])[] = [
  [3, "platform"],
  [2, "agent A"],
  [2, "agent B"],
  [1.5, "database"],
  [1.5, "database backend"],
];

/** Mostly one kill; else two at the same moment, or up to four of which each comes while the one before is being repaired. */
const KINDS: readonly (readonly [weight: number, kind: "one" | "at once" | "in a row"])[] = [
  [0.6, "one"],
  [0.2, "at once"],
  [0.2, "in a row"],
];
const IN_A_ROW = [2, 4] as const;
/** Between two kills in a row, ms. */
const GAP_MS = [0, 2_000] as const;
/** A part that does not come back within this, or a transfer that is not decided within twice of it, is a fault, ms. */
const REPAIRED_WITHIN_MS = 90_000;

type Strike = { readonly target: Target; readonly afterMs: number };

/** Kills once or several times and waits until everything serves and is decided again. Answers what did not. */
async function strikeAndMend(parts: SalvoParts, most: number): Promise<string[]> {
  const { venue, counts, killer, chance } = parts;
  const strikes = chooseStrikes(chance).slice(0, most);
  const before = await lookBefore(venue);
  const mending: Promise<void>[] = [];
  const hit: Target[] = [];
  let at = performance.now();
  for (const { target, afterMs } of strikes) {
    if (afterMs > 0) await pause(afterMs);
    if (!(await killer.kill(target))) continue;
    at = performance.now();
    hit.push(target);
    counts.add("kills");
    counts.add(`killed: ${target}`);
    mending.push(killer.bringBack(target));
  }
  await Promise.all(mending);
  const name = hit.length > 1 ? "several" : (hit[0] ?? "nothing");
  if (!(await servesAgain(venue, hit, before, at + REPAIRED_WITHIN_MS)))
    return [`${hit.join(" + ")}: does not serve again`];
  counts.took(`serves: ${name}`, performance.now() - at);
  if (!(await allDecided(venue, at + 2 * REPAIRED_WITHIN_MS))) return [`${hit.join(" + ")}: a transfer is not decided`];
  counts.took(`decided: ${name}`, performance.now() - at);
  if (hit.length > 1) counts.add(`together: ${hit.length}`);
  return [];
}

function chooseStrikes(chance: Chance): Strike[] {
  const kind = chance.weighted(KINDS);
  const first = { target: chance.weighted(WEIGHTS), afterMs: 0 };
  if (kind === "one") return [first];
  if (kind === "at once") {
    const others = WEIGHTS.filter(([, target]) => target !== first.target);
    return [first, { target: chance.weighted(others), afterMs: 0 }];
  }
  const more = Math.round(chance.between(...IN_A_ROW)) - 1;
  return [
    first,
    ...Array.from({ length: more }, () => ({ target: chance.weighted(WEIGHTS), afterMs: chance.between(...GAP_MS) })),
  ];
}

/** The state before a kill: everything seen after it must be newer. */
type Before = {
  readonly links: ReadonlyMap<string, string>;
  /** When the server's own checkpointer began, ms: it is started anew by every recovery. */
  readonly recoveredAt: number;
};

const LOOK_MS = 20;

async function lookBefore({ db }: KillVenue): Promise<Before> {
  return { links: await linksOf(db), recoveredAt: await recoveredAt(db) };
}

/** Waits until all that was killed serves again: the platform is ready, and every machine answers over its own link. */
async function servesAgain(
  venue: KillVenue,
  killed: readonly Target[],
  before: Before,
  endsAt: number,
): Promise<boolean> {
  return await until(endsAt, async () => {
    const ready = await fetch(`${venue.href}/readyz`, { signal: AbortSignal.timeout(5_000) });
    if (!ready.ok) return false;
    if (killed.some((target) => target.startsWith("database")) && (await recoveredAt(venue.db)) <= before.recoveredAt)
      return false;
    const links = await linksOf(venue.db);
    return Object.entries(venue.machines).every(([agent, machines]) => {
      const mustBeNew = killed.includes("platform") || killed.includes(agent as Target);
      return machines.every((id) => links.has(id) && (!mustBeNew || links.get(id) !== before.links.get(id)));
    });
  });
}

/** Waits until every transfer requested before now is decided. */
async function allDecided({ db }: KillVenue, endsAt: number): Promise<boolean> {
  let since: Date | undefined;
  return await until(endsAt, async () => {
    since ??= await databaseNow(db);
    const { open } = await playDb(db)
      .selectFrom("machine_transfer")
      .select(({ fn }) => fn.countAll<number>().as("open"))
      .where("state", "in", ["asking", "unknown"])
      .where("created_at", "<=", since)
      .executeTakeFirstOrThrow();
    return open === 0;
  });
}

/** Asks again and again; a database that is away has not answered yet. */
async function until(endsAt: number, holds: () => Promise<boolean>): Promise<boolean> {
  for (;;) {
    if (await holds().catch(() => false)) return true;
    if (performance.now() > endsAt) return false;
    await pause(LOOK_MS);
  }
}

/** The link of every machine that answers. */
async function linksOf(db: KillVenue["db"]): Promise<Map<string, string>> {
  const rows = await playDb(db)
    .selectFrom("agent_link as l")
    .innerJoin("machine as m", "m.id", "l.machine_id")
    .select(["m.id", "l.link_id"])
    .where("m.offline", "=", false)
    .where(sql<boolean>`l.lease_until > clock_timestamp()`)
    .execute();
  return new Map(rows.map(({ id, link_id }) => [id, link_id]));
}

async function recoveredAt({ kysely }: KillVenue["db"]): Promise<number> {
  const { rows } = await sql<{ at: Date }>`
    select backend_start as at from pg_stat_activity where backend_type = 'checkpointer'`.execute(kysely);
  return rows[0]?.at.getTime() ?? 0;
}

async function databaseNow({ kysely }: KillVenue["db"]): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(kysely);
  return rows[0]?.now ?? new Date(0);
}
