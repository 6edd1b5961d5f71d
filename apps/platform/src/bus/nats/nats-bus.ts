import type { Msg, NatsConnection } from "@nats-io/transport-node";
import { RequestError, TimeoutError } from "@nats-io/transport-node";
import * as z from "zod/mini";
import type { Clock, Stop } from "../../clock.ts";
import type { NatsServers } from "../../config/nats-servers.ts";
import type { Log } from "../../log.ts";
import type { Bus, BusAnswer } from "../bus.ts";
import { inProcessBus } from "../in-process.ts";
import type { Topic, Topics } from "../topics.ts";
import { topics } from "../topics.ts";
import { keepNats } from "./connection.ts";
import { createDropLog } from "./drop-log.ts";
import { openMessage, sealMessage } from "./sealed.ts";

export type NatsBusOptions = {
  readonly servers: NatsServers;
  readonly nodeId: string;
  /** Tells this platform from others on the same server: letters, digits, `_` and `-`. */
  readonly platformId: string;
  /** Seals every message; all nodes of a platform have the same. */
  readonly key: Buffer;
  readonly clock: Clock;
  /** 0 to below 1. */
  readonly random: () => number;
  readonly log: Log;
};

/** A bus over NATS, and what only its tests need. */
export type NatsBus = Bus & {
  /** Settles when the server knows every subscription of this node. Rejects while the bus is away. */
  settled(): Promise<void>;
};

/** How long a responder of ours may take, ms: the longest that anybody may wait for it. */
const ANSWER_MS_MAX = 60_000;

const Answer = z.union([
  z.object({ is: z.literal("done"), data: z.unknown() }),
  z.object({ is: z.literal("nobody") }),
  z.object({ is: z.literal("unknown"), cause: z.enum(["deadline", "failed"]) }),
]);
const FAILED: BusAnswer = { is: "unknown", cause: "failed" };

/**
 * The bus of a platform of several processes. What a node tells itself never leaves the process; for the others it is sealed and goes over the
 * NATS server, and what comes from there is opened and parsed before anybody hears it. While the server is away a node goes on alone.
 */
export function natsBus(options: NatsBusOptions): NatsBus {
  const { clock, log, key } = options;
  const prefix = `longarm.${options.platformId}.`;
  const local = inProcessBus({
    clock,
    onError: (subject, error) => log.error({ err: error, subject }, "a bus handler failed"),
  });
  const drop = createDropLog(clock, log);
  const gaps = new Set<() => void>();
  /** What this node hears from others, by full subject. */
  const heard = new Map<string, (message: Msg) => void>();
  const respondsTo = new Set<string>();
  const open = new Set<(answer: BusAnswer) => void>();

  const listen = (nats: NatsConnection, subject: string): void =>
    void nats.subscribe(subject, {
      callback: (error, message) => (error ? drop(subject, error.message) : heard.get(subject)?.(message)),
    });
  const connection = keepNats({
    ...options,
    name: `longarm ${options.nodeId}`,
    opened: (nats) => {
      for (const subject of heard.keys()) listen(nats, subject);
    },
    lost: () => giveUp(),
    gap: () => {
      for (const handler of gaps) handler();
    },
  });

  function giveUp(): void {
    for (const settle of [...open]) settle(FAILED);
  }

  /** Begins to hear a subject, once; it goes on until the end, since who asks nobody any more must still be told so. */
  function hear(subject: string, take: (message: Msg) => void): void {
    if (heard.has(subject)) return;
    heard.set(subject, take);
    const nats = connection.up();
    if (nats !== undefined) listen(nats, subject);
  }

  function takeTopic(topic: Topic, { subject, data }: Msg): void {
    const opened = openMessage(key, subject, data);
    const parsed = opened === undefined ? undefined : topics[topic].safeParse(opened.message);
    if (parsed?.success) local.publish(topic, parsed.data as Topics[typeof topic]);
    else drop(subject, opened === undefined ? "not sealed by this platform" : "malformed");
  }

  async function takeRequest(asked: string, message: Msg): Promise<void> {
    const opened = openMessage(key, message.subject, message.data);
    if (opened === undefined || message.reply === undefined)
      return drop(message.subject, "not sealed by this platform");
    const answer = await local.request(asked, opened.message, ANSWER_MS_MAX);
    const bytes = sealMessage(key, message.reply, answer) ?? sealMessage(key, message.reply, FAILED);
    message.respond(bytes);
  }

  function tellOthers(subject: string, bytes: Buffer): void {
    try {
      connection.up()?.publish(subject, bytes);
    } catch (error) {
      // The connection ends just now; `onGap` tells when it is back.
      drop(subject, String(error));
    }
  }

  async function askOthers(subject: string, bytes: Buffer, deadlineMs: number): Promise<BusAnswer> {
    const nats = connection.up();
    if (nats === undefined) return { is: "nobody" };
    try {
      const reply = await nats.request(subject, bytes, { timeout: deadlineMs });
      const read = Answer.safeParse(openMessage(key, reply.subject, reply.data)?.message);
      return read.success ? (read.data as BusAnswer) : FAILED;
    } catch (error) {
      if (error instanceof RequestError && error.isNoResponders()) return { is: "nobody" };
      return { is: "unknown", cause: error instanceof TimeoutError ? "deadline" : "failed" };
    }
  }

  return {
    publish<T extends Topic>(topic: T, message: Topics[T]) {
      local.publish(topic, message);
      const subject = `${prefix}topic.${topic}`;
      const bytes = sealMessage(key, subject, message);
      if (bytes === undefined)
        log.error({ topic }, "a message is too large for the bus; the other nodes do not hear it");
      else tellOthers(subject, bytes);
    },
    subscribe<T extends Topic>(topic: T, handler: (message: Topics[T]) => void): Stop {
      hear(`${prefix}topic.${topic}`, (message) => takeTopic(topic, message));
      return local.subscribe(topic, handler);
    },
    request(asked, message, deadlineMs) {
      if (respondsTo.has(asked)) return local.request(asked, message, deadlineMs);
      const subject = `${prefix}ask.${asked}`;
      const bytes = sealMessage(key, subject, message);
      if (bytes === undefined) return Promise.resolve({ is: "nobody" });
      return new Promise((settled) => {
        const settle = (answer: BusAnswer): void => {
          open.delete(settle);
          settled(answer);
        };
        open.add(settle);
        void askOthers(subject, bytes, deadlineMs).then(settle);
      });
    },
    respond(asked, handler) {
      respondsTo.add(asked);
      hear(`${prefix}ask.${asked}`, (message) => {
        takeRequest(asked, message).catch((error: unknown) => drop(message.subject, String(error)));
      });
      return local.respond(asked, handler);
    },
    onGap(handler) {
      gaps.add(handler);
      return () => gaps.delete(handler);
    },
    state: () => (connection.up() === undefined ? "away" : "up"),
    async settled() {
      const nats = connection.up();
      if (nats === undefined) throw new Error("the bus is away");
      await nats.flush();
    },
    async close() {
      giveUp();
      gaps.clear();
      await connection.close();
      await local.close();
    },
  };
}
