import type { SimulatedFault } from "@longarm/contract/machine";
import { LOCKUPS } from "@longarm/contract/machine";
import { lookOf } from "@longarm/reels/brands";
import type { Dealer } from "@longarm/reels/game/dealer";
import { createDealer } from "@longarm/reels/game/dealer";
import { JACKPOTS } from "@longarm/reels/game/rules";
import { stripsOf } from "@longarm/reels/game/strips";
import type {
  Egm,
  EgmEvent,
  EgmOrder,
  EgmPress,
  EgmPressAnswer,
  EgmRefusal,
  EgmTransferAnswer,
  EgmTransferDirection,
  EgmTransferRecord,
} from "../../ports/egm.ts";
import { bell } from "./bell.ts";
import type { Core } from "./core.ts";
import { startCore } from "./core.ts";
import { gravest } from "./faults.ts";
import type { Entry } from "./memory/entries.ts";
import type { MachineState, OpenGame, TransferRecord } from "./memory/state.ts";
import { JACKPOT_SCALE } from "./memory/state.ts";
import type { MachineOptions } from "./options.ts";
import { chosen, PANEL_BUTTONS, SPIN, stakeOf, standstill, wagerRefusal } from "./panel.ts";
import { statedOf } from "./stated.ts";
import type { MachineView, WholeMeters } from "./view.ts";
import { metersOf, viewOf } from "./view.ts";

export type { MachineOptions } from "./options.ts";

/** Faults that staff can cause and repair at the machine. */
export type MachineFaults = {
  /** `code`: the machine's own word for it, such as "reel 3". */
  begin(kind: SimulatedFault, code?: string): Promise<void>;
  end(kind: SimulatedFault): Promise<void>;
};

export type Machine = {
  egm: Omit<Egm, "meters"> & { meters(): Promise<WholeMeters> };
  faults: MachineFaults;
  wish: Dealer["wish"];
  /** Everything that outlives power, as it is now. */
  state(): MachineState;
  view(): MachineView;
  /** Rings when `view` would answer otherwise; one listener at most. */
  onChange(listener: () => void): () => void;
  /** Rings at each press that had an effect; one listener at most. */
  onPress(listener: () => void): () => void;
};

const LOCK_MS_MAX = 600_000;

async function move(core: Core, direction: EgmTransferDirection, order: EgmOrder): Promise<EgmTransferAnswer> {
  const bad = malformed(direction, order);
  if (bad !== null) return { outcome: "refused", amount: 0, reason: bad, repeated: false };
  const known = recordOf(core.state(), order.transferId);
  if (known !== undefined) {
    const same = known.direction === direction && known.asked === (order.amount ?? null);
    return same ? answerOf(known, true) : { outcome: "refused", amount: 0, reason: "idInUse", repeated: false };
  }
  const { description, creditMax } = core.rules;
  const { limits, denominationMinor } = description;
  const asked = { transferId: order.transferId, direction, asked: order.amount ?? null };
  const record = decide(core.state(), asked, { ...limits, denominationMinor, creditMax }, core.now());
  await core.commit({ do: "transfer", at: record.at, record });
  return answerOf(record, false);
}

function queuedEvents(core: Core, limit: number): EgmEvent[] {
  // The bodies were made by `apply` from the port's own types; the memory keeps them as they were.
  const events = core.state().events as unknown as EgmEvent[];
  return [...events].sort((a, b) => Number(b.priority) - Number(a.priority) || a.seq - b.seq).slice(0, limit);
}

async function acknowledge(core: Core, seqs: readonly number[]): Promise<void> {
  const queued = new Set(core.state().events.map((event) => event.seq));
  const known = seqs.filter((seq) => queued.has(seq));
  if (known.length > 0) await core.commit({ do: "ack", at: core.now(), seqs: known });
}

/** Commits unless it is so already. */
async function settle(core: Core, already: boolean, entry: Entry): Promise<void> {
  if (!already) await core.commit(entry);
}

type Standing = Pick<Egm, "enable" | "disable" | "lock" | "unlock" | "resetHandPay">;

