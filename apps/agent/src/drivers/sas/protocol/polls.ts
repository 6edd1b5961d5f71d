import { ByteReader, bcd, binary, CRC_BYTES, crcHolds, ProtocolProblem, withCrc } from "./bytes.ts";
import { meterShape } from "./meters.ts";

/**
 * The answer's size: `ack` is the machine's address alone; a number counts the bytes between command and checksum; `counted`
 * messages announce it in a length byte.
 */
export type AnswerShape = "ack" | "counted" | number;

/** One long poll: what is sent, and how its answer is read. Made by the functions below, one for each poll. */
export interface LongPoll<Answer> {
  readonly code: number;
  /** What it does, for traces. */
  readonly title: string;
  /** Data behind the command, without checksum. Polls of type R have none and carry no checksum. */
  readonly data: Uint8Array;
  readonly typeR: boolean;
  readonly shape: AnswerShape;
  /** Reads what lies between command and checksum, without the length byte. Throws `ProtocolProblem`. */
  readonly read: (reader: ByteReader) => Answer;
}

/** The bytes of a general poll: address 0 is every other machine's and acknowledges what the last one sent. */
export const generalPoll = (address: number): Uint8Array => Uint8Array.of(0x80 | address);

/** The bytes of a long poll for the machine at this address (1 to 127). */
export function encodePoll(address: number, { code, data, typeR }: LongPoll<unknown>): Uint8Array {
  const message = Uint8Array.of(address, code, ...data);
  return typeR ? message : withCrc(message);
}

/** Reads a whole answer, checksum included. Throws `ProtocolProblem`. An `ack` poll's answer has no bytes to read. */
export function readAnswer<Answer>(poll: LongPoll<Answer>, message: Uint8Array): Answer {
  if (!crcHolds(message)) throw new ProtocolProblem("the checksum is wrong");
  const reader = new ByteReader(message.subarray(2, -CRC_BYTES));
  if (poll.shape === "counted") {
    const length = reader.byte();
    if (length !== reader.left) throw new ProtocolProblem(`the length byte says ${length} and ${reader.left} follow`);
  }
  const answer = poll.read(reader);
  reader.end();
  return answer;
}

const typeR = <Answer>(
  code: number,
  title: string,
  shape: AnswerShape,
  read: (reader: ByteReader) => Answer,
): LongPoll<Answer> => ({ code, title, data: new Uint8Array(), typeR: true, shape, read });

/** A poll with data, a checksum, and the address alone as answer. */
const acknowledged = (code: number, title: string, data: readonly number[] = []): LongPoll<void> => ({
  code,
  title,
  data: Uint8Array.from(data),
  typeR: false,
  shape: "ack",
  read: () => undefined,
});

/** 01: locks play. The game in progress ends, cash-out works. */
export const shutDown = (): LongPoll<void> => acknowledged(0x01, "shut down");
/** 02: allows play. */
export const startUp = (): LongPoll<void> => acknowledged(0x02, "start up");
/** 03, 04: all sounds off, on. */
export const sound = (on: boolean): LongPoll<void> =>
  on ? acknowledged(0x04, "sound on") : acknowledged(0x03, "sound off");
/** 06, 07. */
export const billAcceptor = (on: boolean): LongPoll<void> =>
  on ? acknowledged(0x06, "bill acceptor on") : acknowledged(0x07, "bill acceptor off");
/** 0E: events answer every poll, with their data. */
export const realTimeEvents = (on: boolean): LongPoll<void> =>
  acknowledged(0x0e, on ? "real-time events on" : "real-time events off", [on ? 1 : 0]);
/** 21: the signature arrives later, in answer to a general poll; keep polling. `seed`: 0 to 65535. */
export const romSignature = (seed: number): LongPoll<void> =>
  acknowledged(0x21, "compute ROM signature", binary(seed, 2));
/** The first bytes of the signature's late answer are address and this. */
export const ROM_SIGNATURE = 0x21;

