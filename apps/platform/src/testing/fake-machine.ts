import type { MachineAbout } from "@longarm/contract/about-machine";
import type {
  AgentMachine,
  EgmMoneyAnswer,
  EgmTransferAnswer,
  Game,
  Grant,
  MachineEvent,
} from "@longarm/contract/agent-link";
import type { MachineTotals } from "@longarm/contract/machine";
import type * as z from "zod/mini";
import type { MetersNow } from "../modules/play/tables.ts";

type FactsTold = z.input<typeof AgentMachine>;
type Money = z.infer<typeof EgmMoneyAnswer>;
type Told = { readonly is: "game"; readonly data: Game } | { readonly is: "event"; readonly data: MachineEvent };
type Order = { readonly epoch: number; readonly transferId: string; readonly amount?: number | undefined };
type Record_ = {
  direction: "cashIn" | "cashOut";
  asked: number | undefined;
  state: "done" | "refused" | "pending";
  amount: number;
};

/** How the machine takes the next money commands. `silent…`: it never answers, before or after it has moved the money. */
export type Mood = "well" | "refuses" | "half" | "silentBefore" | "silentAfter" | "pending" | "fails";

/**
 * What a machine and its agent's journal keep over every crash, for tests: credits, games, its own record of transfers, the events
 * nobody has acknowledged. The smallest thing that keeps the promises of the agent link.
 */
export class FakeMachine {
  readonly id: string;
  mood: Mood = "well";
  /** The kind that it gives its refusals; null: none, as an older agent. */
  refusal: Money["refusal"] | null = null;
  /** Money commands wait for `before` until they move anything, and for `after` until they are answered; meters, once read, wait for `meters`. */
  waits: { before?: Promise<void>; after?: Promise<void>; meters?: Promise<void> } = {};
  credit = 0;
  /** Worth of one credit, minor units. */
  denomination = 1;
  bet = 100;
  gamesPlayed = 0;
  /** Its running meters; absent: an agent that does not tell them. */
  totals: MachineTotals | undefined = {
    ...{ wagered: 0, won: 0, machinePaid: 0, handPaid: 0 },
    ...{ cashIn: 0, cashOut: 0, otherIn: 0, otherOut: 0, other: { billsIn: 0, cancelledOut: 0 } },
  };
  inGame = false;
  bonus = false;
  freeSpins = 0;
  handPay: NonNullable<MetersNow["handPay"]> | undefined;
  /** Hand pays that wait behind `handPay`. */
  moreHandPays: NonNullable<MetersNow["handPay"]>[] = [];
  /** What it states of its game; null: its agent does not know the question. */
  about: MachineAbout | null = {};
  lockup: NonNullable<MetersNow["lockup"]> | undefined;
  /** The agent says at its next hello that the machine does not answer. */
  offline = false;
  epoch = 0;
  playSessionId: string | undefined;
  /** Of the newest grant or renewal. */
  rules: Grant["rules"];
  seq = 0;
  /** Events nobody has acknowledged, oldest first. */
  readonly journal: Told[] = [];
  /** Every money command that came, in order. */
  readonly asked: string[] = [];
  readonly #records = new Map<string, Record_>();
  readonly #forgotten = new Set<string>();

  /** Its protocol can enable and disable it. */
  disables = true;
  /** Its driver simulates it. */
  simulated = false;
  brand = "nar";

  constructor(id: string) {
    this.id = id;
  }

  meters(): MetersNow {
    const { credit, bet, inGame, bonus, freeSpins, gamesPlayed, handPay, lockup } = this;
    const reported = { credit, bet, win: 0, freeSpins, bonus, gamesPlayed, activeBand: "1", inGame };
    const handPays = handPay && this.moreHandPays.length > 0 ? [handPay, ...this.moreHandPays] : undefined;
    return { ...reported, ...(handPay && { handPay }), ...(handPays && { handPays }), ...(lockup && { lockup }) };
  }

  facts(): FactsTold {
    const doing = this.inGame ? "inGame" : "idle";
    return {
      id: this.id,
      name: this.id.toUpperCase(),
      brand: this.brand,
      videoType: "screen",
      ...(this.simulated && { simulated: true }),
      denomination: this.denomination,
      bandSelects: [{ id: "1", name: "1 TL", Order: 1 }],
      buttons: [{ id: "spin", label: "SPIN", kind: "wager", minGapMs: 500 }],
      limits: { minCycleMs: 2_500, minTransfer: 100, maxTransfer: 1_000_000, autoplay: true },
      webcam: false,
      state: this.offline ? "offline" : doing,
      meters: this.meters(),
      totals: this.totals,
      epoch: this.epoch,
      jackpots: [{ name: "Grand", amount: 1_000_000 }],
    };
  }

  grant({ epoch, playSessionId, rules }: Pick<Grant, "epoch" | "playSessionId" | "rules">): boolean {
    if (epoch < this.epoch) return false;
    this.epoch = epoch;
    this.playSessionId = playSessionId;
    this.rules = rules;
    return true;
  }

