import type { Egm, EgmEvent, EgmTransferAnswer } from "../../ports/egm.ts";
import type { Core } from "./core.ts";
import { startCore } from "./core.ts";
import type { Dealer } from "./game/dealer.ts";
import { createDealer } from "./game/dealer.ts";
import { statedOf } from "./game/stated.ts";
import { stripsOf } from "./game/strips.ts";
import type { Entry } from "./memory/entries.ts";
import type { MachineState } from "./memory/state.ts";
import type { MachineOptions } from "./options.ts";
import { pressButton } from "./presses.ts";
import type { TransferOrder } from "./transfers.ts";
import { answerOf, decide, malformed, readRecord, recordOf } from "./transfers.ts";
import { bell } from "./turns.ts";
import type { MachineView } from "./view.ts";
import { metersOf, viewOf } from "./view.ts";

export type { MachineOptions } from "./options.ts";

/** What staff can do at the machine itself. */
export type Faults = {
  openDoor(): Promise<void>;
  closeDoor(): Promise<void>;
  /** `code`: a word for people, such as "reel 3". */
  tilt(code: string): Promise<void>;
  clearTilt(): Promise<void>;
};

export type Machine = {
  egm: Egm;
  faults: Faults;
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

async function move(core: Core, order: TransferOrder): Promise<EgmTransferAnswer> {
  const bad = malformed(order);
  if (bad !== null) return { outcome: "refused", amount: 0, reason: bad, repeated: false };
  const known = recordOf(core.state(), order.transferId);
  if (known !== undefined) {
    const same = known.direction === order.direction && known.asked === order.asked;
    return same ? answerOf(known, true) : { outcome: "refused", amount: 0, reason: "idInUse", repeated: false };
  }
  const { description, creditMax } = core.rules;
  const { limits, denominationMinor } = description;
  const record = decide(core.state(), order, { ...limits, denominationMinor, creditMax }, core.now());
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

function faultsOf(core: Core): Faults {
  const fault = (entry: Entry): Promise<void> =>
    core.serial(async () => {
      await core.commit(entry);
      core.resume();
    });
  return {
    openDoor: () => fault({ do: "door", at: core.now(), open: true }),
    closeDoor: () => fault({ do: "door", at: core.now(), open: false }),
    tilt: (code) => fault({ do: "tilt", at: core.now(), code }),
    clearTilt: () => fault({ do: "tilt", at: core.now(), code: null }),
  };
}

/** Powers the machine up: reads its memory and completes the game a power cut interrupted. */
export async function powerUp(options: MachineOptions): Promise<Machine> {
  const core = await startCore(options);
  const { serial, state } = core;
  const dealer = createDealer(options.seed, stripsOf(options.brand));
  const pressed = bell();
  let presses = 0;
  const egm: Egm = {
    description: core.rules.description,
    stated: () => statedOf(options.brand),
    ...standingOf(core),
    meters: () =>
      serial(async () =>
        metersOf(state(), core.stage(), { outOfService: core.outOfService(), spin: core.rest().spin }),
      ),
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
    cashIn: ({ transferId, amount }) => serial(() => move(core, { transferId, direction: "cashIn", asked: amount })),
    cashOut: ({ transferId, amount }) =>
      serial(() => move(core, { transferId, direction: "cashOut", asked: amount ?? null })),
    transfer: (transferId) => serial(async () => readRecord(state(), transferId)),
    nextEvents: (limit = 20) => serial(async () => queuedEvents(core, limit)),
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
