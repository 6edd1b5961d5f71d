import { channel } from "node:diagnostics_channel";
import type { Machine } from "../machine/machine.ts";
import type { Model } from "../machine/options.ts";
import type { Money, Transfer } from "../machine/state.ts";
import { CREDIT_KINDS, noMoney, sumOf } from "../machine/state.ts";
import { ascii, bcd, binary, fromAscii, fromBcd, fromBinary } from "./bytes.ts";
import type { Answer } from "./link-layer.ts";
import { meterKey } from "./meters.ts";

/** Advanced funds transfer: long polls 72 (transfer), 73 (registration) and 74 (lock and status). */

const COMPLETE = 0x00;
const PARTIAL = 0x01;
const PENDING = 0x40;
const NOT_UNIQUE = 0x81;
const TO_MACHINE = 0x00;
const TO_HOST = 0x80;
const WIN_TO_HOST = 0x90;
const DEBIT: readonly number[] = [0x40, 0x60];
const COMPLETE_EXCEPTION = 0x69;
const NO_INFORMATION = 0xff;
const NO_RECEIPT = 0xff;
const FLAG = {
  setHostCashOut: 0x01,
  enableHostCashOut: 0x02,
  hard: 0x04,
  lockAfter: 0x10,
  onlyIfLocked: 0x40,
} as const;
/** Meters of each kind of credit: minor units, and beside each its count. */
const METERS = {
  toMachine: { cashable: 0xa0, restricted: 0xa2, nonRestricted: 0xa4 },
  toHost: { cashable: 0xb8, restricted: 0xba, nonRestricted: 0xbc },
} as const;

type Request = {
  code: number;
  type: number;
  amounts: Money;
  flags: number;
  asset: number;
  key: number[];
  id: number[];
  expiry: number[];
  pool: number[];
};

const amountsOf = (bytes: readonly number[]): Money | null => {
  const [cashable, restricted, nonRestricted] = [0, 5, 10].map((at) => fromBcd(bytes.slice(at, at + 5)));
  if (cashable == null || restricted == null || nonRestricted == null) return null;
  return { cashable, restricted, nonRestricted };
};

/** A request, or the status that refuses it. `body`: what follows the length. Some hosts leave the lock's time-out away at its end. */
function parseRequest(body: readonly number[]): Request | number {
  const idLength = body[43] ?? 0;
  const receiptAt = 44 + idLength + 6;
  const receipt = body[receiptAt];
  if (receipt === undefined) return 0x9f;
  const end = receiptAt + 1 + receipt;
  if (body.length !== end && body.length !== end + 2) return 0x9f;
  const amounts = amountsOf(body.slice(3, 18));
  const id = body.slice(44, 44 + idLength);
  if (amounts === null) return 0x83;
  if (idLength < 1 || idLength > 20 || id.some((byte) => byte < 0x20 || byte > 0x7e)) return 0x95;
  return {
    code: body[0] ?? 0,
    type: body[2] ?? 0,
    amounts,
    flags: body[18] ?? 0,
    asset: fromBinary(body.slice(19, 23)),
    key: body.slice(23, 43),
    id,
    expiry: body.slice(44 + idLength, 48 + idLength),
    pool: body.slice(48 + idLength, 50 + idLength),
  };
}

/** Every step of a transfer in each direction, in order; tests end the power at each of them. Nothing of `moved` is in the memory yet. */
export const TRANSFER_STEPS = [
  "toMachine.accepted",
  "toMachine.moved",
  "toMachine.stored",
  "toMachine.read",
  "toHost.accepted",
  "toHost.moved",
  "toHost.stored",
  "toHost.read",
] as const;
type Step = "accepted" | "moved" | "stored" | "read";

/** Diagnostics channel with `{ name }` for each step of a transfer. */
export const TRANSFER_CHANNEL = "longarm.cabinet.transfer";
const steps = channel(TRANSFER_CHANNEL);

function publishStep({ type }: Pick<Transfer, "type">, step: Step): void {
  const name: (typeof TRANSFER_STEPS)[number] = `${type === TO_MACHINE ? "toMachine" : "toHost"}.${step}`;
  steps.publish({ name });
}

const data = (bytes: readonly number[]): Answer => ({ is: "data", bytes });
const nothingKnown = (place: number): Answer => data([2, place, NO_INFORMATION]);

/** The machine's side of AFT. */
export class Aft {
  readonly #machine: Machine;
  readonly #model: Model;

