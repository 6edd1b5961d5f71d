import type { Duplex } from "node:stream";
import type { Clock, Stop } from "../../../ports/clock.ts";
import type { RateLimit } from "../../../rate-limit.ts";
import { createRateLimit } from "../../../rate-limit.ts";
import type { Carrier, LineUnit, PortFault } from "../line/carrier.ts";
import { FrameReader, frameMessage, framingProblem, NOT_FRAMED, versionNote } from "./framing.ts";

/** Delays before the connection is opened again, ms; they begin anew after a connection that carried something. */
const AGAIN_MS = [250, 500, 1_000, 2_000, 5_000] as const;
/** A line at 19200 baud makes 3.5 kB of framed units a second. In a second, and in a burst. */
const BYTES = [16 * 1_024, 64 * 1_024] as const;
/** Bytes that the other end has not taken, after which it reads nothing any more. */
const WAITING_BYTES_MAX = 8 * 1_024;

/** Opens the stream. Calls `opened` when bytes can be sent, and `failed` with a sentence when they cannot. */
export type OpenStream = (events: {
  opened(stream: Duplex): void;
  failed(why: string, fault?: PortFault): void;
}) => Stop;

/** A turn of Node's loop rings the clocks that are due, then reads what has arrived, then does this. */
export const afterReading = (run: () => void): void => void setImmediate(run);

/** The framed stream over anything that carries bytes: it opens the stream, and opens it again with back-off whenever it ends. */
export class StreamCarrier implements Carrier {
  readonly reportsGaps = true;
  readonly afterArrived = afterReading;
  readonly #openStream: OpenStream;
  readonly #clock: Clock;
  #receive: (unit: LineUnit) => void = () => undefined;
  #stream: Duplex | undefined;
  #stop: Stop = () => undefined;
  #failures = 0;
  /** Something of the framing has arrived on this connection. */
  #spoke = false;
  /** The other end has said its version of the framing. */
  #greeted = false;
  #closed = false;

  constructor(openStream: OpenStream, clock: Clock) {
    this.#openStream = openStream;
    this.#clock = clock;
  }

  open(receive: (unit: LineUnit) => void): void {
    this.#receive = receive;
    this.#begin();
  }

  send(message: Uint8Array): void {
    const stream = this.#stream;
    if (stream === undefined) return;
    stream.write(frameMessage(message));
    if (stream.writableLength > WAITING_BYTES_MAX) this.#end(stream, "The front end does not read what it is sent.");
  }

  hasGreeted(): boolean {
    return this.#greeted;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#stop();
    this.#stream?.destroy();
    this.#stream = undefined;
  }

  #begin(): void {
    this.#stop = this.#openStream({
      opened: (stream) => this.#opened(stream),
      failed: (why, fault) => this.#again(why, fault),
    });
  }

  #opened(stream: Duplex): void {
    if (this.#closed) return void stream.destroy();
    const reader = new FrameReader();
    const limit = createRateLimit(this.#clock, ...BYTES);
    this.#stream = stream;
    this.#spoke = false;
    this.#greeted = false;
    stream.on("data", (bytes: Buffer) => this.#data(stream, reader, limit, bytes));
    stream.on("error", (error: NodeJS.ErrnoException) => {
      // A reset is how an end that drops what it was sent closes.
      if (error.code === "ECONNRESET") this.#ended(stream, reader);
      else this.#end(stream, error.message);
    });
    stream.on("close", () => this.#ended(stream, reader));
    stream.write(versionNote());
    this.#receive({ is: "connected" });
  }

  #data(stream: Duplex, reader: FrameReader, limit: RateLimit, bytes: Buffer): void {
    if (this.#stream !== stream) return;
    if (!limit.take(bytes.length)) {
      this.#end(stream, "The front end sends more than a serial line can.");
      return;
    }
    const units = reader.read(bytes);
    const problem = framingProblem(reader, units);
    if (problem !== undefined) {
      this.#end(stream, problem, "foreign");
      return;
    }
    this.#spoke ||= units.length > 0;
    for (const unit of units) {
      if (unit.is === "version") {
        this.#greeted = true;
        continue;
      }
      this.#failures = 0;
      this.#receive(unit);
    }
  }

  /** A front end greets its host. One that closes without a word has another host. */
  #ended(stream: Duplex, reader: FrameReader): void {
    if (this.#spoke) this.#end(stream, "The front end closed the connection.");
    else if (reader.faults > 0) this.#end(stream, NOT_FRAMED, "foreign");
    else this.#end(stream, "The front end closed the connection without a word: it has another host.", "taken");
  }

  #end(stream: Duplex, why: string, fault?: PortFault): void {
    if (this.#stream !== stream) return;
    this.#stream = undefined;
    stream.destroy();
    this.#again(why, fault);
  }

  #again(why: string, fault?: PortFault): void {
    if (this.#closed) return;
    this.#receive({ is: "disconnected", why, fault });
    const delayMs = AGAIN_MS[Math.min(this.#failures, AGAIN_MS.length - 1)] ?? 0;
    this.#failures += 1;
    this.#stop = this.#clock.after(delayMs, () => this.#begin());
  }
}
