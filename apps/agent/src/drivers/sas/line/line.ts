import type { Clock, Stop } from "../../../ports/clock.ts";
import { hexOf } from "../protocol/bytes.ts";
import type { SasEvent } from "../protocol/events.ts";
import { isIdle, waitsForPlayer } from "../protocol/events.ts";
import type { LongPoll } from "../protocol/polls.ts";
import { currentCredits, encodePoll, generalPoll } from "../protocol/polls.ts";
import type { Awaited, Reply } from "../protocol/replies.ts";
import { judgeReply } from "../protocol/replies.ts";
import type { Carrier, LineUnit } from "./carrier.ts";
import type { LastExceptionOptions } from "./last-exception.ts";
import { GENERAL, LastException } from "./last-exception.ts";
import { onSilence } from "./silence.ts";

/** Times of one line, ms. The defaults are those of SAS 6.02. */
export type LineTiming = {
  /** From one poll of the machine to the next: 200, or 40 where its features allow. At most 5000. */
  pollMs: number;
  /** The machine begins to answer within this time. */
  responseMs: number;
  /** Longest silence inside a message. */
  interByteMs: number;
  /** How much later than the line this computer may see a byte: operating system, USB adapter, network. */
  slackMs: number;
  /** Without a valid answer for this time the link is down. */
  downMs: number;
  /** A machine that has seen no address for this long knows that the loop is broken; 5 s and some margin. */
  loopBreakMs: number;
};

export const LINE_TIMING: LineTiming = {
  ...{ pollMs: 200, responseMs: 20, interByteMs: 5, slackMs: 30 },
  ...{ downMs: 5_000, loopBreakMs: 5_200 },
};

/** How a long poll ended. Only `answered` and `refused` are words of the machine; of all others the effect is unknown. */
export type PollOutcome<Answer> =
  | { is: "answered"; answer: Answer }
  | { is: "refused" }
  | { is: "busy" }
  /** No answer: the machine does not have this poll, or poll or answer were lost. */
  | { is: "silent" }
  | { is: "garbled"; why: string }
  | { is: "down" };

export type PollOptions = {
  /** Goes before those that are not. */
  urgent?: boolean;
};

/** What a driver needs of a line. */
export interface SasLine {
  poll<Answer>(poll: LongPoll<Answer>, options?: PollOptions): Promise<PollOutcome<Answer>>;
  /** From now on the machine is polled this often, ms. */
  setPollMs(pollMs: number): void;
  state(): LineState;
  counters(): LineCounters;
  close(): Promise<void>;
}

export type LineState = { readonly up: boolean; readonly why: string };

/** Counts since the line was opened. */
export type LineCounters = {
  /** Polls of the machine, repeats included. */
  polls: number;
  /** Polls answered as they should be. */
  answered: number;
  /** Answers that could not be read: checksum, torn, too slow inside. */
  garbled: number;
  /** Answers that arrived whole and say what the protocol does not know. */
  unreadable: number;
  /** Polls without any answer. */
  silent: number;
  /** Polls that we repeated, which rejects the machine's answer as not understood. */
  repeated: number;
  /** Polls that the machine refused. */
  refused: number;
  busy: number;
  /** Bytes that no poll waited for. */
  stray: number;
  /** Chirps of a machine that misses its polls, and the address that the last one named. */
  chirps: number;
  chirpAddress: number;
  /** Polls and spacers sent more than 10 ms after their plan. */
  late: number;
  /** See `Carrier.wakeupGapMs`. */
  wakeupGapMs?: number | undefined;
};

export const NO_COUNTERS: LineCounters = {
  ...{ polls: 0, answered: 0, garbled: 0, unreadable: 0, silent: 0, repeated: 0, refused: 0, busy: 0, stray: 0 },
  ...{ chirps: 0, chirpAddress: 0, late: 0 },
};

/** One poll and what came back, for traces. */
export type Exchange = {
  /** ms since 1970. */
  readonly at: number;
  readonly sent: Uint8Array;
  readonly received: Uint8Array;
  /** From the poll to the judgement, ms. */
  readonly tookMs: number;
  readonly reply: Reply["is"] | "silent" | "spacer";
};

