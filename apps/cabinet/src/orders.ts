import * as z from "zod/mini";
import { BILL_VALUES, BUTTONS, DOORS } from "./machine/machine.ts";

/** What a person, or a test, can make happen at the cabinet. Money in minor units. */

const range = (min: number, max: number) => z.int().check(z.gte(min), z.lte(max));
const OfThousand = z._default(range(0, 1_000), 0);
/** Power comes back after this, ms. */
const OffMs = z._default(range(0, 600_000), 1_000);

export const Order = z.discriminatedUnion("do", [
  z.strictObject({ do: z.literal("press"), button: z.enum(BUTTONS) }),
  z.strictObject({
    do: z.literal("door"),
    door: z._default(z.enum(Object.keys(DOORS) as [keyof typeof DOORS]), "main"),
    open: z.boolean(),
  }),
  z.strictObject({
    do: z.literal("tilt"),
    words: z._default(z.string().check(z.maxLength(24)), "TEST"),
    /** An exception of a tilt, 20 to 46 hexadecimal. */
    exception: z._default(range(0x20, 0x46), 0x20),
  }),
  z.strictObject({ do: z.literal("clearTilt") }),
  z.strictObject({
    do: z.literal("bill"),
    value: z.int().check(z.refine((value) => BILL_VALUES.includes(value), "must be a bill that the acceptor knows")),
  }),
  z.strictObject({ do: z.literal("ticket"), number: z.string().check(z.regex(/^\d{18}$/)) }),
  z.strictObject({
    do: z.literal("handPay"),
    amount: range(1, 9_999_999_999),
    level: z._default(range(0x01, 0x80), 0x40),
  }),
  z.strictObject({ do: z.literal("resetHandPay"), toCredit: z._default(z.boolean(), false) }),
  z.strictObject({ do: z.literal("wish"), wish: z.nullable(z.enum(["handpay", "bonus", "freespins", "jackpot"])) }),
  /** The key switch of the panel: remote or local. */
  z.strictObject({ do: z.literal("key"), remote: z.boolean() }),
  z.strictObject({
    do: z.literal("line"),
    faults: z.strictObject({
      drop: OfThousand,
      flip: OfThousand,
      double: OfThousand,
      late: OfThousand,
      lateMs: z._default(range(1, 10_000), 20),
    }),
  }),
  z.strictObject({ do: z.literal("busy"), on: z.boolean() }),
  z.strictObject({ do: z.literal("fillQueue") }),
  z.strictObject({ do: z.literal("clock"), jumpMs: range(-31_536_000_000, 31_536_000_000) }),
  /** Meters reach the host so much later than events. */
  z.strictObject({ do: z.literal("meterDelay"), ms: range(0, 60_000) }),
  /** `deaf`: the machine has no address any more. */
  z.strictObject({ do: z.literal("loseMemory"), deaf: z._default(z.boolean(), false) }),
  /** Restarts with a firmware that lacks these long polls. */
  z.strictObject({ do: z.literal("firmware"), lacks: z.array(range(0, 255)).check(z.maxLength(64)), offMs: OffMs }),
  z.strictObject({
    do: z.literal("powerCut"),
    /** At once, within the next write of the memory, or within the next answer on the line. */
    where: z._default(z.enum(["now", "memory", "line"]), "now"),
    /** Bytes of that write or characters of that answer that are still done. */
    after: z._default(range(0, 1_000_000), 0),
    offMs: OffMs,
  }),
]);
export type Order = z.infer<typeof Order>;
