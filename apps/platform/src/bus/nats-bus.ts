import { createHmac, timingSafeEqual } from "node:crypto";
import type { Msg, NatsConnection } from "@nats-io/transport-node";
import { RequestError, TimeoutError } from "@nats-io/transport-node";
import * as z from "zod/mini";
import type { Clock, Stop } from "../clock.ts";
import type { NatsServers } from "../config/nats-servers.ts";
import type { Log } from "../log.ts";
import type { Random } from "../random.ts";
import { newId, shareOf } from "../random.ts";
import type { Bus, BusAnswer } from "./bus.ts";
import { inProcessBus } from "./in-process.ts";
import type { KeptConnection } from "./nats-connection.ts";
import { keepNats } from "./nats-connection.ts";
import type { Topic, Topics } from "./topics.ts";
import { topics } from "./topics.ts";

export type NatsBusOptions = {
  readonly servers: NatsServers;
  readonly nodeId: string;
  /** Tells this platform from others on the same server: letters, digits, `_` and `-`. */
  readonly platformId: string;
  /** Seals every message; all nodes of a platform have the same. */
  readonly key: Buffer;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
};

/** How long a responder of ours may take, ms: the longest that anybody may wait for it. */
const ANSWER_MS_MAX = 60_000;

const Answer = z.union([
  z.object({ is: z.literal("done"), data: z.unknown() }),
  z.object({ is: z.literal("noResponder") }),
  z.object({ is: z.literal("unknown"), cause: z.enum(["deadline", "failed"]) }),
]);
const FAILED: BusAnswer = { is: "unknown", cause: "failed" };

type Question = { readonly subject: string; readonly stamp: Stamp; readonly bytes: Buffer };

/** Begins to connect; the bus works within this process from the first moment. */
export function natsBus(options: NatsBusOptions): Bus & Pick<NatsBus, "settled"> {
  const bus = new NatsBus(options);
  // Parts of it may be handed on.
  return {
    publish: bus.publish.bind(bus),
    subscribe: bus.subscribe.bind(bus),
    request: bus.request.bind(bus),
    respond: bus.respond.bind(bus),
    onGap: bus.onGap.bind(bus),
    state: bus.state.bind(bus),
    close: bus.close.bind(bus),
    settled: bus.settled.bind(bus),
  };
}

/**
 * The bus of a platform of several processes. What a node tells itself never leaves the process; for the others it is sealed and goes over the
 * NATS server, and what comes from there is opened and parsed before anybody hears it. While the server is away a node goes on alone.
 */
class NatsBus implements Bus {
  readonly #options: NatsBusOptions;
  readonly #local: Bus;
  readonly #connection: KeptConnection;
  readonly #drop: (subject: string, why: string) => void;
  readonly #stamps: Stamps;
  readonly #gaps = new Set<() => void>();
  /** What this node hears from others, by full subject. */
  readonly #heard = new Map<string, (message: Msg) => void>();
  readonly #respondsTo = new Set<string>();
  readonly #open = new Set<(answer: BusAnswer) => void>();

