import { setImmediate as breathe, setTimeout as pause } from "node:timers/promises";
import fc from "fast-check";
import { crc32c } from "werift";
import type { AgentProcess } from "./agent-process.ts";
import { INPUTS } from "./inputs.ts";
import type { Watcher } from "./watcher.ts";
import { joinAsWatcher } from "./watcher.ts";

/** A new connection so often, ms; the platform lets an account have fewer offers. */
const JOIN_EVERY_MS = 1_000;
/** Packets between two breaths of the attacker's own event loop. */
const BURST = 50;

export type WorstFigures = { readonly sent: number; readonly joined: number };

/**
 * One watcher's worst: inputs of every protocol, and floods of packets that are right in every way, as fast as they go, one kind after another; and a
 * new connection whenever his was ended.
 */
export async function doWorst(agent: AgentProcess, seed: number, isOver: () => boolean): Promise<WorstFigures> {
  const kinds = [floodHeartbeats, floodFeedback, floodGarbage, fuzzAll] as const;
  let [sent, joined, turn] = [0, 0, 0];
  while (!isOver()) {
    const watcher = await joinAsWatcher(agent, { waitMs: 5_000 }).catch(() => undefined);
    if (watcher === undefined) {
      await pause(JOIN_EVERY_MS);
      continue;
    }
    joined += 1;
    const kind = kinds[turn % kinds.length] ?? fuzzAll;
    turn += 1;
    const until = performance.now() + 4_000;
    while (!isOver() && !watcher.isOver() && performance.now() < until) {
      sent += await kind(watcher, seed + sent);
      await breathe();
    }
    await watcher.close();
    await pause(JOIN_EVERY_MS);
  }
  return { sent, joined };
}

type Attack = (watcher: NonNullable<Watcher>, seed: number) => Promise<number>;

const floodHeartbeats: Attack = async ({ sctp, packet }) => {
  const bytes = Buffer.alloc(12 + 12);
  bytes.writeUInt16BE(sctp.localPort, 0);
  bytes.writeUInt16BE(sctp.remotePort, 2);
  bytes.writeUInt32BE(sctp.remoteVerificationTag, 4);
  bytes.set([4, 0, 0, 12, 0, 1, 0, 8, 1, 2, 3, 4], 12);
  bytes.writeUInt32LE(crc32c(bytes), 8);
  for (let n = 0; n < BURST; n += 1) await packet(bytes);
  return BURST;
};

/** Each asks for a key frame and for a thousand packets again. */
const floodFeedback: Attack = async ({ sealRtcp, raw }) => {
  const keyFrame = Buffer.from([0x81, 206, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1]);
  const words = 250;
  const nack = Buffer.alloc(12 + 4 * words, 0xff);
  nack.set([0x81, 205, 0, words + 2, 0, 0, 0, 1]);
  for (let n = 0; n < BURST; n += 1) await raw(sealRtcp(Buffer.concat([nack, keyFrame])));
  return BURST;
};

const floodGarbage: Attack = async ({ datagram }) => {
  for (let n = 0; n < BURST; n += 1) await datagram(Buffer.alloc(1_200, [22, 23, 128, 0][n % 4]));
  return BURST;
};

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
