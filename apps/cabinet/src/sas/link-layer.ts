import { crc16, hex, withCrc } from "./bytes.ts";
import type { Exception } from "./exceptions.ts";
import { IDLE, WAITS_FOR_PLAYER } from "./exceptions.ts";
import type { Character } from "./nine-bit.ts";

/** Milliseconds; `after` answers how to cancel. */
export type Clock = { now(): number; after(delayMs: number, run: () => void): () => void };

/** How many data bytes follow address and command: none and no CRC (R), a fixed number (S, M), or as many as the first of them says. */
export type Shape = { readonly crc: false } | { readonly crc: true; readonly data: number | "counted" };

/** `bytes`: the whole data after address and command. `silence`: this machine has no such poll, or none now. */
export type Answer =
  | { readonly is: "data"; readonly bytes: readonly number[]; readonly acknowledged?: () => void }
  | { readonly is: "ack" }
  | { readonly is: "nack" }
  | { readonly is: "busy" }
  | { readonly is: "silence" };

/** What the link layer needs of the machine behind it. */
export type Polled = {
  address(): number;
  shape(command: number): Shape | undefined;
  longPoll(command: number, data: readonly number[]): Answer;
  /** A poll to all machines, which none answers. */
  broadcast(command: number, data: readonly number[]): void;
  nextException(): Exception | null;
  /** Long answers that take the place of an exception, such as a ROM signature. */
  nextDeferred(): { readonly message: readonly number[]; readonly acknowledged: () => void } | null;
  dropException(exception: Exception): void;
  waitsForPlayer(): boolean;
  realTimeEvents(): boolean;
  busy(): boolean;
  /** Makes what changed durable, before the answer says so. */
  persist(): void;
};

export type LinkOptions = {
  readonly clock: Clock;
  readonly machine: Polled;
  send(characters: readonly Character[]): void;
  /** Quiet within a message that makes the machine drop it, ms; the front end reports it. Standard: 5. */
  readonly gapMsMax: number;
  /** `ignored`: the host's ninth bit is parity; a message starts where the last one was complete. */
  readonly wakeup: "required" | "ignored";
};

const LOOP_BREAK_MS = 5_000;
const CHIRP_EVERY_MS = 200;
const WITHOUT_ACK_MS = 30_000;
/** Identical polls that repeat an answer before the machine gives up and keeps its data. */
const REPEATS_MAX = 2;
/** Without the ninth bit a message that stopped is over after this, ms. */
const RESYNC_MS = 100;

/** An answer whose fate the next poll decides. */
type Outstanding = {
  /** The command that would repeat it; null: the general poll. */
  readonly command: number | null;
  readonly reply: readonly number[];
  readonly acknowledged: () => void;
  repeats: number;
};

const nothing = (): void => undefined;

