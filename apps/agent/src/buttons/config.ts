import * as z from "zod/mini";

/*
 * The settings of wired buttons: which board, how it is reached, which output presses which button, and the key switch. A mistake here presses
 * the wrong button with a player's money, so every contradiction is a complaint at start.
 */

const Milliseconds = (min: number, max: number) => {
  const says = `must be ${min} to ${max} ms`;
  return z.int(says).check(z.gte(min, says), z.lte(max, says));
};

/** How long a board may take to answer, ms. At 9600 baud a request and its answer take 17 ms on the wire. */
const AnswerMs = z._default(Milliseconds(50, 2_000), 300);
const Host = z.string().check(z.regex(/^[A-Za-z0-9.:_-]{1,253}$/, "must be a host name or an IP address"));
const Port = z.int().check(z.gte(1, "must be 1 to 65535"), z.lte(65_535, "must be 1 to 65535"));

/**
 * How a board is reached. `modbus-rtu`: a serial port of this computer, such as an RS-485 adapter. `modbus-tcp`: a board or gateway that speaks
 * Modbus TCP. `rtu-over-tcp`: an Ethernet board or converter that passes RTU frames on unchanged (the default of some Ethernet boards).
 */
export const Carrier = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("modbus-rtu"),
    path: z.string().check(z.regex(/^\/dev\/[\w./:-]{1,200}$/, "must be a device such as /dev/ttyUSB0")),
    /** The boards' own default. */
    baud: z._default(z.literal([4_800, 9_600, 19_200, 38_400, 57_600, 115_200]), 9_600),
    parity: z._default(z.enum(["none", "even", "odd"]), "none"),
    answerMs: AnswerMs,
  }),
  z.strictObject({ kind: z.literal("modbus-tcp"), host: Host, port: z._default(Port, 502), answerMs: AnswerMs }),
  z.strictObject({ kind: z.literal("rtu-over-tcp"), host: Host, port: Port, answerMs: AnswerMs }),
]);
export type Carrier = z.infer<typeof Carrier>;

/** Where a carrier ends: two machines whose boards hang on one line share it. */
export function lineOf(carrier: Carrier): string {
  return carrier.kind === "modbus-rtu" ? carrier.path : `${carrier.host}:${carrier.port}`;
}

/** Outputs and inputs of one board that can be named; 32 is the largest common board. */
const CHANNELS_MAX = 32;
const Channel = z
  .int()
  .check(z.gte(1, `must be 1 to ${CHANNELS_MAX}`), z.lte(CHANNELS_MAX, `must be 1 to ${CHANNELS_MAX}`));
const Address = z.int().check(z.gte(0), z.lte(0xffff));

/**
 * Why a relay that this computer would have to release is refused. The text is the complaint.
 */
const HELD_BY_HOST =
  "is refused for buttons: this computer would have to end each press, and when it stops in the middle the button stays held, which starts game after game on many machines. Use a board that times the pulse itself (flash-on)";

/**
 * A board whose own clock ends a pulse. `waveshare`: function 05 at 0x0200 + output, time in units of 100 ms; coils can be read back; it has no
 * watchdog of its own. `flash-coil`: another board with such a command, its numbers from its manual.
 */
const Board = z.discriminatedUnion(
  "kind",
  [
    z.strictObject({ kind: z.literal("waveshare") }),
    z.strictObject({
      kind: z.literal("flash-coil"),
      /** Address of the flash-on command of output 1; the other outputs follow it. */
      flashOn: Address,
      /** The unit of the pulse's time, ms. */
      unitMs: Milliseconds(1, 1_000),
      /** Whether function 01 reads the outputs, output 1 at address 0. */
      readBack: z._default(z.boolean(), true),
      /** The board turns its outputs off by itself when it receives no request for a time: the register that sets this, and its value. */
      watchdog: z.optional(z.strictObject({ register: Address, value: Address })),
    }),
  ],
  {
    error: (issue) => {
      const kind = (issue.input as { kind?: unknown } | undefined)?.kind;
      return kind === "hid" || kind === "gpio" || kind === "coil"
        ? HELD_BY_HOST
        : "must be of the kind waveshare or flash-coil";
    },
  },
);
export type Board = z.infer<typeof Board>;

/** Longer is refused, because holding the button starts autoplay on many machines, ms. */
export const PULSE_MS_MAX = 500;

/** One button: the output across its switch, numbered as on the board from 1. */
const WiredButton = z.strictObject({
  output: Channel,
  /** How long the button is held, ms; a multiple of the board's unit. */
  pulseMs: z._default(Milliseconds(20, PULSE_MS_MAX), 100),
  /** The least time from one press of this button to the next, ms; longer than the pulse. */
  minGapMs: z._default(Milliseconds(50, 60_000), 250),
});
export type WiredButton = z.infer<typeof WiredButton>;

