import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { spreadOf } from "../../rig/figures.ts";
import type { JanusRoom } from "../../rig/media-server/janus.ts";
import { openJanus, openJanusRoom, ownAddress } from "../../rig/media-server/janus.ts";
import type { WhipServer } from "../../rig/media-server/whip-server.ts";
import { openWhipServer } from "../../rig/media-server/whip-server.ts";
import { processCost } from "../../rig/process.ts";
import type { Crowd, DensityVenue } from "../density/density.ts";
import { gatherGuests, openDensityVenue, player, withVenue } from "../density/density.ts";
import type { WatchersReport, WatchersRequest } from "../density/watchers-main.ts";
import { startChild } from "../load/child.ts";
import type { Part, Result } from "../result.ts";

const MACHINE = "nar-01";
const TOKEN = "the-benchs-token";
/** Few watchers, and as many as two cores carry beside agent, platform and media server without leaving pictures out. */
const [FEW, MANY] = [10, 40];
/** A process has one core, and so many watchers take a third of it. */
const WATCHERS_OF_PROCESS = 20;
/** From the first press, so that both measurements see the same games. */
const [SETTLE_MS, WATCH_MS] = [6_000, 20_000];
/** Of a floor, a second; with fewer the share is scaled to all of them. */
const PICTURES = 30;
const JOINS = 20;
/**
 * Wanted: no more with many watchers than with few, as a ratio; a watcher's first picture, ms. With fewer pictures a second to each watcher the computer is
 * too busy for the run to say anything: an agent without time to spare sends the media server less.
 */
const WANTED = { ratio: 1.1, joinMs: 1_000, pictures: 25 } as const;
const PUBLISHED_MS = 60_000;
const PICTURE_MS = 20_000;

/**
 * What an agent costs, and what it sends, while few and while many watch its machine at a media server, which it publishes to once: Debian's Janus behind
 * Debian's Simple WHIP Server. One player plays meanwhile: the same games in both, of the same seed in two venues. Watchers are receivers of our own in other
 * processes; those whose joins are measured are pages.
 */
export const crowd: Part = async ({ say, browser }, report) => {
  const server = await openMediaServer(say);
  try {
    const watchedBy = async (count: number, then?: (look: Look) => Promise<void>): Promise<Watched> =>
      await inVenue(server, say, async (look) => {
        const watchers = await gatherWatchers(look, count);
        try {
          const watched = await measure(look, watchers, count);
          await then?.(look);
          return watched;
        } finally {
          watchers.stop();
        }
      });
    const few = await watchedBy(FEW);
    reportWatched(report, FEW, few);
    const many = await watchedBy(MANY, (look) => measureJoins(look, browser, report));
    reportWatched(report, MANY, many, few);
  } finally {
    await server.close();
  }
};

/** A venue of its own with one player at its machine, which the agent publishes. */
async function inVenue<T>(
  server: MediaServer,
  say: (line: string) => void,
  run: (look: Look) => Promise<T>,
): Promise<T> {
  const venue = await openDensityVenue(1, say, { agentEnv: server.agentEnv });
  return await withVenue(venue, async () => {
    if (venue.machines[0] !== MACHINE) throw new Error(`The machine is called ${venue.machines[0]}, not ${MACHINE}.`);
    const guests = await gatherGuests(venue.venue, [player(venue, MACHINE, 0)]);
    try {
      const publisher = await published(server);
      const result = await run({ venue, guests, room: server.room, publisher, say });
      await guests.go();
      return result;
    } finally {
      guests.stop();
    }
  });
}

type MediaServer = {
  readonly room: JanusRoom;
  readonly whip: WhipServer;
  /** With which an agent publishes there, always. */
  readonly agentEnv: Readonly<Record<string, string>>;
  close(): Promise<void>;
};

