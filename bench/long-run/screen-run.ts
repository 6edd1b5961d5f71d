import { createWriteStream } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Browser } from "playwright-core";
import { ROOT } from "../../launcher/venue.ts";
import { chanceOf } from "../../rig/chance.ts";
import type { Counts } from "../../rig/figures.ts";
import { createCounts } from "../../rig/figures.ts";
import { GAME } from "../../rig/page/game-page.ts";
import { DESK, PHONE } from "../../rig/page/visitor.ts";
import { allOf, signIn } from "../../rig/player.ts";
import { loadNow, pageHeld, processOf, programHeld } from "../../rig/process.ts";
import type { Venue, VenuePlayer } from "../../rig/venue/venue.ts";
import type { BrowserPlayer, Seat } from "./browser-player.ts";
import { openBrowserPlayer } from "./browser-player.ts";
import { createTrouble, injectFaults, repairAll } from "./injected-faults.ts";
import { answerDialog, live, MOVES, whereIs } from "./moves.ts";
import type { LongRunOptions } from "./options.ts";
import type { Look } from "./screen.ts";
import { observe, patienceNow } from "./screens.ts";

/*
 * Three players act at random in browsers, on a phone in either position and on a desktop, while doors open, links break and programs are
 * killed. Whenever a screen leaves its player without an explanation that is a finding, with a screenshot; at the end the money must add up.
 */

export type ScreenRun = {
  /** Plays for the length of the run. */
  play(): Promise<void>;
  /** Repairs everything, lets every player leave, and returns what was found. */
  finish(): Promise<string[]>;
  close(): Promise<void>;
};

type Around = {
  readonly venue: Venue;
  readonly accounts: readonly VenuePlayer[];
  readonly depositMinor: number;
  readonly browser: () => Promise<Browser>;
  readonly say: (line: string) => void;
  readonly isRunning: () => boolean;
};

const SEATS: readonly Seat[] = [
  { name: "phone upright", device: PHONE, language: "tr" },
  { name: "phone lying", device: { width: PHONE.height, height: PHONE.width, touch: true }, language: "ar" },
  { name: "desktop", device: DESK, language: "en" },
];
const SETTLE_MS = 180_000;
const REPORT_MS = 60_000;

export async function openScreenRun(options: LongRunOptions, around: Around): Promise<ScreenRun> {
  const { venue, say, isRunning } = around;
  const { seed, measures } = options;
  const began = performance.now();
  const stamp = (): string => new Date(performance.now() - began).toISOString().slice(11, 19);
  const started = new Date().toISOString().replaceAll(/[:.]/g, "-");
  const folder = options.screenshots ?? join(ROOT, ".cache/long-run", started);
  await mkdir(folder, { recursive: true });
  const players = await openPlayers(options, around);
  const trace = createWriteStream(join(folder, "trace.txt"));
  const note = ({ name }: BrowserPlayer, line: string): void => void trace.write(`${stamp()}  ${name}: ${line}\n`);
  const counts = new Map(players.map((player) => [player, createCounts()]));
  const injected = createCounts();
  const trouble = createTrouble(() => performance.now());
  const findings: string[] = [];
  const fault = async (player: BrowserPlayer, sentence: string, look: Look | undefined): Promise<void> => {
    const path = join(folder, `fault-${String(findings.length + 1).padStart(3, "0")}.png`);
    const calm = `calm ${Math.round(trouble.calmMs(player.name))} ms`;
    findings.push(`${stamp()}, ${player.name}: ${sentence} (seed ${seed}, ${calm}, ${path})`);
    say(`FAULT ${findings.at(-1)}`);
    await writeFile(path.replace(/png$/, "json"), JSON.stringify({ sentence, look }, null, 1));
    await screenshot(player, path);
  };
  let watching = measures.has("screens");
  const observers = players.map((player) =>
    observe(player, { trouble, isRunning: () => watching, fault, trace: (line) => note(player, `  sees ${line}`) }),
  );
  await reportHeld(players, venue, "at the start", say);

  return {
    async play() {
      const reports = reportEachMinute(findings, isRunning, say, (minute) =>
        players.map((player) =>
          screenshot(player, join(folder, `minute-${minute}-${player.name.replace(" ", "-")}.png`)),
        ),
      );
      const chance = chanceOf(`${seed} faults`);
      const injection = { venue, players, trouble, chance, counts: injected, say, isRunning };
      await Promise.all([
        ...players.map((player) =>
          live(player, {
            counts: counts.get(player) ?? createCounts(),
            trace: (line) => note(player, line),
            isRunning,
          }),
        ),
        options.faults ? injectFaults(injection) : undefined,
        reports,
      ]);
    },
    async finish() {
      await repairAll(venue);
      const books = measures.has("money") ? await closeBooks(players, around) : { lines: [], faults: [] };
      watching = false;
      const looks = await Promise.all(observers);
      await reportHeld(players, venue, "at the end", say);
      say(`${looks.reduce((sum, one) => sum + one.looks, 0)} looks at ${players.length} screens`);
      report(counts, injected, say);
      for (const line of books.lines) say(line);
      return [...findings, ...books.faults.map((sentence) => `the books: ${sentence}`)];
    },
    async close() {
      for (const player of players) await player.close().catch(() => {});
      await new Promise<void>((ended) => void trace.end(ended));
    },
  };
}