/** 0F: six meters, credits; `gamesPlayed` a count. */
export type MainMeters = {
  cancelledCredits: number;
  coinIn: number;
  coinOut: number;
  drop: number;
  jackpot: number;
  gamesPlayed: number;
};
export const mainMeters = (): LongPoll<MainMeters> =>
  typeR(0x0f, "meters 10 to 15", 24, (reader) => ({
    cancelledCredits: reader.bcd(4),
    coinIn: reader.bcd(4),
    coinOut: reader.bcd(4),
    drop: reader.bcd(4),
    jackpot: reader.bcd(4),
    gamesPlayed: reader.bcd(4),
  }));

/** 19: five of them. */
export const fiveMeters = (): LongPoll<Omit<MainMeters, "cancelledCredits">> =>
  typeR(0x19, "meters 11 to 15", 20, (reader) => ({
    coinIn: reader.bcd(4),
    coinOut: reader.bcd(4),
    drop: reader.bcd(4),
    jackpot: reader.bcd(4),
    gamesPlayed: reader.bcd(4),
  }));

/** 1A: the credit meter, credits of the accounting denomination. */
export const currentCredits = (): LongPoll<number> => typeR(0x1a, "current credits", 4, (reader) => reader.bcd(4));

/**
 * 1B: the oldest hand pay that waits, or that was reset and not read yet. `level`: 01 to 20h progressive, 40h no progressive,
 * 80h cancelled credits. Amounts in cents (minor units). `none`: level 0 and amount 0.
 */
export type HandPayAnswer = {
  group: number;
  level: number;
  amount: number;
  partial: number;
  /** 1: the win may go to the credit meter; 0: only a key resets it. */
  resetId: number;
};
export const handPay = (): LongPoll<HandPayAnswer> =>
  typeR(0x1b, "hand pay information", 20, (reader) => {
    const answer = {
      group: reader.byte(),
      level: reader.byte(),
      amount: reader.bcd(5),
      partial: reader.bcd(2),
      resetId: reader.byte(),
    };
    reader.take(10);
    return answer;
  });

/** 1F. `denomination` is a code of table C-4: `denominationMinor`. */
export type MachineIdentity = {
  gameId: string;
  additionalId: string;
  denomination: number;
  maxBet: number;
  progressiveGroup: number;
  options: number;
  paytable: string;
  /** Percent, as four characters of text such as `9550`. */
  basePercent: string;
};
const readIdentity = (reader: ByteReader): MachineIdentity => ({
  gameId: reader.ascii(2),
  additionalId: reader.ascii(3),
  denomination: reader.byte(),
  maxBet: reader.byte(),
  progressiveGroup: reader.byte(),
  options: reader.binary(2),
  paytable: reader.ascii(6),
  basePercent: reader.ascii(4),
});
export const machineIdentity = (): LongPoll<MachineIdentity> => typeR(0x1f, "machine identity", 20, readIdentity);

const GAMES_MAX = 9_999;
const gameBytes = (game: number): number[] => {
  if (game > GAMES_MAX) throw new RangeError(`${game} is no game number`);
  return bcd(game, 2);
};

/** A poll of one game (0: the machine), whose answer repeats the game's number. */
function ofGame<Answer>(
  code: number,
  title: string,
  shape: AnswerShape,
  game: number,
  read: (reader: ByteReader) => Answer,
): LongPoll<Answer> {
  return {
    code,
    title,
    data: Uint8Array.from(gameBytes(game)),
    typeR: false,
    shape,
    read: (reader) => {
      const answered = reader.bcd(2);
      if (answered !== game) throw new ProtocolProblem(`the answer is of game ${answered}, not ${game}`);
      return read(reader);
    },
  };
}

/** 51: how many games the machine has. */
export const gamesImplemented = (): LongPoll<number> => typeR(0x51, "games implemented", 2, (reader) => reader.bcd(2));

