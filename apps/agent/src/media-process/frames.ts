import type { Duplex } from "node:stream";

/** A frame is its length in four bytes, and so many bytes of JSON. */
const HEAD_BYTES = 4;

/** JSON messages over a stream, both ways. */
export interface Frames {
  send(message: object): void;
  /** Bytes that the other side has not taken yet. */
  waitingBytes(): number;
}

export interface FramesOptions {
  /** The largest frame that is taken. */
  readonly bytesMax: number;
  /** One message and its size. Hostile until parsed, where the other side is not trusted. */
  readonly message: (message: unknown, bytes: number) => void;
  /** What came is no frame, or too large a one; nothing is read after it. */
  readonly broken: (sentence: string) => void;
}

/**
 * Not Node's own channel between processes: that one keeps whatever comes without an end of line, so that a side that was taken over could fill
 * the other's memory.
 */
export function openFrames(stream: Duplex, { bytesMax, message, broken }: FramesOptions): Frames {
  let pending: Buffer = Buffer.alloc(0);

  /** False: nothing more can be read. */
  function take(frame: Buffer): boolean {
    try {
      message(JSON.parse(frame.toString("utf8")), frame.length);
      return true;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      broken("A frame is no JSON.");
      return false;
    }
  }

  function read(part: Buffer): void {
    pending = pending.length === 0 ? part : Buffer.concat([pending, part]);
    while (pending.length >= HEAD_BYTES) {
      const length = pending.readUInt32BE(0);
      if (length > bytesMax) {
        stop();
        broken(`A frame of ${length} bytes is too large.`);
        return;
      }
      if (pending.length < HEAD_BYTES + length) return;
      const frame = pending.subarray(HEAD_BYTES, HEAD_BYTES + length);
      pending = pending.subarray(HEAD_BYTES + length);
      if (!take(frame)) stop();
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
      const frame = Buffer.allocUnsafe(HEAD_BYTES + body.length);
      frame.writeUInt32BE(body.length, 0);
      body.copy(frame, HEAD_BYTES);
      stream.write(frame);
    },
    waitingBytes: () => stream.writableLength,
  };
}
