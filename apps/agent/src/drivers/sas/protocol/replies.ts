import { ByteReader, CRC_BYTES, crcHolds, hexOf, MESSAGE_BYTES_MAX, ProtocolProblem } from "./bytes.ts";
import type { SasEvent } from "./events.ts";
import { REAL_TIME_EVENT, readRealTimeEvent, realTimeEventLength } from "./events.ts";
import type { LongPoll } from "./polls.ts";
import { ROM_SIGNATURE, readAnswer } from "./polls.ts";

/** What a general poll waits for, or the long poll whose answer is due. */
export type Awaited = "general" | LongPoll<unknown>;

/** What the bytes since a poll are. */
export type Reply =
  /** The reply is not whole yet. */
  | { is: "more" }
  | { is: "answer"; answer: unknown }
  /** The machine refuses the poll. */
  | { is: "nack" }
  /** The machine cannot answer now. */
  | { is: "busy" }
  /** An exception. In answer to a long poll it means that the poll was not served. */
  | { is: "event"; event: SasEvent }
  /** The late answer to poll 21. */
  | { is: "romSignature"; signature: number }
  /** It arrived whole, and what it says breaks the protocol: to repeat the poll would bring the same. */
  | { is: "unreadable"; why: string }
  /** The line damaged it. */
  | { is: "garbled"; why: string };

const MORE: Reply = { is: "more" };

/**
 * Judges what was received since a poll. `silent`: the line has fallen silent, so nothing more follows; only then a lone address is an
 * acknowledgement, and only then is it known where an event of unknown length ends.
 */
export function judgeReply(received: Uint8Array, address: number, awaited: Awaited, silent: boolean): Reply {
  const [first, second] = received;
  if (received.length > MESSAGE_BYTES_MAX) return garbled("more bytes than a message can have");
  if (first === undefined) return silent ? garbled("no byte") : MORE;
  if (first !== address) return foreignFirst(received, address, awaited);
  if (second === undefined) return silent ? loneAddress(address, awaited) : MORE;
  if (second === REAL_TIME_EVENT) return judgeEvent(received, silent);
  if (awaited === "general") return judgeLate(received, silent);
  if (second === 0x00) return received.length === 2 ? { is: "busy" } : garbled("bytes behind a busy answer");
  if (second !== awaited.code || awaited.shape === "ack")
    return garbled(`an answer to poll ${hexOf(received.subarray(1, 2))}h, which was not sent`);
  return judgeAnswer(received, awaited, silent);
}

function foreignFirst(received: Uint8Array, address: number, awaited: Awaited): Reply {
  const [first = 0] = received;
  if (received.length > 1) return garbled("bytes behind a message of one byte");
  if (awaited === "general") return { is: "event", event: { code: first } };
  return first === (0x80 | address) ? { is: "nack" } : garbled(`the answer begins with ${hexOf(received)}h`);
}

function loneAddress(address: number, awaited: Awaited): Reply {
  if (awaited === "general") return { is: "event", event: { code: address } };
  return awaited.shape === "ack" ? { is: "answer", answer: undefined } : garbled("the address alone");
}

function judgeEvent(received: Uint8Array, silent: boolean): Reply {
  const [, , code] = received;
  if (code === undefined) return silent ? garbled("a torn event") : MORE;
  return whole(received, realTimeEventLength(code), silent, () => ({
    is: "event",
    event: readRealTimeEvent(received),
  }));
}

/** A general poll's answer that is no event: a ROM signature that was computed meanwhile. */
function judgeLate(received: Uint8Array, silent: boolean): Reply {
  if (received[1] !== ROM_SIGNATURE) return garbled("a long answer to a general poll");
  return whole(received, 4 + CRC_BYTES, silent, () => ({
    is: "romSignature",
    signature: new ByteReader(received.subarray(2)).binary(2),
  }));
}

function judgeAnswer(received: Uint8Array, poll: LongPoll<unknown>, silent: boolean): Reply {
  const counted = received[2] === undefined ? undefined : 3 + received[2] + CRC_BYTES;
  if (poll.shape === "counted" && counted === undefined) return silent ? garbled("a torn answer") : MORE;
  const length = poll.shape === "counted" ? counted : 2 + Number(poll.shape) + CRC_BYTES;
  return whole(received, length, silent, () => ({ is: "answer", answer: readAnswer(poll, received) }));
}

/** Reads a message once all its bytes are there. `length` undefined: it ends where the line falls silent. */
function whole(received: Uint8Array, length: number | undefined, silent: boolean, read: () => Reply): Reply {
  const missing = length === undefined ? !silent : received.length < length;
  if (missing) return silent ? garbled(`${received.length} of ${length} bytes`) : MORE;
  if (length !== undefined && received.length > length) return garbled("bytes behind the message");
  if (!crcHolds(received)) return garbled("the checksum is wrong");
  try {
    return read();
  } catch (error) {
    if (error instanceof ProtocolProblem) return { is: "unreadable", why: error.message };
    throw error;
  }
}

const garbled = (why: string): Reply => ({ is: "garbled", why });
