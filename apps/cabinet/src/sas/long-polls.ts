import { returnsOf } from "@longarm/reels/game/returns";
import { BANDS } from "@longarm/reels/game/rules";
import { stripsOf } from "@longarm/reels/game/strips";
import type { Machine } from "../machine/machine.ts";
import { COUNTRY } from "../machine/machine.ts";
import { DENOMINATIONS, maxBet, offers } from "../machine/options.ts";
import type { Aft } from "./aft.ts";
import { instantOf, stampOf } from "./aft.ts";
import { ascii, bcd, binary, crc16, fromBcd, fromBinary, hex } from "./bytes.ts";
import type { Answer, Shape } from "./link-layer.ts";
import { DOORS_OPENED, GAME_METERS, meterBytes, meterKey, meterSize, meterValue, POWER_RESETS } from "./meters.ts";

/** Long polls of SAS 6.02 that the cabinet answers, by their command byte; it is silent to every other. */

type Poll = { readonly shape: Shape; answer(data: readonly number[]): Answer };
/** ROM signature: computed, then sent in the place of an exception. */
export type Deferred = { readonly message: number[]; readonly readyAt: number };

const READ: Shape = { crc: false };
const COUNTED: Shape = { crc: true, data: "counted" };
const fixed = (data: number): Shape => ({ crc: true, data });
const ACK: Answer = { is: "ack" };
const NACK: Answer = { is: "nack" };
const SILENCE: Answer = { is: "silence" };
const data = (bytes: readonly number[], acknowledged?: () => void): Answer => ({
  is: "data",
  bytes,
  ...(acknowledged && { acknowledged }),
});

const GAME_ID = "LR";
const PAYTABLE_ID = "REELS1";
const THE_GAME = 1;
/** The program, in the machine's eyes, whose signature the host checks. */
const PROGRAM = ascii("Longarm cabinet 602 reels");
const SIGNATURE_MS = 1_500;
/** Meters of the polls 10 to 17, and of 0F, 19 and 1C. */
const SINGLE: Readonly<Record<number, number>> = {
  16: 0x04,
  17: 0x00,
  18: 0x01,
  19: 0x24,
  20: 0x02,
  21: 0x05,
  22: 0x06,
  23: 0x07,
};
const SEVERAL: Readonly<Record<number, readonly number[]>> = {
  15: [0x04, 0x00, 0x01, 0x24, 0x02, 0x05],
  25: [0x00, 0x01, 0x24, 0x02, 0x05],
  28: [0x00, 0x01, 0x24, 0x02, 0x05, 0x06, DOORS_OPENED, POWER_RESETS],
  30: [0x40, 0x42, 0x43, 0x44, 0x46, 0x47],
};
/** Counts of one bill each: the poll, and the bill's meter. */
const BILL_POLLS: Readonly<Record<number, number>> = {
  49: 0x40,
  50: 0x41,
  51: 0x42,
  52: 0x43,
  53: 0x44,
  54: 0x46,
  55: 0x47,
  58: 0x48,
};
const BILL_WORTH: Readonly<Record<number, number>> = {
  64: 1,
  65: 2,
  66: 5,
  67: 10,
  68: 20,
  70: 50,
  71: 100,
  72: 200,
};

export type PollsDeps = {
  readonly machine: Machine;
  readonly aft: Aft;
  defer(deferred: Deferred): void;
};

export function createLongPolls(deps: PollsDeps): ReadonlyMap<number, Poll> {
  const { lacks } = deps.machine.model;
  const polls = new Map<number, Poll>([
    ...controlPolls(deps),
    ...meterPolls(deps.machine),
    ...gamePolls(deps.machine),
    ...moneyPolls(deps),
  ]);
  for (const command of lacks) polls.delete(command);
  return polls;
}

const counted = (bytes: readonly number[]): number[] => [bytes.length, ...bytes];

type Entry = [command: number, poll: Poll];

/** Does it, and says so. */
const act = (run: () => void): Answer => {
  run();
  return ACK;
};

/** Polls without data that only switch something of the state. */
const SWITCHES: Readonly<Record<number, Partial<Machine["state"]>>> = {
  1: { enabled: false },
  2: { enabled: true },
  3: { sound: false },
  4: { sound: true },
  5: {},
  6: { billAcceptor: true },
  7: { billAcceptor: false },
  10: { maintenance: true },
  11: { maintenance: false },
};

