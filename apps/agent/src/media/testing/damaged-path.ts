import type { Socket } from "node:dgram";
import { createSocket } from "node:dgram";
import { seededDice } from "../../testing/dice.ts";

export interface PathDamage {
  /** Share of packets lost in each direction, 0 to 1. */
  readonly loss: number;
  /** One way, ms. */
  readonly delayMs: number;
  /** Towards the browser, bit/s; 0 for no limit. */
  readonly bitsPerSecond: number;
  /** Room of the bottleneck's queue, ms; what does not fit is dropped. */
  readonly queueMs: number;
}

/** A UDP relay on 127.0.0.1 between one browser and one agent port, with a seeded dice. */
export async function damagePath(agentPort: number, damage: PathDamage, seed = 1) {
  const browserSide = createSocket("udp4");
  const agentSide = createSocket("udp4");
  const timers = new Set<NodeJS.Timeout>();
  let browserPort = 0;
  let freeAtMs = 0;
  let closed = false;
  const figures = { toBrowserBytes: 0, lost: 0, overflowed: 0 };

  const dice = seededDice(seed);
  const later = (delayMs: number, run: () => void) => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      if (!closed) run();
    }, delayMs);
    timers.add(timer);
  };
  /** When a packet leaves the bottleneck, or null when its queue is full. */
  const queued = (bytes: number): number | null => {
    if (damage.bitsPerSecond === 0) return 0;
    const now = performance.now();
    const waitMs = Math.max(0, freeAtMs - now);
    if (waitMs > damage.queueMs) return null;
    freeAtMs = now + waitMs + (bytes * 8000) / damage.bitsPerSecond;
    return freeAtMs - now;
  };
  const forward = (to: Socket, port: () => number, waitMs: number, packet: Buffer) => {
    if (dice() < damage.loss) figures.lost += 1;
    else later(damage.delayMs + waitMs, () => port() > 0 && to.send(packet, port(), "127.0.0.1"));
  };

  browserSide.on("message", (packet, from) => {
    browserPort = from.port;
    forward(agentSide, () => agentPort, 0, packet);
  });
  agentSide.on("message", (packet) => {
    const waitMs = queued(packet.length);
    if (waitMs === null) {
      figures.overflowed += 1;
      return;
    }
    figures.toBrowserBytes += packet.length;
    forward(browserSide, () => browserPort, waitMs, packet);
  });
  await bind(browserSide);
  await bind(agentSide);

  return {
    port: browserSide.address().port,
    figures,
    close() {
      closed = true;
      for (const timer of timers) clearTimeout(timer);
      browserSide.close();
      agentSide.close();
    },
  };
}

const bind = (socket: Socket) => new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));

/** UDP port of the agent in its answer. */
export function answerPort(sdp: string): number {
  const [, port = "0"] = /a=candidate:\S+ 1 udp \d+ 127\.0\.0\.1 (\d+) typ host/.exec(sdp) ?? [];
  return Number(port);
}

/** The answer with one candidate only: the relay. */
export function answerThrough(sdp: string, port: number): string {
  const lines = sdp.split("\r\n").filter((line) => !/^a=candidate:.* tcp /.test(line));
  return lines.join("\r\n").replaceAll(` ${answerPort(sdp)} typ host`, ` ${port} typ host`);
}
