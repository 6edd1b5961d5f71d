import type { PressAnswer, PressReason } from "@longarm/contract/data-channel";
import { CHANNEL_FRAME_BYTES_MAX, PRESS_STALE_MS, Press } from "@longarm/contract/data-channel";
import type * as z from "zod/mini";
import type { MachineQueue } from "../machine/machine-queue.ts";
import type { PressReceiver } from "../media/viewer/viewer.ts";
import type { Clock } from "../ports/clock.ts";
import type { Egm, EgmButton, EgmDescription, EgmPress, EgmPressAnswer, EgmRefusal } from "../ports/egm.ts";
import type { AllowanceDeps } from "./allowance.ts";
import type { Grants } from "./grants.ts";
import type { PaidGames } from "./paid-games.ts";
import { createPaidGames } from "./paid-games.ts";

export type WirePress = z.infer<typeof Press>;

/** Presses that may wait for the machine; a player has one or two. */
const PRESSES_WAITING_MAX = 4;

export type PressGuardDeps = {
  readonly egm: Egm;
  readonly grants: Grants;
  readonly queue: MachineQueue;
  readonly clock: Clock;
  /** The machine's journal as the driver was opened. */
  readonly memory: AllowanceDeps["memory"];
  /** A sentence when no game may start now, because its record could not be kept. */
  readonly wagerObstacle: () => PressReason | undefined;
  /** When the newest picture that went to a viewer was taken, ms by `clock`; undefined: none went yet. */
  readonly picturedAt: () => number | undefined;
  /** Whether play is recorded now. Absent: this agent records nothing. */
  readonly isRecorded?: () => boolean;
  /** A sentence for the log. */
  readonly problem?: (sentence: string) => void;
  readonly metrics?: PressMetrics | undefined;
  readonly witness?: PressWitness | undefined;
};

/** Counts presses. */
export interface PressMetrics {
  /** A numbered press has ended; called once, however many copies of it arrived. Undefined: the machine was silent. */
  pressed(outcome: string | undefined): void;
}

/** Receives each numbered press once: when it arrived, and its answer; undefined: the machine was silent. */
export type PressWitness = (press: WirePress, at: number, answer: PressReply | undefined) => void;

/**
 * Checks every press before it reaches the machine, from whichever connection. Each `seq` of an epoch presses at most once, and never
 * after a higher one.
 */
export interface PressGuard extends Pick<PaidGames, "reported" | "ended"> {
  /** Undefined: the machine was silent, so the outcome is unknown and the press is not answered. */
  press(press: WirePress): Promise<PressReply | undefined>;
  /** One hostile message of the data channel; `epoch` is that of the connection that it arrived on. */
  message(bytes: Uint8Array, epoch: number): Promise<PressReply | undefined>;
  /** Takes the messages of one player's connection. */
  receiver(epoch: number): PressReceiver;
}

