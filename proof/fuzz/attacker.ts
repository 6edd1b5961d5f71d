import { createHmac, randomBytes } from "node:crypto";
import { createSocket } from "node:dgram";
import { setImmediate as breathe, setTimeout as pause } from "node:timers/promises";
import { sctpChunk, sctpPacket } from "@longarm/agent/media/testing/sctp-packets";
import { createOfferLimit, SPECTATOR_OFFERS } from "@longarm/platform/modules/play/session/offer-limit";
import fc from "fast-check";
import type { AgentSide } from "./agent-process.ts";
import type { Make } from "./inputs.ts";
import { INPUTS } from "./inputs.ts";
import type { Codec, Watcher } from "./watcher.ts";
import { joinAsWatcher } from "./watcher.ts";

/** Packets between two breaths of the attacker's own event loop. */
const BURST = 50;
/** Of one kind of attack, ms; then comes the next, in a new connection where the platform allows one. */
const KIND_MS = 4_000;
const LOOK_MS = 100;
/** The step of one who computes a share of the time, ms. */
const STEP_MS = 10;

/** When he attacked in which way, ms since 1970. */
export type Stretch = { readonly kind: string; readonly from: number; readonly to: number };
export type WorstFigures = { readonly sent: number; readonly joined: number; readonly stretches: readonly Stretch[] };
type Attack = (watcher: NonNullable<Watcher>, seed: number) => Promise<number>;

/**
 * One watcher's worst: inputs of every protocol, floods of packets that are right in every way, as fast as they go or as fast as they may come, one kind after
 * another; and a new connection whenever his was ended and the platform lets his account have one.
 */
export function createWorst(agent: AgentSide) {
  const mayOffer = createOfferLimit({ now: () => performance.now() } as never, SPECTATOR_OFFERS);
  const kinds: readonly (readonly [string, Attack])[] = [
    ["small messages", floodHeartbeats],
    ["from a strange address", floodStrangers],
    ["below all limits", belowLimits],
    ["feedback", floodFeedback],
    ["ICE anew", beginAgain(agent, mayOffer)],
    ["what nothing is", floodGarbage],
    ["nearly right", fuzzAll],
    ["checks", floodChecks],
  ];
  let turn = 0;

  async function join(): Promise<Watcher> {
    if (mayOffer() > 0) return undefined;
    // Each codec is another encoder of the agent's.
    const codec: Codec = turn % 3 === 2 ? "VP8" : "H264";
    return await joinAsWatcher(agent, { waitMs: 5_000, codec }).catch(() => undefined);
  }

  return async (seed: number, isOver: () => boolean): Promise<WorstFigures> => {
    let [sent, joined] = [0, 0];
    const stretches: Stretch[] = [];
    while (!isOver()) {
      const watcher = await join();
      if (watcher === undefined) {
        await pause(LOOK_MS);
        continue;
      }
      joined += 1;
      const [kind, attack] = kinds[turn % kinds.length] ?? ["nearly right", fuzzAll];
      turn += 1;
      const from = now();
      const until = performance.now() + KIND_MS;
      while (!isOver() && !watcher.isOver() && performance.now() < until) {
        sent += await attack(watcher, seed + sent);
        await breathe();
      }
      await watcher.close();
      stretches.push({ kind, from, to: now() });
    }
    return { sent, joined, stretches };
  };
}

const now = (): number => performance.timeOrigin + performance.now();

/** Computes that share of the time and sends nothing: what the attacker's computing costs the programs on the same processors. */
export async function burn(share: number, isOver: () => boolean): Promise<void> {
  const [key, bytes] = [randomBytes(20), randomBytes(1_200)];
  while (!isOver()) {
    const from = performance.now();
    while (performance.now() - from < STEP_MS * share) createHmac("sha1", key).update(bytes).digest();
    if (share > 0.98) await breathe();
    else await pause(STEP_MS * (1 - share));
  }
}

