import type {
  Egm,
  EgmDescription,
  EgmEvent,
  EgmEventBody,
  EgmMeters,
  EgmPress,
  EgmPressAnswer,
  EgmTransferAnswer,
  EgmTransferDirection,
  EgmTransferRecord,
} from "../ports/egm.ts";

/** What goes wrong with the next transfer: the machine hears nothing, or does it and its answer is lost. */
export type TransferFault = "unheard" | "unanswered" | "hangs" | undefined;

const DESCRIPTION: EgmDescription = {
  card: {},
  id: "nar-01",
  name: "Nar 01",
  brand: "nar",
  serial: "1",
  denominationMinor: 1,
  bands: [{ id: "10", name: "0,10", Order: 1 }],
  buttons: [
    { id: "spin", label: "SPIN", kind: "wager", minGapMs: 0 },
    { id: "betUp", label: "+", kind: "select", minGapMs: 100 },
  ],
  limits: { minCycleMs: 1_000, minTransfer: 1, maxTransfer: 1_000_000, autoplay: true },
  capabilities: {
    transfersKept: 127,
    transferIdChars: 64,
    keepsRefusals: true,
    partialTransfers: true,
    eventClock: true,
    nextStake: true,
    handPaysQueued: 1,
    resetsHandPays: true,
    denominations: [10],
    disables: true,
    locks: true,
  },
};

/** A machine in memory that survives its agent. Small on purpose; the real behaviour lives in the simulated driver. */
export type FakeMachine = {
  /** Worth of one credit, minor units; the next driver has it in its description. */
  denomination: number;
  /** Locked for a transfer now. */
  locked: boolean;
  /** Refuses to be locked, as in a game that its own button started. */
  refusesLock: boolean;
  /** One driver's view; a closed one answers nothing any more. */
  connect(): Egm & { ringNow(): void };
  credit: number;
  bet: number;
  games: number;
  /** Cumulative meters of transfers, minor units. */
  readonly transferred: Record<EgmTransferDirection, number>;
  /** How often money really moved, by id. */
  readonly moved: Map<string, number>;
  fault: TransferFault;
  /** A bad machine: it moves money again when an id is repeated, so that only its agent stands between. */
  appliesRepeats: boolean;
  /** Every call rejects while this is set. */
  silent: boolean;
  /** Forgets its record of this transfer; the meters stay. */
  forget(transferId: string): void;
  /** Presses never answer while this is set. */
  deafToPresses: boolean;
  /** Cannot say what came of a press. */
  confirmsNothing: boolean;
  /** Does not say the stake of the next wager. */
  hidesStake: boolean;
  /** A game of it waits for its player's choice. */
  awaitsChoice: boolean;
  /** Its protocol can neither enable nor disable it. */
  staysEnabled: boolean;
  readonly waitingEvents: EgmEvent[];
  tell(body: EgmEventBody, priority?: boolean): void;
  /** Ends what `hangs` has started. */
  release(): void;
};

/** A machine in order, without credit. */
const AT_REST = {
  denomination: 1,
  locked: false,
  refusesLock: false,
  credit: 0,
  bet: 100,
  games: 0,
  fault: undefined,
  appliesRepeats: false,
  silent: false,
  deafToPresses: false,
  confirmsNothing: false,
  hidesStake: false,
  awaitsChoice: false,
  staysEnabled: false,
};