export function createPressGuard(deps: PressGuardDeps): PressGuard {
  const { egm, grants, queue, clock } = deps;
  const { limits, buttons: panel } = egm.description;
  const gaps = createGaps(limits);
  const paidGames = createPaidGames({ ...deps, description: egm.description });
  const buttons = new Map(panel.map((button) => [button.id, button]));
  const seqsOf = createSeqWindows();

  function reply(seq: number, outcome: PressReply["outcome"], reason?: PressReason): PressReply {
    return { seq, outcome, at: clock.now(), ...(reason === undefined ? {} : { reason }) };
  }

  async function press(input: WirePress): Promise<PressReply | undefined> {
    const { seq } = input;
    const refusal = grants.check(input.epoch);
    if (refusal !== undefined) return reply(seq, "refused", refusal);
    const seqs = seqsOf(input.epoch);
    const earlier = seqs.answerTo(seq);
    if (earlier !== undefined) return await earlier;
    // Used before the first await: a copy that arrives meanwhile waits for this one's answer.
    const at = clock.now();
    const answer = seq <= seqs.last() ? Promise.resolve(reply(seq, "late")) : decide(input);
    seqs.use(seq, answer);
    const ended = await answer;
    deps.metrics?.pressed(ended?.outcome);
    deps.witness?.(input, at, ended);
    return ended;
  }

  async function decide(input: WirePress): Promise<PressReply | undefined> {
    const { seq } = input;
    if (Math.abs(clock.now() - input.at) > PRESS_STALE_MS) return reply(seq, "stale");
    const button = buttons.get(input.button);
    if (button === undefined) return reply(seq, "refused", "unknown button");
    const obstacle = gaps.tooSoon(button, clock.now()) ? "too soon" : obstacleTo(deps, button, input);
    if (obstacle !== undefined) return reply(seq, "refused", obstacle);
    gaps.pressed(button, clock.now());
    return await queue.press(() => pressNow(input, button));
  }

  /** Runs while it has the machine's queue: the seat may have been lost while the press waited for it. */
  async function pressNow(input: WirePress, button: EgmButton): Promise<PressReply | undefined> {
    const refusal = grants.check(input.epoch);
    if (refusal !== undefined) return reply(input.seq, "refused", refusal);
    if (clock.now() - input.at > PRESS_STALE_MS) return reply(input.seq, "stale");
    const answer = await pressMachine({ ...deps, gaps, paidGames }, input, button);
    return answer && { seq: input.seq, ...answer };
  }

  async function message(bytes: Uint8Array, epoch: number): Promise<PressReply | undefined> {
    const parsed = parseMessage(bytes);
    if (parsed === undefined) return reply(0, "refused", "malformed");
    // A connection may press for the epoch that it was made for and for no other.
    if (parsed.epoch !== epoch) return reply(parsed.seq, "refused", "stale epoch");
    return await press(parsed);
  }

  return {
    press,
    message,
    reported: paidGames.reported,
    ended: paidGames.ended,
    receiver: (epoch) => ({ receive: async (bytes) => encode(await message(bytes, epoch)) }),
  };
}

type PressDeps = PressGuardDeps & { readonly gaps: Gaps; readonly paidGames: PaidGames };

/** Presses the button and notes what that may have begun. Undefined: the machine was silent. */
async function pressMachine(
  { egm, grants, clock, gaps, paidGames }: PressDeps,
  input: WirePress,
  button: EgmButton,
): Promise<Omit<PressReply, "seq"> | undefined> {
  const at = clock.now();
  const isWager = button.kind === "wager";
  const hold = isWager || paidGames.starts(button.id) ? paidGames.obstacle(input) : undefined;
  // Only of its wager a driver knows whether it finishes a game.
  if (hold !== undefined && !isWager) return { outcome: "refused", at, reason: hold };
  if (!isWager) paidGames.pressed(button.id);
  const begun = (): void => {
    gaps.gameStarted(at);
    paidGames.started(input);
  };
  try {
    const answer = await egm.press({ button: button.id, ...stakeOf(button, input), ...boundsOf(grants, hold) });
    // An unconfirmed wager may have started a game, so it counts as one.
    if (answer.outcome === "started" || (answer.outcome === "unconfirmed" && isWager)) begun();
    else if (button.kind === "select" && answer.outcome !== "refused") paidGames.chosen();
    if (answer.outcome === "changed") gaps.takenBack(button);
    const reason = answer.reason === "held" ? hold : reasonOf(answer);
    return { outcome: answer.outcome, at, ...(reason === undefined ? {} : { reason }) };
  } catch {
    if (isWager) begun();
    return undefined;
  }
}

function obstacleTo(
  { queue, egm, grants, wagerObstacle }: PressGuardDeps,
  button: EgmButton,
  input: WirePress,
): PressReason | undefined {
  if (queue.hasMoney()) return "transfer in progress";
  if (queue.pressCount() >= PRESSES_WAITING_MAX) return "too many presses";
  if (button.kind !== "wager") return undefined;
  const autoplay = egm.description.limits.autoplay && grants.rules()?.autoplay !== false;
  if (input.auto === true && !autoplay) return "no autoplay";
  const blind = input.stake === undefined && egm.description.capabilities.nextStake;
  return blind ? "a wager needs the stake that was seen" : wagerObstacle();
}

