import { createQueue } from "../../../machine/machine-queue.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Carrier, LineUnit, PortFault } from "../line/carrier.ts";
import type { LineCounters, LineState, LineTiming, PollOutcome, SasLine } from "../line/line.ts";
import { CHARACTER_MS, NO_COUNTERS } from "../line/line.ts";
import { onSilence } from "../line/silence.ts";
import type { SasEvent } from "../protocol/events.ts";
import type { LongPoll } from "../protocol/polls.ts";
import { encodePoll, generalPoll } from "../protocol/polls.ts";
import type { Reply } from "../protocol/replies.ts";
import { judgeReply } from "../protocol/replies.ts";

/** A poll that failed is sent this often. */
const TRIES = 3;

/** What has arrived since a poll. `arrived` is called with each character, and when the connection ends. */
type OpenAnswer = { readonly received: number[]; damage: string | undefined; arrived: () => void };

export type LookLineOptions = {
  readonly carrier: Carrier;
  readonly clock: Clock;
  /** 1 to 127. */
  readonly address: number;
  readonly timing: LineTiming;
};

/**
 * A line that only looks (record 0147). It sends long polls, and address 0 between them, and never a general poll, because the message behind an
 * exception acknowledges it and the machine forgets it. When the machine reports an event in the place of an answer, the line falls silent for
 * good: the machine then counts the loop as broken and keeps the event. Give it only polls that read.
 */
export class LookLine implements SasLine {
  readonly #options: LookLineOptions;
  readonly #queue = createQueue();
  readonly #counters: LineCounters = { ...NO_COUNTERS };
  #pollMs: number;
  #connected = false;
  #why = "The line was not opened.";
  #portFault: PortFault | undefined;
  #sentAt = Number.NEGATIVE_INFINITY;
  #longestGapMs = 0;
  #damaged = 0;
  #waiting: SasEvent | undefined;
  #open: OpenAnswer | undefined;
  #closed = false;

  constructor(options: LookLineOptions) {
    this.#options = options;
    this.#pollMs = options.timing.pollMs;
    options.carrier.open((unit) => this.#receive(unit));
  }

  poll<Answer>(poll: LongPoll<Answer>): Promise<PollOutcome<Answer>> {
    return this.#queue(() => this.#poll(poll)) as Promise<PollOutcome<Answer>>;
  }
  setPollMs(pollMs: number): void {
    this.#pollMs = pollMs;
  }
  state(): LineState {
    return { up: this.#connected, why: this.#why };
  }
  counters(): LineCounters {
    return { ...this.#counters, wakeupGapMs: this.#options.carrier.wakeupGapMs?.() };
  }
  /** What the line has seen besides answers. */
  seen() {
    return {
      portFault: this.#portFault,
      /** Longest pause inside an answer that a front end has measured. */
      longestGapMs: this.#longestGapMs,
      /** Characters that arrived damaged, whether a poll waited for them or not. */
      damaged: this.#damaged,
      /** Whether the other end speaks the framing; undefined: the carrier has none. */
      hasGreeted: this.#options.carrier.hasGreeted?.(),
      /** The event that the machine wants to report. */
      waiting: this.#waiting,
    };
  }
  async close(): Promise<void> {
    this.#closed = true;
    this.#connected = false;
    this.#open?.arrived();
    await this.#options.carrier.close();
  }

  #receive(unit: LineUnit): void {
    if (this.#closed) return;
    switch (unit.is) {
      case "connected":
        this.#connected = true;
        return;
      case "disconnected":
        this.#connected = false;
        this.#why = unit.why;
        this.#portFault = unit.fault;
        this.#open?.arrived();
        return;
      case "byte":
        this.#byte(unit);
        return;
      case "gap":
        if (this.#open !== undefined && this.#open.received.length > 0)
          this.#longestGapMs = Math.max(this.#longestGapMs, unit.ms);
        return;
      case "damage":
        this.#damaged += 1;
        if (this.#open !== undefined) this.#open.damage ??= `${unit.what} error on the line`;
        return;
      default:
        unit satisfies never;
    }
  }
  #byte({ byte, wakeup }: Extract<LineUnit, { is: "byte" }>): void {
    if (wakeup) {
      this.#counters.chirps += 1;
      this.#counters.chirpAddress = byte;
    } else if (this.#open === undefined) this.#counters.stray += 1;
    else {
      this.#open.received.push(byte);
      this.#open.arrived();
    }
  }

  async #poll(poll: LongPoll<unknown>): Promise<PollOutcome<unknown>> {
    let last: PollOutcome<unknown> = { is: "down" };
    for (let tries = 0; tries < TRIES; tries += 1) {
      if (this.#waiting !== undefined || !this.#connected) return { is: "down" };
      last = this.#outcomeOf(await this.#exchange(poll));
      if (last.is !== "silent" && last.is !== "garbled" && last.is !== "busy") return last;
    }
    return last;
  }
  #outcomeOf(reply: Reply | undefined): PollOutcome<unknown> {
    const counters = this.#counters;
    switch (reply?.is) {
      case "answer":
        counters.answered += 1;
        return { is: "answered", answer: reply.answer };
      case "nack":
        counters.refused += 1;
        return { is: "refused" };
      case "busy":
        counters.busy += 1;
        return { is: "busy" };
      case "unreadable":
        counters.unreadable += 1;
        return { is: "garbled", why: reply.why };
      case "event":
        this.#waiting = reply.event;
        return { is: "down" };
      case undefined:
        counters.silent += 1;
        return { is: "silent" };
      case "garbled":
        counters.garbled += 1;
        return { is: "garbled", why: reply.why };
      default:
        counters.garbled += 1;
        return { is: "garbled", why: "a torn answer" };
    }
  }

  /** Undefined: no byte came. */
  async #exchange(poll: LongPoll<unknown>): Promise<Reply | undefined> {
    const { carrier, clock, address, timing } = this.#options;
    await this.#pass(this.#sentAt + this.#pollMs - clock.now());
    carrier.send(generalPoll(0));
    await this.#pass(timing.responseMs);
    const message = encodePoll(address, poll);
    const open: OpenAnswer = { received: [], damage: undefined, arrived: () => undefined };
    this.#open = open;
    this.#sentAt = clock.now();
    this.#counters.polls += 1;
    carrier.send(message);
    try {
      let waitMs = message.length * CHARACTER_MS + timing.responseMs + CHARACTER_MS;
      for (;;) {
        const grew = await this.#grows(open, waitMs);
        if (open.received.length === 0) return undefined;
        if (open.damage !== undefined) return { is: "garbled", why: open.damage };
        const reply = judgeReply(Uint8Array.from(open.received), address, poll, !grew);
        if (reply.is !== "more" || !grew) return reply;
        waitMs = timing.interByteMs;
      }
    } finally {
      this.#open = undefined;
    }
  }
  /** Whether something arrived before the line was silent for this long. */
  #grows(open: OpenAnswer, withinMs: number): Promise<boolean> {
    const before = open.received.length;
    return new Promise((resolve) => {
      const stop = onSilence(this.#options, withinMs, () => resolve(open.received.length > before));
      open.arrived = () => {
        stop();
        resolve(open.received.length > before);
      };
    });
  }
  async #pass(ms: number): Promise<void> {
    if (ms > 0) await new Promise<void>((passed) => void this.#options.clock.after(ms, passed));
  }
}
