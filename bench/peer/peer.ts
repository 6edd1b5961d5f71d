import type { IceServer } from "@longarm/contract/ice-server";
import { seededRandom } from "../../rig/chance.ts";
import type { DamagedPath } from "../../rig/faults/media-path.ts";
import { damagePath } from "../../rig/faults/media-path.ts";
import type { JanusSession } from "../../rig/media-server/janus.ts";
import { openJanus, openJanusSession, ownAddress } from "../../rig/media-server/janus.ts";
import { relayOnly } from "../../rig/page/visitor.ts";
import { openTurnServer } from "../../rig/venue/turn-server.ts";
import type { Measured } from "../latency/measured.ts";
import { measuredOf, strayed } from "../latency/measured.ts";
import type { Condition } from "../options.ts";
import { spin, WINDOW } from "../setup/page-player.ts";
import type { Probe, ReceiverSums, Seen } from "../setup/probe.ts";
import type { Setup } from "../setup/setup.ts";
import { CYCLE_MS, SEED, turnCredentials, within } from "../setup/setup.ts";
import { openFeed } from "./feed.ts";

/** The peer as it was measured; without figures its name says why. */
export type Peer = { readonly name: string; readonly measured: Measured | null };

/** A way on which no picture has come by then is one on which the peer does not play, ms. */
const PLAYS_MS = 20_000;

/**
 * The same machine through Janus' streaming plugin. `atOnce`: page and plugin ask the browser to show each picture at once, the
 * least delay that they can request; else the browser buffers as it likes. Never throws: the rest of the bench continues.
 */
export async function measurePeer(setup: Setup, condition: Condition, playMs: number, atOnce: boolean): Promise<Peer> {
  const name = atOnce ? "Janus" : "Janus, browser's own buffer";
  try {
    const measured = await play(setup, condition, playMs, atOnce);
    return measured === null ? { name: `${name}, did not play`, measured } : { name, measured };
  } catch (error) {
    setup.say(`${name}, ${condition.name}: ${error instanceof Error ? error.message : String(error)}`);
    return { name: `${name}, not measured`, measured: null };
  }
}

/** A TURN server that relays from where Janus is. */
async function openPeerTurn(address: string, undo: (() => Promise<unknown>)[]): Promise<IceServer> {
  const { urls, secret, close } = await openTurnServer(undefined, address);
  undo.push(close);
  return turnCredentials(urls, secret);
}

async function play(setup: Setup, condition: Condition, playMs: number, atOnce: boolean): Promise<Measured | null> {
  const address = ownAddress();
  if (address === undefined)
    throw new Error("Janus sends from no address but one of a network: connect this computer.");
  const undo: (() => Promise<unknown>)[] = [];
  try {
    const janus = await openJanus({
      address,
      plugin: "streaming",
      tcp: condition.damage === "tcp only",
      say: setup.say,
    });
    undo.push(janus.close);
    const feed = await openFeed({ rtpPort: janus.rtpPort, seed: SEED, minCycleMs: CYCLE_MS }, setup.say);
    undo.push(feed.close);
    const session = await openJanusSession(janus.url);
    undo.push(async () => session.close());
    const turnServer = condition.turn && (await openPeerTurn(address, undo));
    const to = { session, href: feed.href, address, atOnce };
    const viewer = await openPeerViewer(setup, condition, turnServer ? { ...to, turnServer } : to);
    undo.push(viewer.close);
    if (!(await viewer.plays(PLAYS_MS))) return null;
    await viewer.take();
    await feed.handed();
    const from = await viewer.sums();
    const { presses } = await viewer.spinFor(playMs);
    const until = await viewer.sums();
    const seen = await viewer.take();
    const elsewhere = strayed(condition, until);
    if (elsewhere !== null) throw new Error(`${elsewhere}.`);
    const { handedMs, left } = await feed.handed();
    const middle = handedMs.toSorted((one, other) => one - other)[handedMs.length >> 1] ?? 0;
    setup.say(`  the peer's FFmpeg had each picture ${middle.toFixed(1)} ms after its capture; ${left} left out`);
    return measuredOf(seen, presses, { from, to: until });
  } finally {
    for (const step of undo.reverse()) await step().catch(() => {});
  }
}

