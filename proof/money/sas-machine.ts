import type { Machine } from "../../apps/agent/src/drivers/simulated/machine.ts";
import type {
  Egm,
  EgmCapabilities,
  EgmEvent,
  EgmMeters,
  EgmOrder,
  EgmPressAnswer,
  EgmTransferAnswer,
  EgmTransferDirection,
  EgmTransferRecord,
} from "../../apps/agent/src/ports/egm.ts";
import type { Chance, Life, Schedule } from "./schedule.ts";
import { never } from "./schedule.ts";

/** What the machines of a story are: those of the demonstration floor, or such that keep the rules of SAS. */
export const MACHINE_KINDS = ["simulated", "sas"] as const;
export type MachineKind = (typeof MACHINE_KINDS)[number];

/** Places that a machine's record of transfers may have. */
const DEPTHS = [1, 3, 10, 127] as const;
export const DENOMINATION_MINOR = 10;
const ID_CHARS = 20;
/** Meters lag behind what happened by up to this, ms, and most of the time by something. */
const DELAY_MS_MAX = 1_800;
const DELAY_SHARE = 0.7;
/** How long the driver waits before it calls a transfer that was sent never seen, ms. */
const SETTLE_MS = 3_000;
/** A transfer takes some polls before and behind the machine's move, ms. */
const POLLS_MS_MAX = 200;
/** Shares of transfers that the machine only says later, and of presses without a clear answer. */
const PENDING_SHARE = 0.03;
const UNCONFIRMED_SHARE = 0.1;
const SILENT_REFUSAL_SHARE = 0.5;
/** No exception of SAS reports these. */
const UNREPORTED: ReadonlySet<EgmEvent["what"]> = new Set(["jackpot", "bonusStarted", "bonusEnded", "metersChanged"]);

/** A machine that applies an id once more has a name of its own for it; the platform's ids have no tilde. */
export const plainId = (id: string): string => id.split("~")[0] ?? id;

type SasParts = {
  readonly schedule: Schedule;
  readonly chance: Chance;
  /** The machine loses its power, and with it the answer that was on its way. */
  readonly cutPower: () => void;
  /** A planted bug: the driver believes meters that agree with each other, and calls what is not in the record never seen at once. */
  readonly hasty: boolean;
};

/**
 * What SAS makes of a machine, and its driver of that, at the port of the agent. The simulated machine below keeps its rules of the game; here
 * its record is short and loses refusals, an id that is not in it is carried out again, and meters come late. Outlives the machine's power.
 */
export class SasSide {
  readonly depth: number;
  /** Transfers that the machine has carried out and lost the record of. */
  readonly lost = new Set<string>();
  /** The record of the next transfer is lost with the machine's power, before it has said anything. */
  losesNext = false;
  readonly #parts: SasParts;
  readonly #sentAt = new Map<string, number>();
  readonly #tries = new Map<string, number>();

  constructor(parts: SasParts) {
    this.#parts = parts;
    this.depth = parts.chance.pick(DEPTHS);
  }

  /** The memory of transfers is cleared; the meters stay. */
  loseRecord(machine: Machine): void {
    for (const { transferId } of machine.state().done) this.lost.add(plainId(transferId));
  }