/** One machine's end of the line: it recognises polls, answers them, and learns from the next poll whether its answer arrived. */
export class LinkLayer {
  readonly #clock: Clock;
  readonly #machine: Polled;
  readonly #options: LinkOptions;
  readonly #counts = { messages: 0, crcErrors: 0, gaps: 0, receiveErrors: 0, repeats: 0 };
  readonly #received = new Map<string, number>();
  /** The message that arrives now, from its address. */
  #message: number[] | null = null;
  #complete = true;
  #outstanding: Outstanding | null = null;
  #synchronised = false;
  #addressedAt: number;
  /** Since when no answer was acknowledged. */
  #unacknowledgedAt: number | null = null;
  #lastAt = Number.NEGATIVE_INFINITY;
  #stopTimer = nothing;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#machine = options.machine;
    this.#addressedAt = this.#clock.now();
    this.#watch(LOOP_BREAK_MS);
  }

  receive({ byte, wakeup: ninth }: Character): void {
    const now = this.#clock.now();
    const stopped = this.#complete || now - this.#lastAt > RESYNC_MS;
    const starts = this.#options.wakeup === "required" ? ninth : stopped;
    this.#lastAt = now;
    if (starts) {
      this.#start(byte);
      return;
    }
    if (this.#message === null) return;
    this.#message.push(byte);
    if (this.#message.length === 2) this.#arrived(hex([byte]));
    this.#tryComplete();
  }
  gap(ms: number): void {
    if (this.#complete || ms <= this.#options.gapMsMax) return;
    this.#counts.gaps += 1;
    this.#end();
  }
  receiveError(): void {
    this.#counts.receiveErrors += 1;
    this.#end();
  }
  /** What happened on the line since power up. */
  counts(): Readonly<Record<"messages" | "crcErrors" | "gaps" | "receiveErrors" | "repeats", number>> {
    return { ...this.#counts };
  }
  /** How often each poll reached the machine since power up: long polls by their command byte, and `general`. */
  received(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#received);
  }
  #arrived(poll: string): void {
    this.#received.set(poll, (this.#received.get(poll) ?? 0) + 1);
  }
  stop(): void {
    this.#stopTimer();
  }

  /** Each address byte keeps the loop whole; without one the machine sends its address until a host answers. */
  #watch(delayMs: number): void {
    this.#stopTimer();
    this.#stopTimer = this.#clock.after(delayMs, () => {
      const quiet = this.#clock.now() - this.#addressedAt;
      if (quiet < LOOP_BREAK_MS) {
        this.#watch(LOOP_BREAK_MS - quiet);
        return;
      }
      this.#lose();
      const byte = this.#machine.address();
      if (byte !== 0) this.#options.send([{ is: "character", byte, wakeup: true }]);
      this.#watch(CHIRP_EVERY_MS);
    });
  }
  /** The link is down: what was said last stays unacknowledged, and the machine waits for another address. */
  #lose(): void {
    this.#outstanding = null;
    this.#unacknowledgedAt = null;
    this.#synchronised = false;
  }
  #resolve(): void {
    const done = this.#outstanding;
    this.#outstanding = null;
    if (done === null) return;
    this.#unacknowledgedAt = null;
    done.acknowledged();
    this.#machine.persist();
  }
  #reply(bytes: readonly number[]): void {
    this.#options.send(bytes.map((byte) => ({ is: "character", byte, wakeup: false })));
  }
  #give(next: Omit<Outstanding, "repeats">): void {
    this.#machine.persist();
    this.#outstanding = { ...next, repeats: 0 };
    this.#unacknowledgedAt ??= this.#clock.now();
    this.#reply(next.reply);
  }
  /** The same poll again: the host did not get the answer. False when it is another, or when the machine gives up. */
  #repeated(command: number | null): boolean {
    const last = this.#outstanding;
    if (last === null || last.command !== command) return false;
    if (last.repeats === REPEATS_MAX) {
      this.#outstanding = null;
      return false;
    }
    last.repeats += 1;
    this.#counts.repeats += 1;
    this.#reply(last.reply);
    return true;
  }
  #giveEvent(command: number | null, exception: Exception): void {
    const reply = withCrc([this.#machine.address(), 0xff, exception.code, ...exception.data]);
    this.#give({ command, reply, acknowledged: () => this.#machine.dropException(exception) });
  }

  #start(byte: number): void {
    this.#addressedAt = this.#clock.now();
    this.#end();
    if (this.#addressedAt - (this.#unacknowledgedAt ?? this.#addressedAt) > WITHOUT_ACK_MS) this.#lose();
    this.#watch(LOOP_BREAK_MS);
    const address = byte & 0x7f;
    if (address === 0 || address !== this.#machine.address()) {
      // A poll to another machine: what this one said last was understood.
      this.#synchronised = true;
      this.#resolve();
      if (byte === 0) this.#open(byte);
    } else if (this.#synchronised) {
      if (byte >= 0x80) this.#generalPoll();
      else this.#open(byte);
    }
  }
  #open(byte: number): void {
    this.#message = [byte];
    this.#complete = false;
  }
  #end(): void {
    this.#message = null;
    this.#complete = true;
  }
  #generalPoll(): void {
    this.#counts.messages += 1;
    this.#arrived("general");
    if (this.#repeated(null)) return;
    this.#resolve();
    if (this.#machine.busy()) {
      this.#reply([this.#machine.address(), 0]);
      return;
    }
    const exception = this.#machine.nextException();
    if (exception === null) this.#giveIdle();
    else if (this.#machine.realTimeEvents()) this.#giveEvent(null, exception);
    else {
      const acknowledged = (): void => this.#machine.dropException(exception);
      this.#give({ command: null, reply: [exception.code], acknowledged });
    }
  }
  #giveIdle(): void {
    const next = this.#machine.nextDeferred();
    if (next !== null) {
      const reply = withCrc([this.#machine.address(), ...next.message]);
      this.#give({ command: null, reply, acknowledged: next.acknowledged });
      return;
    }
    const idle = this.#machine.waitsForPlayer() ? WAITS_FOR_PLAYER : IDLE;
    this.#give({ command: null, reply: [idle], acknowledged: nothing });
  }

  /** Ends the message when it is whole. */
  #tryComplete(): void {
    const message = this.#message ?? [];
    const [address = 0, command = 0] = message;
    const shape = this.#machine.shape(command);
    if (shape === undefined) {
      // Its length is not known and it gets no answer; still it is another poll than the last one.
      this.#end();
      if (address !== 0) this.#resolve();
      return;
    }
    const data = lengthOf(shape, message);
    if (data === undefined || message.length < 2 + data + (shape.crc ? 2 : 0)) return;
    this.#end();
    this.#counts.messages += 1;
    // The check bytes follow least significant first, so the CRC over all of it is 0.
    if (shape.crc && crc16(message) !== 0) {
      this.#counts.crcErrors += 1;
      return;
    }
    const body = message.slice(2, 2 + data);
    if (address !== 0) {
      this.#longPoll(command, body);
      return;
    }
    this.#machine.broadcast(command, body);
    this.#machine.persist();
  }
  #longPoll(command: number, data: readonly number[]): void {
    if (this.#repeated(command)) return;
    this.#resolve();
    const address = this.#machine.address();
    if (this.#machine.busy()) {
      this.#reply([address, 0]);
      return;
    }
    const exception = this.#machine.realTimeEvents() ? this.#machine.nextException() : null;
    // The event takes the place of the answer: the host has to send its poll once more.
    if (exception !== null) {
      this.#giveEvent(command, exception);
      return;
    }
    const answer = this.#machine.longPoll(command, data);
    if (answer.is === "silence") this.#machine.persist();
    else if (answer.is === "busy") this.#reply([address, 0]);
    else {
      const acknowledged = (answer.is === "data" && answer.acknowledged) || nothing;
      this.#give({ command, reply: replyOf(address, command, answer), acknowledged });
    }
  }
}

type Spoken = Exclude<Answer, { is: "silence" | "busy" }>;

function replyOf(address: number, command: number, answer: Spoken): number[] {
  if (answer.is === "data") return withCrc([address, command, ...answer.bytes]);
  return [answer.is === "ack" ? address : 0x80 | address];
}

/** Data bytes of the message; undefined until it has said so. */
function lengthOf(shape: Shape, message: readonly number[]): number | undefined {
  if (!shape.crc) return 0;
  if (shape.data !== "counted") return shape.data;
  return message[2] === undefined ? undefined : 1 + message[2];
}
