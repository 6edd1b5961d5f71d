import type { Server, Socket } from "node:net";
import { createServer } from "node:net";
import type { Button } from "./machine/machine.ts";
import { BUTTONS } from "./machine/machine.ts";
import type { BoardFaults } from "./orders.ts";
import type { Clock } from "./sas/link-layer.ts";

/**
 * A Modbus TCP relay board whose outputs are across the buttons of the cabinet: functions 01 (coils), 02 (inputs), 05 (one coil) and 0F (several),
 * and the flash-on command of Waveshare boards (05 at 0x0200 + coil, the time in units of 100 ms), which the board's own clock ends.
 * Coils are in the order of `BUTTONS`; input 0 is the key switch, closed for remote.
 */

const FLASH_ON = 0x0200;
const FLASH_UNIT_MS = 100;
const FLASH_UNITS_MAX = 0x7fff;
/** A button answers to a contact that is closed this long, ms: shorter is a bounce. */
const CONTACT_MS = 20;
const MBAP_BYTES = 7;
const PDU_BYTES_MAX = 253;
const CONNECTIONS_MAX = 4;
/** A client that never reads is cut off. */
const UNREAD_BYTES_MAX = 65_536;
const EXCEPTION = { function: 0x01, address: 0x02, value: 0x03 } as const;

/** A contact that is slow to open stays closed this long behind its pulse, and a button that is held presses again so often, ms. */
const STICKY_MS = 3_000;
const HELD_AGAIN_MS = 500;
/** A worn contact needs this long, ms. */
const WORN_MS = 150;

export type Panel = { press(button: Button): void; remote(): boolean; faults(): BoardFaults };

/** The outputs of the board. */
export class RelayBoard {
  readonly #clock: Clock;
  readonly #panel: Panel;
  readonly #outputs = BUTTONS.map(() => ({ closed: false, stop: [] as (() => void)[] }));
  readonly #received = new Map<number, number>();

  constructor(clock: Clock, panel: Panel) {
    this.#clock = clock;
    this.#panel = panel;
  }

