import { LOCKUPS } from "@longarm/contract/machine";
import { BANDS, BET_STEPS, LINES } from "@longarm/reels/game/rules";
import type { EgmBand, EgmButton, EgmPress, EgmRefusal } from "../../ports/egm.ts";
import { gravest } from "./faults.ts";
import type { MachineState } from "./memory/state.ts";

export const SPIN = "spin";

/** Band ids are the denomination in kuruş. The dearest comes first where `Order` sorts descending. */
export const PANEL_BANDS: readonly EgmBand[] = BANDS.map((band, index) => ({
  id: String(band),
  name: `${Math.floor(band / 100)},${String(band % 100).padStart(2, "0")}`,
  Order: BANDS.length - index,
}));

/** The keys of the panel. */
export const PANEL_BUTTONS: readonly EgmButton[] = [
  { id: SPIN, label: "SPIN", kind: "wager", minGapMs: 100 },
  { id: "betDown", label: "BET −", kind: "select", minGapMs: 60 },
  { id: "betUp", label: "BET +", kind: "select", minGapMs: 60 },
  { id: "maxBet", label: "MAX BET", kind: "select", minGapMs: 100 },
  ...PANEL_BANDS.map((band): EgmButton => ({ id: `band:${band.id}`, label: band.name, kind: "select", minGapMs: 60 })),
  { id: "attendant", label: "ATTENDANT", kind: "service", minGapMs: 500 },
];

/** Minor units. */
export function stakeOf(band: number, step: number): number {
  return band * LINES.length * (BET_STEPS[step] ?? 1);
}

/** Why the machine takes no wager and no choice now, gravest first. */
export function standstill(state: MachineState): EgmRefusal | null {
  const fault = gravest(state.faults);
  if (fault !== undefined) return LOCKUPS[fault].refusal;
  if (state.handPay !== null) return "handPay";
  if (state.disabled) return "disabled";
  return null;
}

/** `lockedUntil`: end of a transfer's lock, ms since 1970; 0: none. */
export type WagerRules = { maxStake?: number | undefined; nextGameAt: number; lockedUntil: number };

/** Why a wager cannot start now; `stakeChanged` when the player saw another stake. */
export function wagerRefusal(state: MachineState, press: EgmPress, rules: WagerRules, now: number): EgmRefusal | null {
  const still = standstill(state);
  if (still !== null) return still;
  if (state.game !== null) return "inGame";
  if (press.finishOnly === true) return "held";
  if (rules.lockedUntil > now) return "locked";
  const stake = stakeOf(state.band, state.step);
  if (press.stakeMinor !== undefined && press.stakeMinor !== stake) return "stakeChanged";
  if (now < rules.nextGameAt) return "tooSoon";
  if (rules.maxStake !== undefined && stake > rules.maxStake) return "stakeAboveLimit";
  return state.credit < stake ? "noCredit" : null;
}

export type Choice = { band: number; step: number };

/** What a select key makes of band and step; null when it changes nothing. Never above `maxStake`. */
export function chosen(state: MachineState, button: string, maxStake: number | undefined): Choice | null {
  const band = button.startsWith("band:") ? Number(button.slice(5)) : state.band;
  let { step } = state;
  if (button === "betUp") step += 1;
  if (button === "betDown") step -= 1;
  if (button === "maxBet") step = BET_STEPS.length - 1;
  const allowed = (at: number): boolean => at === 0 || maxStake === undefined || stakeOf(band, at) <= maxStake;
  step = Math.min(Math.max(step, 0), BET_STEPS.length - 1);
  while (!allowed(step)) step -= 1;
  return band === state.band && step === state.step ? null : { band, step };
}