/** A key switch at the machine, on an input of the same board. */
const KeySwitchConfig = z.strictObject({
  input: Channel,
  /** The state of the input that means remote. `closed`: a broken wire then reads as local, which is the safe side. */
  remoteWhen: z._default(z.enum(["closed", "open"]), "closed"),
  /** A turn counts when the input has kept its new state this long, ms. Presses stop at the first reading already. */
  debounceMs: z._default(Milliseconds(0, 5_000), 100),
  /** How often the input is read, ms. */
  pollMs: z._default(Milliseconds(50, 1_000), 200),
  /** A switch that could not be read for this long counts as local, ms; until then presses are refused and the seat stays. */
  unknownMs: z._default(Milliseconds(1_000, 120_000), 10_000),
});
export type KeySwitchConfig = z.infer<typeof KeySwitchConfig>;

/** The wired buttons of one machine; `buttons` by the id of the panel's button, at most 32. */
export const WiredButtons = z.strictObject({
  carrier: Carrier,
  board: Board,
  /** The board's Modbus address. */
  unit: z._default(z.int().check(z.gte(1, "must be 1 to 247"), z.lte(247, "must be 1 to 247")), 1),
  buttons: z
    .record(z.string().check(z.regex(/^[A-Za-z0-9:_-]{1,32}$/, "must be the id of a button of the panel")), WiredButton)
    .check(z.refine((buttons) => Object.keys(buttons).length > 0, "must name at least one button"))
    .check(
      z.refine((buttons) => Object.keys(buttons).length <= CHANNELS_MAX, `must name at most ${CHANNELS_MAX} buttons`),
    ),
  keySwitch: z.optional(KeySwitchConfig),
});
export type WiredButtons = z.infer<typeof WiredButtons>;

/** A machine's wired buttons and the panel that they press. */
export interface WiredMachine {
  readonly id: string;
  readonly wired: WiredButtons;
  /** Ids of all buttons of its panel. */
  readonly panel: readonly string[];
}

/** The unit of a board's pulses, ms. */
export const unitMsOf = (board: Board): number => (board.kind === "waveshare" ? 100 : board.unitMs);

/** Sentences on settings that contradict each other, over all machines of one agent. */
export function contradictionsOfButtons(machines: readonly WiredMachine[]): string[] {
  return [...machines.flatMap(ownContradictions), ...sharedOutputs(machines), ...sharedLines(machines)];
}

function ownContradictions({ id, wired, panel }: WiredMachine): string[] {
  const unitMs = unitMsOf(wired.board);
  return Object.entries(wired.buttons).flatMap(([button, { pulseMs, minGapMs }]) => {
    const complaints: string[] = [];
    const name = `the button "${button}" of "${id}"`;
    if (!panel.includes(button)) complaints.push(`wires ${name}, which its panel does not have (${panel.join(", ")})`);
    if (pulseMs % unitMs !== 0)
      complaints.push(`holds ${name} for ${pulseMs} ms; its board counts in units of ${unitMs} ms`);
    if (minGapMs <= pulseMs)
      complaints.push(`lets ${name} be pressed again after ${minGapMs} ms, while it is still held (${pulseMs} ms)`);
    return complaints;
  });
}

function sharedOutputs(machines: readonly WiredMachine[]): string[] {
  const users = new Map<string, string>();
  const complaints: string[] = [];
  for (const { id, wired } of machines)
    for (const [button, { output }] of Object.entries(wired.buttons)) {
      const place = `output ${output} of board ${wired.unit} on ${lineOf(wired.carrier)}`;
      const user = `"${button}" of "${id}"`;
      const other = users.get(place);
      if (other !== undefined) complaints.push(`wires both ${other} and ${user} to ${place}`);
      users.set(place, user);
    }
  return complaints;
}

/** A line has one speed and one board per address. */
function sharedLines(machines: readonly WiredMachine[]): string[] {
  const carriers = new Map<string, string>();
  const boards = new Map<string, string>();
  const complaints: string[] = [];
  for (const { id, wired } of machines) {
    const line = lineOf(wired.carrier);
    const address = `board ${wired.unit} on ${line}`;
    const carrier = JSON.stringify(wired.carrier);
    const board = JSON.stringify(wired.board);
    if ((carriers.get(line) ?? carrier) !== carrier)
      complaints.push(`gives ${line} other settings at "${id}" than before`);
    if ((boards.get(address) ?? board) !== board)
      complaints.push(`describes ${address} otherwise at "${id}" than before`);
    carriers.set(line, carrier);
    boards.set(address, board);
  }
  return complaints;
}
