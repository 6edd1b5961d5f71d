import { boardStep } from "../../../buttons/board-step.ts";
import type { WiredButtons } from "../../../buttons/config.ts";
import type { Examination, ExaminationContext } from "../../../ports/driver.ts";
import type { EgmButton } from "../../../ports/egm.ts";
import type { CarrierConfig } from "../carriers/carriers.ts";
import type { ProfileName, TimingSettings } from "../driver/profiles.ts";
import { PROFILES, timingOf } from "../driver/profiles.ts";
import { actingSteps } from "./acting-steps.ts";
import { lineSteps } from "./line-steps.ts";
import { readingSteps } from "./reading-steps.ts";
import { Session } from "./session.ts";

/** A machine of the list, as its examination needs it. */
export type ExaminedMachine = {
  readonly line: CarrierConfig;
  readonly address: number;
  readonly assetNumber: number | undefined;
  readonly profile: ProfileName;
  readonly panel: readonly EgmButton[];
  readonly buttons: WiredButtons | undefined;
  /** The largest transfer that the list allows, minor units. */
  readonly maxTransfer: number;
  readonly timing: TimingSettings | undefined;
};

/** The doctor's steps for a machine behind SAS. Nothing is opened before the first step runs. */
export function examineSas(machine: ExaminedMachine, context: ExaminationContext): Examination {
  const { clock, folder, acts, polls, wallNow } = context;
  const { panel, buttons, assetNumber, maxTransfer } = machine;
  const profile = PROFILES[machine.profile];
  const timing = timingOf(machine.profile, machine.timing);
  const session = new Session({ carrier: machine.line, address: machine.address, timing, clock, folder, acts });
  const board = buttons === undefined ? [] : [boardStep({ wiring: buttons, clock, acts })];
  return {
    steps: [
      ...lineSteps({ session, pauseMsMax: timing.interByteMs, polls }),
      ...readingSteps({ session, wallNow, assetNumber, maxTransfer }),
      ...board,
      ...(acts ? actingSteps({ session, wallNow, profile, panel, buttons }) : []),
    ],
    opensAfter: ["answer", "version", "reported", "registration"],
    pressesAfter: board.map(({ id }) => id),
    end: () => session.end(),
  };
}
