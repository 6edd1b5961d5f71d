import type { FakeClock } from "../../../../testing/fake-clock.ts";
import type { LineCounters, LineState, PollOutcome, SasLine } from "../../line/line.ts";
import { NO_COUNTERS } from "../../line/line.ts";
import type { TransferAnswer } from "../../protocol/aft.ts";
import { ByteReader } from "../../protocol/bytes.ts";
import type { SasEvent } from "../../protocol/events.ts";
import { METER } from "../../protocol/meters.ts";
import type { HandPayAnswer, LongPoll } from "../../protocol/polls.ts";

/** What happens to one poll on its way: nothing, its answer is lost, it never arrives, or the link is down. */
export type Mishap = "answer lost" | "poll lost" | "down";

const POLL_MS = 200;
const METERS: readonly number[] = [
  ...[METER.coinIn, METER.coinOut, METER.jackpot, METER.handPaidCancelled, METER.gamesPlayed, METER.currentCredits],
  ...[METER.billCredits, METER.cashableIn, METER.cashableOut],
];

/**
 * A machine behind a line, as the driver sees it: it answers polls as values, moves money once for each id, and keeps a history. The
 * bytes are tested with the line; here are money, games and events.
 */
export class ModelMachine implements SasLine {
  readonly clock: FakeClock;
  readonly polls: number[] = [];
  meters = new Map<number, number>(METERS.map((code) => [code, 0]));
  /** The host reads the meters as they were so long ago, ms. */
  meterDelayMs = 0;
  readonly #reported = new Map<number, number>(METERS.map((code) => [code, 0]));
  up = true;
  /** By code: what happens to the next polls with it. */
  readonly mishaps = new Map<number, Mishap[]>();
  /** Polls that a transfer stays pending. */
  pendingPolls = 1;
  /** Answers of 72 in place of the machine's own. */
  refusal: number | undefined;
  handPay: HandPayAnswer = { group: 0, level: 0, amount: 0, partial: 0, resetId: 0 };
  handPayReset: "reset" | "unable" | "notInHandPay" = "reset";
  movesMoney = true;
  lock: "locked" | "pending" | "unlocked" = "unlocked";
  disabled = false;
  current: TransferAnswer | undefined;
  history: TransferAnswer[] = [];
  #pending = 0;

  constructor(clock: FakeClock) {
    this.clock = clock;
  }

  async poll<Answer>(poll: LongPoll<Answer>): Promise<PollOutcome<Answer>> {
    const mishap = this.mishaps.get(poll.code)?.shift();
    await new Promise<void>((passed) => this.clock.after(POLL_MS, passed));
    if (!this.up || mishap === "down") return { is: "down" };
    this.polls.push(poll.code);
    if (mishap === "poll lost") return { is: "silent" };
    const answer = this.#answer(poll.code, poll.data);
    if (mishap === "answer lost" || answer === undefined) return { is: "silent" };
    return { is: "answered", answer: answer.value as Answer };
  }

  setPollMs(): void {}
  state(): LineState {
    return { up: this.up, why: this.up ? "" : "The cable is out." };
  }
  counters(): LineCounters {
    return NO_COUNTERS;
  }
  async close(): Promise<void> {}

  add(code: number, credits: number): void {
    const value = (this.meters.get(code) ?? 0) + credits;
    this.meters.set(code, value);
    if (this.meterDelayMs === 0) this.#reported.set(code, value);
    else this.clock.after(this.meterDelayMs, () => this.#reported.set(code, value));
  }

  /** Answers as values; undefined: a machine does not have this poll. */
  #answer(code: number, data: Uint8Array): { value: unknown } | undefined {
    const answers: Record<number, () => unknown> = {
      1: () => this.#disable(true),
      2: () => this.#disable(false),
      14: () => undefined,
      27: () => this.handPay,
      31: () => ({
        ...{ gameId: "LA", additionalId: "", denomination: 1, maxBet: 100, progressiveGroup: 0, options: 0 },
        ...{ paytable: "P1", basePercent: "9550" },
      }),
      81: () => 1,
      84: () => ({ version: "602", serial: "M-1" }),
      111: () => this.#read(data),
      175: () => this.#read(data),
      114: () => this.#transfer(data),
      116: () => this.#lock(data),
      148: () => this.handPayReset,
    };
    const answer = answers[code];
    return answer === undefined ? undefined : { value: answer() };
  }

