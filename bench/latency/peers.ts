import type { IceServer } from "@longarm/contract/ice-server";
import { openTurnServer } from "../../e2e/venue/turn-server.ts";
import { openFeed } from "../peer/feed.ts";
import { openJanus } from "../peer/janus.ts";
import { openJanusSession } from "../peer/janus-session.ts";
import { ownAddress } from "../peer/own-address.ts";
import { openPeerViewer } from "../peer/peer-viewer.ts";
import type { Condition } from "../rig/conditions.ts";
import type { Rig } from "../rig/rig.ts";
import { CYCLE_MS, SEED, turnCredentials } from "../rig/rig.ts";
import type { Measured } from "./measured.ts";
import { measuredOf, strayed } from "./measured.ts";

/** The peer as it was measured; without figures its name says why. */
export type Peer = { readonly name: string; readonly measured: Measured | null };

/** A way on which no picture has come by then is one on which the peer does not play, ms. */
const PLAYS_MS = 20_000;

/**
 * The same machine through Janus' streaming plugin. `atOnce`: page and plugin ask the browser to show each picture at once, the
 * least delay that they can ask for; else the browser buffers as it likes. Never throws: the rest of the bench goes on.
 */
export async function measurePeer(rig: Rig, condition: Condition, playMs: number, atOnce: boolean): Promise<Peer> {
  const name = atOnce ? "Janus" : "Janus, browser's own buffer";
  try {
    const measured = await play(rig, condition, playMs, atOnce);
    return measured === null ? { name: `${name}, did not play`, measured } : { name, measured };
  } catch (error) {
    rig.say(`${name}, ${condition.name}: ${error instanceof Error ? error.message : String(error)}`);
    return { name: `${name}, not measured`, measured: null };
  }
}

/** A TURN server that relays from where Janus is. */
async function openPeerTurn(address: string, undo: (() => Promise<unknown>)[]): Promise<IceServer> {
  const { urls, secret, close } = await openTurnServer(undefined, address);
  undo.push(close);
  return turnCredentials(urls, secret);
}

async function play(rig: Rig, condition: Condition, playMs: number, atOnce: boolean): Promise<Measured | null> {
  const address = ownAddress();
  if (address === undefined)
    throw new Error("Janus sends from no address but one of a network: connect this computer.");
  const undo: (() => Promise<unknown>)[] = [];
  try {
    const janus = await openJanus(address, condition.damage === "tcp only", rig.say);
    undo.push(janus.close);
    const feed = await openFeed({ rtpPort: janus.rtpPort, seed: SEED, minCycleMs: CYCLE_MS }, rig.say);
    undo.push(feed.close);
    const session = await openJanusSession(janus.url);
    undo.push(async () => session.close());
    const turnServer = condition.turn && (await openPeerTurn(address, undo));
    const to = { session, href: feed.href, address, atOnce };
    const viewer = await openPeerViewer(rig, condition, turnServer ? { ...to, turnServer } : to);
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
    rig.say(`  the peer's FFmpeg had each picture ${middle.toFixed(1)} ms after its capture; ${left} left out`);
    return measuredOf(seen, presses, { from, to: until });
  } finally {
    for (const step of undo.reverse()) await step().catch(() => {});
  }
}