  /** The machine as its driver shows it, for one life of its power. */
  powered(machine: Machine, life: Life): Egm {
    const { chance } = this.#parts;
    const meters = new LateMeters(machine, this.#parts);
    let ring: () => void = () => undefined;
    machine.egm.onActivity(() => {
      ring();
      meters.note(() => ring());
    });
    const { egm } = machine;
    return {
      description: { ...egm.description, denominationMinor: DENOMINATION_MINOR, bands: [], capabilities: this.#can() },
      meters: () => meters.read(),
      press: async ({ button }) => unsure(await egm.press({ button }), chance),
      cashIn: (order) => this.#move({ machine, meters, life }, "cashIn", order),
      cashOut: (order) => this.#move({ machine, meters, life }, "cashOut", order),
      transfer: (transferId) => this.#transfer(machine, meters, transferId),
      enable: egm.enable,
      disable: egm.disable,
      lock: egm.lock,
      unlock: egm.unlock,
      resetHandPay: egm.resetHandPay,
      nextEvents: async (limit = 20) => {
        const events = meters.events().toSorted((a, b) => Number(b.priority) - Number(a.priority) || a.seq - b.seq);
        return { events: events.slice(0, limit), meters: await meters.read() };
      },
      ackEvents: (seqs) => {
        const newest = Math.max(...seqs);
        const unreported = machine
          .state()
          .events.filter(({ seq, what }) => seq < newest && UNREPORTED.has(what as EgmEvent["what"]));
        return egm.ackEvents([...seqs, ...unreported.map(({ seq }) => seq)]);
      },
      onActivity: (listener) => {
        ring = listener;
        return () => {
          if (ring === listener) ring = () => undefined;
        };
      },
      close: egm.close,
    };
  }

  #can(): EgmCapabilities {
    return {
      ...{ transfersKept: this.depth, transferIdChars: ID_CHARS, keepsRefusals: false, partialTransfers: true },
      ...{ eventClock: false, nextStake: false, handPaysQueued: 1, resetsHandPays: true, denominations: [] },
      ...{ disables: true, locks: true },
    };
  }

  async #move(
    { machine, meters, life }: { machine: Machine; meters: LateMeters; life: Life },
    direction: EgmTransferDirection,
    { transferId, amount }: EgmOrder,
  ): Promise<EgmTransferAnswer> {
    const { chance, schedule, cutPower } = this.#parts;
    const polls = (): Promise<void> => new Promise((go) => schedule.after(chance.next() * POLLS_MS_MAX, go));
    if (transferId.length > ID_CHARS) return refusedAs("badId");
    if ((amount ?? 0) % DENOMINATION_MINOR !== 0) return refusedAs("badAmount");
    // The driver writes an order down before it leaves; from then on it may reach the machine, also when its agent is dead.
    this.#sentAt.set(transferId, schedule.now());
    await polls();
    if (life.dead) return await never();
    const known = this.#recordOf(machine, transferId);
    if (known !== undefined) {
      const same = known.direction === direction && known.asked === (amount ?? null);
      return same ? { outcome: "done", amount: known.amount, repeated: true } : refusedAs("idInUse");
    }
    const tries = this.#tries.get(transferId) ?? 0;
    this.#tries.set(transferId, tries + 1);
    const order = {
      transferId: tries === 0 ? transferId : `${transferId}~${tries}`,
      ...(amount !== undefined && { amount }),
    };
    const answer = await machine.egm[direction](order);
    if (answer.outcome === "done" && this.losesNext) {
      this.losesNext = false;
      this.loseRecord(machine);
      cutPower();
    }
    await polls();
    if (answer.outcome === "done" && chance.hits(PENDING_SHARE))
      return { outcome: "pending", amount: 0, repeated: false };
    if (answer.outcome === "done") meters.expectAll();
    return answer;
  }

  async #transfer(machine: Machine, meters: LateMeters, transferId: string): Promise<EgmTransferRecord> {
    const { schedule, hasty } = this.#parts;
    const leftMs = (this.#sentAt.get(transferId) ?? Number.NEGATIVE_INFINITY) + SETTLE_MS - schedule.now();
    if (this.#recordOf(machine, transferId) === undefined && leftMs > 0 && !hasty)
      await new Promise<void>((go) => schedule.after(leftMs, go));
    const found = this.#recordOf(machine, transferId);
    if (found === undefined) return { state: "neverSeen", transferId, oldestAt: null };
    meters.expectAll();
    const { direction, amount, at } = found;
    return { state: "done", transferId, direction, amount, at };
  }

  /** The machine's own record of an id: what it has carried out, as far as it reaches and has not been lost. */
  #recordOf(machine: Machine, transferId: string) {
    const record = machine
      .state()
      .done.slice(-this.depth)
      .findLast((one) => plainId(one.transferId) === transferId);
    return record?.state === "done" && !this.lost.has(transferId) ? record : undefined;
  }
}

const refusedAs = (reason: "badId" | "badAmount" | "idInUse"): EgmTransferAnswer => ({
  ...{ outcome: "refused", amount: 0, reason, repeated: false },
});

/** A host sees no press: a game that it misses is unconfirmed, and a press that the machine ignores often is too. */
function unsure(answer: EgmPressAnswer, chance: Chance): EgmPressAnswer {
  if (answer.outcome === "refused" && chance.hits(SILENT_REFUSAL_SHARE)) return { outcome: "unconfirmed" };
  return chance.hits(UNCONFIRMED_SHARE) ? { outcome: "unconfirmed" } : answer;
}

