import * as z from "zod/mini";
import { WireId } from "./ids.ts";
import { PositiveMinor } from "./money.ts";

/** Machine status numbers of the wire (decision D-22). Settings.json may map other numbers. */
export const MACHINE_STATUS = { notAvailable: 0, available: 1, waiting: 2, playing: 3, reserved: 4 } as const;
export type MachineState = keyof typeof MACHINE_STATUS;

/** What the `session` notification says of an open play session (contract.md section 3). */
export const SESSION_STATUSES = [
  "in-bonus",
  "waiting",
  "trying-cashout",
  "playing",
  "error",
  "offline",
  "unknown",
] as const;
export type SessionStatus = (typeof SESSION_STATUSES)[number];

/** The smallest and the largest stake of one game, minor units. */
export const Stakes = z
  .object({ min: PositiveMinor, max: PositiveMinor })
  .check(z.refine(({ min, max }) => min <= max, "the smallest stake is above the largest"));
export type Stakes = z.infer<typeof Stakes>;

/**
 * What the hardware states of a machine for its card in the lobby. Agent and platform hand these fields on unread, so a new one is a line here,
 * in the driver that knows it and in the card that shows it (CONTRIBUTING.md, "What a change touches"). Each is optional: a machine may not say.
 */
export const MachineCard = z.partial(
  z.object({
    /** What one game may cost. */
    stakes: Stakes,
    /** Its driver simulates it. Absent: it may be a real machine. */
    simulated: z.boolean(),
  }),
);
export type MachineCard = z.infer<typeof MachineCard>;

/** The card fields of something that has more. */
export function cardOf(facts: MachineCard): MachineCard {
  const read = z.safeParse(MachineCard, facts);
  return read.success ? read.data : {};
}

/** A right to take the seat until a time. Tolerant: an operator's platform may send true or a name. */
export const Reservation = z.union([
  z.boolean(),
  z.string().check(z.maxLength(200)),
  z.object({
    name: z.optional(z.nullable(z.string())),
    until: z.optional(z.nullable(z.string())),
    mine: z.optional(z.boolean()),
  }),
]);
export type Reservation = z.infer<typeof Reservation>;

/** Rows read one by one: a row that cannot be read is left out, so that one wrong machine does not hide the others. */
function rowsOf<Row extends z.ZodMiniType>(row: Row) {
  return z.pipe(
    z.array(z.catch(z.nullable(row), null)),
    z.transform((rows) => rows.filter((read): read is NonNullable<typeof read> => read !== null)),
  );
}
export const orAbsent = <Field extends z.ZodMiniType>(field: Field) => z.catch(z.optional(field), undefined);
type OrAbsent<Shape> = { [Key in keyof Shape]: Shape[Key] extends z.ZodMiniType ? z.ZodMiniCatch<Shape[Key]> : never };
const eachOrAbsent = <Shape extends Record<string, z.ZodMiniType>>(shape: Shape) =>
  Object.fromEntries(Object.entries(shape).map(([key, field]) => [key, z.catch(field, undefined)])) as OrAbsent<Shape>;
const text = z.catch(z._default(z.string(), ""), "");

/**
 * A machine as the lobby shows it (GET machine/{brandId}, machine/all). Only the id must be right: of the rest, what is of a wrong
 * type counts as absent, and a status that is no number as 0, not available.
 */
export const LobbyMachine = z.object({
  id: WireId,
  name: text,
  status: z.catch(z.number(), 0),
  /** Brand name as players know it. */
  brand: text,
  image: orAbsent(z.nullable(z.string())),
  reservation: orAbsent(z.nullable(Reservation)),
  /** Address of the machine's own game socket; absent: the platform's. */
  url: orAbsent(z.nullable(z.string())),
  /** The seat is kept for the caller. */
  mine: orAbsent(z.boolean()),
  /** Until when the seat is kept (ISO 8601), with `mine`. */
  until: orAbsent(z.nullable(z.string())),
  watchable: orAbsent(z.boolean()),
  /** How many players wait for it; absent: there are no queues. */
  waiting: orAbsent(z.int().check(z.gte(0))),
  /** Money worth of one credit, minor units. */
  denomination: orAbsent(PositiveMinor),
  /** It is kept for the next one of them. */
  called: orAbsent(z.boolean()),
  ...eachOrAbsent(MachineCard.shape),
});
export type LobbyMachine = z.infer<typeof LobbyMachine>;

/** GET machine/{brandId} or machine/all: a list, `{machines}` or `{brand, machines}` (R-7-14). */
export const MachineList = z.union([
  rowsOf(LobbyMachine),
  z.object({ brand: z.optional(z.unknown()), machines: rowsOf(LobbyMachine) }),
]);

/** A brand as the lobby shows it. `jackpot` is a comma-separated list in minor units; readers accept an array or null too. */
export const Brand = z.object({
  id: WireId,
  name: text,
  jackpot: orAbsent(z.nullable(z.union([z.string(), z.array(z.unknown())]))),
  /** Machines of the brand, at least 0. */
  machineCount: z.catch(z._default(z.number().check(z.gte(0)), 0), 0),
  /** Names beside the jackpots, in the same order. */
  jackpotNames: orAbsent(z.array(z.catch(z.string(), ""))),
});
export type Brand = z.infer<typeof Brand>;

/** GET machine/brands. */
export const BrandList = rowsOf(Brand);