type Holder = { longarmProbe: Probe };

/** A page that plays Janus' stream, with the bench's probe in it. */
type PeerViewer = {
  /** A picture has come within the time. */
  plays(limitMs: number): Promise<boolean>;
  spinFor(durationMs: number): Promise<{ presses: number }>;
  take(): Promise<Seen>;
  sums(): Promise<ReceiverSums | null>;
  close(): Promise<void>;
};

type PeerAsk = {
  readonly session: JanusSession;
  /** Page and presses, see `Feed`. */
  readonly href: string;
  /** Where Janus sends from. */
  readonly address: string;
  /** Asks browser and Janus to show each picture at once; else they do as they like. */
  readonly atOnce: boolean;
  /** Of a way through a TURN server. */
  readonly turnServer?: IceServer;
};

type Seer = Pick<Setup, "browser" | "probe">;

async function openPeerViewer(setup: Seer, { damage, turn }: Condition, ask: PeerAsk): Promise<PeerViewer> {
  const context = await setup.browser.newContext({ viewport: WINDOW });
  let path: DamagedPath | null = null;
  const close = async (): Promise<void> => {
    await context.close();
    path?.close();
  };
  try {
    await context.addInitScript(setup.probe);
    const page = await context.newPage();
    path = damage && (await damagePath(page, damage, seededRandom("bench"), ask.address));
    if (turn !== undefined) await relayOnly(page, turn, ask.turnServer);
    await page.goto(ask.href);
    await page.evaluate(sendPresses);
    const answer = await page.evaluate(answerOffer, { offer: await ask.session.watch(), atOnce: ask.atOnce });
    await ask.session.start(answer);
    if (ask.atOnce) await ask.session.showAtOnce();
    const take = (): Promise<Seen> => page.evaluate(() => (globalThis as unknown as Holder).longarmProbe.take());
    const turning = () => page.evaluate(() => document.documentElement.dataset["turning"] === "true");
    return {
      plays: (limitMs) => within(limitMs, async () => (await take()).frames.length > 0),
      spinFor: (durationMs) => spin(page, turning, durationMs),
      take,
      sums: () => page.evaluate(() => (globalThis as unknown as Holder).longarmProbe.sums()),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Runs in the page. Self-contained: it is sent as text. */
function sendPresses(): void {
  const socket = new WebSocket(location.href.replace(/^http/, "ws"));
  socket.onmessage = ({ data }) => {
    document.documentElement.dataset["turning"] = String(data === "turning");
  };
  addEventListener("keydown", ({ code, repeat }) => {
    if (code === "Space" && !repeat) socket.send("press");
  });
}

/** Runs in the page. Self-contained: it is sent as text. */
async function answerOffer({ offer, atOnce }: { offer: string; atOnce: boolean }): Promise<string> {
  const peer = new RTCPeerConnection({ bundlePolicy: "max-bundle" });
  peer.ontrack = ({ track, receiver }) => {
    if (atOnce) receiver.jitterBufferTarget = 0;
    const video = document.createElement("video");
    video.muted = true;
    video.autoplay = true;
    video.width = innerWidth;
    video.srcObject = new MediaStream([track]);
    document.body.append(video);
    void video.play();
  };
  await peer.setRemoteDescription({ type: "offer", sdp: offer });
  await peer.setLocalDescription(await peer.createAnswer());
  const endsAt = performance.now() + 3_000;
  while (peer.iceGatheringState !== "complete" && performance.now() < endsAt)
    await new Promise((looked) => setTimeout(looked, 10));
  Object.assign(globalThis, { longarmPeer: peer });
  return peer.localDescription?.sdp ?? "";
}