function parseMessage(bytes: Uint8Array): WirePress | undefined {
  if (bytes.byteLength > CHANNEL_FRAME_BYTES_MAX) return undefined;
  try {
    const parsed = Press.safeParse(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

function encode(answer: PressReply | undefined): Uint8Array | null {
  return answer === undefined ? null : new TextEncoder().encode(JSON.stringify(answer));
}

function stakeOf(button: EgmButton, { stake }: WirePress): { stakeMinor?: number } {
  return button.kind === "wager" && stake !== undefined ? { stakeMinor: stake } : {};
}

/** What the driver may not make of a press: `hold` says why no game may start by it. */
function boundsOf(grants: Grants, hold: PressReason | undefined): Pick<EgmPress, "finishOnly" | "keepsReels"> {
  const keepsReels = grants.rules()?.stopReels === false;
  return { ...(hold !== undefined && { finishOnly: true }), ...(keepsReels && { keepsReels }) };
}

/** What a page reads for a reason of the machine that the wire calls otherwise. Transfers alone have the reasons that become `other`. */
const REASONS = {
  tooSoon: "too soon",
  held: "other",
  unknownButton: "unknown button",
  badAmount: "other",
  badId: "other",
  overLimit: "other",
  idInUse: "other",
  nothingToPay: "other",
} as const satisfies Record<Exclude<EgmRefusal, PressReason>, PressReason>;

function reasonOf({ reason }: EgmPressAnswer): PressReason | undefined {
  return reason !== undefined && reason in REASONS ? REASONS[reason as keyof typeof REASONS] : (reason as PressReason);
}

/** Enforces the minimum times between presses, for machines that would accept them faster. Times are ms by the agent's clock. */
interface Gaps {
  /** Whether a press of this button would be too early. */
  tooSoon(button: EgmButton, nowMs: number): boolean;
  pressed(button: EgmButton, nowMs: number): void;
  /** The machine did not play it: the corrected press may follow at once. */
  takenBack(button: EgmButton): void;
  gameStarted(nowMs: number): void;
}

function createGaps(limits: EgmDescription["limits"]): Gaps {
  const lastPressed = new Map<string, number>();
  let lastStart = Number.NEGATIVE_INFINITY;
  return {
    tooSoon: (button, nowMs) => {
      const sincePress = nowMs - (lastPressed.get(button.id) ?? Number.NEGATIVE_INFINITY);
      if (sincePress < button.minGapMs) return true;
      return button.kind === "wager" && nowMs - lastStart < limits.minCycleMs;
    },
    pressed: (button, nowMs) => {
      lastPressed.set(button.id, nowMs);
    },
    takenBack: (button) => {
      lastPressed.delete(button.id);
    },
    gameStarted: (nowMs) => {
      lastStart = nowMs;
    },
  };
}

export type PressReply = z.infer<typeof PressAnswer>;

/** The outcome of a press; undefined: the machine did not answer, so it is unknown. */
type PressResult = Promise<PressReply | undefined>;

/** Answers kept for repeated presses. A page has one press under way and gives up after half a second. */
const ANSWERS_KEPT_MAX = 64;

/** The sequence numbers of one epoch's presses. Each is used once, whatever its outcome. */
interface SeqWindow {
  /** The highest number used. */
  last(): number;
  /** The answer to a number used before, when it is still kept. */
  answerTo(seq: number): PressResult | undefined;
  use(seq: number, answer: PressResult): void;
}

/** The numbers of the latest epoch; each higher epoch starts with none. */
function createSeqWindows(): (epoch: number) => SeqWindow {
  let window = { epoch: 0, seqs: createSeqWindow() };
  return (epoch) => {
    if (epoch > window.epoch) window = { epoch, seqs: createSeqWindow() };
    return window.seqs;
  };
}

function createSeqWindow(): SeqWindow {
  let last = 0;
  const answers = new Map<number, PressResult>();
  return {
    last: () => last,
    answerTo: (seq) => answers.get(seq),
    use: (seq, answer) => {
      last = Math.max(last, seq);
      answers.set(seq, answer);
      for (const oldest of answers.keys()) {
        if (answers.size <= ANSWERS_KEPT_MAX) return;
        answers.delete(oldest);
      }
    },
  };
}