/** A machine whose menu does not allow host control acknowledges, and stays as it is. */
const heeded = ({ model }: Machine, change: Partial<Machine["state"]>): Partial<Machine["state"]> =>
  change.enabled === undefined || model.hostControl ? change : {};

function controlPolls({ machine, defer }: PollsDeps): Entry[] {
  const poll = (command: number, bytes: number, answer: Poll["answer"]): Entry => [
    command,
    { shape: fixed(bytes), answer },
  ];
  return [
    ...Object.entries(SWITCHES).map(([command, change]) =>
      poll(Number(command), 0, () => act(() => void Object.assign(machine.state, heeded(machine, change)))),
    ),
    poll(0x08, 5, () => ACK),
    poll(0x09, 3, ([high = 0, low = 0, on = 0]) => {
      if (fromBcd([high, low]) !== THE_GAME || on > 1) return NACK;
      machine.state.gameEnabled = on === 1;
      return ACK;
    }),
    poll(0x0e, 1, ([on = 0]) => {
      if (on > 1) return NACK;
      machine.realTimeEvents = on === 1;
      return ACK;
    }),
    poll(0x21, 2, (seed) => {
      const signature = binary(crc16(PROGRAM, fromBinary(seed)), 2);
      defer({ message: [0x21, ...signature], readyAt: machine.now() + SIGNATURE_MS });
      return ACK;
    }),
    poll(0x7f, 7, (bytes) => (setClock(machine, bytes) ? ACK : NACK)),
    poll(0xa8, 1, ([method = 0]) => {
      if (machine.pendingHandPay() === null) return data([0x02]);
      if (method > 1) return data([0x01]);
      machine.state.resetToCredit = method === 1;
      return data([0x00]);
    }),
    [0x7e, { shape: READ, answer: () => data(Object.values(stampOf(machine.now())).flat()) }],
  ];
}

/** Long poll 7F. @returns whether there is such a date. */
export function setClock(machine: Machine, bytes: readonly number[]): boolean {
  const instant = instantOf(bytes);
  if (instant === null) return false;
  machine.state.clockOffset += instant - machine.now();
  return true;
}

function meterPolls(machine: Machine): Entry[] {
  const { denomination } = machine.model;
  const four = (code: number): number[] => bcd(meterValue(machine.reported(), code, denomination), 4);
  const read = (command: number, bytes: () => number[]): Entry => [
    command,
    { shape: READ, answer: () => data(bytes()) },
  ];
  const dollars = (): number =>
    Object.entries(BILL_WORTH).reduce(
      (sum, [code, worth]) => sum + worth * meterValue(machine.reported(), Number(code), denomination),
      0,
    );
  const selected = (bytes: readonly number[]): Answer => {
    const [, high = 0, low = 0, ...codes] = bytes;
    const game = fromBcd([high, low]);
    if (game === null || game > THE_GAME || codes.length < 1 || codes.length > 10) return NACK;
    const known = codes.filter((code) => meterSize(code) > 0 && (game === 0 || GAME_METERS.has(code)));
    const body = known.flatMap((code) => [code, ...meterBytes(machine.reported(), code, denomination)]);
    return data([body.length + 2, high, low, ...body]);
  };
  const extended = (bytes: readonly number[]): Answer => {
    const [, high = 0, low = 0, ...codes] = bytes;
    const game = fromBcd([high, low]);
    if (game === null || game > THE_GAME || codes.length < 2 || codes.length > 24 || codes.length % 2 === 1)
      return NACK;
    const body: number[] = [];
    for (let at = 0; at < codes.length; at += 2) {
      const code = fromBinary(codes.slice(at, at + 2));
      const known = code < 0x100 && (game === 0 || GAME_METERS.has(code));
      const size = known ? meterSize(code) : 0;
      body.push(...binary(code, 2), size);
      if (size > 0) body.push(...meterBytes(machine.reported(), code, denomination));
    }
    return data([body.length + 2, high, low, ...body]);
  };
  return [
    ...Object.entries(SINGLE).map(([command, code]) => read(Number(command), () => four(code))),
    ...Object.entries(SEVERAL).map(([command, codes]) => read(Number(command), () => codes.flatMap(four))),
    ...Object.entries(BILL_POLLS).map(([command, code]) => read(Number(command), () => four(code))),
    read(0x18, () => [0x25, 0x26].flatMap((code) => bcd(meterValue(machine.reported(), code, denomination), 2))),
    read(0x1a, () => four(0x0c)),
    read(0x20, () => bcd(dollars(), 4)),
    read(0x46, () => four(0x0b)),
    read(0x48, () => {
      const { lastBill } = machine.state;
      return lastBill === null ? [0, 0, 0, 0, 0, 0] : [COUNTRY, lastBill.code, ...bcd(lastBill.count, 4)];
    }),
    [
      0x2d,
      {
        shape: fixed(2),
        answer: (game) => ((fromBcd(game) ?? 2) > THE_GAME ? NACK : data([...game, ...four(0x03)])),
      },
    ],
    [0x2f, { shape: COUNTED, answer: selected }],
    [0x6f, { shape: COUNTED, answer: extended }],
    [0xaf, { shape: COUNTED, answer: extended }],
  ];
}

