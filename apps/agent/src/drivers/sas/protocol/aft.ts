import type { ByteReader } from "./bytes.ts";
import { ascii, bcd, binary, ProtocolProblem } from "./bytes.ts";
import type { LongPoll, MachineTime } from "./polls.ts";
import { oneOf, readTime } from "./polls.ts";

/* Advanced funds transfer: polls 72, 73 and 74. All amounts are cents (minor units). */

/** Three kinds of credits: the player's money, and two kinds of promotional credits. */
export type Funds = { cashable: number; restricted: number; nonRestricted: number };

const readFunds = (reader: ByteReader): Funds => ({
  cashable: reader.bcd(5),
  restricted: reader.bcd(5),
  nonRestricted: reader.bcd(5),
});

/** Types of transfer that the driver orders: in-house, to the machine and to the host. */
export const TRANSFER_TYPE = { toMachine: 0x00, toHost: 0x80, winToHost: 0x90 } as const;

/** Flags of a transfer. */
export const TRANSFER_FLAG = { hostCashOut: 0x01, hostCashOutOn: 0x02, lockAfter: 0x10, onlyIfLocked: 0x40 } as const;

/** The longest id of a transfer, characters 20h to 7Eh. */
export const TRANSFER_ID_MAX = 20;

export type TransferOrder = {
  /** 1 to 20 printable ASCII characters, unique for ever. */
  transferId: string;
  type: number;
  amounts: Funds;
  /** Move what fits instead of all or nothing. */
  partial: boolean;
  flags: number;
  /** The machine's asset number: 1 to 2^32 − 1. */
  assetNumber: number;
  /** Last moment at which restricted credits may be used; MMDDYYYY. 0: none. */
  expiration: number;
  pool: number;
  /** How long the machine may stay locked for it, ms in steps of 10; undefined: the field is left out, as some machines want it. */
  lockTimeoutMs?: number | undefined;
};

const REGISTRATION_KEY_BYTES = 20;

/** 72: moves money. Its answer is often *pending*; the outcome is read by `interrogate`. */
export function transferFunds(order: TransferOrder): LongPoll<TransferAnswer> {
  const { transferId, amounts, lockTimeoutMs } = order;
  if (transferId.length < 1 || transferId.length > TRANSFER_ID_MAX)
    throw new RangeError("a transfer id has 1 to 20 characters");
  const body = [
    ...[order.partial ? 0x01 : 0x00, 0x00, order.type],
    ...[amounts.cashable, amounts.restricted, amounts.nonRestricted].flatMap((amount) => bcd(amount, 5)),
    ...[order.flags, ...binary(order.assetNumber, 4)],
    ...new Array<number>(REGISTRATION_KEY_BYTES).fill(0),
    ...[transferId.length, ...ascii(transferId)],
    ...[...bcd(order.expiration, 4), ...binary(order.pool, 2), 0],
    ...(lockTimeoutMs === undefined ? [] : hundredths(lockTimeoutMs)),
  ];
  return transferPoll("transfer funds", [body.length, ...body]);
}

/** 72 FF: the whole record of a transfer. `index`: 0 the current one, 1 to 127 a place in the history, −1 to −127 back from the newest. */
export const interrogate = (index: number): LongPoll<TransferAnswer> => {
  if (!Number.isInteger(index) || index < -127 || index > 127)
    throw new RangeError(`${index} is no place of the record`);
  return transferPoll(index === 0 ? "read the current transfer" : `read transfer ${index}`, [2, 0xff, index & 0xff]);
};

/** 72 FE: the same, the state alone where the machine makes a difference. */
export const interrogateStatus = (): LongPoll<TransferAnswer> =>
  transferPoll("read the transfer's state", [2, 0xfe, 0]);

/** 72 80: cancels a transfer that has not begun. */
export const cancelTransfer = (): LongPoll<TransferAnswer> => transferPoll("cancel the transfer", [1, 0x80]);

const transferPoll = (title: string, data: readonly number[]): LongPoll<TransferAnswer> => ({
  code: 0x72,
  title,
  data: Uint8Array.from(data),
  typeR: false,
  shape: "counted",
  read: readTransfer,
});

const hundredths = (ms: number): number[] => bcd(Math.round(ms / 10), 2);