async function openMediaServer(say: (line: string) => void): Promise<MediaServer> {
  const address = ownAddress();
  if (address === undefined)
    throw new Error("Janus sends from no address but one of a network: connect this computer.");
  const undo: (() => unknown)[] = [];
  const close = async (): Promise<void> => {
    for (const step of undo.toReversed()) await step();
  };
  try {
    const janus = await openJanus({ address, plugin: "videoroom", say });
    undo.push(janus.close);
    const room = await openJanusRoom(janus.url);
    undo.push(room.close);
    const whip = await openWhipServer(janus.url, say);
    undo.push(whip.close);
    const endpoint = await whip.addEndpoint(MACHINE, room.id, TOKEN);
    const crowdEnv = { CROWD_WHIP: endpoint.replace(MACHINE, "{machine}"), CROWD_TOKEN: TOKEN, CROWD_FROM: "0" };
    return { room, whip, agentEnv: { ...crowdEnv, CANDIDATES_OPEN: `${address}/32` }, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The agent's publication, as the room numbers it. One of an agent that is gone may be there a moment longer. */
async function published({ room, whip }: MediaServer): Promise<number> {
  const lateAt = performance.now() + PUBLISHED_MS;
  for (;;) {
    const [publisher, another] = (await whip.publishing()).includes(MACHINE) ? await room.publishers() : [];
    if (publisher !== undefined && another === undefined) return publisher;
    if (performance.now() > lateAt) throw new Error("The agent did not publish to the media server.");
    await pause(100);
  }
}

type Look = {
  readonly venue: DensityVenue;
  readonly guests: Crowd;
  readonly room: JanusRoom;
  readonly publisher: number;
  readonly say: (line: string) => void;
};

/** What the agent costs, % of a core, and what it sends, Mbit/s: what came to each watcher, and to the player; pictures a second; what each watcher costs. */
type Watched = {
  readonly share: number | null;
  readonly mbit: number;
  readonly playerMbit: number;
  readonly pictures: number;
  readonly watcherShare: number;
};

function reportWatched(report: (result: Result) => void, count: number, watched: Watched, few?: Watched): void {
  const condition = `${count} watch at a media server, reels turning`;
  const held = (value: number | null) =>
    few && {
      held: { peer: { name: `${FEW} watchers`, value }, reach: { of: "ratio", atMost: WANTED.ratio } } as const,
    };
  const cost = { what: "agent: processor time", condition, unit: "% of a core", value: watched.share } as const;
  report({ ...cost, ...held(few?.share ?? null) });
  const sent = { what: "agent: sent to the media server", condition, unit: "Mbit/s", value: watched.mbit } as const;
  report({ ...sent, ...held(few?.mbit ?? null) });
  report({ what: "agent: sent to the player", condition, unit: "Mbit/s", value: watched.playerMbit });
  report({ what: "processor time of each watcher", condition, unit: "% of a core", value: watched.watcherShare });
  report({
    ...{ what: "pictures to each watcher", condition, unit: "a second", value: watched.pictures },
    held: { reach: { of: "figure", atLeast: WANTED.pictures } },
  });
}

/** From the player's first press on. The agent's share of a core is as it would be with all pictures of its player, as the part `density` has it. */
async function measure({ venue, guests, say }: Look, watchers: Watchers, count: number): Promise<Watched> {
  say(`Crowd: ${count} watchers`);
  await guests.play(true);
  await pause(SETTLE_MS);
  const came = () => Promise.all([guests.came(), watchers.came()]);
  await came();
  const from = { cost: processCost(venue.agentPid()), at: performance.now() };
  await pause(WATCH_MS);
  const to = { cost: processCost(venue.agentPid()), at: performance.now() };
  const [played, seen] = await came();
  const seconds = (to.at - from.at) / 1_000;
  const shown = played.pictures / seconds;
  const share = from.cost && to.cost && (to.cost.cpuMs - from.cost.cpuMs) / (10 * seconds);
  const each = (key: "pictures" | "bytes" | "cpuMs"): number => seen[key] / seen.watchers / seconds;
  const games = played.startedMs.length;
  say(
    `  ${shown.toFixed(1)} pictures a second to the player, ${each("pictures").toFixed(1)} to each watcher, ${games} games`,
  );
  return {
    share: share && share * Math.max(1, PICTURES / Math.max(1, shown)),
    mbit: (each("bytes") * 8) / 1e6,
    playerMbit: (played.bytes * 8) / 1e6 / seconds,
    pictures: each("pictures"),
    watcherShare: each("cpuMs") / 10,
  };
}

type Watchers = {
  came(): Promise<Extract<WatchersReport, { is: "came" }>>;
  /** Ends them at once; the media server notices by itself. */
  stop(): void;
};

const PROCESS = fileURLToPath(new URL("../density/watchers-main.ts", import.meta.url));

/** So many more watchers, in processes of their own. */
async function gatherWatchers({ room, publisher }: Look, count: number): Promise<Watchers> {
  const processes: ReturnType<typeof startProcess>[] = [];
  const stop = (): void => processes.forEach(({ end }) => void end());
  try {
    for (let left = count; left > 0; left -= WATCHERS_OF_PROCESS) {
      const started = startProcess();
      processes.push(started);
      for (let at = 0; at < Math.min(left, WATCHERS_OF_PROCESS); at += 1) {
        const { offer, start } = await room.watch(publisher);
        const { answers } = await started.ask({ is: "answer", offers: [offer] }, "answers");
        await start(answers[0] ?? "");
      }
    }
  } catch (error) {
    stop();
    throw error;
  }
  return {
    stop,
    async came() {
      const counts = await Promise.all(processes.map((one) => one.ask({ is: "count" }, "came")));
      const sum = (key: "watchers" | "pictures" | "bytes" | "cpuMs"): number =>
        counts.reduce((total, one) => total + one[key], 0);
      return {
        is: "came",
        ...{ watchers: sum("watchers"), pictures: sum("pictures") },
        ...{ bytes: sum("bytes"), cpuMs: sum("cpuMs") },
      };
    },
  };
}

const startProcess = () =>
  startChild<WatchersRequest, WatchersReport>(
    PROCESS,
    (report) => (report.is === "failed" ? report.sentence : undefined),
    "A process of watchers has ended.",
  );

/** From a page's wish to watch until it shows a picture, one page after the other, while many watch. */
async function measureJoins(
  { room, publisher, say }: Look,
  browser: Browser,
  report: (result: Result) => void,
): Promise<void> {
  say(`Crowd: ${JOINS} joins`);
  const took = { whole: [] as number[], connecting: [] as number[], waiting: [] as number[] };
  for (let time = 0; time < JOINS; time += 1) {
    const context = await browser.newContext();
    try {
      const page = await context.newPage();
      const from = performance.timeOrigin + performance.now();
      const { offer, start } = await room.watch(publisher);
      await start(await page.evaluate(answerOffer, offer));
      await page.waitForFunction(() => document.documentElement.dataset["shown"] !== undefined, null, {
        ...{ polling: 50, timeout: PICTURE_MS },
      });
      const { connected, shown } = await page.evaluate(() => ({ ...document.documentElement.dataset }));
      took.whole.push(Number(shown) - from);
      took.connecting.push(Number(connected) - from);
      took.waiting.push(Number(shown) - Number(connected));
    } finally {
      await context.close();
    }
  }
  const ms = { condition: `${MANY} watch there`, unit: "ms" } as const;
  report({
    ...{ ...ms, what: "first picture at the media server", value: spreadOf(took.whole) },
    held: { reach: { of: "figure", atMost: WANTED.joinMs, at: "p95" } },
  });
  report({ ...ms, what: "first picture: page and server, until connected", value: spreadOf(took.connecting) });
  report({ ...ms, what: "first picture: from there on", value: spreadOf(took.waiting) });
}

/** Runs in the page. Self-contained: it is sent as text. */
async function answerOffer(sdp: string): Promise<string> {
  const peer = new RTCPeerConnection();
  const video = Object.assign(document.createElement("video"), { muted: true, autoplay: true });
  const stream = new MediaStream();
  peer.ontrack = ({ track }) => stream.addTrack(track);
  const { dataset } = document.documentElement;
  const now = () => String(performance.timeOrigin + performance.now());
  video.requestVideoFrameCallback(() => {
    dataset["shown"] = now();
  });
  peer.onconnectionstatechange = () => {
    if (peer.connectionState === "connected") dataset["connected"] = now();
  };
  video.srcObject = stream;
  document.body.append(video);
  Object.assign(globalThis, { longarmPeer: peer });
  await peer.setRemoteDescription({ type: "offer", sdp });
  await peer.setLocalDescription(await peer.createAnswer());
  while (peer.iceGatheringState !== "complete") await new Promise((looked) => setTimeout(looked, 10));
  return peer.localDescription?.sdp ?? "";
}
