import type { WiredButtons } from "../../../buttons/config.ts";
import { unitMsOf } from "../../../buttons/config.ts";
import type { Step, StepResult } from "../../../doctor/commissioning/commissioning.ts";
import { failed, noted, passed, until } from "../../../doctor/commissioning/commissioning.ts";
import type { EgmButton } from "../../../ports/egm.ts";
import type { WiredPress } from "../../../ports/press.ts";
import { pollNow } from "../driver/facts.ts";
import type { VendorProfile } from "../driver/profiles.ts";
import type { SasLine } from "../line/line.ts";
import type { LockStatus, TransferAnswer, TransferStatus } from "../protocol/aft.ts";
import {
  cancelLock,
  interrogate,
  readLock,
  register,
  requestLock,
  TRANSFER_TYPE,
  transferFunds,
  transferStatus,
} from "../protocol/aft.ts";
import { mainMeters, shutDown, startUp } from "../protocol/polls.ts";
import { isBlocked } from "./reading-steps.ts";
import type { Session } from "./session.ts";

/* What only orders can show: a transfer of nothing, a lock, and a machine that stops when it is ordered to. */

const TRANSFER_MS_MAX = 10_000;
/** Requested for the lock, and how long it is awaited, ms: a game in progress ends first. */
const LOCK_MS = 5_000;
const LOCK_WAIT_MS = 3_000;
/** Two readings of the meters so far apart show whether somebody plays, ms. */
const REST_MS = 500;
/** A game after a press begins within this time, ms. */
const GAME_MS_MAX = 2_000;
const BOARD_MS_MAX = 4_000;

export type ActingStepsDeps = {
  readonly session: Session;
  readonly wallNow: () => number;
  readonly profile: VendorProfile;
  readonly panel: readonly EgmButton[];
  readonly buttons: WiredButtons | undefined;
};

export function actingSteps(deps: ActingStepsDeps): Step[] {
  const needs = ["registration"];
  return [
    { id: "transfer", title: "A transfer of nothing", needs, run: () => transferNothing(deps) },
    ...(deps.profile.locks ? [{ id: "lock", title: "Lock for a transfer", needs, run: () => lock(deps) }] : []),
    { id: "shutdown", title: "Shut down and start up", needs, run: () => stopAndStart(deps) },
  ];
}

async function transferNothing({ session, wallNow, profile }: ActingStepsDeps): Promise<StepResult> {
  const { line, memory } = await session.acting();
  if (memory.hasOpenTransfer())
    return noted(
      "An earlier transfer may still be open, and a new one would take its place. Start the agent, which decides it.",
    );
  const state = await pollNow(line, readLock());
  if (state.assetNumber === 0 || isBlocked(state))
    return noted("The machine takes no transfer now, so none was ordered.");
  if (profile.registersEachTransfer) await pollNow(line, register("register", { assetNumber: state.assetNumber }));
  const transferId = `doctor-${wallNow().toString(36)}`;
  const first = await pollNow(
    line,
    transferFunds({
      ...{ transferId, type: TRANSFER_TYPE.toMachine, amounts: { cashable: 0, restricted: 0, nonRestricted: 0 } },
      ...{ partial: false, flags: 0, assetNumber: state.assetNumber, expiration: 0, pool: profile.pool },
      ...(profile.lockTimeoutField && { lockTimeoutMs: 0 }),
    }),
  );
  return decided(await ended(session, line, first), transferId);
}

/** The lock is the fence against a late command around each cash-out; it ends with this step. */
async function lock({ session }: ActingStepsDeps): Promise<StepResult> {
  const { line } = await session.acting();
  if (isBlocked(await pollNow(line, readLock())))
    return noted("The machine takes no transfer now, so it was not locked.");
  let last: LockStatus;
  try {
    last = await lockOnce(session, line);
  } finally {
    await pollNow(line, cancelLock());
  }
  return last.lock === "locked"
    ? passed("The machine can be locked for a transfer, and was unlocked again.")
    : failed("aft.lock", `The machine was ordered to lock itself, and stays ${last.lock}.`, { lock: last.lock });
}

async function lockOnce({ setup: { clock } }: Session, line: SasLine): Promise<LockStatus> {
  let last = await pollNow(line, requestLock({ toMachine: false, fromMachine: true }, LOCK_MS));
  await until(clock, LOCK_WAIT_MS, async () => {
    if (last.lock === "locked") return true;
    last = await pollNow(line, readLock());
    return undefined;
  });
  return last;
}

/** The machine's answer once it has decided. */
async function ended({ setup: { clock } }: Session, line: SasLine, first: TransferAnswer): Promise<TransferAnswer> {
  let last = first;
  await until(clock, TRANSFER_MS_MAX, async () => {
    if (transferStatus(last.status).is !== "pending") return true;
    last = await pollNow(line, interrogate(0));
    return undefined;
  });
  return last;
}