export type LineOptions = LastExceptionOptions & {
  readonly carrier: Carrier;
  readonly clock: Clock;
  /** 1 to 127. */
  readonly address: number;
  readonly timing: LineTiming;
  /**
   * Makes an exception durable. The line sends nothing until it resolves, because the next poll of another kind acknowledges the
   * exception at the machine. It must not reject: a caller that cannot store retries, and meanwhile the machine keeps the exception.
   */
  readonly accept: (event: SasEvent) => Promise<void>;
  readonly romSignature?: (signature: number) => void;
  /** The link came up or went down. */
  readonly changed?: (state: LineState) => void;
  /** The machine began or ceased to report, in its answers without activity, that it waits for its player. */
  readonly awaitsPlayer?: (awaits: boolean) => void;
  readonly trace?: (exchange: Exchange) => void;
};

/** A long poll is sent at most this often in a row; a machine gives up after the third, and keeps its data. */
const TRIES = 3;
/** Polls in a row without a single byte, after which the line begins anew. */
const SILENT_MAX = 5;
/** Busy answers, and events in place of an answer, that one long poll waits out. */
const WAITS_MAX = 50;
/** Polls that failed in a row before the link counts as down. */
const ERRORS_MAX = 30;
/** Long polls between two general polls, which fetch the events. */
const LONG_POLLS_MAX = 2;
const QUEUE_MAX = 200;
/** After a silence of this length a machine may count the loop as broken (5 s): what it said last is not acknowledged then, and comes again, ms. */
const LOOP_WHOLE_MS = 4_500;
const LATE_MS = 10;
/** One character at 19200 baud: start, eight data, ninth and stop bit. */
export const CHARACTER_MS = 11 / 19.2;

type Job = {
  readonly poll: LongPoll<unknown>;
  readonly options: PollOptions;
  readonly done: (outcome: PollOutcome<unknown>) => void;
  waits: number;
};

type Open = {
  readonly job: Job | undefined;
  readonly message: Uint8Array;
  readonly sentAt: number;
  readonly tries: number;
  received: number[];
  damage: string | undefined;
  stop: Stop;
};

/**
 * The host's side of one SAS line: polls the machine at its pace, keeps the rules of implied acknowledgement, and knows whether the link
 * is up. One exchange at a time. A poll of another kind, or of another address, acknowledges what the machine sent; the same poll
 * again says that it was not understood.
 *
 * So a general poll whose answer was not understood is only ever followed by the same poll: anything else could acknowledge an exception
 * that was never read. A machine that must be synchronised by another address (after its start, or a broken loop) first gets
 * silence until it knows itself that the loop is broken, because then nothing of it waits for an acknowledgement any more.
 */
export class Line implements SasLine {
  readonly #options: LineOptions;
  readonly #counters: LineCounters = { ...NO_COUNTERS };
  #pollMs: number;
  #queue: Job[] = [];
  #open: Open | undefined;
  /** The exchange to send again as it was. */
  #again: Open | undefined;
  #accepting = false;
  readonly #last: LastException;
  #connected = false;
  #closed = false;
  #up = false;
  #why = "The line was opened and the machine has not answered yet.";
  /** Code of the last poll that the machine saw last, 0x80 for a general poll; undefined: it saw another address since. */
  #lastCode: number | undefined;
  #longPolls = 0;
  #awaitsPlayer = false;
  #errors = 0;
  /** Polls without a single byte, in a row. */
  #silent = 0;
  /** The line keeps silent until the machine knows that the loop is broken. */
  #resting = false;
  #sentAt: number;
  #validAt: number;
  #byteAt = Number.NEGATIVE_INFINITY;
  #planned = 0;
  #stopPlan: Stop = () => undefined;