/** 52: four meters of one game. */
export type GameMeters = Pick<MainMeters, "coinIn" | "coinOut" | "jackpot" | "gamesPlayed">;
export const gameMeters = (game: number): LongPoll<GameMeters> =>
  ofGame(0x52, `meters of game ${game}`, 18, game, (reader) => ({
    coinIn: reader.bcd(4),
    coinOut: reader.bcd(4),
    jackpot: reader.bcd(4),
    gamesPlayed: reader.bcd(4),
  }));

/** 53. */
export const gameIdentity = (game: number): LongPoll<MachineIdentity> =>
  ofGame(0x53, `identity of game ${game}`, 22, game, readIdentity);

/** 54. `version` such as `602`. */
export type VersionAnswer = { version: string; serial: string };
export const versionAndSerial = (): LongPoll<VersionAnswer> =>
  typeR(0x54, "SAS version and serial number", "counted", (reader) => {
    if (reader.left > 43) throw new ProtocolProblem("the serial number is longer than 40 characters");
    return { version: reader.ascii(3), serial: reader.ascii(reader.left) };
  });

/** 55: the game that the player has chosen; 0: none, the menu is open. */
export const selectedGame = (): LongPoll<number> => typeR(0x55, "selected game", 2, (reader) => reader.bcd(2));

/** 56: the games that the player can choose. */
export const enabledGames = (): LongPoll<number[]> =>
  typeR(0x56, "enabled games", "counted", (reader) => {
    const games = reader.byte();
    return Array.from({ length: games }, () => reader.bcd(2));
  });

/** 2F: up to ten meters by one-byte codes. A machine leaves out what it does not have. */
export const meters = (game: number, codes: readonly number[]): LongPoll<Map<number, number>> => {
  if (codes.length < 1 || codes.length > 10) throw new RangeError("poll 2F takes 1 to 10 meters");
  return {
    code: 0x2f,
    title: "meters",
    data: Uint8Array.of(2 + codes.length, ...gameBytes(game), ...codes),
    typeR: false,
    shape: "counted",
    read: (reader) => {
      readGame(reader, game);
      const values = new Map<number, number>();
      while (reader.left > 0) {
        const code = reader.byte();
        const shape = meterShape(code);
        if (shape === undefined || !codes.includes(code)) throw new ProtocolProblem(`meter ${code} was not requested`);
        keepMeter(values, code, reader.bcd(shape.bytes));
      }
      return values;
    },
  };
};

/**
 * 6F, and AF with `alternate`: up to twelve meters by two-byte codes. The machine states each size; size 0 means that it does not have
 * the meter, which is then absent from the result. Two polls in a row must alternate between the codes.
 */
export const extendedMeters = (
  game: number,
  codes: readonly number[],
  alternate = false,
): LongPoll<Map<number, number>> => {
  if (codes.length < 1 || codes.length > 12) throw new RangeError("poll 6F takes 1 to 12 meters");
  return {
    code: alternate ? 0xaf : 0x6f,
    title: "extended meters",
    data: Uint8Array.of(2 + 2 * codes.length, ...gameBytes(game), ...codes.flatMap((code) => binary(code, 2))),
    typeR: false,
    shape: "counted",
    read: (reader) => {
      readGame(reader, game);
      const values = new Map<number, number>();
      while (reader.left > 0) {
        const code = reader.binary(2);
        const bytes = reader.byte();
        if (!codes.includes(code)) throw new ProtocolProblem(`meter ${code} was not requested`);
        if (bytes > 9) throw new ProtocolProblem(`meter ${code} has ${bytes} bytes`);
        // Nine bytes of BCD are more than a number holds exactly; a meter that large has leading zeros only.
        const head = reader.take(Math.max(0, bytes - 7));
        if (head.some((byte) => byte !== 0)) throw new ProtocolProblem(`meter ${code} is too large`);
        if (bytes > 0) keepMeter(values, code, reader.bcd(Math.min(bytes, 7)));
      }
      return values;
    },
  };
};

function readGame(reader: ByteReader, game: number): void {
  const answered = reader.bcd(2);
  if (answered !== game) throw new ProtocolProblem(`the answer is of game ${answered}, not ${game}`);
}