  /** Takes a money command; undefined: it will never be answered. */
  money(direction: "cashIn" | "cashOut", order: Order): Money | "fails" | undefined {
    this.asked.push(`${direction} ${order.transferId}`);
    const no = (reason: string): Money => ({ outcome: "refused", amount: 0, reason });
    if (order.epoch < this.epoch) return no("stale epoch");
    if (this.#forgotten.has(order.transferId)) return no("id was never seen before");
    const known = this.#records.get(order.transferId);
    if (known) return known.state === "done" ? { outcome: "done", amount: known.amount } : no("refused before");
    if (this.mood === "silentBefore") return undefined;
    if (this.mood === "refuses" || this.inGame)
      return { ...no(this.inGame ? "inGame" : "door open"), ...(this.refusal && { refusal: this.refusal }) };
    const amount = this.#amountOf(direction, order.amount);
    const isPending = this.mood === "pending";
    this.#records.set(order.transferId, {
      direction,
      asked: order.amount,
      amount,
      state: isPending ? "pending" : "done",
    });
    if (isPending) return { outcome: "unknown", amount: 0 };
    this.#move(direction, order.transferId, amount);
    if (this.mood === "fails") return "fails";
    return this.mood === "silentAfter" ? undefined : { outcome: "done", amount };
  }

  record(transferId: string): EgmTransferAnswer {
    const known = this.#records.get(transferId);
    if (known) return { record: known.state, amount: known.state === "done" ? known.amount : 0 };
    this.#forgotten.add(transferId);
    return { record: "neverSeen", amount: 0 };
  }

  get isPending(): boolean {
    return [...this.#records.values()].some(({ state }) => state === "pending");
  }

  /** What was pending comes to its end. */
  finishPending(outcome: "done" | "refused"): void {
    for (const [id, record] of this.#records) {
      if (record.state !== "pending") continue;
      record.state = outcome;
      if (outcome === "done") this.#move(record.direction, id, record.amount);
    }
  }

  startGame(): void {
    this.inGame = true;
    this.#tell("game", { phase: "started", gameNumber: this.gamesPlayed + 1, stake: this.bet });
  }

  /** Ends the game that runs; `handPaid` is the part of `win` that waits for staff. */
  endGame(win: number, handPaid = 0): void {
    const before = this.credit;
    this.#count({ wagered: this.bet, won: win, machinePaid: win - handPaid, handPaid });
    this.credit = before - this.bet + win - handPaid;
    this.gamesPlayed += 1;
    this.inGame = false;
    const time = { startedAt: "2026-11-21T10:00:00.000Z", endedAt: "2026-11-21T10:00:03.000Z" };
    const game = { gameNumber: this.gamesPlayed, stake: this.bet, win, before, after: this.credit, handPaid };
    this.#tell("game", { phase: "ended", game: { ...game, freeSpins: 0, bonus: false, ...time } });
  }

  /** Plays one whole game. */
  play(win: number): void {
    this.startGame();
    this.endGame(win);
  }

  /** It is out of tickets or the like: the credits on its meter wait for staff to pay them by hand. */
  cancelCredits(id: string): void {
    this.handPay = { id, amount: this.credit, kind: "cancelledCredits" };
    this.lockup = "handPay";
    this.happen("handPayPending", { handPay: this.handPay });
  }

  /** Staff has paid by hand: the machine continues. */
  resetHandPay(): void {
    if (this.handPay?.kind === "cancelledCredits") {
      this.credit -= this.handPay.amount;
      this.#count({ otherOut: this.handPay.amount });
      if (this.totals?.other?.cancelledOut !== undefined) this.totals.other.cancelledOut += this.handPay.amount;
    }
    this.handPay = this.moreHandPays.shift();
    this.lockup = this.handPay && "handPay";
    this.happen("handPayReset");
  }

  /** Its memory is gone: every meter begins anew, and so does its record of transfers. */
  clearRam(): void {
    this.credit = 0;
    this.gamesPlayed = 0;
    this.totals = {
      ...{ wagered: 0, won: 0, machinePaid: 0, handPaid: 0 },
      ...{ cashIn: 0, cashOut: 0, otherIn: 0, otherOut: 0, other: { billsIn: 0, cancelledOut: 0 } },
    };
    this.#records.clear();
  }

  happen(kind: MachineEvent["kind"], more: Partial<MachineEvent> = {}): void {
    this.#tell("event", { kind, ...more });
  }

  #amountOf(direction: "cashIn" | "cashOut", asked: number | undefined): number {
    const wanted = this.mood === "half" && asked !== undefined ? Math.floor(asked / 2) : asked;
    return direction === "cashIn" ? (wanted ?? 0) : Math.min(this.credit, wanted ?? this.credit);
  }

  #move(direction: "cashIn" | "cashOut", transferId: string, amount: number): void {
    this.credit += direction === "cashIn" ? amount : -amount;
    this.#count({ [direction]: amount });
    this.happen("transferComplete", { transferId, amount });
  }

  #count(added: Partial<Omit<MachineTotals, "other">>): void {
    if (this.totals === undefined) return;
    for (const [name, amount] of Object.entries(added)) this.totals[name as keyof typeof added] += amount;
  }

  #tell(is: "game" | "event", body: object): void {
    this.seq += 1;
    const head = { machineId: this.id, seq: this.seq, at: "2026-11-21T10:00:00.000Z", meters: this.meters() };
    const seat = this.playSessionId === undefined ? {} : { epoch: this.epoch, playSessionId: this.playSessionId };
    this.journal.push({ is, data: { ...head, ...seat, ...body } } as Told);
  }
}
