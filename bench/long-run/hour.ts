import { createWriteStream } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Browser } from "playwright-core";
import { chromium } from "playwright-core";
import { ROOT } from "../../launcher/venue.ts";
import { createChance, seededRandom } from "../../rig/chance.ts";
import { DESK, PHONE } from "../../rig/page/visitor.ts";
import { describeRun, loadNow, pageHeld, processOf, programHeld } from "../../rig/process.ts";
import { findChromium } from "../../tooling/finders/find-tool.ts";
import { createCounts } from "./counts.ts";
import { readBooks, settle, venueFaults } from "./hour-books.ts";
import type { AskedHour } from "./hour-options.ts";
import { HOUR_HELP, readHour } from "./hour-options.ts";
import type { HourVenue } from "./hour-venue.ts";
import { openHourVenue } from "./hour-venue.ts";
import { live } from "./moves.ts";
import type { Person, Seat } from "./person.ts";
import { openPerson } from "./person.ts";
import type { Look } from "./screen.ts";
import { createTrouble, makeMischief, mendAll } from "./screen-faults.ts";
import { observe, patienceNow } from "./screens.ts";

/*
 * `npm run hour -- --minutes 60 --seed 7`: three people play on a phone in either position and on a desktop, by chance, while doors open,
 * links break and programs are killed. Whenever a screen leaves its player without an explanation it is told, with a picture of it; at
 * the end the money must add up. Exit code 0: nothing was found.
 */

const SEATS: readonly Seat[] = [
  { name: "phone upright", device: PHONE, language: "tr" },
  { name: "phone lying", device: { width: PHONE.height, height: PHONE.width, touch: true }, language: "ar" },
  { name: "desktop", device: DESK, language: "en" },
];
const SETTLE_MS = 180_000;
const REPORT_MS = 60_000;

const began = performance.now();
const stamp = (): string => new Date(performance.now() - began).toISOString().slice(11, 19);
const say = (line: string): void => console.log(`${stamp()}  ${line}`);

type Fault = { readonly at: string; readonly who: string; readonly sentence: string; readonly picture: string };

async function run(asked: AskedHour, undo: (() => Promise<unknown>)[]): Promise<number> {
  const folder = asked.pictures ?? join(ROOT, ".cache/hour", new Date().toISOString().replaceAll(/[:.]/g, "-"));
  await mkdir(folder, { recursive: true });
  const venue = await openHourVenue(asked.seed, say);
  undo.push(venue.close);
  const people = await openPeople(asked, venue, undo);
  const [version = ""] = people.map(({ context }) => context.browser()?.version() ?? "");
  for (const line of describeRun(version, new Date())) say(line);

  const counts = new Map(people.map((person) => [person, createCounts()]));
  const trace = createWriteStream(join(folder, "trace.txt"));
  undo.push(() => new Promise((ended) => void trace.end(ended)));
  const note = ({ name }: Person, line: string): void => void trace.write(`${stamp()}  ${name}: ${line}\n`);
  const pranks = createCounts();
  const trouble = createTrouble(() => performance.now());
  const faults: Fault[] = [];
  const fault = async (person: Person, sentence: string, look: Look | undefined): Promise<void> => {
    const path = join(folder, `fault-${String(faults.length + 1).padStart(3, "0")}.png`);
    faults.push({ at: stamp(), who: person.name, sentence, picture: path });
    say(
      `FAULT ${person.name}: ${sentence} (seed ${asked.seed}, calm ${Math.round(trouble.calmMs(person.name))} ms, ${path})`,
    );
    await writeFile(path.replace(/png$/, "json"), JSON.stringify({ sentence, look }, null, 1));
    await picture(person, path);
  };

  await tellHeld(people, venue, "at the start");
  const endsAt = performance.now() + asked.minutes * 60_000;
  const playing = (): boolean => performance.now() < endsAt;
  let watching = true;
  const observers = people.map((person) =>
    observe(person, { trouble, goesOn: () => watching, fault, trace: (line) => note(person, `  sees ${line}`) }),
  );
  const chance = createChance(seededRandom(`${asked.seed} mischief`));
  const mischief = asked.mischief
    ? makeMischief({ venue, people, trouble, chance, counts: pranks, say, goesOn: playing })
    : Promise.resolve();
  const lives = (person: Person): Promise<void> =>
    live(person, {
      counts: counts.get(person) ?? createCounts(),
      trace: (line) => note(person, line),
      goesOn: playing,
    });
  const reports = tellNowAndThen(faults, playing, (minute) =>
    people.map((person) => picture(person, join(folder, `minute-${minute}-${person.name.replace(" ", "-")}.png`))),
  );
  await Promise.all([...people.map((person) => lives(person)), mischief, reports]);

  say("The time is over; everything is mended and everybody gets up.");
  await mendAll({ venue });
  const books = await closeBooks(people, venue);
  watching = false;
  const looks = await Promise.all(observers);
  await tellHeld(people, venue, "at the end");

  say(
    `seed ${asked.seed}, ${asked.minutes} minutes of ${people.length} players, ${looks.reduce((sum, one) => sum + one.looks, 0)} looks`,
  );
  for (const [{ name }, done] of counts) say(`${name} did: ${done.lines().join(", ")}`);
  say(`mischief: ${pranks.lines().join(", ")}`);
  for (const { name, notes } of people) for (const line of notes.lines()) say(`console of ${name}: ${line}`);
  for (const line of books.lines) say(line);
  for (const { at, who, sentence, picture } of faults) say(`fault at ${at}, ${who}: ${sentence}  ${picture}`);
  for (const sentence of books.faults) say(`FAULT in the books: ${sentence}`);
  say(`${faults.length} faults on screens, ${books.faults.length} in the books`);
  return faults.length + books.faults.length;
}

