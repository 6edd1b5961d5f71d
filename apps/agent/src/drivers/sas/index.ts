import { join } from "node:path";
import { Button } from "@longarm/contract/machine";
import * as z from "zod/mini";
import { WiredButtons } from "../../buttons/config.ts";
import type { MachineConfig } from "../../config/entry.ts";
import type { DriverContext, DriverKind } from "../../ports/driver.ts";
import { CarrierConfig } from "./carriers/carriers.ts";
import type { SasSetup } from "./driver/open.ts";
import { PROFILE_NAMES } from "./driver/profiles.ts";
import { printTrace, TRACE_FOLDER } from "./line/trace-file.ts";

const Milliseconds = (min: number, max: number) => z.int().check(z.gte(min), z.lte(max));

/** Times of the line in place of the protocol's and the profile's, ms: what they are is in `LineTiming`. */
const Timing = z.strictObject({
  pollMs: z.optional(Milliseconds(40, 5_000)),
  responseMs: z.optional(Milliseconds(5, 1_000)),
  interByteMs: z.optional(Milliseconds(1, 1_000)),
  slackMs: z.optional(Milliseconds(0, 1_000)),
});

/** Options of a machine behind SAS in the operator's list. */
const Options = z.object({
  /** How its line is reached. */
  line: CarrierConfig,
  address: z._default(z.int().check(z.gte(1), z.lte(127)), 1),
  /** Absent: the one that the machine has. */
  assetNumber: z.optional(z.int().check(z.gte(1), z.lte(0xffff_ffff))),
  /** What its maker does differently; docs/hardware.md. */
  profile: z._default(z.enum(PROFILE_NAMES), "standard"),
  /** The buttons of its panel. */
  panel: z._default(z.array(Button).check(z.maxLength(32)), []),
  /** The relay board that presses them. Absent: none is pressed. */
  buttons: z.optional(WiredButtons),
  /** How long its meters may lag behind its events, ms. */
  settleMs: z._default(Milliseconds(0, 60_000), 3_000),
  /** How long the start of a game is awaited after a press, ms. */
  confirmMs: z._default(Milliseconds(100, 10_000), 1_500),
  timing: z.optional(Timing),
  /** Writes every exchange of its line into its folder; `npm run agent -- machine-log <id>` prints them. */
  trace: z._default(z.boolean(), true),
});

const LIMITS = { minCycleMs: 2_500, minTransfer: 1, maxTransfer: 10_000_000, autoplay: false } as const;

type Own = z.infer<typeof Options>;

/** Everything that opening a machine takes, but its buttons and its newest event. */
function setupOf(
  { id, name, brand, own, maxStake, ...machine }: MachineConfig<Own>,
  context: Pick<DriverContext, "clock" | "folder" | "problem">,
): Omit<SasSetup, "presses" | "lastEvent"> {
  return {
    ...{ id, name, brand, ...context },
    ...{ ...own, assetNumber: own.assetNumber },
    limits: {
      minCycleMs: machine.minCycleMs ?? LIMITS.minCycleMs,
      minTransfer: machine.minTransfer ?? LIMITS.minTransfer,
      maxTransfer: machine.maxTransfer ?? LIMITS.maxTransfer,
      autoplay: machine.autoplay ?? LIMITS.autoplay,
      ...(maxStake !== undefined && { maxStake }),
    },
  };
}

/** Real machines that speak SAS 6.02. */
export const sas: DriverKind<Own> = {
  name: "sas",
  simulated: false,
  options: Options,
  wired: ({ own: { buttons: wired, panel } }) => wired && { wired, panel: panel.map(({ id }) => id) },
  setUp: (machine, { clock, folder, problem }) => ({
    open: async (lastEvent) => {
      const { openSas } = await import("./driver/open.ts");
      const { openButtons } = await import("../../buttons/wired-buttons.ts");
      const { buttons } = machine.own;
      const presses = buttons && openButtons({ wiring: buttons, clock, problem });
      try {
        return await openSas({ ...setupOf(machine, { clock, folder, problem }), presses, lastEvent });
      } catch (error) {
        await presses?.close();
        throw error;
      }
    },
  }),
  printLog: async (folder, write) => {
    await printTrace(join(folder, TRACE_FOLDER), write);
  },
  examine: async ({ own, maxTransfer = LIMITS.maxTransfer }, context) => {
    const { examineSas } = await import("./doctor/examination.ts");
    const { assetNumber, buttons, timing } = own;
    return examineSas({ ...own, assetNumber, buttons, timing, maxTransfer }, context);
  },
};