async function openPlayers({ seed }: LongRunOptions, around: Around): Promise<BrowserPlayer[]> {
  const players: BrowserPlayer[] = [];
  for (const [place, seat] of SEATS.entries()) {
    const credentials = around.accounts[place];
    if (credentials === undefined) throw new Error("There are more seats than players.");
    const player = await openBrowserPlayer(await around.browser(), seat, {
      href: around.venue.href,
      credentials,
      seed,
    });
    await player.logIn();
    players.push(player);
  }
  return players;
}

function report(counts: ReadonlyMap<BrowserPlayer, Counts>, injected: Counts, say: Around["say"]): void {
  for (const [{ name, notes }, done] of counts) {
    say(`${name} did: ${done.lines().join(", ")}`);
    for (const line of notes.lines()) say(`console of ${name}: ${line}`);
  }
  say(`injected: ${injected.lines().join(", ") || "nothing"}`);
}

async function reportHeld(
  players: readonly BrowserPlayer[],
  venue: Venue,
  when: string,
  say: Around["say"],
): Promise<void> {
  for (const player of players) {
    const cdp = await player.context.newCDPSession(player.page());
    const { heapMb, nodes, listeners } = await pageHeld(cdp);
    await cdp.detach();
    say(`${when}, ${player.name}: ${heapMb.toFixed(1)} MB of scripts, ${nodes} nodes, ${listeners} listeners`);
  }
  const agent = venue.agent.pid();
  const programs = { agent, "media process": processOf(agent, "media-main.ts"), platform: venue.platform.pid() };
  for (const [name, pid] of Object.entries(programs)) {
    const { residentMb, files } = programHeld(pid ?? 0);
    say(`${when}, ${name}: ${residentMb.toFixed(0)} MB resident, ${files} files and sockets`);
  }
}

async function screenshot(player: BrowserPlayer, path: string): Promise<void> {
  await player
    .page()
    .screenshot({ path, timeout: 10_000 })
    .catch(() => {});
}

async function reportEachMinute(
  findings: readonly string[],
  isRunning: () => boolean,
  say: Around["say"],
  screenshots: (minute: number) => readonly Promise<void>[],
): Promise<void> {
  let at = performance.now();
  let minute = 0;
  while (isRunning()) {
    await pause(1_000);
    if (performance.now() - at < REPORT_MS) continue;
    at = performance.now();
    minute += 1;
    await Promise.all(screenshots(minute));
    say(`so far ${findings.length} faults on screens; load ${loadNow()}, patience ${patienceNow().toFixed(1)}`);
  }
}