  constructor(machine: Machine) {
    this.#machine = machine;
    this.#model = machine.model;
  }

  /** What a power cut left pending did not happen. */
  powerUp(): void {
    const { transfer } = this.#machine.state;
    if (transfer?.status !== PENDING) return;
    Object.assign(transfer, { status: 0x87, amounts: noMoney() }, stampOf(this.#machine.now()));
    this.#machine.raise(COMPLETE_EXCEPTION);
  }

  /** Long poll 72; `body` without its length. */
  transfer(body: readonly number[]): Answer {
    const [code = 0, index = 0] = body;
    if (code >= 0xfe && body.length === 2) return this.#interrogate(index);
    if (code === 0x80 && body.length === 1) return this.#cancel();
    const request = parseRequest(body);
    return typeof request === "number" ? data([2, 0, request]) : this.#begin(request);
  }

  /** Long poll 73. */
  register(body: readonly number[]): Answer {
    const { registration } = this.#machine.state;
    const { assetNumber, aft } = this.#model;
    if (aft === "off") return { is: "nack" };
    const [code = 0] = body;
    const none = { status: 0x80, key: Array<number>(20).fill(0), pos: [0, 0, 0, 0] };
    if (body.length === 29 && (code === 0 || code === 1)) {
      const known = fromBinary(body.slice(1, 5)) === assetNumber;
      Object.assign(registration, known ? { status: code, key: body.slice(5, 25), pos: body.slice(25, 29) } : none);
    } else if (code === 0x80) Object.assign(registration, none);
    else if (code !== 0xff || body.length !== 1) return { is: "nack" };
    return data([29, registration.status, ...binary(assetNumber, 4), ...registration.key, ...registration.pos]);
  }

  /** Long poll 74: lock code, conditions, time-out in hundredths of a second. */
  lock([code = 0xff, conditions = 0, ...timeout]: readonly number[]): Answer {
    const machine = this.#machine;
    const hundredths = fromBcd(timeout);
    if (hundredths === null) return { is: "nack" };
    const outward = this.#model.aft !== "off" && machine.obstacle() === null;
    const inward = outward && machine.state.enabled;
    if (code === 0x80) machine.unlock();
    // Printer and bonus transfers are never possible here.
    const possible =
      (conditions & 0x0c) === 0 && ((conditions & 1) === 0 || inward) && ((conditions & 2) === 0 || outward);
    if (code === 0 && possible && this.#model.locks && machine.lock === "unlocked")
      machine.requestLock(hundredths * 10);
    return data(this.#status(inward, outward));
  }
  #status(inward: boolean, outward: boolean): number[] {
    const { credits, hostCashOut, registration, history, game } = this.#machine.state;
    const { partialToHost } = this.#model;
    const free = game === null;
    const body = [
      ...binary(this.#model.assetNumber, 4),
      { locked: 0x00, pending: 0x40, unlocked: 0xff }[this.#machine.lock],
      (free && inward ? 1 : 0) | (free && outward ? 2 : 0),
      1 | (hostCashOut.enabled ? 2 : 0) | (hostCashOut.hard ? 4 : 0),
      this.#model.aft === "off" ? 0 : 0x90 | (partialToHost ? 2 : 0) | (registration.status === 1 ? 8 : 0),
      history.length,
      ...CREDIT_KINDS.flatMap((kind) => bcd(credits[kind], 5)),
      ...bcd(this.#model.transferMax, 5),
      // Restricted credits do not expire and belong to no pool.
      ...[0, 0, 0, 0],
      ...[0, 0],
    ];
    return [body.length, ...body];
  }

  /** The answer of long poll 72 for a transfer; `place` 0: the current one. */
  #describe(transfer: Transfer, place: number): number[] {
    const done = transfer.status <= PARTIAL;
    const id = ascii(transfer.id);
    const body = [
      place,
      transfer.status,
      NO_RECEIPT,
      transfer.type,
      ...CREDIT_KINDS.flatMap((kind) => bcd(transfer.amounts[kind], 5)),
      transfer.flags,
      ...binary(this.#model.assetNumber, 4),
      id.length,
      ...id,
      ...transfer.date,
      ...transfer.time,
      ...transfer.expiry,
      ...transfer.pool,
      ...CREDIT_KINDS.flatMap((kind) =>
        done && transfer.amounts[kind] > 0 ? [5, ...bcd(transfer.cumulative[kind], 5)] : [0],
      ),
    ];
    return [body.length, ...body];
  }
  #interrogate(index: number): Answer {
    const { transfer, history, nextPlace } = this.#machine.state;
    if (index === 0 && transfer !== null && transfer.status !== PENDING) publishStep(transfer, "read");
    if (index === 0) return transfer === null ? nothingKnown(0) : data(this.#describe(transfer, 0));
    const places = history.length;
    // 81 to FF count backwards: FF is the newest.
    const back = 0x100 - index;
    const at = index < 0x80 ? index - 1 : (nextPlace - back + places * 2) % places;
    const found = index < 0x80 || back <= places ? history[at] : undefined;
    return found == null ? nothingKnown(index) : data(this.#describe(found, at + 1));
  }
  #cancel(): Answer {
    const { transfer } = this.#machine.state;
    if (transfer === null) return nothingKnown(0);
    if (transfer.status === PENDING) {
      Object.assign(transfer, { status: 0x80, amounts: noMoney() }, stampOf(this.#machine.now()));
      this.#machine.raise(COMPLETE_EXCEPTION);
    }
    return data(this.#describe(transfer, 0));
  }

  #begin(request: Request): Answer {
    const { type, code, flags, amounts, expiry, pool } = request;
    const fresh: Transfer = {
      ...{ status: PENDING, code, type, flags, amounts, expiry, pool, id: fromAscii(request.id) },
      date: [0, 0, 0, 0],
      time: [0, 0, 0],
      cumulative: noMoney(),
    };
    const { state } = this.#machine;
    if (state.transfer?.status === PENDING) return data(this.#describe(refused(fresh, 0xc0), 0));
    const moved = this.#formRefusal(request) ?? this.#momentRefusal(type) ?? this.#movable(fresh);
    if (typeof moved === "number") {
      // A repeated id says that it is one; everything else is the current transfer from now on.
      if (moved !== NOT_UNIQUE) state.transfer = refused(fresh, moved);
      return data(this.#describe(refused(fresh, moved), 0));
    }
    state.transfer = fresh;
    publishStep(fresh, "accepted");
    this.#machine.after(this.#model.transferMs, () => {
      if (this.#machine.state.transfer !== fresh || fresh.status !== PENDING) return;
      this.#finish(fresh);
      publishStep(fresh, "moved");
      this.#machine.save();
      publishStep(fresh, "stored");
    });
    return data(this.#describe(fresh, 0));
  }
  /** Rules that hold whatever the machine does now. */
  #formRefusal(request: Request): number | null {
    const { status, key } = this.#machine.state.registration;
    if (request.code > 1 || this.#model.aft === "off") return 0xc1;
    if (this.#model.refuses !== null) return this.#model.refuses;
    if (this.#model.aft === "registered" && status !== 1) return 0x88;
    if (request.asset === 0 || request.asset !== this.#model.assetNumber) return 0x93;
    if (fromAscii(request.id) === this.#lastSuccess()?.id) return NOT_UNIQUE;
    if (DEBIT.includes(request.type)) return status === 1 ? 0x82 : 0x88;
    if (![TO_MACHINE, TO_HOST, WIN_TO_HOST].includes(request.type)) return 0x82;
    if (request.key.some((byte) => byte !== 0)) {
      if (status !== 1) return 0x88;
      if (key.join() !== request.key.join()) return 0x89;
    }
    if (CREDIT_KINDS.some((kind) => request.amounts[kind] % this.#model.denomination !== 0)) return 0x85;
    if (request.type === WIN_TO_HOST) return 0x8b;
    return (request.flags & FLAG.onlyIfLocked) !== 0 && this.#machine.lock !== "locked" ? 0x94 : null;
  }
  #lastSuccess(): Transfer | null {
    const { history, nextPlace } = this.#machine.state;
    return history[(nextPlace + history.length - 1) % history.length] ?? null;
  }
  /** Rules of this moment. */
  #momentRefusal(type: number): number | null {
    const { state } = this.#machine;
    const obstacle = this.#machine.obstacle();
    const awaited = obstacle === "cashOut" && state.cashOut?.waits === "hostCashOut" && type === TO_HOST;
    if ((obstacle !== null && !awaited) || state.game !== null) return 0x87;
    return type === TO_MACHINE && !state.enabled ? 0x87 : null;
  }
  /** What moves of the amounts, or the status that refuses them. */
  #movable({ type, code, amounts }: Transfer): Money | number {
    const { creditMax, transferMax, denomination, partialToHost } = this.#model;
    const { credits } = this.#machine.state;
    const whole = (minor: number): number => minor - (minor % denomination);
    const inward = type === TO_MACHINE;
    let room = whole(inward ? Math.min(transferMax, Math.max(0, creditMax - sumOf(credits))) : transferMax);
    const moved = noMoney();
    for (const kind of CREDIT_KINDS) {
      moved[kind] = Math.min(amounts[kind], room, inward ? amounts[kind] : whole(credits[kind]));
      room -= moved[kind];
    }
    if (sumOf(moved) === sumOf(amounts)) return moved;
    if (code === 0) return 0x84;
    return !inward && !partialToHost ? 0x86 : moved;
  }

  #finish(transfer: Transfer): void {
    const machine = this.#machine;
    const moved = this.#momentRefusal(transfer.type) ?? this.#movable(transfer);
    if (typeof moved === "number") Object.assign(transfer, { status: moved, amounts: noMoney() });
    else {
      transfer.status = sumOf(moved) === sumOf(transfer.amounts) ? COMPLETE : PARTIAL;
      transfer.amounts = moved;
      this.#move(transfer);
    }
    Object.assign(transfer, stampOf(machine.now()), { cumulative: this.#cumulative(transfer.type) });
    if (transfer.status <= PARTIAL && sumOf(transfer.amounts) > 0) {
      const { history, nextPlace } = machine.state;
      history[nextPlace] = structuredClone(transfer);
      machine.state.nextPlace = (nextPlace + 1) % history.length;
    }
    if ((transfer.flags & FLAG.lockAfter) === 0) machine.unlock();
    machine.raise(COMPLETE_EXCEPTION);
  }
  #move({ type, amounts, flags }: Transfer): void {
    const machine = this.#machine;
    const inward = type === TO_MACHINE;
    const meters = METERS[inward ? "toMachine" : "toHost"];
    for (const kind of CREDIT_KINDS) {
      machine.state.credits[kind] += inward ? amounts[kind] : -amounts[kind];
      machine.add(meters[kind], amounts[kind]);
      if (amounts[kind] > 0) machine.add(meters[kind] + 1, 1);
    }
    for (const code of inward ? [0x17, 0x2e] : [0x18, 0x32]) machine.add(code, machine.credits(sumOf(amounts)));
    if ((flags & FLAG.setHostCashOut) !== 0) {
      machine.state.hostCashOut = { enabled: (flags & FLAG.enableHostCashOut) !== 0, hard: (flags & FLAG.hard) !== 0 };
    }
    if (!inward) machine.endCashOut();
  }
  #cumulative(type: number): Money {
    const meters = METERS[type === TO_MACHINE ? "toMachine" : "toHost"];
    const cumulative = noMoney();
    for (const kind of CREDIT_KINDS) cumulative[kind] = this.#machine.state.meters[meterKey(meters[kind])] ?? 0;
    return cumulative;
  }
}

const refused = (transfer: Transfer, status: number): Transfer => ({ ...transfer, status, amounts: noMoney() });

/** Date MMDDYYYY and time HHMMSS in BCD, in the machine's local time, which is UTC. */
export function stampOf(ms: number): { date: number[]; time: number[] } {
  const at = new Date(ms);
  return {
    date: [...bcd(at.getUTCMonth() + 1, 1), ...bcd(at.getUTCDate(), 1), ...bcd(at.getUTCFullYear(), 2)],
    time: [at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds()].flatMap((value) => bcd(value, 1)),
  };
}

/** The instant of a date and a time in BCD, or null when there is none such. */
export function instantOf(bytes: readonly number[]): number | null {
  const [month, day, year, hours, minutes, seconds] = [
    fromBcd(bytes.slice(0, 1)),
    fromBcd(bytes.slice(1, 2)),
    fromBcd(bytes.slice(2, 4)),
    fromBcd(bytes.slice(4, 5)),
    fromBcd(bytes.slice(5, 6)),
    fromBcd(bytes.slice(6, 7)),
  ];
  if (month == null || day == null || year == null || hours == null || minutes == null || seconds == null) return null;
  const ms = Date.UTC(year, month - 1, day, hours, minutes, seconds);
  const { date, time } = stampOf(ms);
  return [...date, ...time].join() === bytes.join() ? ms : null;
}
