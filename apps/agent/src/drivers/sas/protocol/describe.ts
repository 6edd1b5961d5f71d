import * as aft from "./aft.ts";
import { ByteReader, ProtocolProblem } from "./bytes.ts";
import { exceptionName, isIdle } from "./events.ts";
import { meterShape } from "./meters.ts";
import type { LongPoll } from "./polls.ts";
import * as polls from "./polls.ts";
import type { Reply } from "./replies.ts";
import { judgeReply } from "./replies.ts";

/** Polls without data of their own, by code. */
const PLAIN: Readonly<Record<number, () => LongPoll<unknown>>> = {
  1: polls.shutDown,
  2: polls.startUp,
  3: () => polls.sound(false),
  4: () => polls.sound(true),
  6: () => polls.billAcceptor(true),
  7: () => polls.billAcceptor(false),
  15: polls.mainMeters,
  25: polls.fiveMeters,
  26: polls.currentCredits,
  27: polls.handPay,
  31: polls.machineIdentity,
  81: polls.gamesImplemented,
  84: polls.versionAndSerial,
  85: polls.selectedGame,
  86: polls.enabledGames,
  87: polls.pendingCashOut,
  113: polls.ticketStatus,
  126: polls.dateAndTime,
  148: polls.resetHandPay,
  177: polls.playerDenomination,
  178: polls.playerDenominations,
  179: polls.tokenDenomination,
};

/** Polls of one game, by code. */
const OF_GAME: Readonly<Record<number, (game: number) => LongPoll<unknown>>> = {
  82: polls.gameMeters,
  83: polls.gameIdentity,
  160: polls.features,
  181: polls.extendedGame,
};

/** The poll that these bytes of a trace are; undefined: none that this driver sends. */
function pollIn(sent: Uint8Array): LongPoll<unknown> | undefined {
  const [, code = 0, data = 0] = sent;
  if (code in PLAIN) return PLAIN[code]?.();
  if (code in OF_GAME) return OF_GAME[code]?.(new ByteReader(sent.subarray(2)).bcd(2));
  if (code === 0x0e) return polls.realTimeEvents(data === 1);
  if (code === 0x21) return polls.romSignature(data + (sent[3] ?? 0) * 256);
  if (code === 0x2f) return polls.meters(0, [...sent.subarray(5, -2)]);
  if (code === 0x6f || code === 0xaf) return polls.extendedMeters(0, wordsIn(sent.subarray(5, -2)), code === 0xaf);
  if (code === 0x72) return transferIn(sent);
  if (code === 0x73) return data === 1 ? aft.readRegistration() : aft.register("register", { assetNumber: 0 });
  if (code === 0x74) return LOCKS[data];
  if (code === 0xa8) return polls.jackpotReset(data === 1);
  return undefined;
}

const LOCKS: Readonly<Record<number, LongPoll<unknown>>> = {
  0: aft.requestLock({ toMachine: true, fromMachine: true }, 0),
  128: aft.cancelLock(),
  255: aft.readLock(),
};

const wordsIn = (bytes: Uint8Array): number[] =>
  Array.from({ length: bytes.length >> 1 }, (_, at) => (bytes[at * 2] ?? 0) + (bytes[at * 2 + 1] ?? 0) * 256);

function transferIn(sent: Uint8Array): LongPoll<unknown> {
  const [, , length, code = 0, index = 0] = sent;
  if (length === 1) return aft.cancelTransfer();
  if (length !== 2) return { ...aft.interrogate(0), title: "transfer funds" };
  return code === 0xfe ? aft.interrogateStatus() : aft.interrogate(index > 0x7f ? index - 0x100 : index);
}

/** One exchange of a trace in words: what was polled, and what the machine answered. Never throws. */
export function describeExchange(sent: Uint8Array, received: Uint8Array): { poll: string; answer: string } {
  const [first = 0] = sent;
  if (sent.length === 1 && first === 0x80) return { poll: "other address", answer: "" };
  if (sent.length === 1) return { poll: "general poll", answer: answerTo("general", first & 0x7f, received) };
  const poll = safely(() => pollIn(sent));
  if (poll === undefined) return { poll: `poll ${(sent[1] ?? 0).toString(16).padStart(2, "0")}`, answer: "" };
  return { poll: poll.title, answer: answerTo(poll, first, received) };
}

/** A trace may be damaged; a poll that cannot be is no poll. */
function safely<Value>(make: () => Value): Value | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof RangeError || error instanceof ProtocolProblem) return undefined;
    throw error;
  }
}

function answerTo(poll: "general" | LongPoll<unknown>, address: number, received: Uint8Array): string {
  if (received.length === 0) return "no answer";
  const reply = judgeReply(received, address, poll, true);
  return wordsOf(reply);
}

function wordsOf(reply: Reply): string {
  switch (reply.is) {
    case "event":
      if (isIdle(reply.event)) return "nothing happened";
      return [exceptionName(reply.event.code), fieldsOf(reply.event.data)].filter((part) => part !== "").join(": ");
    case "answer":
      return reply.answer === undefined ? "acknowledged" : fieldsOf(reply.answer);
    case "romSignature":
      return `ROM signature ${reply.signature.toString(16).padStart(4, "0")}h`;
    case "nack":
      return "refused";
    case "busy":
      return "busy";
    case "garbled":
    case "unreadable":
      return `unreadable: ${reply.why}`;
    default:
      return "";
  }
}

function fieldsOf(value: unknown): string {
  if (value === undefined) return "";
  if (value instanceof Map)
    return [...value].map(([code, meter]) => `${meterShape(code)?.name ?? code} ${meter}`).join(", ");
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  if (typeof value !== "object" || value === null) return String(value);
  if (Array.isArray(value)) return value.map(fieldsOf).join(" ");
  return Object.entries(value)
    .filter(([key]) => key !== "what")
    .map(([key, field]) => `${key} ${typeof field === "object" ? `(${fieldsOf(field)})` : String(field)}`)
    .join(", ");
}
