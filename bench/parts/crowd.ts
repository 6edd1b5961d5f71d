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
const [SETTLE_MS, WATCH_MS] = [4_000, 15_000];
/** Of a floor, a second; with fewer the share is scaled to all of them. */
const PICTURES = 30;
const JOINS = 10;
/**
 * Wanted: no more with many watchers than with few, as a ratio; a watcher's first picture, ms. With fewer pictures a second to each watcher the computer is
 * too busy for the run to say anything: an agent without time to spare sends the media server less.
 */
const WANTED = { ratio: 1.1, joinMs: 1_000, pictures: 25 } as const;
const PUBLISHED_MS = 60_000;
const PICTURE_MS = 20_000;

/**
 * What an agent costs, and what it sends, while few and while many watch its machine at a media server, which it publishes to once: Debian's Janus behind
 * Debian's Simple WHIP Server. One player plays meanwhile. Watchers are receivers of our own in other processes; those whose joins are measured are pages.
 */
export const crowd: Part = async ({ say, browser }, report) => {
  const server = await openMediaServer(say);
  try {
    const venue = await openDensityVenue(1, say, { agentEnv: server.agentEnv });
    await withVenue(venue, async () => {
      if (venue.machines[0] !== MACHINE) throw new Error(`The machine is called ${venue.machines[0]}, not ${MACHINE}.`);
      const guests = await gatherGuests(venue.venue, [player(venue, MACHINE, 0)]);
      try {
        await guests.play(true);
        const publisher = await published(server);
        await measureAll({ venue, guests, room: server.room, publisher, browser, say, report });
        await guests.go();
      } finally {
        guests.stop();
      }
    });
  } finally {
    await server.close();
  }
};

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

/** The agent's publication, as the room numbers it. */
async function published({ room, whip }: MediaServer): Promise<number> {
  const lateAt = performance.now() + PUBLISHED_MS;
  for (;;) {
    const [publisher] = (await whip.publishing()).includes(MACHINE) ? await room.publishers() : [];
    if (publisher !== undefined) return publisher;
    if (performance.now() > lateAt) throw new Error("The agent did not publish to the media server.");
    await pause(100);
  }
}

type Look = {
  readonly venue: DensityVenue;
  readonly guests: Crowd;
  readonly room: JanusRoom;
  readonly publisher: number;
  readonly browser: Browser;
  readonly say: (line: string) => void;
  readonly report: (result: Result) => void;
};

/** What the agent costs, % of a core; what came to each watcher: what the agent sends to the server, Mbit/s, and pictures a second; what each costs. */
type Watched = {
  readonly share: number | null;
  readonly mbit: number;
  readonly pictures: number;
  readonly watcherShare: number;
};

async function measureAll(look: Look): Promise<void> {
  const few = await gatherWatchers(look, FEW);
  const more: Watchers[] = [];
  try {
    const first = await measure(look, [few], FEW);
    more.push(await gatherWatchers(look, MANY - FEW));
    const many = await measure(look, [few, ...more], MANY);
    await measureJoins(look);
    for (const one of more.splice(0)) one.stop();
    // Once more with few: games differ, and so does what their pictures cost.
    const again = await measure(look, [few], FEW);
    const share = first.share && again.share && (first.share + again.share) / 2;
    reportWatched(look, FEW, { ...first, share, mbit: (first.mbit + again.mbit) / 2 });
    reportWatched(look, MANY, many, { ...first, share, mbit: (first.mbit + again.mbit) / 2 });
  } finally {
    for (const one of [few, ...more]) one.stop();
  }
}

function reportWatched({ report }: Look, count: number, watched: Watched, few?: Watched): void {
  const condition = `${count} watch at a media server, reels turning`;
  const held = (value: number | null) =>
    few && {
      held: { peer: { name: `${FEW} watchers`, value }, reach: { of: "ratio", atMost: WANTED.ratio } } as const,
    };
  const cost = { what: "agent: processor time", condition, unit: "% of a core", value: watched.share } as const;
  report({ ...cost, ...held(few?.share ?? null) });
  const sent = { what: "agent: sent to the media server", condition, unit: "Mbit/s", value: watched.mbit } as const;
  report({ ...sent, ...held(few?.mbit ?? null) });
  report({ what: "processor time of each watcher", condition, unit: "% of a core", value: watched.watcherShare });
  report({
    ...{ what: "pictures to each watcher", condition, unit: "a second", value: watched.pictures },
    held: { reach: { of: "figure", atLeast: WANTED.pictures } },
  });
}

/** The agent's share of a core as it would be with all pictures of its player, as the part `density` has it. */
async function measure({ venue, guests, say }: Look, watchers: readonly Watchers[], count: number): Promise<Watched> {
  say(`Crowd: ${count} watchers`);
  await pause(SETTLE_MS);
  const came = () => Promise.all([guests.came(), ...watchers.map((one) => one.came())]);
  await came();
  const from = { cost: processCost(venue.agentPid()), at: performance.now() };
  await pause(WATCH_MS);
  const to = { cost: processCost(venue.agentPid()), at: performance.now() };
  const [played, ...seen] = await came();
  const seconds = (to.at - from.at) / 1_000;
  const shown = played.pictures / seconds;
  const share = from.cost && to.cost && (to.cost.cpuMs - from.cost.cpuMs) / (10 * seconds);
  const each = (key: "pictures" | "bytes" | "cpuMs"): number =>
    seen.reduce((sum, one) => sum + one[key], 0) / seen.reduce((sum, one) => sum + one.watchers, 0) / seconds;
  say(`  ${shown.toFixed(1)} pictures a second to the player, ${each("pictures").toFixed(1)} to each watcher`);
  return {
    share: share && share * Math.max(1, PICTURES / Math.max(1, shown)),
    mbit: (each("bytes") * 8) / 1e6,
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
async function measureJoins({ room, publisher, browser, say, report }: Look): Promise<void> {
  say(`Crowd: ${JOINS} joins`);
  const took: number[] = [];
  for (let time = 0; time < JOINS; time += 1) {
    const context = await browser.newContext();
    try {
      const page = await context.newPage();
      const from = performance.now();
      const { offer, start } = await room.watch(publisher);
      await start(await page.evaluate(answerOffer, offer));
      await page.waitForFunction(() => document.documentElement.dataset["shown"] === "true", null, {
        ...{ polling: "raf", timeout: PICTURE_MS },
      });
      took.push(performance.now() - from);
    } finally {
      await context.close();
    }
  }
  report({
    ...{ what: "first picture at the media server", condition: `${MANY} watch there`, unit: "ms" },
    value: spreadOf(took),
    held: { reach: { of: "figure", atMost: WANTED.joinMs, at: "p95" } },
  });
}

/** Runs in the page. Self-contained: it is sent as text. */
async function answerOffer(sdp: string): Promise<string> {
  const peer = new RTCPeerConnection();
  const video = Object.assign(document.createElement("video"), { muted: true, autoplay: true });
  const stream = new MediaStream();
  peer.ontrack = ({ track }) => stream.addTrack(track);
  video.requestVideoFrameCallback(() => {
    document.documentElement.dataset["shown"] = "true";
  });
  video.srcObject = stream;
  document.body.append(video);
  Object.assign(globalThis, { longarmPeer: peer });
  await peer.setRemoteDescription({ type: "offer", sdp });
  await peer.setLocalDescription(await peer.createAnswer());
  while (peer.iceGatheringState !== "complete") await new Promise((looked) => setTimeout(looked, 10));
  return peer.localDescription?.sdp ?? "";
}
