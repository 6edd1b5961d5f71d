import { ByteReader, CRC_BYTES, ProtocolProblem } from "./bytes.ts";

/** Answer to a general poll when nothing happened. */
export const NO_ACTIVITY = 0x00;
/** The same, while the machine waits for the player. */
export const NO_ACTIVITY_WAITING = 0x1f;
/** The byte behind the address that marks a real-time event. */
export const REAL_TIME_EVENT = 0xff;

/** The exceptions that the driver acts on. */
export const EXCEPTION = {
  slotDoorOpened: 0x11,
  slotDoorClosed: 0x12,
  acPowerOn: 0x17,
  acPowerLost: 0x18,
  generalTilt: 0x20,
  reset: 0x3a,
  optionsChanged: 0x3c,
  handPayPending: 0x51,
  handPayReset: 0x52,
  cashOutButton: 0x66,
  transferComplete: 0x69,
  cashOutRequest: 0x6a,
  winCashOutRequest: 0x6b,
  transferCancelled: 0x6e,
  gameLocked: 0x6f,
  bufferOverflow: 0x70,
  softMetersCleared: 0x7a,
  gameStarted: 0x7e,
  gameEnded: 0x7f,
  outOfService: 0x86,
  reelStopped: 0x88,
  gameRecalled: 0x8a,
  cardHeld: 0x8b,
  gameSelected: 0x8c,
} as const;

/**
 * Exceptions by code: what a person reads. SAS 6.02, table A. Not all are listed: an unknown one passes through with its code.
 * In the order of the code.
 */
const NAMES: Readonly<Record<number, string>> = {
  0: "no activity",
  17: "slot door opened",
  18: "slot door closed",
  19: "drop door opened",
  20: "drop door closed",
  21: "card cage opened",
  22: "card cage closed",
  23: "AC power on",
  24: "AC power lost",
  25: "cashbox door opened",
  26: "cashbox door closed",
  27: "cashbox removed",
  28: "cashbox installed",
  29: "belly door opened",
  30: "belly door closed",
  31: "no activity, waiting for the player",
  32: "general tilt",
  33: "coin-in tilt",
  34: "coin-out tilt",
  35: "hopper empty",
  36: "extra coin paid",
  37: "diverter malfunction",
  39: "cashbox full",
  40: "bill jam",
  41: "bill acceptor hardware fault",
  42: "reverse bill detected",
  43: "bill rejected",
  44: "counterfeit bill detected",
  46: "cashbox near full",
  49: "CMOS RAM error, data recovered",
  50: "CMOS RAM error, no data recovered",
  51: "CMOS RAM error, bad device",
  52: "EEPROM error, data error",
  53: "EEPROM error, bad device",
  54: "EPROM error, different checksum",
  55: "EPROM error, bad checksum",
  56: "partitioned EPROM error, different checksum",
  57: "partitioned EPROM error, bad checksum",
  58: "memory error reset",
  59: "low backup battery",
  60: "operator changed options",
  61: "cash-out ticket printed",
  62: "hand pay validated",
  63: "validation id not configured",
  64: "reel tilt",
  65: "reel 1 tilt",
  66: "reel 2 tilt",
  67: "reel 3 tilt",
  68: "reel 4 tilt",
  69: "reel 5 tilt",
  70: "reel mechanism disconnected",
  71: "bill of 1 accepted",
  72: "bill of 5 accepted",
  73: "bill of 10 accepted",
  74: "bill of 20 accepted",
  75: "bill of 50 accepted",
  76: "bill of 100 accepted",
  77: "bill of 2 accepted",
  78: "bill of 500 accepted",
  79: "bill accepted",
  80: "bill of 200 accepted",
  81: "hand pay pending",
  82: "hand pay reset",
  83: "no progressive information for 5 s",
  84: "progressive win",
  85: "player cancelled the hand pay request",
  86: "progressive level hit",
  87: "system validation request",
  96: "printer communication error",
  97: "printer out of paper",
  102: "cash-out button pressed",
  103: "ticket inserted",
  104: "ticket transfer complete",
  105: "AFT transfer complete",
  106: "AFT request for host cash-out",
  107: "AFT request for host to cash out a win",
  108: "AFT request to register",
  109: "AFT registration acknowledged",
  110: "AFT transfer cancelled",
  111: "game locked for AFT",
  112: "exception buffer overflow",
  113: "change lamp on",
  114: "change lamp off",
  116: "printer paper low",
  117: "printer power off",
  118: "printer power on",
  119: "replace printer ribbon",
  120: "printer carriage jam",
  122: "soft meters cleared",
  123: "bill meters cleared",
  124: "legacy bonus awarded",
  126: "game started",
  127: "game ended",
  128: "hopper full",
  129: "hopper level low",
  130: "attendant menu entered",
  131: "attendant menu left",
  132: "self-test entered",
  133: "self-test left",
  134: "machine out of service",
  135: "player requested a draw",
  136: "reel stopped",
  137: "credit wagered",
  138: "game recalled",
  139: "card held",
  140: "game selected",
  142: "component list changed",
  143: "component authenticated",
  152: "power-off card cage access",
  153: "power-off slot door access",
  154: "power-off cashbox door access",
  155: "power-off drop door access",
};

