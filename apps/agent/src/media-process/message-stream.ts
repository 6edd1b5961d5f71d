import type { Duplex } from "node:stream";

/** A message is its length in four bytes, and that many bytes of JSON. */
const HEAD_BYTES = 4;

/** JSON messages over a stream, in both directions. */
export interface MessageStream {
  send(message: object): void;
  /** Bytes that the other side has not read yet. */
  waitingBytes(): number;
}

interface MessageStreamOptions {
  /** The largest message that is accepted. */
  readonly bytesMax: number;
  /** One message and its size in bytes. Hostile until parsed, unless the other side is trusted. */
  readonly message: (message: unknown, bytes: number) => void;
  /** The bytes are not a message, or too large a one; nothing is read after that. */
  readonly broken: (sentence: string) => void;
}

/**
 * Used instead of Node's own channel between processes: that channel buffers without limit until a line ends, so a compromised process could fill
 * the memory of the other.
 */
export function openMessageStream(stream: Duplex, { bytesMax, message, broken }: MessageStreamOptions): MessageStream {
  let pending: Buffer = Buffer.alloc(0);

  /** False: nothing more can be read. */
  function parse(body: Buffer): boolean {
    try {
      message(JSON.parse(body.toString("utf8")), body.length);
      return true;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      broken("A message is no JSON.");
      return false;
    }
  }

  function read(part: Buffer): void {
    pending = pending.length === 0 ? part : Buffer.concat([pending, part]);
    while (pending.length >= HEAD_BYTES) {
      const length = pending.readUInt32BE(0);
      if (length > bytesMax) {
        stop();
        broken(`A message of ${length} bytes is too large.`);
        return;
      }
      if (pending.length < HEAD_BYTES + length) return;
      const body = pending.subarray(HEAD_BYTES, HEAD_BYTES + length);
      pending = pending.subarray(HEAD_BYTES + length);
      if (!parse(body)) stop();
    }
  }

  function stop(): void {
    stream.off("data", read);
    stream.resume();
    pending = Buffer.alloc(0);
  }

  stream.on("data", read);
  return {
    send(value) {
      if (!stream.writable) return;
      const body = Buffer.from(JSON.stringify(value), "utf8");
      const framed = Buffer.allocUnsafe(HEAD_BYTES + body.length);
      framed.writeUInt32BE(body.length, 0);
      body.copy(framed, HEAD_BYTES);
      stream.write(framed);
    },
    waitingBytes: () => stream.writableLength,
  };
}