/** The machine's answer to every form of 72. */
export type TransferAnswer = {
  /** Place in the history; 0: the current transfer. */
  index: number;
  status: number;
  receipt: number;
  type: number;
  amounts: Funds;
  flags: number;
  assetNumber: number;
  transferId: string;
  /** When it was completed, by the machine's clock. */
  at: MachineTime | undefined;
  /** Cumulative meters of these three kinds; absent until complete. */
  meters: Partial<Funds>;
};

function readTransfer(reader: ByteReader): TransferAnswer {
  const index = reader.byte();
  const status = reader.byte();
  // For an empty place and for a cancel some machines answer no more.
  const empty: TransferAnswer = {
    ...{ index, status, receipt: 0xff, type: 0, amounts: { cashable: 0, restricted: 0, nonRestricted: 0 } },
    ...{ flags: 0, assetNumber: 0, transferId: "", at: undefined, meters: {} },
  };
  if (reader.left === 0) return empty;
  const head = { receipt: reader.byte(), type: reader.byte(), amounts: readFunds(reader), flags: reader.byte() };
  const assetNumber = reader.binary(4);
  const idBytes = reader.byte();
  if (idBytes > TRANSFER_ID_MAX) throw new ProtocolProblem(`a transfer id of ${idBytes} characters`);
  const transferId = reader.ascii(idBytes);
  const at = readTime(reader);
  reader.take(4 + 2);
  const meters = readCumulative(reader);
  return { index, status, ...head, assetNumber, transferId, at, meters };
}

function readCumulative(reader: ByteReader): Partial<Funds> {
  const meters: Partial<Funds> = {};
  for (const kind of ["cashable", "restricted", "nonRestricted"] as const) {
    // Some machines end the message here.
    if (reader.left === 0) return meters;
    const bytes = reader.byte();
    if (bytes > 7) throw new ProtocolProblem(`a cumulative meter of ${bytes} bytes`);
    if (bytes > 0) meters[kind] = reader.bcd(bytes);
  }
  return meters;
}

/** What the status of a transfer means, for one who must decide about money. */
export type TransferStatus =
  | { is: "done" }
  | { is: "pending" }
  | { is: "refused"; reason: TransferRefusal }
  /** The id is that of the last successful transfer: read the history. */
  | { is: "repeated" }
  /** The machine does something else now, perhaps an earlier order of this very id: read the current transfer. */
  | { is: "incompatible" }
  /** The machine has no record here. */
  | { is: "none" };

export type TransferRefusal =
  | "cancelled"
  | "unsupported"
  | "badAmount"
  | "overLimit"
  | "notWholeCredits"
  | "noPartial"
  | "notNow"
  | "notRegistered"
  | "nothingToPay"
  | "noReceipt"
  | "badAsset"
  | "notLocked"
  | "badId"
  | "unexpected";

const REFUSALS: Readonly<Record<number, TransferRefusal>> = {
  128: "cancelled",
  130: "unsupported",
  131: "badAmount",
  132: "overLimit",
  133: "notWholeCredits",
  134: "noPartial",
  135: "notNow",
  136: "notRegistered",
  137: "notRegistered",
  138: "notRegistered",
  139: "nothingToPay",
  140: "notWholeCredits",
  141: "badAmount",
  142: "noReceipt",
  143: "badAmount",
  144: "noReceipt",
  145: "noReceipt",
  146: "noReceipt",
  147: "badAsset",
  148: "notLocked",
  149: "badId",
};

/**
 * The meaning of a transfer status byte. The two top bits decide where the exact code is not known: 00 done, 01 pending, 10 failed, and 11
 * incompatible with what the machine does now; FFh is no information. Nothing that could be *pending* is ever read as a refusal.
 */
export function transferStatus(status: number): TransferStatus {
  if (status === 0x00 || status === 0x01) return { is: "done" };
  if (status === 0x81) return { is: "repeated" };
  if (status === 0xff) return { is: "none" };
  const family = status >> 5;
  if (family === 0b100) return { is: "refused", reason: REFUSALS[status] ?? "unexpected" };
  if (family === 0b110) return { is: "incompatible" };
  return { is: "pending" };
}

/** 73 FF, 73 00, 73 01, 73 80. Only debit transfers need a registration; in-house ones a matching asset number. */
export type Registration = {
  status: "ready" | "registered" | "pending" | "unregistered";
  assetNumber: number;
  posId: number;
};

