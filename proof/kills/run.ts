import { setTimeout as pause } from "node:timers/promises";
import { systemClock } from "@longarm/database/clock";
import { createChance } from "../../bench/hour/chance.ts";
import { seededRandom } from "../../e2e/damage/seeded-random.ts";
import { runLongarm } from "../../e2e/house/command-line.ts";
import type { AskedKills } from "./asked.ts";
import { bookFaults, restless } from "./books.ts";
import type { Bot } from "./bot.ts";
import { startBot } from "./bot.ts";
import type { Counts } from "./counts.ts";
import { createCounts } from "./counts.ts";
import type { KillHouse } from "./house.ts";
import { openKillHouse } from "./house.ts";
import { recordFaults } from "./machine-records.ts";
import { until } from "./recovery.ts";
import type { SalvoParts } from "./salvo.ts";
import { strikeAndMend } from "./salvo.ts";
import { confirmHandPays } from "./staff.ts";
import { createKiller } from "./targets.ts";
import { toldFaults } from "./told.ts";

export type KillRun = {
  readonly counts: Counts;
  /** Sentences; none: everything held. */
  readonly faults: readonly string[];
  readonly tookMs: number;
};

const PLAYERS = 8;
/** Between two kills, once the one before is mended, ms. */
const CALM_MS = [100, 1_500] as const;
const BUSY_WITHIN_MS = 120_000;
const REST_WITHIN_MS = 180_000;
/** The first breaches tell all there is to know. */
const FAULTS_MAX = 20;

const TELL_EVERY = 10;

export type RunDeps = {
  say(line: string): void;
  /** Told before anything is started, how to end all of it at any moment. */
  begins(end: () => Promise<void>): void;
};

/** Plays and kills until it has killed so often, lets everything come to rest and looks into every book there is. */
export async function runKills({ times, seed }: AskedKills, { say, begins }: RunDeps): Promise<KillRun> {
  const began = systemClock.now();
  const counts = createCounts();
  const faults: string[] = [];
  const opening = openKillHouse({ seed, players: PLAYERS });
  begins(async () => (await opening).close());
  const house = await opening;
  try {
    say(`durability of the database: ${await durability(house)}`);
    const killer = createKiller(house, createChance(seededRandom(`${seed} starts`)));
    let playing = true;
    const goesOn = (): boolean => playing;
    const bots = startBots(house, seed, counts, goesOn);
    const staff = confirmHandPays(house, counts, goesOn);
    // Nothing is proved by killing programs that nobody uses.
    if (!(await until(performance.now() + BUSY_WITHIN_MS, async () => counts.of("done: cashIn") >= PLAYERS)))
      faults.push("nobody could begin to play");
    const chance = createChance(seededRandom(`${seed} kills`));
    await killOnAndOn({ house, killer, counts, faults, chance, say }, times);
    playing = false;
    await Promise.all([staff, ...bots.map(({ done }) => done)]);
    say("everybody has gone; waiting until all is at rest");
    faults.push(...(await comeToRest(house, counts)), ...killer.endedThemselves);
    killer.finish();
    faults.push(...(await bookFaults(house.db)), ...(await toldFaults(house.db, bots)), ...(await reconciled(house)));
    await countPlay(house, counts);
    await Promise.all([house.house.agent.stop(), house.agentB.stop()]);
    faults.push(...(await recordFaults(house)));
  } finally {
    await house.close();
  }
  return { counts, faults, tookMs: systemClock.now() - began };
}

function startBots(
  { house, players, machines }: KillHouse,
  seed: string,
  counts: Counts,
  goesOn: () => boolean,
): Bot[] {
  return players.map((player) =>
    startBot({
      ...{ href: house.href, player, counts, goesOn },
      machines: Object.values(machines).flat(),
      chance: createChance(seededRandom(`${seed} ${player.username}`)),
    }),
  );
}

type Killing = SalvoParts & { readonly faults: string[]; say(line: string): void };

async function killOnAndOn(parts: Killing, times: number): Promise<void> {
  const { house, chance, faults, counts, say } = parts;
  let told = 0;
  while (counts.of("kills") < times && faults.length < FAULTS_MAX) {
    await pause(chance.between(...CALM_MS));
    const found = await strikeAndMend(parts, times - counts.of("kills"));
    const at = counts.of("kills");
    for (const fault of [...found, ...(await readBooks(house))]) {
      faults.push(`after kill ${at}: ${fault}`);
      say(`FAULT after kill ${at}: ${fault}`);
    }
    if (at - told < TELL_EVERY) continue;
    told = at;
    say(`${at} kills, ${counts.of("requests")} requests, ${faults.length} faults`);
  }
}

async function readBooks({ db }: KillHouse): Promise<string[]> {
  try {
    return await bookFaults(db);
  } catch (error) {
    return [`the books cannot be read: ${String(error)}`];
  }
}

async function comeToRest(house: KillHouse, counts: Counts): Promise<string[]> {
  let left: string[] = ["nothing could be asked"];
  const endsAt = performance.now() + REST_WITHIN_MS;
  const staffOn = { on: true };
  const staff = confirmHandPays(house, counts, () => staffOn.on);
  const rests = await until(endsAt, async () => {
    left = await restless(house.db);
    return left.length === 0;
  });
  staffOn.on = false;
  await staff;
  return rests ? [] : left.map((sentence) => `it does not come to rest: ${sentence}`);
}

/** The house's own proof of its books. */
async function reconciled({ house }: KillHouse): Promise<string[]> {
  const { code, said, complained } = await runLongarm(house, ["reconcile"]);
  return code === 0 ? [] : [`longarm reconcile ends with ${code}: ${[...complained, ...said].slice(0, 5).join(" / ")}`];
}

async function durability({ house }: KillHouse): Promise<string> {
  const settings = ["fsync", "synchronous_commit", "full_page_writes"];
  const values = await Promise.all(settings.map((name) => house.ask(`select current_setting('${name}') as answer`)));
  const wrong = settings.filter((_name, place) => values[place] !== "on");
  if (wrong.length > 0) throw new Error(`The database runs without ${wrong.join(" and ")}: this would prove nothing.`);
  return settings.map((name) => `${name} on`).join(", ");
}

async function countPlay({ house }: KillHouse, counts: Counts): Promise<void> {
  const number = async (question: string): Promise<number> => Number(await house.ask(`select (${question}) as answer`));
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