  /** Answers one request without its frame. */
  answer(pdu: Buffer): Buffer {
    const code = pdu[0] ?? 0;
    this.#received.set(code, (this.#received.get(code) ?? 0) + 1);
    const refuse = (exception: number): Buffer => Buffer.from([code | 0x80, exception]);
    if (code === 0x01 && this.#panel.faults().blind) return refuse(EXCEPTION.function);
    if (code === 0x01 || code === 0x02) {
      const states = code === 0x01 ? this.#outputs.map((_, index) => this.#reads(index)) : [this.#panel.remote()];
      return this.#read(code, pdu, states) ?? refuse(pdu.length === 5 ? EXCEPTION.address : EXCEPTION.value);
    }
    if (code === 0x05) {
      const problem = pdu.length === 5 ? this.#writeOne(pdu.readUInt16BE(1), pdu.readUInt16BE(3)) : EXCEPTION.value;
      return problem === null ? pdu : refuse(problem);
    }
    if (code === 0x0f) {
      const problem = this.#writeSeveral(pdu);
      return problem === null ? pdu.subarray(0, 5) : refuse(problem);
    }
    return refuse(EXCEPTION.function);
  }
  isSilent(): boolean {
    return this.#panel.faults().silent;
  }
  /** How often each Modbus function reached the board, by its code in decimal. */
  received(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#received);
  }
  /** All outputs open, as when the board loses its power. */
  release(): void {
    for (const index of this.#outputs.keys()) this.#set(index, false);
  }

  #read(code: number, pdu: Buffer, states: readonly boolean[]): Buffer | null {
    if (pdu.length !== 5) return null;
    const [from, count] = [pdu.readUInt16BE(1), pdu.readUInt16BE(3)];
    if (count < 1 || from + count > states.length) return null;
    const bytes = Buffer.alloc(Math.ceil(count / 8));
    for (let n = 0; n < count; n += 1) {
      if (states[from + n] === true) bytes[n >> 3] = (bytes[n >> 3] ?? 0) | (1 << (n & 7));
    }
    return Buffer.concat([Buffer.from([code, bytes.length]), bytes]);
  }
  #writeOne(address: number, value: number): number | null {
    const flash = address >= FLASH_ON;
    const index = flash ? address - FLASH_ON : address;
    if (this.#outputs[index] === undefined) return EXCEPTION.address;
    if (flash) {
      if (value < 1 || value > FLASH_UNITS_MAX) return EXCEPTION.value;
      this.#set(index, true, value * FLASH_UNIT_MS);
      return null;
    }
    if (value !== 0xff00 && value !== 0x0000) return EXCEPTION.value;
    this.#set(index, value === 0xff00);
    return null;
  }
  #writeSeveral(pdu: Buffer): number | null {
    if (pdu.length < 7) return EXCEPTION.value;
    const [from, count, bytes] = [pdu.readUInt16BE(1), pdu.readUInt16BE(3), pdu.readUInt8(5)];
    if (count < 1 || bytes !== Math.ceil(count / 8) || pdu.length !== 6 + bytes) return EXCEPTION.value;
    if (from + count > this.#outputs.length) return EXCEPTION.address;
    for (let n = 0; n < count; n += 1) this.#set(from + n, ((pdu[6 + (n >> 3)] ?? 0) & (1 << (n & 7))) !== 0);
    return null;
  }
  #reads(index: number): boolean {
    const button = BUTTONS[index];
    return (
      (button !== undefined && this.#panel.faults().stuck.includes(button)) || this.#outputs[index]?.closed === true
    );
  }
  /** The contact closes: the button at the other end of its wires is pressed. */
  #press(button: Button): void {
    const { dead, stuck, sticky, swapped } = this.#panel.faults();
    if (dead.includes(button) || stuck.includes(button)) return;
    const [one, other] = swapped;
    const ends = new Map([
      [one, other],
      [other, one],
    ]);
    const pressed = ends.get(button) ?? button;
    this.#panel.press(pressed);
    if (!sticky.includes(button)) return;
    for (let held = HELD_AGAIN_MS; held <= STICKY_MS; held += HELD_AGAIN_MS)
      this.#clock.after(held, () => {
        if (this.#panel.faults().sticky.includes(button)) this.#panel.press(pressed);
      });
  }
  #set(index: number, closed: boolean, forMs?: number): void {
    const output = this.#outputs[index];
    const button = BUTTONS[index];
    if (output === undefined || button === undefined) return;
    const was = output.closed;
    for (const stop of output.stop) stop();
    output.closed = closed;
    output.stop = [];
    if (!closed) return;
    const contactMs = this.#panel.faults().worn.includes(button) ? WORN_MS : CONTACT_MS;
    if (!was) output.stop.push(this.#clock.after(contactMs, () => this.#press(button)));
    if (forMs !== undefined) output.stop.push(this.#clock.after(forMs, () => this.#set(index, false)));
  }
}

/** Serves the board on Modbus TCP; a client that breaks the frame is cut off. */
export function serveBoard(board: RelayBoard, unit: number): Server {
  const server = createServer((socket) => serveClient(socket, board, unit));
  server.maxConnections = CONNECTIONS_MAX;
  return server;
}

function serveClient(socket: Socket, board: RelayBoard, unit: number): void {
  let waiting = Buffer.alloc(0);
  socket.on("error", () => undefined);
  socket.on("data", (data) => {
    waiting = Buffer.concat([waiting, data]);
    while (waiting.length >= MBAP_BYTES) {
      const length = waiting.readUInt16BE(4);
      if (waiting.readUInt16BE(2) !== 0 || length < 2 || length > PDU_BYTES_MAX + 1) {
        socket.destroy();
        return;
      }
      if (waiting.length < MBAP_BYTES - 1 + length) return;
      const frame = waiting.subarray(0, MBAP_BYTES - 1 + length);
      waiting = waiting.subarray(frame.length);
      // A board is silent to the units behind other gateways.
      if (frame[6] !== unit || board.isSilent()) continue;
      const answer = board.answer(frame.subarray(MBAP_BYTES));
      const head = Buffer.from(frame.subarray(0, MBAP_BYTES));
      head.writeUInt16BE(answer.length + 1, 4);
      socket.write(Buffer.concat([head, answer]));
      if (socket.writableLength > UNREAD_BYTES_MAX) {
        socket.destroy();
        return;
      }
    }
  });
}