function gamePolls(machine: Machine): Entry[] {
  const { model } = machine;
  const denomination = DENOMINATIONS[model.statedDenomination ?? model.denomination] ?? 0;
  const payback = String(Math.round(returnsOf(stripsOf(model.brand)).total * 10_000)).padStart(4, "0");
  const description = [
    ...ascii(GAME_ID),
    ...ascii(String(model.assetNumber % 1_000).padStart(3, "0")),
    denomination,
    Math.min(maxBet(model), 0xff),
    0x00,
    0x00,
    0x00,
    ...ascii(PAYTABLE_ID),
    ...ascii(payback),
  ];
  const ofGame = (command: number, bytes: (game: number) => number[] | null): Entry => [
    command,
    {
      shape: fixed(2),
      answer: (number) => {
        const game = fromBcd(number);
        const answer = game === null || game > THE_GAME ? null : bytes(game);
        return answer === null ? NACK : data([...number, ...answer]);
      },
    },
  ];
  const read = (command: number, bytes: () => number[]): Entry => [
    command,
    { shape: READ, answer: () => data(bytes()) },
  ];
  const meters = (): number[] =>
    [0x00, 0x01, 0x02, 0x05].flatMap((code) => bcd(meterValue(machine.reported(), code, model.denomination), 4));
  return [
    read(0x1f, () => description),
    read(0x51, () => bcd(1, 2)),
    ofGame(0x52, meters),
    ofGame(0x53, () => description),
    read(0x54, () => counted([...ascii(model.version), ...ascii(model.serial)])),
    read(0x55, () => bcd(THE_GAME, 2)),
    read(0x56, () => counted(machine.state.gameEnabled ? [1, ...bcd(THE_GAME, 2)] : [0])),
    // Features: ticket redemption and validation by the system where there are tickets; extended meters, AFT; a poll every 40 ms.
    ofGame(0xa0, () => [model.tickets ? 0xa0 : 0x00, 0x4c, 0x01, 0, 0, 0]),
    ofGame(0xa4, () => bcd(Math.min(machine.credits(model.handPayFrom), 9_999), 2)),
    read(0xb1, () => [denomination]),
    read(0xb2, () => counted([1, denomination])),
    read(0xb3, () => [0]),
    ...wagerPolls(machine, payback),
  ];
}

function wagerPolls(machine: Machine, payback: string): Entry[] {
  const { model } = machine;
  return [
    [
      0xb4,
      {
        shape: fixed(4),
        answer: (bytes) =>
          fromBcd(bytes.slice(0, 2)) === THE_GAME
            ? data(
                counted([
                  ...bytes,
                  ...ascii(payback),
                  4,
                  ...bcd(meterValue(machine.reported(), 0, model.denomination), 4),
                ]),
              )
            : NACK,
      },
    ],
    [
      0xb5,
      {
        shape: fixed(2),
        answer: (number) => {
          if ((fromBcd(number) ?? 2) > THE_GAME) return NACK;
          const name = ascii(`Longarm ${model.brand}`);
          const bets = BANDS.filter((band) => offers(model, band, 0)).length;
          return data(
            counted([
              ...number,
              ...bcd(maxBet(model), 2),
              0,
              ...[0, 0, 0, 0],
              ...counted(name),
              ...counted(ascii(PAYTABLE_ID)),
              ...bcd(bets, 2),
            ]),
          );
        },
      },
    ],
  ];
}

