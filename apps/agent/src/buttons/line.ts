import { connect } from "node:net";
import type { Duplex } from "node:stream";
import { createQueue } from "../machine/machine-queue.ts";
import type { Clock } from "../ports/clock.ts";
import type { Carrier } from "./config.ts";
import type { ModbusExchange, ModbusReply, ModbusRequest } from "./modbus.ts";
import { ModbusNonsense, modbusExchange } from "./modbus.ts";

/**
 * What became of a request. `notSent`: no byte of it left, so nothing happened. `noAnswer`: it may have reached the board, which did not answer
 * in time or answered nonsense; the caller never knows whether the board acted.
 */
export type LineAnswer = ModbusReply | { readonly is: "notSent" | "noAnswer"; readonly says: string };

/** After a fault the line is dropped and left alone this long, ms: a late answer must not be read as the answer to the next request. */
const REST_MS = 500;
const CONNECT_MS_MAX = 2_000;

export interface LineDeps {
  readonly carrier: Carrier;
  readonly clock: Clock;
}

type Waiting = { readonly exchange: ModbusExchange; readonly end: (answer: LineAnswer) => void };

/** One Modbus line: a serial port or a TCP connection, with one or several boards on it. One request at a time. */
export class ModbusLine {
  readonly #carrier: Carrier;
  readonly #clock: Clock;
  readonly #queue = createQueue();
  #stream: Duplex | undefined;
  #connections = 0;
  #received = Buffer.alloc(0);
  #waiting: Waiting | undefined;
  #transaction = 0;
  #restsUntil = Number.NEGATIVE_INFINITY;
  #closed = false;

  constructor({ carrier, clock }: LineDeps) {
    this.#carrier = carrier;
    this.#clock = clock;
  }

  /** Number of the connection that is open now, 1 for the first; undefined: none is. With one a request is sent at once. */
  connection(): number | undefined {
    return this.#stream === undefined ? undefined : this.#connections;
  }

  /** Connects when necessary, sends, and waits for the answer. Never rejects and never sends twice. */
  request(unit: number, request: ModbusRequest): Promise<LineAnswer> {
    return this.#queue(() => this.#exchange(unit, request));
  }

  /** Resolves when the request under way has ended and the line is closed. */
  async close(): Promise<void> {
    await this.#queue(async () => {
      this.#closed = true;
      this.#stream?.destroy();
      this.#stream = undefined;
    });
  }

  async #exchange(unit: number, request: ModbusRequest): Promise<LineAnswer> {
    const stream = await this.#ready();
    if (typeof stream === "string") return { is: "notSent", says: stream };
    const { answerMs, kind } = this.#carrier;
    this.#transaction = (this.#transaction + 1) % 0x1_0000;
    const exchange = modbusExchange(kind === "modbus-tcp" ? "mbap" : "rtu", unit, this.#transaction, request);
    return await new Promise<LineAnswer>((resolve) => {
      const stop = this.#clock.after(answerMs, () => this.#drop(`The board did not answer within ${answerMs} ms.`));
      const end = (answer: LineAnswer): void => {
        this.#waiting = undefined;
        stop();
        resolve(answer);
      };
      this.#waiting = { exchange, end };
      stream.write(exchange.frame);
    });
  }

  /** The open connection, or a sentence on why there is none. */
  async #ready(): Promise<Duplex | string> {
    if (this.#closed) return "The line is closed.";
    if (this.#clock.now() < this.#restsUntil) return "The line rests after a fault.";
    try {
      this.#stream ??= await this.#connect();
      return this.#stream.destroyed ? "The connection to the board closed." : this.#stream;
    } catch (error) {
      this.#restsUntil = this.#clock.now() + REST_MS;
      return `The board cannot be reached (${(error as Error).message}).`;
    }
  }

  async #connect(): Promise<Duplex> {
    const stream = await openCarrier(this.#carrier);
    const gone = (): void => {
      if (this.#stream === stream) this.#drop("The connection to the board closed.");
    };
    // The listeners stay for the whole life of the stream: an error without one would end the process.
    stream.on("data", (chunk: Buffer) => {
      if (this.#stream === stream) this.#receive(chunk);
    });
    stream.on("error", gone);
    stream.on("close", gone);
    this.#connections += 1;
    return stream;
  }

  #receive(chunk: Buffer): void {
    if (this.#waiting === undefined) {
      this.#drop("The board speaks without a request.");
      return;
    }
    this.#received = Buffer.concat([this.#received, chunk]);
    const { exchange, end } = this.#waiting;
    try {
      const read = exchange.read(this.#received);
      if (read === undefined) return;
      const isExact = read.used === this.#received.length;
      this.#received = Buffer.alloc(0);
      end(read.reply);
      if (!isExact) this.#drop("The board sends more than its answer.");
    } catch (error) {
      if (!(error instanceof ModbusNonsense)) throw error;
      this.#drop(`The board ${error.message}.`);
    }
  }

  #drop(says: string): void {
    this.#stream?.destroy();
    this.#stream = undefined;
    this.#received = Buffer.alloc(0);
    this.#restsUntil = this.#clock.now() + REST_MS;
    this.#waiting?.end({ is: "noAnswer", says });
  }
}

/** Opens a TCP connection or a serial port. Rejects with the system's error. */
async function openCarrier(carrier: Carrier): Promise<Duplex> {
  return carrier.kind === "modbus-rtu" ? await openSerial(carrier) : await openTcp(carrier);
}

function openTcp({ host, port }: Extract<Carrier, { host: string }>): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true });
    socket.setTimeout(CONNECT_MS_MAX, () => socket.destroy(new Error(`no connection within ${CONNECT_MS_MAX} ms`)));
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.off("error", reject);
      socket.setTimeout(0);
      resolve(socket);
    });
  });
}

async function openSerial({ path, baud, parity }: Extract<Carrier, { path: string }>): Promise<Duplex> {
  // Imported only here: it loads native code, which an agent without a serial board never needs.
  const { SerialPort } = await import("serialport");
  return await new Promise((resolve, reject) => {
    const port = new SerialPort({ path, baudRate: baud, dataBits: 8, parity, stopBits: 1, lock: true }, (error) => {
      if (error) reject(error);
      else resolve(port);
    });
  });
}