type Books = { readonly lines: readonly string[]; readonly faults: readonly string[] };

async function closeBooks(players: readonly BrowserPlayer[], { venue, depositMinor }: Around): Promise<Books> {
  const settled = await Promise.all(players.map((player) => settle(player, venue, SETTLE_MS * patienceNow())));
  const books = await Promise.all(players.map((player) => readBooks(player, venue, depositMinor)));
  const breaches = await venue.ledger.verify();
  const discrepancies = Number(await venue.ask("select count(*)::int as answer from discrepancy"));
  return {
    lines: books.map(({ line }) => line),
    faults: [
      ...players.flatMap(({ name }, at) => (settled[at] === true ? [] : [`${name}: credits are not in the wallet`])),
      ...books.flatMap(({ faults }, at) => faults.map((fault) => `${players[at]?.name}: ${fault}`)),
      ...breaches.map((breach) => `the ledger: ${JSON.stringify(breach)}`),
      ...(discrepancies > 0 ? [`${discrepancies} discrepancies between machines and books`] : []),
    ],
  };
}

/** Leaves whatever machine the player is at, and waits until all credits are in the wallet. */
async function settle(player: BrowserPlayer, venue: Venue, limitMs: number): Promise<boolean> {
  const { balance } = await signIn(venue.href, player.credentials);
  const endsAt = performance.now() + limitMs;
  while (performance.now() < endsAt) {
    const { onMachine = 0, pending = 0 } = await balance();
    const place = await whereIs(player).catch(() => "elsewhere" as const);
    if (onMachine === 0 && pending === 0 && place !== "game") return true;
    if (place === "reconnect") await answerDialog(player, true).catch(() => {});
    else if (place === "game") await leaveMachine(player);
    else
      await player
        .page()
        .goto(`${venue.href}/lobby`, { waitUntil: "commit" })
        .catch(() => {});
    await pause(1_500);
  }
  return false;
}

/** A game that still runs, or free spins, must end first; a bonus waits for a press. */
async function leaveMachine(player: BrowserPlayer): Promise<void> {
  const main = player.page().locator(GAME);
  const turning = (await main.getAttribute("data-turning").catch(() => null)) === "true";
  if (turning) await player.touch(player.page().locator("[data-spin]"), true).catch(() => {});
  await player
    .page()
    .keyboard.press("Escape")
    .catch(() => {});
  await MOVES["leave"]?.(player).catch(() => {});
}

/** The wallet against what was played: by the platform's history of games, its play sessions, and the ledger's own entries. */
async function readBooks({ name, credentials }: BrowserPlayer, venue: Venue, depositMinor: number) {
  const { id } = credentials;
  const one = async (sql: string) => Number(await venue.ask(sql));
  const wallet = allOf(await (await signIn(venue.href, credentials)).balance());
  const sessions = await one(
    `select coalesce(sum(net), 0)::bigint as answer from play_session where player_id = '${id}'`,
  );
  const played = `from game join play_session on play_session.id = game.play_session_id where player_id = '${id}'`;
  const games = await one(`select coalesce(sum(game.win - game.stake), 0)::bigint as answer ${played}`);
  const count = await one(`select count(*)::int as answer ${played}`);
  const entries = await one(
    `select coalesce(sum(amount), 0)::bigint as answer from wallet_entry where player_id = '${id}'`,
  );
  const expected = depositMinor + games;
  const faults = [
    wallet !== expected && `the wallet has ${wallet}, deposit and games make ${expected}`,
    sessions !== games && `the play sessions' net is ${sessions}, their games make ${games}`,
    entries !== wallet && `the wallet's entries make ${entries}, the wallet has ${wallet}`,
  ].filter((fault) => fault !== false);
  return { line: `${name}: ${count} games, net ${games}, wallet ${wallet}`, faults };
}