  constructor(options: LineOptions) {
    this.#options = options;
    this.#last = new LastException(options);
    this.#pollMs = options.timing.pollMs;
    this.#validAt = options.clock.now();
    this.#sentAt = this.#validAt;
    options.carrier.open((unit) => this.#receive(unit));
  }

  poll<Answer>(poll: LongPoll<Answer>, options: PollOptions = {}): Promise<PollOutcome<Answer>> {
    if (!this.#up || this.#closed || this.#queue.length >= QUEUE_MAX) return Promise.resolve({ is: "down" });
    return new Promise((resolve) => {
      const done = (outcome: PollOutcome<unknown>): void => resolve(outcome as PollOutcome<Answer>);
      this.#enqueue({ poll, options, done, waits: 0 }, false);
    });
  }

  setPollMs(pollMs: number): void {
    this.#pollMs = pollMs;
  }

  state(): LineState {
    return { up: this.#up, why: this.#why };
  }

  counters(): LineCounters {
    return { ...this.#counters, wakeupGapMs: this.#options.carrier.wakeupGapMs?.() };
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#disconnect("The line is closed.");
    await this.#options.carrier.close();
  }

  #enqueue(job: Job, first: boolean): void {
    const urgent = job.options.urgent === true;
    const at = first ? 0 : this.#queue.findIndex((other) => urgent && other.options.urgent !== true);
    if (at === -1) this.#queue.push(job);
    else this.#queue.splice(at, 0, job);
  }

  // Turns

  #plan(at: number): void {
    this.#stopPlan();
    this.#planned = at;
    if (this.#closed || !this.#connected) return;
    this.#stopPlan = this.#options.clock.after(Math.max(0, at - this.#options.clock.now()), () => this.#turn());
  }

  /** The moment of a poll. Sends one, or what must come before it. */
  #turn(): void {
    if (this.#open !== undefined || this.#accepting) return;
    const { clock, timing } = this.#options;
    const now = clock.now();
    const quietMs = timing.interByteMs + timing.slackMs;
    if (now - this.#byteAt < quietMs) {
      this.#plan(this.#byteAt + quietMs);
      return;
    }
    this.#judgeLink(now);
    if (this.#resting) {
      this.#synchronise(now);
      return;
    }
    this.#counters.late += now - this.#planned > LATE_MS ? 1 : 0;
    const again = this.#again;
    this.#again = undefined;
    if (again !== undefined) {
      this.#repeat(again);
      return;
    }
    this.#askOnce();
    const job = this.#nextJob();
    if (this.#lastCode === (job?.poll.code ?? GENERAL)) {
      this.#space();
      this.#plan(now + timing.responseMs);
      return;
    }
    if (job !== undefined) this.#queue.splice(this.#queue.indexOf(job), 1);
    this.#longPolls = job === undefined ? 0 : this.#longPolls + 1;
    this.#send(job, 1);
  }

  /** Begins anew with another address once the machine knows that the loop is broken. */
  #synchronise(now: number): void {
    const brokenAt = this.#sentAt + this.#options.timing.loopBreakMs;
    if (now < brokenAt) {
      this.#plan(brokenAt);
      return;
    }
    this.#resting = false;
    this.#silent = 0;
    this.#last.loopBroke();
    this.#space();
    this.#plan(now + this.#options.timing.responseMs);
  }

  /** Undefined: a general poll is due. */
  #nextJob(): Job | undefined {
    if (!this.#up || this.#longPolls >= LONG_POLLS_MAX || this.#last.comesFirst()) return undefined;
    const [first] = this.#queue;
    return first?.poll.code === this.#lastCode ? undefined : first;
  }

  /** Another address acknowledges an exception and may be lost without a sign, so a long poll follows, which the machine answers. */
  #askOnce(): void {
    if (!this.#up || this.#queue.length > 0 || !this.#last.asks()) return;
    this.#enqueue({ poll: currentCredits(), options: {}, done: () => undefined, waits: 0 }, true);
  }

  /** Polls address 0: no machine answers, and ours sees another address, which acknowledges its last message and synchronises it. */
  #space(): void {
    const message = generalPoll(0);
    const at = this.#options.clock.now();
    this.#sending(at);
    this.#lastCode = undefined;
    this.#options.carrier.send(message);
    this.#options.trace?.({ at, sent: message, received: new Uint8Array(), tookMs: 0, reply: "spacer" });
  }

  #sending(at: number): void {
    if (at - this.#sentAt > LOOP_WHOLE_MS) this.#last.loopBroke();
    this.#sentAt = at;
  }

  #repeat({ job, tries }: Open): void {
    this.#counters.repeated += 1;
    this.#send(job, tries + 1);
  }

  #send(job: Job | undefined, tries: number): void {
    const { carrier, clock, address, timing } = this.#options;
    const message = job === undefined ? generalPoll(address) : encodePoll(address, job.poll);
    this.#counters.polls += 1;
    this.#lastCode = job?.poll.code ?? GENERAL;
    this.#sending(clock.now());
    const answerMs = message.length * CHARACTER_MS + timing.responseMs + CHARACTER_MS;
    this.#open = {
      ...{ job, message, tries, sentAt: this.#sentAt, received: [], damage: undefined },
      stop: onSilence(this.#options, answerMs, () => this.#silence()),
    };
    carrier.send(message);
  }

  // What arrives