  #disable(disabled: boolean): void {
    this.disabled = disabled;
  }

  #read(data: Uint8Array): Map<number, number> {
    const reader = new ByteReader(data.subarray(3));
    const values = new Map<number, number>();
    while (reader.left > 0) {
      const code = reader.binary(2);
      const value = this.#reported.get(code);
      if (value !== undefined) values.set(code, value);
    }
    return values;
  }

  #lock([code]: Uint8Array): unknown {
    if (code === 0x00) this.lock = this.movesMoney ? "locked" : "pending";
    if (code === 0x80) this.lock = "unlocked";
    const moves = this.movesMoney;
    return {
      ...{ assetNumber: 7, lock: this.lock, available: { toMachine: moves, fromMachine: moves, winPending: false } },
      ...{ hostCashOut: { controllable: false, on: false }, historyPlaces: 10, limit: 0 },
      aft: { partialToHost: true, registered: false, inHouse: true, any: true },
      funds: { cashable: this.meters.get(METER.currentCredits) ?? 0, restricted: 0, nonRestricted: 0 },
    };
  }

  #transfer(data: Uint8Array): TransferAnswer {
    if (data.length === 3) return this.#interrogate(data[2] ?? 0);
    const reader = new ByteReader(data.subarray(3));
    const type = reader.byte();
    const amounts = { cashable: reader.bcd(5), restricted: reader.bcd(5), nonRestricted: reader.bcd(5) };
    const flags = reader.byte();
    const assetNumber = reader.binary(4);
    reader.take(20);
    const transferId = reader.ascii(reader.byte());
    const order: TransferAnswer = {
      ...{ index: 0, status: 0x40, receipt: 0xff, type, amounts, flags, assetNumber, transferId },
      ...{ at: undefined, meters: {} },
    };
    if (this.history.at(-1)?.transferId === transferId) return { ...order, status: 0x81 };
    if (this.refusal !== undefined) {
      this.current = { ...order, status: this.refusal };
      return this.current;
    }
    this.current = order;
    this.#pending = this.pendingPolls;
    this.#move(type, amounts.cashable);
    return this.#pending === 0 ? this.#complete() : order;
  }

  #move(type: number, amount: number): void {
    this.add(METER.currentCredits, type === 0 ? amount : -amount);
    this.add(type === 0 ? METER.cashableIn : METER.cashableOut, amount);
  }

  #complete(): TransferAnswer {
    const at = { year: 2026, month: 11, day: 23, hour: 1, minute: 2, second: 3 };
    const done = { ...(this.current as TransferAnswer), status: 0x00, index: this.history.length + 1, at };
    this.current = done;
    this.history.push(done);
    return done;
  }

  #interrogate(index: number): TransferAnswer {
    const none = {
      ...{ index: 0, status: 0xff, receipt: 0xff, type: 0, flags: 0, assetNumber: 0, transferId: "", at: undefined },
      ...{ amounts: { cashable: 0, restricted: 0, nonRestricted: 0 }, meters: {} },
    };
    if (index > 0x7f) return this.history.at(index - 0x100) ?? none;
    if (index > 0) return this.history[index - 1] ?? none;
    if (this.current?.status !== 0x40) return this.current ?? none;
    this.#pending -= 1;
    return this.#pending <= 0 ? this.#complete() : this.current;
  }
}

/** Real-time events of a game. */
export const gameStarted = (wagered: number, coinIn: number): SasEvent => ({
  code: 0x7e,
  data: { what: "gameStarted", wagered, coinIn, wagerType: 0, progressiveGroup: 0 },
});
export const gameEnded = (win: number): SasEvent => ({ code: 0x7f, data: { what: "gameEnded", win } });