  constructor(options: NatsBusOptions) {
    const { clock, log, nodeId, random } = options;
    this.#options = options;
    this.#stamps = new Stamps(clock, newId(random, "bus"));
    this.#drop = createDropLog(clock, log);
    this.#local = inProcessBus({
      clock,
      onError: (subject, error) => log.error({ err: error, subject }, "a bus handler failed"),
    });
    // Others say it when they come back: until then nobody heard them.
    this.#heard.set(this.#subject("gap", "node"), (message) => this.#takeGap(message));
    this.#connection = keepNats({
      ...options,
      random: () => shareOf(random),
      name: `longarm ${nodeId}`,
      opened: (nats) => {
        for (const subject of this.#heard.keys()) this.#listen(nats, subject);
      },
      lost: () => this.#giveUp(),
      gap: () => this.#reportGap(),
      back: (nats) => {
        this.#reportGap();
        const subject = this.#subject("gap", "node");
        nats.publish(subject, sealMessage(this.#options.key, subject, this.#stamps.next(), { nodeId }));
      },
    });
  }

  publish<T extends Topic>(topic: T, message: Topics[T]): void {
    this.#local.publish(topic, message);
    const subject = this.#subject("topic", topic);
    const bytes = sealMessage(this.#options.key, subject, this.#stamps.next(), message);
    if (bytes === undefined) {
      this.#options.log.error({ topic }, "a message is too large for the bus; the other nodes do not hear it");
      return;
    }
    try {
      this.#connection.up()?.publish(subject, bytes);
    } catch (error) {
      // The connection ends just now; `onGap` tells when it is back.
      this.#drop(subject, String(error));
    }
  }

  subscribe<T extends Topic>(topic: T, handler: (message: Topics[T]) => void): Stop {
    this.#onMessage(this.#subject("topic", topic), (message) => this.#takeTopic(topic, message));
    return this.#local.subscribe(topic, handler);
  }

  request(asked: string, message: unknown, deadlineMs: number): Promise<BusAnswer> {
    if (this.#respondsTo.has(asked)) return this.#local.request(asked, message, deadlineMs);
    const subject = this.#subject("ask", asked);
    const stamp = this.#stamps.next();
    const bytes = sealMessage(this.#options.key, subject, stamp, message);
    if (bytes === undefined) return Promise.resolve({ is: "noResponder" });
    return new Promise((settled) => {
      const settle = (answer: BusAnswer): void => {
        this.#open.delete(settle);
        settled(answer);
      };
      this.#open.add(settle);
      void this.#requestOthers({ subject, stamp, bytes }, deadlineMs).then(settle);
    });
  }

  respond(asked: string, handler: (message: unknown) => Promise<unknown>): Stop {
    this.#respondsTo.add(asked);
    this.#onMessage(this.#subject("ask", asked), (message) => {
      this.#takeRequest(asked, message).catch((error: unknown) => this.#drop(message.subject, String(error)));
    });
    return this.#local.respond(asked, handler);
  }

  onGap(handler: () => void): Stop {
    this.#gaps.add(handler);
    return () => this.#gaps.delete(handler);
  }

  state(): "up" | "away" {
    return this.#connection.up() === undefined ? "away" : "up";
  }

  /** Settles when the server knows every subscription of this node. Rejects while the bus is away. */
  async settled(): Promise<void> {
    const nats = this.#connection.up();
    if (nats === undefined) throw new Error("the bus is away");
    await nats.flush();
  }

  async close(): Promise<void> {
    this.#giveUp();
    this.#gaps.clear();
    await this.#connection.close();
    await this.#local.close();
  }

  #reportGap(): void {
    for (const handler of this.#gaps) {
      try {
        handler();
      } catch (error) {
        this.#options.log.error({ err: error }, "a bus handler failed");
      }
    }
  }

  /** What another node sent, for the first time. Everything else is dropped. */
  #openNew({ subject, data }: Msg): Opened | undefined {
    const opened = openMessage(this.#options.key, subject, data);
    if (opened === undefined) this.#drop(subject, "not sealed by this platform");
    else if (this.#stamps.isNew(subject, opened.stamp)) return opened;
    else this.#drop(subject, "sent again, or the clocks of two nodes are wrong");
    return undefined;
  }

  #takeGap(message: Msg): void {
    if (this.#openNew(message) !== undefined) this.#reportGap();
  }

  #subject(kind: "topic" | "ask" | "gap", name: string): string {
    return `longarm.${this.#options.platformId}.${kind}.${name}`;
  }

  #giveUp(): void {
    for (const settle of [...this.#open]) settle(FAILED);
  }

  /** Begins to hear a subject, once; it goes on until the end, since who asks nobody any more must still be told so. */
  #onMessage(subject: string, take: (message: Msg) => void): void {
    if (this.#heard.has(subject)) return;
    this.#heard.set(subject, take);
    const nats = this.#connection.up();
    if (nats !== undefined) this.#listen(nats, subject);
  }

  #listen(nats: NatsConnection, subject: string): void {
    nats.subscribe(subject, {
      callback: (error, message) => (error ? this.#drop(subject, error.message) : this.#heard.get(subject)?.(message)),
    });
  }

  #takeTopic(topic: Topic, message: Msg): void {
    const opened = this.#openNew(message);
    if (opened === undefined) return;
    const parsed = topics[topic].safeParse(opened.message);
    if (parsed.success) this.#local.publish(topic, parsed.data as Topics[typeof topic]);
    else this.#drop(message.subject, "malformed");
  }

  async #takeRequest(asked: string, message: Msg): Promise<void> {
    const opened = this.#openNew(message);
    if (opened === undefined || message.reply === undefined) return;
    const to = answerSubject(message.reply, opened.stamp);
    const sealed = (answer: BusAnswer) => sealMessage(this.#options.key, to, this.#stamps.next(), answer);
    const answer = await this.#local.request(asked, opened.message, ANSWER_MS_MAX);
    message.respond(sealed(answer) ?? sealed(FAILED));
  }

  async #requestOthers({ subject, stamp, bytes }: Question, deadlineMs: number): Promise<BusAnswer> {
    const nats = this.#connection.up();
    if (nats === undefined) return { is: "noResponder" };
    try {
      const reply = await nats.request(subject, bytes, { timeout: deadlineMs });
      const to = answerSubject(reply.subject, stamp);
      const read = Answer.safeParse(openMessage(this.#options.key, to, reply.data)?.message);
      return read.success ? (read.data as BusAnswer) : FAILED;
    } catch (error) {
      if (error instanceof RequestError && error.isNoResponders()) return { is: "noResponder" };
      return { is: "unknown", cause: error instanceof TimeoutError ? "deadline" : "failed" };
    }
  }
}

