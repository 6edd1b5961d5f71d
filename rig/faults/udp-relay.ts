import type { RemoteInfo, Socket } from "node:dgram";
import { createSocket } from "node:dgram";

/** What a path does to the datagrams of each direction. There is no netem everywhere, so the damage is done by a relay of our own. */
export type Damage = {
  /** Share of datagrams lost, 0 to 1. */
  readonly lossShare: number;
  /** How many datagrams are lost together, on average; absent: each by itself. */
  readonly burst?: number;
  /** Added to each datagram, one way, ms. */
  readonly delayMs: number;
  /** Bits a second that pass; absent: all. */
  readonly bitsPerSecond?: number;
  /** A datagram that would wait longer than this at the bottleneck is dropped, ms. */
  readonly queueMs?: number;
  /** Added to `delayMs`, another part of it for each 25 ms, evenly spread, ms; datagrams keep their order. */
  readonly jitterMs?: number;
};

export const CLEAN: Damage = { lossShare: 0, delayMs: 0 };
/** 3 % loss and 40 ms, each way. */
export const LOSSY: Damage = { lossShare: 0.03, delayMs: 40 };
/** A bottleneck of 1.5 Mbit/s with a 300 ms drop-tail queue, 20 ms each way. */
export const NARROW: Damage = { lossShare: 0, delayMs: 20, bitsPerSecond: 1_500_000, queueMs: 300 };

const RECEIVE_BYTES = 1 << 20;

/** 10 ms each way, and up to 40 ms more, as a busy wireless network has it. */
export const JITTERY: Damage = { lossShare: 0, delayMs: 10, jitterMs: 40 };

export type RelayCounts = {
  passed: number;
  lost: number;
  overflowed: number /** Of those that passed. */;
  bytes: number;
};

export type UdpRelay = {
  /** The browser sends here instead of to the agent. */
  readonly portNumber: number;
  readonly toAgent: RelayCounts;
  readonly toBrowser: RelayCounts;
  /** Drops everything in both directions while true. */
  cut(isCut: boolean): void;
  close(): void;
};

/** A relay on 127.0.0.1 for one UDP port of an agent, or of the sender at `host`. `random` gives 0 to below 1. */
export async function openUdpRelay(
  agentPort: number,
  damage: Damage,
  random: () => number,
  host = "127.0.0.1",
): Promise<UdpRelay> {
  const front = await bound("127.0.0.1");
  // From the same address, or the kernel finds no way between the two.
  const back = await bound(host);
  let browser: RemoteInfo | undefined;
  const up = direction(damage, random, (datagram) => back.send(datagram, agentPort, host));
  const down = direction(damage, random, (datagram) => {
    if (browser !== undefined) front.send(datagram, browser.port, browser.address);
  });
  front.on("message", (datagram, from) => {
    browser = from;
    up.take(datagram);
  });
  back.on("message", (datagram, from) => {
    if (from.port === agentPort) down.take(datagram);
  });
  return {
    portNumber: front.address().port,
    toAgent: up.counts,
    toBrowser: down.counts,
    cut(isCut) {
      up.cut(isCut);
      down.cut(isCut);
    },
    close() {
      up.close();
      down.close();
      front.close();
      back.close();
    },
  };
}

function direction(damage: Damage, random: () => number, send: (datagram: Buffer) => void) {
  const counts: RelayCounts = { passed: 0, lost: 0, overflowed: 0, bytes: 0 };
  const timers = new Set<NodeJS.Timeout>();
  let freeAt = 0;
  let closed = false;
  const jitter = createJitter(damage.jitterMs ?? 0, random);
  const isLost = createLosses(damage, random);

  /** When the bottleneck has let it through; undefined: its queue is full. */
  function leavesAt(bytes: number, now: number): number | undefined {
    if (damage.bitsPerSecond === undefined) return now;
    const starts = Math.max(now, freeAt);
    if (starts - now > (damage.queueMs ?? 0)) return undefined;
    freeAt = starts + (bytes * 8_000) / damage.bitsPerSecond;
    return freeAt;
  }

  return {
    counts,
    take(datagram: Buffer): void {
      const now = performance.now();
      if (closed || isLost()) {
        counts.lost += 1;
        return;
      }
      const at = leavesAt(datagram.length, now);
      if (at === undefined) {
        counts.overflowed += 1;
        return;
      }
      counts.passed += 1;
      counts.bytes += datagram.length;
      const timer = setTimeout(
        () => {
          timers.delete(timer);
          send(datagram);
        },
        jitter(at + damage.delayMs, now) - now,
      );
      timers.add(timer);
    },
    cut(isCut: boolean): void {
      closed = isCut;
    },
    close(): void {
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
    },
  };
}

/** Gilbert's model: a state in which everything is lost, and one in which nothing is. */
function createLosses({ lossShare, burst }: Damage, random: () => number): () => boolean {
  if (burst === undefined) return () => random() < lossShare;
  const ends = 1 / burst;
  const begins = (lossShare * ends) / (1 - lossShare);
  let losing = false;
  return () => {
    losing = losing ? random() >= ends : random() < begins;
    return losing;
  };
}

const JITTER_PIECE_MS = 25;

/** When a datagram arrives that would arrive at `at` without jitter. */
function createJitter(mostMs: number, random: () => number): (at: number, now: number) => number {
  let addedMs = 0;
  let pieceEnds = 0;
  let latest = 0;
  return (at, now) => {
    if (mostMs === 0) return at;
    if (now > pieceEnds) [addedMs, pieceEnds] = [random() * mostMs, now + JITTER_PIECE_MS];
    latest = Math.max(latest, at + addedMs);
    return latest;
  };
}

function bound(host: string): Promise<Socket> {
  return new Promise((ready, failed) => {
    const socket = createSocket("udp4");
    socket.once("error", failed);
    socket.bind(0, host, () => {
      socket.off("error", failed);
      // A key frame is a burst: the kernel must not lose what the damage lets through.
      socket.setRecvBufferSize(RECEIVE_BYTES);
      // A port that no program listens on any more answers with an error; that datagram is lost.
      socket.on("error", () => {});
      ready(socket);
    });
  });
}