const REGISTRATIONS: Readonly<Record<number, Registration["status"]>> = {
  0: "ready",
  1: "registered",
  64: "pending",
  128: "unregistered",
};

function registrationPoll(title: string, data: readonly number[]): LongPoll<Registration> {
  return {
    ...{ code: 0x73, title, data: Uint8Array.from(data), typeR: false, shape: "counted" as const },
    read: (reader) => {
      const status = oneOf(REGISTRATIONS, reader.byte(), "a registration");
      const assetNumber = reader.binary(4);
      reader.take(REGISTRATION_KEY_BYTES);
      return { status, assetNumber, posId: reader.binary(4) };
    },
  };
}

export const readRegistration = (): LongPoll<Registration> => registrationPoll("read the AFT registration", [1, 0xff]);

/** `step`: initialise, register, or ask the machine's operator to confirm, or undo. `posId` 0: none. */
export function register(
  step: "initialise" | "register" | "confirm" | "undo",
  { assetNumber, posId = 0 }: { assetNumber: number; posId?: number },
): LongPoll<Registration> {
  const code = { initialise: 0x00, register: 0x01, confirm: 0x40, undo: 0x80 }[step];
  const key = new Array<number>(REGISTRATION_KEY_BYTES).fill(0);
  return registrationPoll(`AFT registration: ${step}`, [
    ...[0x1d, code, ...binary(assetNumber, 4), ...key, ...binary(posId, 4)],
  ]);
}

/** What the machine answers to 74. */
export type LockStatus = {
  assetNumber: number;
  lock: "locked" | "pending" | "unlocked";
  /** Transfers that are possible now. */
  available: { toMachine: boolean; fromMachine: boolean; winPending: boolean };
  hostCashOut: { controllable: boolean; on: boolean };
  aft: { partialToHost: boolean; registered: boolean; inHouse: boolean; any: boolean };
  /** Places of the history: 1 to 127. */
  historyPlaces: number;
  funds: Funds;
  /** Most that one transfer may move to the machine, cents. */
  limit: number;
};

const LOCKS: Readonly<Record<number, LockStatus["lock"]>> = { 0: "locked", 64: "pending", 255: "unlocked" };

function lockPoll(title: string, data: readonly number[]): LongPoll<LockStatus> {
  return { code: 0x74, title, data: Uint8Array.from(data), typeR: false, shape: "counted", read: readLockStatus };
}

function readLockStatus(reader: ByteReader): LockStatus {
  const bit = (byte: number, place: number): boolean => (byte >> place) % 2 === 1;
  const assetNumber = reader.binary(4);
  const lock = oneOf(LOCKS, reader.byte(), "a lock");
  const [transfers, cashOut, aft, historyPlaces] = [reader.byte(), reader.byte(), reader.byte(), reader.byte()];
  const funds = readFunds(reader);
  const limit = reader.bcd(5);
  reader.take(4 + 2);
  return {
    assetNumber,
    lock,
    available: { toMachine: bit(transfers, 0), fromMachine: bit(transfers, 1), winPending: bit(transfers, 3) },
    hostCashOut: { controllable: bit(cashOut, 0), on: bit(cashOut, 1) },
    aft: { partialToHost: bit(aft, 1), registered: bit(aft, 3), inHouse: bit(aft, 4), any: bit(aft, 7) },
    historyPlaces,
    funds,
    limit,
  };
}

/** 74 FF: reads the state, locks nothing. */
export const readLock = (): LongPoll<LockStatus> => lockPoll("read the AFT lock and state", [0xff, 0, 0, 0]);
/** 74 80: ends the lock. */
export const cancelLock = (): LongPoll<LockStatus> => lockPoll("cancel the AFT lock", [0x80, 0, 0, 0]);
/** 74 00: locks when a transfer in these directions is possible. `timeoutMs`: 10 to 99990; the machine's clock counts in 10 ms. */
export const requestLock = (
  conditions: { toMachine: boolean; fromMachine: boolean },
  timeoutMs: number,
): LongPoll<LockStatus> =>
  lockPoll("request the AFT lock", [
    ...[0x00, (conditions.toMachine ? 1 : 0) | (conditions.fromMachine ? 2 : 0), ...hundredths(timeoutMs)],
  ]);