/** Messages that were dropped are told this often, ms: whoever floods the bus must not fill the log. */
const TELL_EVERY_MS = 10_000;

/** Tells of messages that nobody gets to hear, the first one at once and then how many more. */
function createDropLog(clock: Pick<Clock, "now">, log: Log): (subject: string, why: string) => void {
  let toldAt = Number.NEGATIVE_INFINITY;
  let untold = 0;
  return (subject, why) => {
    untold += 1;
    if (clock.now() - toldAt < TELL_EVERY_MS) return;
    toldAt = clock.now();
    log.warn({ alarm: "bus", subject, why, dropped: untold }, "messages on the bus were dropped");
    untold = 0;
  };
}

/** A message that is older or newer than this was recorded and is sent again, or the clocks of two nodes are wrong, ms. */
export const STAMP_AGE_MS_MAX = 120_000;

/** Stamps what a process sends, and knows what it has heard before: whoever can read the server can send everything again. */
export class Stamps {
  readonly #clock: Pick<Clock, "now">;
  readonly #from: string;
  #count = 0;
  /** The newest message by sender and subject; one sender's come in their order. */
  readonly #heard = new Map<string, Stamp>();
  #sweptAt = Number.NEGATIVE_INFINITY;

  /** @param from of this process alone. */
  constructor(clock: Pick<Clock, "now">, from: string) {
    this.#clock = clock;
    this.#from = from;
  }

  next(): Stamp {
    this.#count += 1;
    return { from: this.#from, count: this.#count, at: this.#clock.now() };
  }

  /** False for what was heard before, and for what is too old to know whether it was. */
  isNew(subject: string, stamp: Stamp): boolean {
    const now = this.#clock.now();
    if (Math.abs(now - stamp.at) > STAMP_AGE_MS_MAX) return false;
    this.#forget(now);
    const key = `${stamp.from} ${subject}`;
    if (stamp.count <= (this.#heard.get(key)?.count ?? 0)) return false;
    this.#heard.set(key, stamp);
    return true;
  }

  #forget(now: number): void {
    if (Math.abs(now - this.#sweptAt) < STAMP_AGE_MS_MAX) return;
    this.#sweptAt = now;
    for (const [key, { at }] of this.#heard) if (now - at > STAMP_AGE_MS_MAX) this.#heard.delete(key);
  }
}

/** The largest message either way, bytes; as large as a frame of the agents' links, whose words it carries. */
const MESSAGE_BYTES_MAX = 65_536;
const SEAL_BYTES = 32;

/** Which message it is: of which process, its how manieth one, and when it was sent (ms since 1970). No two messages have the same. */
type Stamp = { readonly from: string; readonly count: number; readonly at: number };
const Body = z.tuple([z.string().check(z.minLength(1), z.maxLength(64)), z.int(), z.number(), z.unknown()]);

type Opened = { readonly message: unknown; readonly stamp: Stamp };

/**
 * A message as it goes over a server that others may share: a seal under the platform's own key, and JSON behind it. The seal also covers
 * the subject, so that nobody sends it again as another one, and the stamp, by which the same one again is known (`Stamps`).
 * @returns undefined for one that is too large.
 */
export function sealMessage(key: Buffer, subject: string, { from, count, at }: Stamp, message: unknown) {
  const body = Buffer.from(JSON.stringify([from, count, at, message ?? null]));
  if (body.length > MESSAGE_BYTES_MAX) return undefined;
  return Buffer.concat([sealOf(key, subject, body), body]);
}

/** What one of us sent; undefined for everything else. */
export function openMessage(key: Buffer, subject: string, bytes: Uint8Array): Opened | undefined {
  if (bytes.length <= SEAL_BYTES || bytes.length > MESSAGE_BYTES_MAX + SEAL_BYTES) return undefined;
  const body = bytes.subarray(SEAL_BYTES);
  if (!timingSafeEqual(bytes.subarray(0, SEAL_BYTES), sealOf(key, subject, body))) return undefined;
  try {
    const [from, count, at, message] = z.parse(Body, JSON.parse(Buffer.from(body).toString("utf8")));
    return { message, stamp: { from, count, at } };
  } catch {
    return undefined;
  }
}

/**
 * What an answer is sealed for: who can read the server knows where an answer is waited for, and could have another question, asked
 * before, answered there.
 */
export function answerSubject(reply: string, { from, count }: Stamp): string {
  return `${reply} ${from} ${count}`;
}

function sealOf(key: Buffer, subject: string, body: Uint8Array): Buffer {
  return createHmac("sha256", key).update(`${subject}\n`).update(body).digest();
}