  #receive(unit: LineUnit): void {
    if (this.#closed) return;
    if (unit.is === "connected") {
      this.#connect();
      return;
    }
    if (unit.is === "disconnected") {
      this.#disconnect(unit.why);
      return;
    }
    if (unit.is === "byte") {
      this.#byte(unit);
      return;
    }
    const open = this.#open;
    // Before the first byte a front end reports the silence between two messages.
    if (open === undefined || open.received.length === 0) return;
    if (unit.is === "gap" && unit.ms <= this.#options.timing.interByteMs) return;
    open.damage ??= unit.is === "gap" ? `a gap of ${unit.ms} ms inside the message` : `${unit.what} error on the line`;
  }

  #connect(): void {
    this.#connected = true;
    this.#resting = false;
    this.#silent = 0;
    this.#lastCode = undefined;
    this.#last.loopBroke();
    this.#validAt = this.#options.clock.now();
    this.#plan(this.#validAt);
  }

  #disconnect(why: string): void {
    this.#connected = false;
    this.#stopPlan();
    this.#open?.stop();
    this.#open?.job?.done({ is: "down" });
    this.#open = undefined;
    this.#again?.job?.done({ is: "down" });
    this.#again = undefined;
    this.#down(why);
  }

  #byte({ byte, wakeup }: Extract<LineUnit, { is: "byte" }>): void {
    const { clock, timing, address } = this.#options;
    this.#byteAt = clock.now();
    if (wakeup) {
      this.#counters.chirps += 1;
      this.#counters.chirpAddress = byte;
      // It says itself that the loop is broken.
      if (this.#resting) this.#sentAt = Number.NEGATIVE_INFINITY;
      if (this.#resting) this.#plan(this.#byteAt + timing.interByteMs + timing.slackMs);
      return;
    }
    const open = this.#open;
    if (open === undefined) {
      this.#counters.stray += 1;
      return;
    }
    open.received.push(byte);
    open.stop();
    open.stop = onSilence(this.#options, timing.interByteMs, () => this.#silence());
    if (open.damage !== undefined) return;
    const reply = judgeReply(Uint8Array.from(open.received), address, awaitedBy(open), false);
    if (reply.is !== "more") this.#finish(open, reply);
  }

  #silence(): void {
    const open = this.#open;
    if (open === undefined) return;
    if (open.damage !== undefined) {
      this.#finish(open, { is: "garbled", why: open.damage });
      return;
    }
    if (open.received.length === 0) {
      this.#finish(open, undefined);
      return;
    }
    this.#finish(open, judgeReply(Uint8Array.from(open.received), this.#options.address, awaitedBy(open), true));
  }

  // What it means

  /** `reply` undefined: no byte came. */
  #finish(open: Open, reply: Reply | undefined): void {
    const { clock, trace } = this.#options;
    const now = clock.now();
    open.stop();
    this.#open = undefined;
    trace?.({
      ...{ at: open.sentAt, sent: open.message, received: Uint8Array.from(open.received), tookMs: now - open.sentAt },
      reply: reply?.is ?? "silent",
    });
    // A machine that answers later than the next poll was due is polled at once, which is then the plan.
    this.#plan(Math.max(open.sentAt + this.#pollMs, now));
    if (reply === undefined || reply.is === "garbled" || reply.is === "more") {
      this.#failed(open, reply);
      return;
    }
    this.#valid(now);
    this.#understood(open, reply);
  }

  #understood(open: Open, reply: Exclude<Reply, { is: "garbled" | "more" }>): void {
    const { job } = open;
    const isRepeated = this.#last.isRepeated(codeOf(open), reply);
    switch (reply.is) {
      case "event":
        this.#event(open, reply.event, isRepeated);
        return;
      case "romSignature":
        this.#counters.answered += 1;
        this.#options.romSignature?.(reply.signature);
        this.#spaceSoon();
        return;
      case "answer":
        this.#counters.answered += 1;
        job?.done({ is: "answered", answer: reply.answer });
        return;
      case "unreadable":
        this.#counters.unreadable += 1;
        job?.done({ is: "garbled", why: reply.why });
        return;
      case "nack":
        this.#counters.refused += 1;
        job?.done({ is: "refused" });
        return;
      case "busy":
        this.#counters.busy += 1;
        if (job !== undefined) this.#later(job);
        return;
      default:
        reply satisfies never;
    }
  }

  /** An exception, in answer to a general poll, or (real-time) in place of the answer to a long poll, which is then sent again. */
  #event(open: Open, event: SasEvent, isRepeated: boolean): void {
    this.#counters.answered += 1;
    if (open.job !== undefined) this.#later(open.job);
    const idle = isIdle(event);
    if (idle) this.#setAwaitsPlayer(waitsForPlayer(event));
    if (idle || isRepeated) {
      this.#spaceSoon();
      return;
    }
    this.#accepting = true;
    this.#last.accept(event, codeOf(open));
    this.#options.accept(event).then(
      () => {
        this.#accepting = false;
        this.#validAt = this.#options.clock.now();
        this.#spaceSoon();
        this.#plan(Math.max(this.#planned, this.#validAt));
      },
      (error: unknown) => {
        this.#last.forget();
        this.#disconnect(`An exception could not be stored: ${String(error)}`);
      },
    );
  }

  #setAwaitsPlayer(awaits: boolean): void {
    if (awaits === this.#awaitsPlayer) return;
    this.#awaitsPlayer = awaits;
    this.#options.awaitsPlayer?.(awaits);
  }

  /** A general poll comes first: it acknowledges, and fetches what the machine wants to report. */
  #later(job: Job): void {
    job.waits += 1;
    this.#longPolls = LONG_POLLS_MAX;
    if (job.waits > WAITS_MAX) job.done({ is: "busy" });
    else this.#enqueue(job, true);
  }

  /** Acknowledges a general poll's answer now, unless a long poll does it in the next turn. */
  #spaceSoon(): void {
    if (this.#queue.length > 0 || this.#lastCode !== GENERAL) return;
    this.#options.clock.after(this.#options.timing.interByteMs, () => {
      if (
        this.#open === undefined &&
        !this.#accepting &&
        !this.#closed &&
        this.#connected &&
        this.#lastCode === GENERAL
      )
        this.#space();
    });
  }

  #failed(open: Open, reply: Extract<Reply, { is: "garbled" | "more" }> | undefined): void {
    const { job } = open;
    if (open.received[0] === this.#options.address) this.#last.damagedAnswer(codeOf(open));
    this.#errors += 1;
    if (reply === undefined) this.#counters.silent += 1;
    else this.#counters.garbled += 1;
    this.#silent = reply === undefined && job === undefined ? this.#silent + 1 : 0;
    const giveUp = this.#silent >= SILENT_MAX || this.#errors > ERRORS_MAX;
    if (!giveUp && (job === undefined || open.tries < TRIES)) {
      this.#again = open;
      return;
    }
    // A machine may lack a long poll; but an unreadable answer may hide a real-time event.
    if (job === undefined || reply !== undefined) this.#resting = true;
    if (reply === undefined) job?.done({ is: "silent" });
    else job?.done({ is: "garbled", why: reply.is === "garbled" ? reply.why : "a torn answer" });
  }

  // The link

  #valid(now: number): void {
    this.#validAt = now;
    this.#errors = 0;
    this.#silent = 0;
    if (this.#up) return;
    this.#up = true;
    this.#why = "";
    this.#options.changed?.(this.state());
  }

  #judgeLink(now: number): void {
    const { timing, address } = this.#options;
    if (this.#up && this.#errors <= ERRORS_MAX && now - this.#validAt <= timing.downMs) return;
    const { chirps, chirpAddress } = this.#counters;
    if (chirps > 0 && chirpAddress !== address)
      this.#down(`A machine calls with address ${chirpAddress}; the agent polls address ${address}.`);
    else if (this.#up) this.#down(`The machine at address ${address} has not answered for ${timing.downMs} ms.`);
  }

  #down(why: string): void {
    const changed = this.#up || this.#why !== why;
    this.#up = false;
    this.#why = why;
    this.#setAwaitsPlayer(false);
    for (const job of this.#queue.splice(0)) job.done({ is: "down" });
    if (changed) this.#options.changed?.(this.state());
  }
}

const codeOf = ({ job }: Open): number => job?.poll.code ?? GENERAL;

const awaitedBy = ({ job }: Open): Awaited => job?.poll ?? "general";

/** `ms sent received reply tookMs`, one line of a trace file. */
export const traceLine = ({ at, sent, received, reply, tookMs }: Exchange): string =>
  `${Math.round(at)} ${hexOf(sent)} ${hexOf(received) || "-"} ${reply} ${tookMs.toFixed(1)}\n`;
