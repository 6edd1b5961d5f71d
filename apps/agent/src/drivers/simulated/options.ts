import type { Look } from "@longarm/reels/brands";
import { brandName } from "@longarm/reels/brands";
import { BANDS, BET_STEPS } from "@longarm/reels/game/rules";
import type { Clock } from "../../ports/clock.ts";
import type { EgmDescription } from "../../ports/egm.ts";
import type { Files } from "../../ports/files.ts";
import { DONE_RECORDS } from "./memory/apply.ts";
import { PANEL_BANDS, PANEL_BUTTONS, stakeOf } from "./panel.ts";

export type MachineOptions = {
  /** Asset number, unique in the venue. */
  id: string;
  name: string;
  /** A brand of the demonstration floor by its id, or the operator's own word. */
  brand: string;
  /** Art and reels. Absent: those of the brand. */
  look?: Look | undefined;
  /** Folder of the non-volatile memory, made when absent; one machine and one process each. */
  folder: string;
  /** Where that folder lies; the files of this computer unless given. */
  files?: Files;
  /** Makes the games; keep it secret where money is real. The same seed and stakes bring the same games. */
  seed: string;
  clock: Clock;
  /** Least time from game to game, 10 to 60000 ms; a shorter one than 2500 speeds the reels up too. Default 2500. */
  minCycleMs?: number;
  /** Minor units. Defaults: 1 to ₺250.000 a transfer, ₺2.500.000 on the credit meter, hand pay from ₺50.000. */
  minTransfer?: number;
  maxTransfer?: number;
  creditMax?: number;
  handPayFrom?: number;
  maxStake?: number;
  autoplay?: boolean;
};

/** Options with every default in its place. */
export type Rules = {
  description: EgmDescription;
  creditMax: number;
  handPayFrom: number;
  maxStake: number | undefined;
};

export function rulesOf(options: MachineOptions): Rules {
  const { minCycleMs = 2_500, minTransfer = 1, maxTransfer = 25_000_000, maxStake, autoplay = true } = options;
  const { creditMax = 250_000_000, handPayFrom = 5_000_000 } = options;
  const topStake = stakeOf(BANDS.at(-1) ?? 0, BET_STEPS.length - 1);
  const description: EgmDescription = {
    id: options.id,
    name: options.name,
    brand: brandName(options.brand),
    serial: `SIM-${options.id}`,
    denominationMinor: 1,
    bands: PANEL_BANDS,
    buttons: PANEL_BUTTONS,
    limits: { minCycleMs, minTransfer, maxTransfer, autoplay, ...(maxStake === undefined ? {} : { maxStake }) },
    capabilities: {
      transfersKept: DONE_RECORDS,
      transferIdChars: 64,
      keepsRefusals: true,
      partialTransfers: true,
      eventClock: true,
      nextStake: true,
      handPaysQueued: 1,
      resetsHandPays: true,
      denominations: BANDS,
      disables: true,
      locks: true,
    },
    card: { stakes: { min: stakeOf(BANDS[0] ?? 0, 0), max: Math.min(topStake, maxStake ?? topStake) } },
  };
  return { description, creditMax, handPayFrom, maxStake };
}
