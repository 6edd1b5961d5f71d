import type { IceServer } from "@longarm/contract/ice-server";
import type { DamagedPath } from "../../e2e/damage/damage-path.ts";
import { damagePath } from "../../e2e/damage/damage-path.ts";
import { seededRandom } from "../../e2e/damage/seeded-random.ts";
import { relayOnly } from "../../e2e/page/relay-only.ts";
import type { ReceiverSums } from "../page/connection-log.ts";
import type { Probe, Seen } from "../page/probe.ts";
import type { Condition } from "../rig/conditions.ts";
import { WINDOW } from "../rig/player.ts";
import type { Rig } from "../rig/rig.ts";
import { within } from "../rig/rig.ts";
import { spin } from "../rig/spin.ts";
import type { JanusSession } from "./janus-session.ts";

type Holder = { longarmProbe: Probe };

/** A page that plays Janus' stream, with the bench's probe in it. */
export type PeerViewer = {
  /** A picture has come within the time. */
  plays(limitMs: number): Promise<boolean>;
  spinFor(durationMs: number): Promise<{ presses: number }>;
  take(): Promise<Seen>;
  sums(): Promise<ReceiverSums | null>;
  close(): Promise<void>;
};

export type PeerAsk = {
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

type Seer = Pick<Rig, "browser" | "probe">;

export async function openPeerViewer(rig: Seer, { damage, turn }: Condition, ask: PeerAsk): Promise<PeerViewer> {
  const context = await rig.browser.newContext({ viewport: WINDOW });
  let path: DamagedPath | null = null;
  const close = async (): Promise<void> => {
    await context.close();
    path?.close();
  };
  try {
    await context.addInitScript(rig.probe);
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
