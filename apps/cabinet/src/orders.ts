import * as z from "zod/mini";
import { BILL_VALUES, BUTTONS, DOORS } from "./machine/machine.ts";
import { DENOMINATIONS } from "./machine/options.ts";

/** What a person, or a test, can make happen at the cabinet. Money in minor units. */

const range = (min: number, max: number) => z.int().check(z.gte(min), z.lte(max));
const OfThousand = z._default(range(0, 1_000), 0);
/** Power comes back after this, ms. */
const OffMs = z._default(range(0, 600_000), 1_000);

/** What a technician sets in the machine's menu, and what its program does otherwise. */
const Menu = z.strictObject({
  address: z.optional(range(0, 127)),
  assetNumber: z.optional(range(0, 999_999_999)),
  version: z.optional(z.string().check(z.regex(/^\d{3}$/))),
  aft: z.optional(z.enum(["on", "off", "registered"])),
  /** Null: the one that it counts in. */
  statedDenomination: z.optional(
    z.nullable(z.int().check(z.refine((worth) => DENOMINATIONS[worth] !== undefined, "must be a worth of SAS"))),
  ),
  hostControl: z.optional(z.boolean()),
  counts: z.optional(z.boolean()),
  /** The most that one transfer moves. */
  transferMax: z.optional(range(0, 9_999_999_999)),
  /** The most that the credit meter holds. */
  creditMax: z.optional(range(0, 9_999_999_999)),
  /** How long a transfer is pending, ms. */
  transferMs: z.optional(range(0, 600_000)),
  /** Refuses every transfer with this status; null: it does not. */
  refuses: z.optional(z.nullable(range(0x80, 0xbf))),
  /** A host may lock it for a transfer. */
  locks: z.optional(z.boolean()),
  /** Long polls that it lacks. */
  lacks: z.optional(z.array(range(0, 255)).check(z.maxLength(64))),
});

const Buttons = z._default(z.array(z.enum(BUTTONS)).check(z.maxLength(BUTTONS.length)), []);

/** What is wrong with the relay board and its wires. */
const BoardFaults = z.strictObject({
  /** Buttons whose wires are broken: the output works and the button feels nothing. */
  dead: Buttons,
  /** Two buttons whose wires are swapped. */
  swapped: z._default(z.union([z.tuple([]), z.tuple([z.enum(BUTTONS), z.enum(BUTTONS)])]), []),
  /** Outputs that do not let go: they read as on, and their button stays held. */
  stuck: Buttons,
  /** Contacts that open only seconds after their pulse, so that the button presses again. */
  sticky: Buttons,
  /** Worn contacts of the panel: the button feels only a long pulse. */
  worn: Buttons,
  /** The board takes connections and answers nothing. */
  silent: z._default(z.boolean(), false),
  /** The board cannot read its outputs. */
  blind: z._default(z.boolean(), false),
});
export type BoardFaults = z.infer<typeof BoardFaults>;

/** What is wrong with the screen, or with the camera before it. */
const ScreenFaults = z.strictObject({
  dark: z._default(z.boolean(), false),
  frozen: z._default(z.boolean(), false),
  delayMs: z._default(range(0, 10_000), 0),
});
export type ScreenFaults = z.infer<typeof ScreenFaults>;

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
      /** `stuck`: an adapter sets the ninth bit on every character. */
      wakeup: z._default(z.enum(["kept", "lost", "stuck"]), "kept"),
      /** `wrong`: the two ends do not have the same speed, so no character arrives whole. */
      speed: z._default(z.enum(["right", "wrong"]), "right"),
      /** The direction that is damaged, by where its characters go; the other one is whole. */
      way: z._default(z.enum(["both", "host", "machine"]), "both"),
    }),
  }),
  z.strictObject({ do: z.literal("board"), faults: BoardFaults }),
  z.strictObject({ do: z.literal("screen"), faults: ScreenFaults }),
  /** Restarts with these settings; those that are not named stay. */
  z.strictObject({ do: z.literal("menu"), set: Menu, offMs: OffMs }),
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