function standingOf(core: Core): Standing {
  const { serial, state, now, commit } = core;
  return {
    enable: () => serial(() => settle(core, !state().disabled, { do: "disabled", at: now(), value: false })),
    disable: () => serial(() => settle(core, state().disabled, { do: "disabled", at: now(), value: true })),
    unlock: () => serial(async () => core.lockUntil(0)),
    lock: (timeoutMs) =>
      serial(async () => {
        if (state().game !== null) return { outcome: "refused", reason: "inGame" };
        core.lockUntil(now() + Math.min(Math.max(Math.round(timeoutMs), 1), LOCK_MS_MAX));
        return { outcome: "locked" };
      }),
    resetHandPay: (id) =>
      serial(async () => {
        if (state().handPay?.id !== id) return "notPending";
        await commit({ do: "handPayReset", at: now(), id });
        return "reset";
      }),
  };
}

function faultsOf(core: Core): MachineFaults {
  const fault = (kind: SimulatedFault, code: string | null): Promise<void> =>
    core.serial(async () => {
      await core.commit({ do: "fault", at: core.now(), kind, code });
      core.resume();
    });
  return { begin: (kind, code = "") => fault(kind, code), end: (kind) => fault(kind, null) };
}

/** Powers the machine up: reads its memory and completes the game a power cut interrupted. */
export async function powerUp(options: MachineOptions): Promise<Machine> {
  const core = await startCore(options);
  const look = lookOf(options);
  const { serial, state } = core;
  const dealer = createDealer(options.seed, stripsOf(look));
  const pressed = bell();
  let presses = 0;
  const readMeters = (): WholeMeters =>
    metersOf(state(), core.stage(), { outOfService: core.outOfService(), spin: core.rest().spin });
  const egm: Machine["egm"] = {
    description: core.rules.description,
    stated: () => statedOf(look),
    ...standingOf(core),
    meters: () => serial(async () => readMeters()),
    press: (press) =>
      serial(async () => {
        const answer = await pressButton(core, press, dealer);
        if (answer.outcome === "started" || answer.outcome === "done") {
          presses += 1;
          pressed.ring();
          core.glass.ring();
        }
        return answer;
      }),
    cashIn: (order) => serial(() => move(core, "cashIn", order)),
    cashOut: (order) => serial(() => move(core, "cashOut", order)),
    transfer: (transferId) => serial(async () => readRecord(state(), transferId)),
    nextEvents: (limit = 20) => serial(async () => ({ events: queuedEvents(core, limit), meters: readMeters() })),
    ackEvents: (seqs) => serial(() => acknowledge(core, seqs)),
    onActivity: core.onActivity,
    close: core.close,
  };
  const view = (): MachineView =>
    viewOf(state(), core.stage(), { ...core.rest(), presses, outOfService: core.outOfService() });
  return {
    egm,
    faults: faultsOf(core),
    wish: dealer.wish,
    state,
    view,
    onChange: core.glass.listen,
    onPress: pressed.listen,
  };
}

/** Draws the next game, with the amounts of the jackpots that it hits (its own share included). */
function nextGame(state: MachineState, dealer: Dealer, startedAt: number): OpenGame {
  const stake = stakeOf(state.band, state.step);
  const number = state.gamesPlayed + 1;
  const { outcome, ...dealt } = dealer.deal(number, stake);
  const jackpotWins = outcome.jackpots.map((name) => {
    const index = state.jackpots.findIndex((jackpot) => jackpot.name === name);
    const grown = (state.jackpots[index]?.scaled ?? 0) + stake * (JACKPOTS[index]?.shareBp ?? 0);
    return { name, amount: Math.floor(grown / JACKPOT_SCALE) };
  });
  return { number, stake, before: state.credit, startedAt, outcome, bonusOpen: false, jackpotWins, ...dealt };
}

async function wager(core: Core, press: EgmPress, dealer: Dealer): Promise<EgmPressAnswer> {
  if (core.pick()) return { outcome: "done" };
  const state = core.state();
  const now = core.now();
  const rules = { maxStake: core.rules.maxStake, nextGameAt: core.nextGameAt(), lockedUntil: core.lockedUntil() };
  const reason = wagerRefusal(state, press, rules, now);
  if (reason !== null) return { outcome: reason === "stakeChanged" ? "changed" : "refused", reason };
  const game = nextGame(state, dealer, now);
  await core.commit({ do: "gameStart", at: now, game });
  dealer.begun();
  core.show(game);
  return { outcome: "started", gameNumber: game.number };
}