function decided({ status, amounts }: TransferAnswer, transferId: string): StepResult {
  const meaning: TransferStatus = transferStatus(status);
  const evidence = { transferId, status: `${status.toString(16).padStart(2, "0").toUpperCase()}h` };
  if (meaning.is === "done" && amounts.cashable === 0)
    return passed("The machine took a transfer of nothing, as it takes one of money.", evidence);
  if (meaning.is === "pending")
    return failed("aft.pending", "A transfer of nothing did not end within 10 s.", evidence);
  if (meaning.is !== "refused")
    return failed(
      "aft.refused",
      `The machine answers a transfer of nothing with the status ${evidence.status}.`,
      evidence,
    );
  const { reason } = meaning;
  const says = `The machine refuses a transfer of nothing: ${reason} (status ${evidence.status}).`;
  if (reason === "notRegistered") return failed("aft.unregistered", says, evidence);
  if (reason === "badAsset") return failed("aft.asset", says, evidence);
  return failed(reason === "unsupported" ? "aft.off" : "aft.refused", says, evidence);
}

/**
 * The machine's acknowledgement says only that it has received the order. A wager button that starts no game while it is shut down shows that it
 * obeys; without a wired one, or without credit, the transfers that it offers do.
 */
async function stopAndStart(deps: ActingStepsDeps): Promise<StepResult> {
  const { session } = deps;
  const { line } = await session.acting();
  const before = await atRest(session, line);
  if (before === undefined) return failed("meters.moving", "Coin-in grows while nothing was pressed.");
  const { available, funds } = await pollNow(line, readLock());
  let stopped: Stopped;
  try {
    await pollNow(line, shutDown());
    const offersMoney = (await pollNow(line, readLock())).available.toMachine;
    const press = funds.cashable > 0 ? await pressWhileStopped(deps, line, before) : undefined;
    stopped = { ...press, offersMoney: available.toMachine && offersMoney };
  } finally {
    await pollNow(line, startUp());
  }
  if (stopped.startedGame === true)
    return failed("disable.ignored", "The machine was shut down, and its wager button started a game.", stopped);
  if (stopped.startedGame === undefined && stopped.offersMoney)
    return failed("disable.ignored", "The machine was shut down, and still offers transfers.", stopped);
  const back = await until(session.setup.clock, GAME_MS_MAX, async () =>
    !available.toMachine || (await pollNow(line, readLock())).available.toMachine ? true : undefined,
  );
  if (back === undefined)
    return failed("enable.ignored", "The machine was started up again, and takes no money.", stopped);
  const how = stopped.startedGame === false ? "its wager button started no game" : "it offered no transfer";
  return passed(`While it was shut down ${how}; then it was started up again.`, stopped);
}

type Stopped = { readonly startedGame?: boolean; readonly press?: string; readonly offersMoney: boolean };

/** Undefined: somebody plays. */
async function atRest({ setup: { clock } }: Session, line: SasLine): Promise<number | undefined> {
  const { coinIn } = await pollNow(line, mainMeters());
  await new Promise<void>((passed) => void clock.after(REST_MS, passed));
  return (await pollNow(line, mainMeters())).coinIn === coinIn ? coinIn : undefined;
}

/** Undefined: no wager button is wired, or its board does not press. */
async function pressWhileStopped(
  { session, panel, buttons }: ActingStepsDeps,
  line: SasLine,
  coinIn: number,
): Promise<Omit<Stopped, "offersMoney"> | undefined> {
  const wager = panel.find(({ id, kind }) => kind === "wager" && buttons?.buttons[id] !== undefined);
  if (wager === undefined || buttons === undefined) return undefined;
  const press = await pressOnce(session, buttons, wager.id);
  if (press.outcome === "refused") return { press: press.says };
  const played = await until(session.setup.clock, GAME_MS_MAX, async () =>
    (await pollNow(line, mainMeters())).coinIn > coinIn ? true : undefined,
  );
  return { startedGame: played === true, press: press.outcome };
}

async function pressOnce({ setup: { clock } }: Session, wiring: WiredButtons, button: string): Promise<WiredPress> {
  const { openButtons } = await import("../../../buttons/wired-buttons.ts");
  const board = openButtons({ wiring, clock, problem: () => undefined });
  try {
    let press = await board.press(button);
    // A press that is refused was not sent. The board is reached, and its key read, within its first seconds.
    await until(clock, BOARD_MS_MAX, async () => {
      if (press.outcome !== "refused" || !["boardAway", "keyUnknown"].includes(press.reason)) return true;
      press = await board.press(button);
      return undefined;
    });
    // The board is let go only behind the pulse, because its outputs are turned off then.
    const restMs = (wiring.buttons[button]?.pulseMs ?? 0) + unitMsOf(wiring.board);
    await new Promise<void>((ended) => void clock.after(restMs, ended));
    return press;
  } finally {
    await board.close();
  }
}
