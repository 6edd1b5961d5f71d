/*
 * Modbus requests and answers as bytes, for the few functions that a relay board needs (MODBUS Application Protocol V1.1b3, sections 6.1, 6.2,
 * 6.5 and 6.6), framed for TCP (MBAP header) or for a serial line (RTU, with CRC). Why not a library: record 0144.
 */

/** One question to a board. Addresses and values are 0 to 65535; `value` of a coil is raw, because flash-on commands carry a time there. */
export type ModbusRequest =
  | { readonly is: "readCoils" | "readInputs"; readonly from: number; readonly count: number }
  | { readonly is: "writeCoil" | "writeRegister"; readonly address: number; readonly value: number };

/** A board's valid answer. `bits`: of a read, as many as were requested; of a write, none. `code`: the exception code, 1 to 255. */
export type ModbusReply =
  | { readonly is: "done"; readonly bits: readonly boolean[] }
  | { readonly is: "exception"; readonly code: number };

const FUNCTIONS = { readCoils: 0x01, readInputs: 0x02, writeCoil: 0x05, writeRegister: 0x06 } as const;
const EXCEPTION_BIT = 0x80;
const EXCEPTION_PDU_BYTES = 2;
const WRITE_PDU_BYTES = 5;

/** The value of a coil that a write turns off. */
export const COIL_OFF = 0x0000;

/** What breaks the protocol in an answer, as a sentence. */
export class ModbusNonsense extends Error {}

/** The bytes of a request, without a frame. */
function pduOf(request: ModbusRequest): Buffer {
  const pdu = Buffer.alloc(WRITE_PDU_BYTES);
  pdu.writeUInt8(FUNCTIONS[request.is], 0);
  const read = "from" in request;
  pdu.writeUInt16BE(read ? request.from : request.address, 1);
  pdu.writeUInt16BE(read ? request.count : request.value, 3);
  return pdu;
}

const dataBytes = (count: number): number => Math.ceil(count / 8);

/** How long the answer without frame must be when it starts with this function code. @throws ModbusNonsense for any other code. */
function replyBytes(request: ModbusRequest, code: number): number {
  const sent = FUNCTIONS[request.is];
  if (code === (sent | EXCEPTION_BIT)) return EXCEPTION_PDU_BYTES;
  if (code !== sent) throw new ModbusNonsense(`answers function ${code} to function ${sent}`);
  return "from" in request ? 2 + dataBytes(request.count) : WRITE_PDU_BYTES;
}

/** Reads an answer that has the length of `replyBytes`. A write must be echoed exactly. @throws ModbusNonsense. */
function readReply(request: ModbusRequest, pdu: Buffer): ModbusReply {
  if (pdu.readUInt8(0) & EXCEPTION_BIT) return { is: "exception", code: pdu.readUInt8(1) };
  if (!("from" in request)) {
    if (!pdu.equals(pduOf(request))) throw new ModbusNonsense("echoes another command than the one it was sent");
    return { is: "done", bits: [] };
  }
  const { count } = request;
  if (pdu.readUInt8(1) !== dataBytes(count)) throw new ModbusNonsense(`announces ${pdu.readUInt8(1)} bytes of inputs`);
  const bits = Array.from({ length: count }, (_, at) => ((pdu[2 + (at >> 3)] ?? 0) & (1 << (at & 7))) !== 0);
  return { is: "done", bits };
}

/** One request in its frame, and how its answer is read from a stream of bytes. */
export interface ModbusExchange {
  readonly frame: Buffer;
  /**
   * Reads the answer from all bytes received so far. Undefined: it is incomplete. `used`: bytes of the answer; more than that is
   * nonsense from the board. @throws ModbusNonsense as soon as the bytes cannot become the answer.
   */
  read(received: Buffer): { readonly reply: ModbusReply; readonly used: number } | undefined;
}

/** `mbap`: Modbus TCP. `rtu`: the serial frame, also through a converter that only passes bytes on. */
export type ModbusFraming = "mbap" | "rtu";

/** Frames a request for one unit (1 to 247). `transaction` (0 to 65535) must differ from that of the last request; RTU has none. */
export function modbusExchange(
  framing: ModbusFraming,
  unit: number,
  transaction: number,
  request: ModbusRequest,
): ModbusExchange {
  return framing === "mbap" ? mbapExchange(unit, transaction, request) : rtuExchange(unit, request);
}

const MBAP_BYTES = 7;

function mbapExchange(unit: number, transaction: number, request: ModbusRequest): ModbusExchange {
  const pdu = pduOf(request);
  const head = Buffer.alloc(MBAP_BYTES);
  head.writeUInt16BE(transaction, 0);
  head.writeUInt16BE(pdu.length + 1, 4);
  head.writeUInt8(unit, 6);
  return {
    frame: Buffer.concat([head, pdu]),
    read: (received) => {
      if (received.length <= MBAP_BYTES) return undefined;
      if (received.readUInt16BE(0) !== transaction) throw new ModbusNonsense("answers another transaction");
      if (received.readUInt16BE(2) !== 0) throw new ModbusNonsense("speaks another protocol than Modbus");
      if (received.readUInt8(6) !== unit) throw new ModbusNonsense(`answers as unit ${received.readUInt8(6)}`);
      const bytes = replyBytes(request, received.readUInt8(MBAP_BYTES));
      if (received.readUInt16BE(4) !== bytes + 1) throw new ModbusNonsense("announces a wrong length");
      const used = MBAP_BYTES + bytes;
      if (received.length < used) return undefined;
      return { reply: readReply(request, received.subarray(MBAP_BYTES, used)), used };
    },
  };
}

const CRC_BYTES = 2;

function rtuExchange(unit: number, request: ModbusRequest): ModbusExchange {
  return {
    frame: withCrc(Buffer.concat([Buffer.from([unit]), pduOf(request)])),
    read: (received) => {
      if (received.length < 2) return undefined;
      if (received.readUInt8(0) !== unit) throw new ModbusNonsense(`answers as unit ${received.readUInt8(0)}`);
      const end = 1 + replyBytes(request, received.readUInt8(1));
      const used = end + CRC_BYTES;
      if (received.length < used) return undefined;
      if (!withCrc(received.subarray(0, end)).equals(received.subarray(0, used)))
        throw new ModbusNonsense("has a wrong checksum");
      return { reply: readReply(request, received.subarray(1, end)), used };
    },
  };
}

/** The bytes followed by their CRC-16/MODBUS, low byte first (MODBUS over Serial Line V1.02, section 6.2.2). */
export function withCrc(bytes: Buffer): Buffer {
  let crc = 0xffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >> 1) ^ 0xa001 : crc >> 1;
  }
  return Buffer.concat([bytes, Buffer.from([crc & 0xff, crc >> 8])]);
}