/** Meters at one moment of the machine, and when the host can read them. `nextSeq`: they count all events before this one. */
type Shown = Pick<EgmMeters, "credit" | "gamesPlayed" | "totals"> & {
  readonly nextSeq: number;
  readonly shownAt: number;
};

/** The meters as a host reads them: always of one moment, and late. What the driver knows by exceptions is not late. */
class LateMeters {
  readonly #machine: Machine;
  readonly #parts: SasParts;
  readonly #waiting: Shown[] = [];
  #shown: Shown;
  #expected = 0;

  constructor(machine: Machine, parts: SasParts) {
    this.#machine = machine;
    this.#parts = parts;
    this.#shown = this.#take(0);
  }

  /** Something happened at the machine. `later` is called when the host can read it. */
  note(later: () => void): void {
    const { chance, schedule } = this.#parts;
    if (this.#machine.state().nextSeq === this.#newest().nextSeq) return;
    const next = this.#take(chance.hits(DELAY_SHARE) ? chance.next() * DELAY_MS_MAX : 0);
    this.#waiting.push(next);
    schedule.after(next.shownAt - schedule.now(), later);
  }

  /** The machine has confirmed what it did so far: the driver believes no meters that do not count it. */
  expectAll(): void {
    if (!this.#parts.hasty) this.#expected = this.#newest().nextSeq;
  }

  async read(): Promise<EgmMeters> {
    const { schedule } = this.#parts;
    const due = this.#waiting.find(({ nextSeq }) => nextSeq >= this.#expected);
    if (due !== undefined && this.#now().nextSeq < this.#expected)
      await new Promise<void>((go) => schedule.after(due.shownAt - schedule.now(), go));
    const { inGame, win, bonus, handPays, lockup } = await this.#machine.egm.meters();
    const { credit, gamesPlayed, totals } = this.#now();
    const hidden = this.#hiddenFrom() !== undefined;
    return {
      ...{ credit, gamesPlayed, totals, inGame: inGame || hidden, handPays: hidden ? [] : handPays },
      ...(!inGame && !hidden && { win }),
      ...(bonus && { bonus }),
      ...(lockup !== undefined && !(hidden && lockup === "handPay") && { lockup }),
    };
  }

  /** What the driver reports so far: the end of a game only when the meters count it, and nothing that came behind it sooner. */
  events(): EgmEvent[] {
    const end = this.#hiddenFrom() ?? Number.POSITIVE_INFINITY;
    const events = this.#machine.state().events as unknown as EgmEvent[];
    return events.filter(({ seq, what }) => seq < end && !UNREPORTED.has(what)).map(said);
  }

  /** Number of the first end of a game that the meters do not count yet. */
  #hiddenFrom(): number | undefined {
    const { nextSeq } = this.#now();
    return this.#machine.state().events.find(({ seq, what }) => what === "gameEnded" && seq >= nextSeq)?.seq;
  }

  #now(): Shown {
    const now = this.#parts.schedule.now();
    while (this.#waiting[0] !== undefined && this.#waiting[0].shownAt <= now)
      this.#shown = this.#waiting.shift() ?? this.#shown;
    return this.#shown;
  }

  #newest(): Shown {
    return this.#waiting.at(-1) ?? this.#shown;
  }

  #take(delayMs: number): Shown {
    const { credit, gamesPlayed, totals, nextSeq } = this.#machine.state();
    const shownAt = Math.max(this.#waiting.at(-1)?.shownAt ?? 0, this.#parts.schedule.now() + delayMs);
    return { credit, gamesPlayed, totals: { ...totals, otherInTotal: 0, otherOutTotal: 0 }, nextSeq, shownAt };
  }
}

/** An event with what the protocol says of it. */
function said(event: EgmEvent): EgmEvent {
  if (event.what === "gameStarted") {
    const { before: _, ...rest } = event;
    return rest;
  }
  if (event.what === "gameEnded") {
    const { freeSpins: _, bonus: __, ...rest } = event;
    return rest;
  }
  if (event.what !== "handPay" && event.what !== "handPayReset") return event;
  const { jackpot: _, ...handPay } = event.handPay;
  return { ...event, handPay: { ...handPay, kind: "win" } };
}