/** The name that a person reads; an unknown code keeps its number. */
export const exceptionName = (code: number): string =>
  NAMES[code] ?? `exception ${code.toString(16).padStart(2, "0")}h`;

/** What a real-time event adds to its code. Amounts in credits of the accounting denomination. */
export type EventData =
  | { what: "bill"; country: number; denomination: number; count: number }
  | { what: "bonus"; multiplier: number; win: number; tax: number; bonus: number }
  | { what: "gameStarted"; wagered: number; coinIn: number; wagerType: number; progressiveGroup: number }
  | { what: "gameEnded"; win: number }
  | { what: "reelStopped"; reel: number; stop: number }
  | { what: "gameRecalled"; game: number; index: number }
  | { what: "cardHeld"; card: number }
  | { what: "gameSelected"; game: number };

/** One exception of the machine: a byte in answer to a general poll, or a real-time event with data. */
export type SasEvent = { readonly code: number; readonly data?: EventData | undefined };

type Shape = { readonly bytes: number; readonly read: (reader: ByteReader) => EventData };

/** Real-time events that carry data: how many bytes, and which. */
const SHAPES: Readonly<Record<number, Shape>> = {
  79: {
    bytes: 6,
    read: (reader) => ({
      what: "bill",
      country: reader.byte(),
      denomination: reader.byte(),
      count: reader.bcd(4),
    }),
  },
  124: {
    bytes: 10,
    read: (reader) => ({
      what: "bonus",
      multiplier: reader.byte(),
      win: reader.bcd(4),
      tax: reader.byte(),
      bonus: reader.bcd(4),
    }),
  },
  126: {
    bytes: 8,
    read: (reader) => ({
      what: "gameStarted",
      wagered: reader.bcd(2),
      coinIn: reader.bcd(4),
      wagerType: reader.byte(),
      progressiveGroup: reader.byte(),
    }),
  },
  127: { bytes: 4, read: (reader) => ({ what: "gameEnded", win: reader.bcd(4) }) },
  136: { bytes: 2, read: (reader) => ({ what: "reelStopped", reel: reader.byte(), stop: reader.byte() }) },
  138: { bytes: 4, read: (reader) => ({ what: "gameRecalled", game: reader.bcd(2), index: reader.bcd(2) }) },
  139: { bytes: 1, read: (reader) => ({ what: "cardHeld", card: reader.byte() }) },
  140: { bytes: 2, read: (reader) => ({ what: "gameSelected", game: reader.bcd(2) }) },
};

/** Address, marker, code and checksum. */
const FRAME_BYTES = 3 + CRC_BYTES;
/** Real-time events without data are known by name. 89h has data whose length differs between makers. */
const lengthIsKnown = (code: number): boolean => code in SHAPES || (code in NAMES && code !== 0x89);

/** Bytes of the whole message of a real-time event; undefined: not known, so the end is where the line falls silent. */
export const realTimeEventLength = (code: number): number | undefined =>
  lengthIsKnown(code) ? FRAME_BYTES + (SHAPES[code]?.bytes ?? 0) : undefined;

/** Reads a whole real-time event whose checksum holds. */
export function readRealTimeEvent(message: Uint8Array): SasEvent {
  const [, marker, code = 0] = message;
  if (message.length < FRAME_BYTES || marker !== REAL_TIME_EVENT) throw new ProtocolProblem("is no real-time event");
  const reader = new ByteReader(message.subarray(3, -CRC_BYTES));
  const shape = SHAPES[code];
  if (shape === undefined) return { code };
  try {
    return { code, data: shape.read(reader) };
  } catch (error) {
    // What happened is known all the same; the meters have the figures.
    if (error instanceof ProtocolProblem) return { code };
    throw error;
  }
}

/** Whether an answer that reports no activity says that the machine waits for its player. */
export const waitsForPlayer = ({ code }: SasEvent): boolean => code === NO_ACTIVITY_WAITING;

/** Whether an answer to a general poll reports that nothing happened. */
export const isIdle = ({ code }: SasEvent): boolean => code === NO_ACTIVITY || code === NO_ACTIVITY_WAITING;
