import { Worker } from "node:worker_threads";
import type { CarrierConfig } from "../carriers/carriers.ts";
import { ByteReader, ProtocolProblem } from "../protocol/bytes.ts";
import type { SasEvent } from "../protocol/events.ts";
import type { LongPoll } from "../protocol/polls.ts";
import type { LineCounters, LineOptions, LineState, LineTiming, PollOptions, PollOutcome, SasLine } from "./line.ts";
import { NO_COUNTERS } from "./line.ts";

/** What the worker of a line is started with. */
export type LineStart = {
  readonly carrier: CarrierConfig;
  readonly address: number;
  readonly timing: LineTiming;
  /** See `epochOf`. */
  readonly epochMs: number;
  /** The folder of the trace; absent: exchanges are not written. */
  readonly traceFolder?: string | undefined;
} & Pick<LineOptions, "unacknowledged">;

/** A poll as it crosses to the worker: without its reader, which stays here. */
export type SentPoll = Omit<LongPoll<unknown>, "read">;

export type ToLine =
  | { is: "poll"; number: number; poll: SentPoll; options: PollOptions }
  | { is: "stored"; number: number }
  | { is: "pollMs"; pollMs: number }
  | { is: "close" };

export type FromLine =
  /** An acknowledgement has no bytes. */
  | { is: "outcome"; number: number; outcome: PollOutcome<Uint8Array | undefined> }
  | { is: "event"; number: number; event: SasEvent }
  | { is: "acknowledged" }
  | { is: "romSignature"; signature: number }
  | { is: "state"; state: LineState }
  | { is: "awaitsPlayer"; awaits: boolean }
  | { is: "counters"; counters: LineCounters }
  | { is: "closed" };

/** At most 15 characters are shown. */
const LINE_THREAD = "sas line";

type WorkerLineOptions = LineStart &
  Pick<LineOptions, "accept" | "acknowledged" | "romSignature" | "changed" | "awaitsPlayer">;

/**
 * A line in a thread of its own, so that nothing the agent does delays a poll, and so that a serial port may block. Polls cross as bytes,
 * and their answers are read here.
 */
export class WorkerLine implements SasLine {
  readonly #options: WorkerLineOptions;
  readonly #worker: Worker;
  readonly #open = new Map<number, (outcome: PollOutcome<Uint8Array | undefined>) => void>();
  #numbers = 0;
  #state: LineState = { up: false, why: "The line is being opened." };
  #counters: LineCounters = NO_COUNTERS;
  /** Why the thread answers nothing any more. */
  #ended: string | undefined;
  #closing: Promise<void> | undefined;
  #closed: () => void = () => undefined;

  constructor(options: WorkerLineOptions) {
    const { carrier, address, timing, epochMs, traceFolder, unacknowledged } = options;
    const start: LineStart = { carrier, address, timing, epochMs, traceFolder, unacknowledged };
    this.#options = options;
    this.#worker = new Worker(new URL("./line-main.ts", import.meta.url), {
      workerData: start,
      // The system shows it, which separates the processor time of a line from the rest of the agent.
      name: LINE_THREAD,
      resourceLimits: { maxOldGenerationSizeMb: 64 },
    });
    this.#worker.on("message", (message: FromLine) => this.#receive(message));
    this.#worker.on("error", (error) => this.#over(`The thread of the line failed: ${error.message}`));
    this.#worker.on("exit", () => this.#over("The thread of the line has ended."));
  }

  async poll<Answer>(poll: LongPoll<Answer>, options: PollOptions = {}): Promise<PollOutcome<Answer>> {
    if (!this.#state.up) return { is: "down" };
    const { read, ...sent } = poll;
    const outcome = await this.#request(sent, options);
    return outcome.is === "answered" ? readHere(read, outcome.answer ?? new Uint8Array()) : outcome;
  }

  setPollMs(pollMs: number): void {
    this.#send({ is: "pollMs", pollMs });
  }

  state(): LineState {
    return this.#state;
  }

  counters(): LineCounters {
    return this.#counters;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    if (this.#ended === undefined) {
      const closed = new Promise<void>((resolve) => {
        this.#closed = resolve;
      });
      this.#send({ is: "close" });
      await closed;
    }
    await this.#worker.terminate();
  }

  #request(poll: SentPoll, options: PollOptions): Promise<PollOutcome<Uint8Array | undefined>> {
    this.#numbers += 1;
    const number = this.#numbers;
    return new Promise((resolve) => {
      this.#open.set(number, resolve);
      this.#send({ is: "poll", number, poll, options });
    });
  }

  #send(message: ToLine): void {
    this.#worker.postMessage(message);
  }

  #receive(message: FromLine): void {
    switch (message.is) {
      case "outcome":
        this.#open.get(message.number)?.(message.outcome);
        this.#open.delete(message.number);
        return;
      case "event":
        void this.#options.accept(message.event).then(() => this.#send({ is: "stored", number: message.number }));
        return;
      case "acknowledged":
        this.#options.acknowledged?.();
        return;
      case "romSignature":
        this.#options.romSignature?.(message.signature);
        return;
      case "state":
        this.#change(message.state);
        return;
      case "awaitsPlayer":
        this.#options.awaitsPlayer?.(message.awaits);
        return;
      case "counters":
        this.#counters = message.counters;
        return;
      case "closed":
        this.#over("The line is closed.");
        return;
      default:
        message satisfies never;
    }
  }

  #change(state: LineState): void {
    this.#state = state;
    this.#options.changed?.(state);
  }

  #over(why: string): void {
    if (this.#ended !== undefined) return;
    this.#ended = why;
    this.#closed();
    for (const resolve of this.#open.values()) resolve({ is: "down" });
    this.#open.clear();
    this.#change({ up: false, why });
  }
}

function readHere<Answer>(read: (reader: ByteReader) => Answer, bytes: Uint8Array): PollOutcome<Answer> {
  const reader = new ByteReader(bytes);
  try {
    const answer = read(reader);
    reader.end();
    return { is: "answered", answer };
  } catch (error) {
    if (error instanceof ProtocolProblem) return { is: "garbled", why: error.message };
    throw error;
  }
}
