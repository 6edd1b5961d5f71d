import { ReturnPercent, Rules } from "@longarm/contract/about-machine";
import { OwnId } from "@longarm/contract/ids";
import { CutScreen } from "@longarm/contract/machine";
import { PositiveMinor } from "@longarm/contract/money";
import * as z from "zod/mini";
import { PictureConfig, RoomCameraConfig, SoundConfig } from "./pictures.ts";

const MinCycleMs = z.int().check(z.gte(10, "must be 10 to 60000 ms"), z.lte(60_000, "must be 10 to 60000 ms"));

/** What the operator's list says of a machine of any driver; each driver adds options of its own. */
export const MachineEntry = z.object({
  /** Unique among all agents of the platform. */
  id: OwnId,
  /** As players read it. */
  name: z.string().check(z.minLength(1), z.maxLength(64)),
  /** The operator's own word, as players read it; machines with the same one are one group of the lobby. */
  brand: z.string().check(z.minLength(1), z.maxLength(64)),
  /** Least time from game to game, ms. Default 2500. */
  minCycleMs: z.optional(MinCycleMs),
  /** Minor units. */
  minTransfer: z.optional(PositiveMinor),
  maxTransfer: z.optional(PositiveMinor),
  maxStake: z.optional(PositiveMinor),
  autoplay: z.optional(z.boolean()),
  /** What the operator states to players: the long-run return, percent, in place of the machine's own word; and rules of this machine. */
  returnPercent: z.optional(ReturnPercent),
  rules: z.optional(Rules),
  /** The machine's picture. Absent: the driver paints one, where it can. */
  picture: z.optional(PictureConfig),
  /** Sound of that picture; absent: none. */
  sound: z.optional(SoundConfig),
  /** The camera of the room; `none`: there is none. Absent: the driver paints one, where it can. */
  roomCamera: z.optional(RoomCameraConfig),
  /**
   * True: the machine is for demonstration, whatever drives it. Pages and lists say that it is simulated, as of every machine of the simulator,
   * and a camera may show something else than what the player plays.
   */
  demonstration: z.optional(z.boolean()),
  /** What the picture shows: the machine's screen, or the machine through a lens. Absent: `picture` decides. */
  videoType: z.optional(z.enum(["screen", "camera"])),
  /** The part of the picture that holds the machine. */
  cutScreen: z.optional(CutScreen),
});

/** One machine of the list, checked. `own`: the driver's own options. */
export type MachineConfig<Own = unknown> = z.infer<typeof MachineEntry> & {
  /** Name of its driver. */
  readonly driver: string;
  readonly own: Own;
};