async function select(core: Core, button: string): Promise<EgmPressAnswer> {
  const state = core.state();
  const reason = standstill(state) ?? (state.game === null ? null : "inGame");
  if (reason !== null) return { outcome: "refused", reason };
  const choice = chosen(state, button, core.rules.maxStake);
  if (choice === null) return { outcome: "ignored", reason: "atLimit" };
  await core.commit({ do: "bet", at: core.now(), ...choice });
  return { outcome: "done" };
}

/** What one press of the panel does. A memory that cannot be written refuses it as `outOfService`. */
async function pressButton(core: Core, press: EgmPress, dealer: Dealer): Promise<EgmPressAnswer> {
  const button = PANEL_BUTTONS.find((one) => one.id === press.button);
  if (button === undefined) return { outcome: "refused", reason: "unknownButton" };
  try {
    if (button.id === SPIN) return await wager(core, press, dealer);
    if (button.kind === "select") return await select(core, button.id);
    await core.commit({ do: "attendant", at: core.now() });
    return { outcome: "done" };
  } catch {
    return { outcome: "refused", reason: "outOfService" };
  }
}

/** Minor units. */
type TransferLimits = {
  minTransfer: number;
  maxTransfer: number;
  creditMax: number;
  denominationMinor: number;
};
type TransferOrder = Pick<TransferRecord, "transferId" | "direction" | "asked">;

/** The machine's own record of an id. */
function recordOf(state: MachineState, transferId: string): TransferRecord | undefined {
  const has = (record: TransferRecord): boolean => record.transferId === transferId;
  return state.done.find(has) ?? state.refused.find(has);
}

/** The first answer again. */
function answerOf(record: TransferRecord, repeated: boolean): EgmTransferAnswer {
  if (record.state === "done") return { outcome: "done", amount: record.amount, repeated };
  return { outcome: "refused", amount: 0, reason: record.reason as EgmRefusal, repeated };
}

function readRecord(state: MachineState, transferId: string): EgmTransferRecord {
  const record = recordOf(state, transferId);
  if (record === undefined) return { state: "neverSeen", transferId, oldestAt: state.done[0]?.at ?? null };
  const { direction, at } = record;
  if (record.state === "done") return { state: "done", transferId, direction, amount: record.amount, at };
  return { state: "refused", transferId, direction, amount: 0, reason: record.reason as EgmRefusal, at };
}

/** Refuses what no record may be made of: `badId`, `badAmount`. */
function malformed(direction: EgmTransferDirection, { transferId, amount }: EgmOrder): EgmRefusal | null {
  if (!/^[\x20-\x7e]{1,64}$/.test(transferId)) return "badId";
  if (amount === undefined) return direction === "cashOut" ? null : "badAmount";
  return Number.isSafeInteger(amount) && amount > 0 ? null : "badAmount";
}

function refusal(state: MachineState, order: TransferOrder, limits: TransferLimits): EgmRefusal | null {
  const fault = gravest(state.faults);
  if (fault !== undefined) return LOCKUPS[fault].refusal;
  if (state.handPay !== null) return "handPay";
  if (state.game !== null) return "inGame";
  if ((order.asked ?? 0) % limits.denominationMinor !== 0) return "badAmount";
  if (order.direction === "cashOut") return order.asked !== null && state.credit === 0 ? "nothingToPay" : null;
  if (state.disabled) return "disabled";
  if ((order.asked ?? 0) < limits.minTransfer) return "badAmount";
  if ((order.asked ?? 0) > limits.maxTransfer) return "overLimit";
  if (limits.creditMax - state.credit < limits.denominationMinor) return "overLimit";
  return null;
}

/** What becomes of an order now: a record to be made durable. Cash-out moves what there is, cash-in what fits. */
export function decide(state: MachineState, order: TransferOrder, limits: TransferLimits, at: number): TransferRecord {
  const reason = refusal(state, order, limits);
  const head = { ...order, at };
  if (reason !== null) return { ...head, state: "refused", reason };
  const room =
    order.direction === "cashIn" ? limits.creditMax - state.credit : Math.min(state.credit, limits.maxTransfer);
  // What fits in part is whole credits too.
  const whole = room - (room % limits.denominationMinor);
  return { ...head, state: "done", amount: Math.min(order.asked ?? whole, whole) };
}