const heartbeat = ({ sctp }: NonNullable<Watcher>): Buffer => {
  const { localPort: from, remotePort: to, remoteVerificationTag: tag } = sctp;
  return sctpPacket(sctpChunk(4, Buffer.from([0, 1, 0, 8, 1, 2, 3, 4])), { from, to, tag });
};

/** Asks for a key frame and for a thousand packets again. */
const complaint = ({ sealRtcp }: NonNullable<Watcher>): Buffer => {
  const keyFrame = Buffer.from([0x81, 206, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1]);
  const words = 250;
  const nack = Buffer.alloc(12 + 4 * words, 0xff);
  nack.set([0x81, 205, 0, words + 2, 0, 0, 0, 1]);
  return sealRtcp(Buffer.concat([nack, keyFrame]));
};

const floodHeartbeats: Attack = async (watcher) => {
  const bytes = heartbeat(watcher);
  for (let n = 0; n < BURST; n += 1) await watcher.packet(bytes);
  return BURST;
};

const floodFeedback: Attack = async (watcher) => {
  for (let n = 0; n < BURST; n += 1) await watcher.raw(complaint(watcher));
  return BURST;
};

const floodGarbage: Attack = async ({ datagram }) => {
  for (let n = 0; n < BURST; n += 1) await datagram(Buffer.alloc(1_200, [22, 23, 128, 0][n % 4]));
  return BURST;
};

/** From an address that ICE does not know, so that nothing of it is his connection's; 40 bursts, because a socket is made for them. */
const floodStrangers: Attack = async ({ agentAt: [host, port] }) => {
  const socket = createSocket("udp4");
  const packet = Buffer.alloc(200, 22);
  for (let burst = 0; burst < 40; burst += 1) {
    for (let n = 0; n < BURST; n += 1) socket.send(packet, port, host);
    await breathe();
  }
  await new Promise<void>((closed) => socket.close(closed));
  return 40 * BURST;
};

/** As much of everything as is let through for as long as he likes. */
const belowLimits: Attack = async (watcher, seed) => {
  const check = sampled(INPUTS.stun, watcher, seed);
  await watcher.raw(complaint(watcher));
  await watcher.raw(complaint(watcher));
  await watcher.datagram(check);
  await watcher.datagram(check);
  for (let n = 0; n < 3; n += 1) await watcher.packet(heartbeat(watcher));
  for (let n = 0; n < 3; n += 1) await watcher.raw(watcher.record(23, Buffer.alloc(1_100)));
  await pause(STEP_MS);
  return 10;
};

const floodChecks: Attack = async (watcher, seed) => {
  const check = sampled(INPUTS.stun, watcher, seed);
  for (let n = 0; n < BURST; n += 1) await watcher.datagram(check);
  return BURST;
};

const sampled = (inputs: fc.Arbitrary<Make>, watcher: NonNullable<Watcher>, seed: number): Buffer =>
  fc.sample(inputs, { seed, numRuns: 1 })[0]?.(watcher).bytes ?? Buffer.alloc(0);

/** Begins ICE anew as often as his account may. */
function beginAgain(agent: AgentSide, mayOffer: () => number): Attack {
  return async ({ id, offer }, seed) => {
    if (mayOffer() > 0) {
      await pause(LOOK_MS);
      return 0;
    }
    const name = seed.toString(36).padStart(8, "0");
    const renamed = offer.replaceAll(/^a=ice-ufrag:.*$/gm, `a=ice-ufrag:${name}`);
    await agent.join(id, renamed.replaceAll(/^a=ice-pwd:.*$/gm, `a=ice-pwd:${name.repeat(3)}`)).catch(() => undefined);
    return 1;
  };
}

const fuzzAll: Attack = async (watcher, seed) => {
  let sent = 0;
  for (const inputs of Object.values(INPUTS))
    for (const make of fc.sample(inputs, { seed, numRuns: 10 })) {
      const { way, bytes } = make(watcher);
      await watcher[way](bytes);
      sent += 1;
    }
  await pause(20);
  return sent;
};