function moneyPolls({ machine, aft }: PollsDeps): Entry[] {
  return [
    [0x1b, { shape: READ, answer: () => handPayInformation(machine) }],
    [
      0x94,
      {
        shape: fixed(0),
        answer: () => {
          if (machine.pendingHandPay() === null) return data([0x02]);
          return data([machine.resetHandPay(true) ? 0x00 : 0x01]);
        },
      },
    ],
    [
      0x57,
      {
        shape: READ,
        answer: () => {
          const { cashOut } = machine.state;
          const waits = cashOut?.waits === "validation";
          return data(waits ? [0x00, ...bcd(cashOut.amount, 5)] : [0x80, 0, 0, 0, 0, 0]);
        },
      },
    ],
    [0x58, { shape: fixed(9), answer: (bytes) => validateTicket(machine, bytes) }],
    [
      0x3d,
      {
        shape: READ,
        answer: () => {
          const { ticketOut } = machine.state;
          return data([...bcd(Number((ticketOut?.number ?? "0").slice(-8)), 4), ...bcd(ticketOut?.amount ?? 0, 5)]);
        },
      },
    ],
    [0x70, { shape: READ, answer: () => (machine.model.tickets ? ticketInformation(machine) : SILENCE) }],
    [0x71, { shape: COUNTED, answer: (bytes) => (machine.model.tickets ? redeem(machine, bytes.slice(1)) : SILENCE) }],
    [0x72, { shape: COUNTED, answer: (bytes) => aft.transfer(bytes.slice(1)) }],
    [0x73, { shape: COUNTED, answer: (bytes) => aft.register(bytes.slice(1)) }],
    [0x74, { shape: fixed(4), answer: (bytes) => aft.lock(bytes) }],
  ];
}

/** 1B: progressive group, level, amount, partial pay, reset id; all zero without a hand pay. It counts as read once it is acknowledged. */
function handPayInformation(machine: Machine): Answer {
  const handPay = machine.unreadHandPay() ?? machine.pendingHandPay();
  const unused = Array<number>(10).fill(0);
  if (handPay === null) return data([...Array<number>(10).fill(0), ...unused]);
  const toCredit = handPay.level === 0x80 ? 0 : 1;
  return data([0, handPay.level, ...bcd(handPay.amount, 5), 0, 0, toCredit, ...unused], () => {
    handPay.read = true;
  });
}

/** 58: a validating system's number for the ticket; system 00 refuses it. */
function validateTicket(machine: Machine, bytes: readonly number[]): Answer {
  const [system = 0, ...digits] = bytes;
  if (machine.state.cashOut?.waits !== "validation") return data([0x80]);
  if (system === 0) {
    machine.hostDeclined();
    return data([0x00]);
  }
  if (fromBcd([system]) === null || digits.some((byte) => fromBcd([byte]) === null)) return data([0x81]);
  machine.printTicket(hex([system, ...digits]));
  return data([0x00]);
}

const TICKET_DIGITS = 18;
const noTicket: Answer = data([1, 0xff]);

function ticketInformation(machine: Machine): Answer {
  const { ticketIn } = machine.state;
  if (ticketIn === null || ticketIn.status !== 0x20) return noTicket;
  return data([1 + 5 + 1 + 9, 0x00, ...bcd(0, 5), 0x00, ...Buffer.from(ticketIn.number, "hex")]);
}

/** 71: transfer code, amount, parsing code, validation number; FF reads the status. */
function redeem(machine: Machine, body: readonly number[]): Answer {
  const [code = 0] = body;
  const status = (): Answer => {
    const { ticketIn } = machine.state;
    if (ticketIn === null) return noTicket;
    return data([16, ticketIn.status, ...bcd(ticketIn.amount, 5), 0x00, ...Buffer.from(ticketIn.number, "hex")]);
  };
  if (code === 0xff) return status();
  const amount = fromBcd(body.slice(1, 6));
  if (body.length < 16 || amount === null) return NACK;
  const number = hex(body.slice(7, 16)).padStart(TICKET_DIGITS, "0");
  if (code !== 0x00) {
    const { ticketIn } = machine.state;
    if (ticketIn !== null && ticketIn.status === 0x20) {
      ticketIn.status = code >= 0x80 ? 0x80 : 0x82;
      machine.raise(0x68);
    }
    return status();
  }
  const answer = machine.redeemTicket(number, amount);
  return answer === 0xc0 ? data([1, 0xc0]) : status();
}

/** What this machine has under the codes of its meters, for a person who reads a control's answer. */
export function meterReadings(machine: Machine): Record<string, number> {
  const readings: Record<string, number> = {};
  for (let code = 0; code < 0x100; code += 1) {
    const value = meterSize(code) === 0 ? 0 : meterValue(machine.state, code, machine.model.denomination);
    if (value > 0) readings[meterKey(code)] = value;
  }
  return readings;
}