async function openPeople({ seed }: AskedHour, venue: HourVenue, undo: (() => Promise<unknown>)[]): Promise<Person[]> {
  const { executablePath, env, args } = await findChromium({ say });
  const people: Person[] = [];
  for (const [place, seat] of SEATS.entries()) {
    const credentials = venue.players[place];
    if (credentials === undefined) throw new Error("There are more seats than players.");
    const browser: Browser = await chromium.launch({
      executablePath,
      env: { ...process.env, ...env } as Record<string, string>,
      args: [...args, "--disable-gpu"],
    });
    undo.push(() => browser.close());
    const person = await openPerson(browser, seat, { href: venue.href, credentials, seed });
    undo.push(person.close);
    await person.logIn();
    people.push(person);
  }
  return people;
}

async function closeBooks(people: readonly Person[], venue: HourVenue): Promise<{ lines: string[]; faults: string[] }> {
  const settled = await Promise.all(people.map((person) => settle(person, venue, SETTLE_MS * patienceNow())));
  const books = await Promise.all(people.map((person) => readBooks(person, venue)));
  return {
    lines: books.map(({ line }) => line),
    faults: [
      ...people.flatMap(({ name }, place) =>
        settled[place] === true ? [] : [`${name}: credits are not back in the wallet`],
      ),
      ...books.flatMap(({ faults }, place) => faults.map((fault) => `${people[place]?.name}: ${fault}`)),
      ...(await venueFaults(venue)),
    ],
  };
}

async function tellHeld(people: readonly Person[], venue: HourVenue, when: string): Promise<void> {
  for (const person of people) {
    const cdp = await person.context.newCDPSession(person.page());
    const { heapMb, nodes, listeners } = await pageHeld(cdp);
    await cdp.detach();
    say(`${when}, ${person.name}: ${heapMb.toFixed(1)} MB of scripts, ${nodes} nodes, ${listeners} listeners`);
  }
  const agent = venue.agent.pid();
  const held = {
    agent,
    "its media process of that": processOf(agent, "media-main.ts"),
    platform: venue.platform.pid(),
  };
  for (const [name, pid] of Object.entries(held)) {
    const { residentMb, files } = programHeld(pid ?? 0);
    say(`${when}, ${name}: ${residentMb.toFixed(0)} MB resident, ${files} files and sockets`);
  }
}

async function picture(person: Person, path: string): Promise<void> {
  await person
    .page()
    .screenshot({ path, timeout: 10_000 })
    .catch(() => {});
}

/** Once a minute: how it stands, and what each screen looks like. */
async function tellNowAndThen(
  faults: readonly Fault[],
  goesOn: () => boolean,
  pictures: (minute: number) => readonly Promise<void>[],
): Promise<void> {
  let at = performance.now();
  let minute = 0;
  while (goesOn()) {
    await pause(1_000);
    if (performance.now() - at < REPORT_MS) continue;
    at = performance.now();
    minute += 1;
    await Promise.all(pictures(minute));
    say(`so far ${faults.length} faults; load ${loadNow()}, patience ${patienceNow().toFixed(1)}`);
  }
}

const words = process.argv.slice(2);
if (words.includes("--help")) {
  console.log(HOUR_HELP);
  process.exit(0);
}
const asked = readHour(words);
if (typeof asked === "string") {
  console.error(asked);
  process.exit(2);
}
const undo: (() => Promise<unknown>)[] = [];
async function close(): Promise<void> {
  for (const step of undo.splice(0).reverse()) await step().catch(() => {});
}
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void close().finally(() => process.exit(130)));
}
const found = await run(asked, undo).catch((error: unknown) => {
  console.error(error);
  return 1;
});
await close();
process.exit(found === 0 ? 0 : 1);