function keepMeter(values: Map<number, number>, code: number, value: number): void {
  if (values.has(code)) throw new ProtocolProblem(`meter ${code} is there twice`);
  values.set(code, value);
}

/** The machine's clock: local time, without a zone. */
export type MachineTime = {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
};

/** Reads MMDDYYYY and HHMMSS in BCD. All zero is no time, which machines without a set clock answer. */
export function readTime(reader: ByteReader): MachineTime | undefined {
  const [month, day, year] = [reader.bcd(1), reader.bcd(1), reader.bcd(2)];
  const [hour, minute, second] = [reader.bcd(1), reader.bcd(1), reader.bcd(1)];
  if (month === 0 && day === 0 && year === 0) return undefined;
  if (month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 59)
    throw new ProtocolProblem("a date or time does not exist");
  return { year, month, day, hour, minute, second };
}

/** 7E: the machine's clock. */
export const dateAndTime = (): LongPoll<MachineTime | undefined> => typeR(0x7e, "date and time", 7, readTime);

/** 7F: sets it. */
export const setDateAndTime = ({ year, month, day, hour, minute, second }: MachineTime): LongPoll<void> =>
  acknowledged(0x7f, "set date and time", [
    ...[bcd(month, 1), bcd(day, 1), bcd(year, 2)].flat(),
    ...[hour, minute, second].flatMap((part) => bcd(part, 1)),
  ]);

/** 94: confirms at the machine that the hand pay was paid. */
export type HandPayReset = "reset" | "unable" | "notInHandPay";
const HAND_PAY_RESETS: Readonly<Record<number, HandPayReset>> = { 0: "reset", 1: "unable", 2: "notInHandPay" };
export const resetHandPay = (): LongPoll<HandPayReset> => ({
  ...acknowledged(0x94, "remote hand pay reset"),
  shape: 1,
  read: (reader) => oneOf(HAND_PAY_RESETS, reader.byte(), "a hand pay reset"),
});

/** A8: where a jackpot goes at its reset. */
export type JackpotReset = "enabled" | "unable" | "notInHandPay";
const JACKPOT_RESETS: Readonly<Record<number, JackpotReset>> = { 0: "enabled", 1: "unable", 2: "notInHandPay" };
export const jackpotReset = (toCreditMeter: boolean): LongPoll<JackpotReset> => ({
  ...acknowledged(0xa8, "jackpot reset method", [toCreditMeter ? 1 : 0]),
  shape: 1,
  read: (reader) => oneOf(JACKPOT_RESETS, reader.byte(), "a jackpot reset"),
});

/** The value of a closed table; throws `ProtocolProblem` for a byte that is not in it. */
export function oneOf<Value>(table: Readonly<Record<number, Value>>, byte: number, what: string): Value {
  const value = table[byte];
  if (value === undefined) throw new ProtocolProblem(`${byte} is not an answer to ${what}`);
  return value;
}

/** A0: what the machine can do. */
export type Features = {
  aftBonus: boolean;
  legacyBonus: boolean;
  ticketRedemption: boolean;
  extendedMeters: boolean;
  componentAuthentication: boolean;
  aft: boolean;
  multiDenomination: boolean;
  /** The machine may be polled every 40 ms instead of every 200 ms. */
  fastPolling: boolean;
};
export const features = (game = 0): LongPoll<Features> =>
  ofGame(0xa0, "features", 8, game, (reader) => {
    const [first = 0, second = 0, third = 0] = reader.take(6);
    const bit = (byte: number, place: number): boolean => (byte >> place) % 2 === 1;
    return {
      aftBonus: bit(first, 1),
      legacyBonus: bit(first, 2),
      ticketRedemption: bit(first, 7),
      extendedMeters: bit(second, 3),
      componentAuthentication: bit(second, 4),
      aft: bit(second, 6),
      multiDenomination: bit(second, 7),
      fastPolling: bit(third, 0),
    };
  });

/** B1: the code of the denomination that the player has chosen. */
export const playerDenomination = (): LongPoll<number> =>
  typeR(0xb1, "player denomination", 1, (reader) => reader.byte());