export function fakeMachine(): FakeMachine {
  const records = new Map<string, EgmTransferRecord & { state: "done" | "refused" }>();
  let seq = 0;
  let ring: (() => void) | undefined;
  const hanging: (() => void)[] = [];

  const machine: FakeMachine = {
    ...AT_REST,
    transferred: { cashIn: 0, cashOut: 0 },
    moved: new Map(),
    waitingEvents: [],
    tell: (body, priority = false) => {
      seq += 1;
      machine.waitingEvents.push({ seq, at: 1_700_000_000_000 + seq, priority, ...body });
      ring?.();
    },
    forget: (transferId) => void records.delete(transferId),
    release: () => {
      for (const go of hanging.splice(0)) go();
    },
    connect: () => connect(),
  };

  function reachable(): void {
    if (machine.silent) throw new Error("the machine is silent");
  }

  function move(direction: EgmTransferDirection, id: string, asked: number): EgmTransferAnswer {
    const known = records.get(id);
    if (known?.state === "done" && !machine.appliesRepeats)
      return { outcome: "done", amount: known.amount, repeated: true };
    if (direction === "cashOut" && machine.credit === 0) {
      records.set(id, { state: "refused", transferId: id, direction, amount: 0, reason: "noCredit", at: 1 });
      return { outcome: "refused", amount: 0, reason: "noCredit", repeated: false };
    }
    const amount = direction === "cashIn" ? asked : Math.min(machine.credit, asked);
    machine.credit += direction === "cashIn" ? amount : -amount;
    machine.transferred[direction] += amount;
    machine.moved.set(id, (machine.moved.get(id) ?? 0) + 1);
    records.set(id, { state: "done", transferId: id, direction, amount, at: 1 });
    return { outcome: "done", amount, repeated: false };
  }

  async function transfer(direction: EgmTransferDirection, id: string, asked: number): Promise<EgmTransferAnswer> {
    reachable();
    const { fault } = machine;
    machine.fault = undefined;
    if (fault === "unheard") throw new Error("no answer");
    if (fault === "hangs") await new Promise<void>((go) => hanging.push(go));
    const answer = move(direction, id, asked);
    if (fault === "unanswered") throw new Error("no answer");
    return answer;
  }

  function connect(): ReturnType<FakeMachine["connect"]> {
    let closed = false;
    const call = async <T>(run: () => T | Promise<T>): Promise<T> => {
      if (closed) throw new Error("the driver is closed");
      reachable();
      return await run();
    };
    return {
      description: {
        ...DESCRIPTION,
        denominationMinor: machine.denomination,
        capabilities: {
          ...DESCRIPTION.capabilities,
          nextStake: !machine.hidesStake,
          disables: !machine.staysEnabled,
        },
      },
      meters: () => call(() => metersOf(machine)),
      press: (press) => call(() => pressed(machine, press)),
      cashIn: ({ transferId, amount }) => call(() => transfer("cashIn", transferId, amount ?? 0)),
      cashOut: ({ transferId, amount }) => call(() => transfer("cashOut", transferId, amount ?? machine.credit)),
      transfer: (transferId) =>
        call(() => records.get(transferId) ?? { state: "neverSeen" as const, transferId, oldestAt: null }),
      enable: () => call(() => undefined),
      disable: () => call(() => undefined),
      lock: () =>
        call(() => {
          if (machine.refusesLock) return { outcome: "refused" as const, reason: "inGame" as const };
          machine.locked = true;
          return { outcome: "locked" as const };
        }),
      unlock: () =>
        call(() => {
          machine.locked = false;
        }),
      resetHandPay: () => call(() => "reset" as const),
      nextEvents: (limit = 20) =>
        call(() => ({
          events: [...machine.waitingEvents].sort((a, b) => Number(b.priority) - Number(a.priority)).slice(0, limit),
          meters: metersOf(machine),
        })),
      ackEvents: (seqs) =>
        call(() => {
          const left = machine.waitingEvents.filter((event) => !seqs.includes(event.seq));
          machine.waitingEvents.splice(0, machine.waitingEvents.length, ...left);
        }),
      onActivity: (listener) => {
        ring = listener;
        return () => {
          if (ring === listener) ring = undefined;
        };
      },
      close: async () => {
        closed = true;
      },
      ringNow: () => ring?.(),
    };
  }

  return machine;
}

function metersOf({ credit, bet, games, hidesStake, transferred }: FakeMachine): EgmMeters {
  const totals = {
    wageredTotal: 0,
    wonTotal: 0,
    machinePaidTotal: 0,
    handPaidTotal: 0,
    cashInTotal: transferred.cashIn,
    cashOutTotal: transferred.cashOut,
    otherInTotal: 0,
    otherOutTotal: 0,
  };
  const jackpots = [
    { name: "MINI", amount: 10 },
    { name: "GRAND", amount: 1_000 },
  ];
  const play = { win: 0, freeSpins: 0, bonus: false, inGame: false, gamesPlayed: games, activeBand: "10" };
  return { credit, ...(!hidesStake && { bet }), ...play, handPays: [], jackpots, totals };
}

async function pressed(machine: FakeMachine, { button, stakeMinor, finishOnly }: EgmPress): Promise<EgmPressAnswer> {
  if (machine.deafToPresses) throw new Error("no answer");
  if (button !== "spin" || machine.awaitsChoice) return { outcome: "done" };
  if (finishOnly === true) return { outcome: "refused", reason: "held" };
  if (!machine.hidesStake && stakeMinor !== machine.bet) return { outcome: "changed", reason: "stakeChanged" };
  machine.games += 1;
  return machine.confirmsNothing ? { outcome: "unconfirmed" } : { outcome: "started", gameNumber: machine.games };
}
