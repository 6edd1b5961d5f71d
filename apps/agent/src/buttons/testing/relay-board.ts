import type { Server } from "node:net";
import { createServer } from "node:net";
import type { Duplex } from "node:stream";

/** What a hostile board does instead of answering; it acts on the command all the same, as real ones do. */
export type BoardFault =
  | "silent"
  | "wrongUnit"
  | "wrongFunction"
  | "wrongTransaction"
  | "wrongLength"
  | "wrongProtocol"
  | "wrongChecksum"
  | "wrongEcho"
  | "garbage"
  | "close"
  | "flood"
  | "late"
  | "twice";

const CHANNELS = 8;

/** A relay board as its maker describes it: 8 outputs, 8 inputs, function 05 at 0x0200 + output turns an output on for `value` × 100 ms. */
export class RelayBoard {
  readonly coils = Array<boolean>(CHANNELS).fill(false);
  readonly inputs = Array<boolean>(CHANNELS).fill(false);
  /** Registers that were written. */
  readonly registers = new Map<number, number>();
  /** Every command on an output, in order, such as `flash 3 1` or `off 3`. */
  readonly commands: string[] = [];
  /** Does this to every request while set; a function picks by the request's function code and address. */
  fault: BoardFault | ((code: number, address: number) => BoardFault | undefined) | undefined;
  /** Answers flash commands with this exception code while set. */
  exception: number | undefined;
  /** Connections that were made so far. */
  connections = 0;
  /** Takes flash commands but does not move its outputs. */
  deaf = false;
  /** Begins pulses and does not end them. */
  sticks = false;
  /** Turns all outputs off when no request has come for so many × 100 ms as this register holds. */
  watchdog: number | undefined;
  readonly #framing: "mbap" | "rtu";
  readonly #unit = 1;
  readonly #streams = new Set<Duplex>();
  readonly #late: (() => void)[] = [];
  readonly #timers = new Set<NodeJS.Timeout>();
  #watch: NodeJS.Timeout | undefined;
  readonly #server: Server;

  constructor(framing: "mbap" | "rtu") {
    this.#framing = framing;
    this.#server = createServer((socket) => this.attach(socket.setNoDelay()));
  }

  /** Listens on a free port of 127.0.0.1. */
  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    const address = this.#server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }

  /** Answers that `late` has kept back are sent now. */
  sendLate(): void {
    for (const send of this.#late.splice(0)) send();
  }

  /** Writes bytes to every connection without a request. */
  say(bytes: Buffer): void {
    for (const stream of this.#streams) stream.write(bytes);
  }

  /** Closes every connection. */
  cut(): void {
    for (const stream of this.#streams) stream.destroy();
  }

  /** Speaks over this stream too, such as the far end of a serial line. */
  attach(stream: Duplex): void {
    this.connections += 1;
    this.#streams.add(stream);
    let held = Buffer.alloc(0);
    stream.on("error", () => undefined);
    stream.on("close", () => this.#streams.delete(stream));
    stream.on("data", (chunk: Buffer) => {
      held = Buffer.concat([held, chunk]);
      const size = this.#framing === "mbap" ? 12 : 8;
      while (held.length >= size) {
        const frame = held.subarray(0, size);
        held = held.subarray(size);
        if (this.#isForUs(frame)) this.#answer(stream, frame);
      }
    });
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    clearTimeout(this.#watch);
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #isForUs(frame: Buffer): boolean {
    if (this.#framing === "mbap")
      return frame.readUInt16BE(2) === 0 && frame.readUInt16BE(4) === 6 && frame[6] === this.#unit;
    return frame[0] === this.#unit && frame.readUInt16LE(6) === crcOf(frame.subarray(0, 6));
  }

  #answer(stream: Duplex, frame: Buffer): void {
    const request = this.#framing === "mbap" ? frame.subarray(7) : frame.subarray(1, 6);
    const reply = this.#act(request);
    this.#watchRequests();
    const transaction = this.#framing === "mbap" ? frame.readUInt16BE(0) : 0;
    const { fault } = this;
    const now = typeof fault === "function" ? fault(request.readUInt8(0), request.readUInt16BE(1)) : fault;
    const bytes = now === undefined ? this.#framed(reply, transaction) : this.#spoilt(stream, now, reply, transaction);
    if (bytes !== undefined && !stream.destroyed) stream.write(bytes);
  }

  #watchRequests(): void {
    clearTimeout(this.#watch);
    const units = this.registers.get(this.watchdog ?? -1);
    if (units !== undefined) this.#watch = setTimeout(() => this.coils.fill(false), units * 100);
  }

  /** Does what the request wants, and returns the answer. */
  #act(request: Buffer): Buffer {
    const code = request.readUInt8(0);
    const address = request.readUInt16BE(1);
    const value = request.readUInt16BE(3);
    if (code === 1 || code === 2) {
      if (value < 1 || address + value > CHANNELS) return Buffer.from([code | 0x80, 2]);
      const bits = (code === 1 ? this.coils : this.inputs).slice(address, address + value);
      return Buffer.from([code, 1, bits.reduce((byte, on, at) => byte | (on ? 1 << at : 0), 0)]);
    }
    if (code === 6) {
      this.registers.set(address, value);
      return request;
    }
    const exception = code === 5 ? this.#write(address, value) : 1;
    return exception === undefined ? request : Buffer.from([code | 0x80, exception]);
  }

  /** Function 05; returns an exception code where the board refuses. */
  #write(address: number, value: number): number | undefined {
    const flash = address >= 0x200;
    const output = flash ? address - 0x200 : address;
    if (output >= CHANNELS) return 2;
    if (!flash && value !== 0 && value !== 0xff00) return 3;
    if (flash && this.exception !== undefined) return this.exception;
    this.commands.push(flash ? `flash ${output + 1} ${value}` : `${value === 0 ? "off" : "on"} ${output + 1}`);
    if (!flash) this.coils[output] = value !== 0;
    else if (!this.deaf) this.#pulse(output, value * 100);
    return undefined;
  }

  #pulse(output: number, ms: number): void {
    this.coils[output] = true;
    if (this.sticks) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.coils[output] = false;
    }, ms);
    this.#timers.add(timer);
  }

  #framed(reply: Buffer, transaction: number, unit = this.#unit): Buffer {
    if (this.#framing === "rtu") {
      const bytes = Buffer.concat([Buffer.from([unit]), reply, Buffer.alloc(2)]);
      bytes.writeUInt16LE(crcOf(bytes.subarray(0, -2)), bytes.length - 2);
      return bytes;
    }
    const head = Buffer.alloc(7);
    head.writeUInt16BE(transaction, 0);
    head.writeUInt16BE(reply.length + 1, 4);
    head.writeUInt8(unit, 6);
    return Buffer.concat([head, reply]);
  }

  #spoilt(stream: Duplex, fault: BoardFault, reply: Buffer, transaction: number): Buffer | undefined {
    const whole = this.#framed(reply, transaction);
    const flipped = (bytes: Buffer, bit: number): Buffer => {
      const other = Buffer.from(bytes);
      other.writeUInt8((other.at(-1) ?? 0) ^ bit, other.length - 1);
      return other;
    };
    const spoilt: Record<BoardFault, () => Buffer | undefined> = {
      silent: () => undefined,
      wrongUnit: () => this.#framed(reply, transaction, this.#unit + 1),
      wrongFunction: () => this.#framed(Buffer.from([0x03, 1, 0]), transaction),
      wrongTransaction: () => this.#framed(reply, transaction + 1),
      wrongLength: () => this.#framed(Buffer.concat([reply, Buffer.from([0])]), transaction),
      wrongProtocol: () => Buffer.concat([whole.subarray(0, 2), Buffer.from([0, 7]), whole.subarray(4)]),
      wrongChecksum: () => flipped(whole, 0x01),
      wrongEcho: () => this.#framed(flipped(reply, 0x40), transaction),
      garbage: () => Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n"),
      close: () => void stream.destroy(),
      flood: () => Buffer.alloc(4_000_000, whole),
      late: () => void this.#late.push(() => stream.write(whole)),
      twice: () => Buffer.concat([whole, whole]),
    };
    return spoilt[fault]();
  }
}

/** CRC-16/MODBUS, written otherwise than in the agent: most significant bit first over reflected bytes, reflected at the end. */
function crcOf(bytes: Buffer): number {
  let crc = 0xffff;
  for (const byte of bytes) {
    crc ^= reflect(byte, 8) << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 0x8000 ? (crc << 1) ^ 0x8005 : crc << 1) & 0xffff;
  }
  return reflect(crc, 16);
}

function reflect(value: number, bits: number): number {
  let out = 0;
  for (let bit = 0; bit < bits; bit += 1) if (value & (1 << bit)) out |= 1 << (bits - 1 - bit);
  return out;
}
