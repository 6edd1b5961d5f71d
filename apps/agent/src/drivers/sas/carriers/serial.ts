import { closeSync, constants, openSync, writeSync } from "node:fs";
import type { Duplex } from "node:stream";
import { isatty, ReadStream } from "node:tty";
import type { Clock } from "../../../ports/clock.ts";
import type { Carrier, LineUnit, PortFault } from "../line/carrier.ts";
import { afterReading, StreamCarrier } from "./stream-carrier.ts";
import type { NinthBit } from "./termios.ts";
import { NoNinthBit, Termios } from "./termios.ts";

/** Delay before a port that went away is opened again, ms: a USB adapter may come back. */
const AGAIN_MS = 1_000;

type Port = { readonly fd: number; readonly termios: Termios; readonly stream: ReadStream };

/** Opens a serial port. Throws a sentence that names the device and what to do. */
function openPort(device: string, ninthBit: NinthBit): Port {
  const fd = openDevice(device);
  try {
    if (!isatty(fd)) throw new Error("it is no serial port");
    const termios = new Termios(fd, ninthBit);
    // Node opens the device once more for reading, so others are kept out only after that.
    const stream = new ReadStream(fd);
    stream.once("close", () => closeSync(fd));
    termios.takeAlone();
    return { fd, termios, stream };
  } catch (error) {
    closeSync(fd);
    throw new Error(`${device} cannot be used: ${(error as Error).message}.`, { cause: error });
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such device; is the adapter plugged in",
  EACCES: "the agent's user may not open it; add the user to the group of the device, often dialout",
  EBUSY: "another program has it open",
  EISDIR: "it is a folder",
};

function openDevice(device: string): number {
  try {
    return openSync(device, constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "";
    throw new Error(`${device} cannot be opened: ${REASONS[code] ?? code}.`, { cause: error });
  }
}

const faultOf = (error: unknown): PortFault | undefined => {
  const { cause } = error as Error;
  if (cause instanceof NoNinthBit) return "parity";
  return (cause as NodeJS.ErrnoException | undefined)?.code === "EBUSY" ? "taken" : undefined;
};

/** The framed stream over a serial device, such as a front end on USB, or a pty. */
export function framedDeviceCarrier(device: string, clock: Clock): Carrier {
  return new StreamCarrier(({ opened, failed }) => {
    try {
      // A terminal's stream reads and writes.
      opened(openPort(device, "none").stream as unknown as Duplex);
    } catch (error) {
      return clock.after(0, () => failed((error as Error).message, faultOf(error)));
    }
    return () => undefined;
  }, clock);
}

/** A machine's line at a serial port of this computer: the ninth bit is sent as mark or space parity. */
export class SerialCarrier implements Carrier {
  readonly afterArrived = afterReading;
  readonly #device: string;
  readonly #clock: Clock;
  #receive: (unit: LineUnit) => void = () => undefined;
  #port: Port | undefined;
  #stop = (): void => undefined;
  #closed = false;
  #gapMs = 0;

  constructor(device: string, clock: Clock) {
    this.#device = device;
    this.#clock = clock;
  }

  open(receive: (unit: LineUnit) => void): void {
    this.#receive = receive;
    this.#begin();
  }

  /**
   * The first byte leaves with mark parity; as soon as the UART has sent it the parity changes, and the rest follows. The time between is
   * the gap that the protocol limits.
   */
  send(message: Uint8Array): void {
    const port = this.#port;
    if (port === undefined) return;
    try {
      port.termios.setNinthBit("mark");
      writeSync(port.fd, message, 0, 1);
      port.termios.setNinthBit("space");
      const leftAt = this.#clock.now();
      if (message.length > 1) {
        writeSync(port.fd, message, 1);
        this.#gapMs = Math.max(this.#gapMs, this.#clock.now() - leftAt);
      }
    } catch (error) {
      this.#end(port, (error as Error).message);
    }
  }

  wakeupGapMs(): number {
    return this.#gapMs;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#stop();
    this.#port?.stream.destroy();
    this.#port = undefined;
  }

  #begin(): void {
    try {
      const port = openPort(this.#device, "space");
      const marks = new MarkReader();
      this.#port = port;
      port.stream.on("data", (bytes: Buffer) => {
        for (const unit of marks.read(bytes)) this.#receive(unit);
      });
      port.stream.on("error", (error) => this.#end(port, error.message));
      port.stream.on("close", () => this.#end(port, `${this.#device} is gone.`));
      this.#receive({ is: "connected" });
    } catch (error) {
      this.#again((error as Error).message, faultOf(error));
    }
  }

  #end(port: Port, why: string): void {
    if (this.#port !== port) return;
    this.#port = undefined;
    port.stream.destroy();
    this.#again(why);
  }

  #again(why: string, fault?: PortFault): void {
    if (this.#closed) return;
    this.#receive({ is: "disconnected", why, fault });
    this.#stop = this.#clock.after(AGAIN_MS, () => this.#begin());
  }
}

/**
 * Reads what a port with space parity and marked errors delivers: a character whose ninth bit is set arrives as FFh 00h and itself, a
 * character FFh as FFh FFh, and a break as FFh 00h 00h.
 */
export class MarkReader {
  #held: number[] = [];

  read(bytes: Uint8Array): LineUnit[] {
    return Array.from(bytes, (byte) => this.#unit(byte)).filter((unit) => unit !== undefined);
  }

  #unit(byte: number): LineUnit | undefined {
    const [first, second] = this.#held;
    if (first === undefined) {
      if (byte !== 0xff) return { is: "byte", byte, wakeup: false };
      this.#held = [byte];
      return undefined;
    }
    if (second === undefined && byte === 0x00) {
      this.#held = [first, byte];
      return undefined;
    }
    this.#held = [];
    if (second === undefined)
      return byte === 0xff ? { is: "byte", byte, wakeup: false } : { is: "damage", what: "framing" };
    return byte === 0x00 ? { is: "damage", what: "framing" } : { is: "byte", byte, wakeup: true };
  }
}