/** B2: the codes of those that the player can choose. */
export const playerDenominations = (): LongPoll<number[]> =>
  typeR(0xb2, "player denominations", "counted", (reader) => {
    const denominations = reader.byte();
    return Array.from({ length: denominations }, () => reader.byte());
  });

/** B3: the code of the coin mechanism's denomination. */
export const tokenDenomination = (): LongPoll<number> =>
  typeR(0xb3, "token denomination", 1, (reader) => reader.byte());

/** B5: more about a game. `maxBet` in credits of the game. */
export type ExtendedGame = {
  maxBet: number;
  progressiveGroup: number;
  progressiveLevels: number;
  name: string;
  paytable: string;
  wagerCategories: number;
  /** Codes of the denominations that it can be configured for; empty where the machine's version does not say. */
  denominations: number[];
};
export const extendedGame = (game: number): LongPoll<ExtendedGame> =>
  ofGame(0xb5, `extended information of game ${game}`, "counted", game, (reader) => {
    const head = { maxBet: reader.bcd(2), progressiveGroup: reader.byte(), progressiveLevels: reader.binary(4) };
    const name = reader.ascii(reader.byte());
    const paytable = reader.ascii(reader.byte());
    const wagerCategories = reader.bcd(2);
    const denominations = reader.left === 0 ? [] : [...reader.take(reader.byte())];
    return { ...head, name, paytable, wagerCategories, denominations };
  });

/** 57: a cash-out that waits for a ticket number. Cents; `waiting` false: none. */
export type PendingCashOut = { waiting: boolean; restricted: boolean; amount: number };
export const pendingCashOut = (): LongPoll<PendingCashOut> =>
  typeR(0x57, "pending cash-out", 6, (reader) => {
    const kind = reader.byte();
    return { waiting: kind !== 0x80, restricted: kind === 0x01, amount: reader.bcd(5) };
  });

/** 58: the ticket number of that cash-out. `system` 0 denies it. `number`: 16 digits. */
export const validationNumber = (system: number, number: string): LongPoll<number> => {
  if (!/^\d{16}$/.test(number)) throw new RangeError("a validation number has 16 digits");
  const digits = number.match(/\d\d/g) ?? [];
  return {
    ...acknowledged(0x58, "validation number", [...bcd(system, 1), ...digits.map((two) => Number.parseInt(two, 16))]),
    shape: 1,
    read: (reader) => reader.byte(),
  };
};

/** 71 FF: the state of the ticket that is in the machine. */
export const ticketStatus = (): LongPoll<Uint8Array> => ({
  ...acknowledged(0x71, "ticket status", [1, 0xff]),
  shape: "counted",
  read: (reader) => reader.take(reader.left),
});

/** 8A: pays a legacy bonus, credits. `tax`: 0 deductible, 1 not, 2 wager match. */
export const legacyBonus = (credits: number, tax: 0 | 1 | 2): LongPoll<void> =>
  acknowledged(0x8a, "legacy bonus", [...bcd(credits, 4), tax]);

/**
 * Denominations by code, table C-4, in minor units (cents). Fractions of a cent are left out: the books count whole minor units, so such
 * a machine cannot be driven.
 */
const DENOMINATIONS: Readonly<Record<number, number>> = {
  1: 1,
  2: 5,
  3: 10,
  4: 25,
  5: 50,
  6: 100,
  7: 500,
  8: 1_000,
  9: 2_000,
  10: 10_000,
  11: 20,
  12: 200,
  13: 250,
  14: 2_500,
  15: 5_000,
  16: 20_000,
  17: 25_000,
  18: 50_000,
  19: 100_000,
  20: 200_000,
  21: 250_000,
  22: 500_000,
  23: 2,
  24: 3,
  25: 15,
  26: 40,
};

/** Minor units of one credit; undefined: unknown code, or less than one minor unit. */
export const denominationMinor = (code: number): number | undefined => DENOMINATIONS[code];
