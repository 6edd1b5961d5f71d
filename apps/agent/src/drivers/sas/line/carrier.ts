/** What a carrier delivers, in the order of the line. */
export type LineUnit =
  /** One character. `wakeup`: its ninth bit; a machine sets it only to chirp. */
  | { readonly is: "byte"; readonly byte: number; readonly wakeup: boolean }
  /** The line was quiet this long before the next character, ms; sent by a front end, whose clock is beside the line. */
  | { readonly is: "gap"; readonly ms: number }
  /** Characters were lost or damaged before this place. */
  | { readonly is: "damage"; readonly what: "framing" | "overrun" | "parity" }
  | { readonly is: "connected" }
  /** `why`: a sentence for the log and the doctor. */
  | { readonly is: "disconnected"; readonly why: string; readonly fault?: PortFault | undefined };

/** What is wrong with a port that can be reached: another host has it, it speaks something else than it should, or it has no ninth bit. */
export type PortFault = "taken" | "foreign" | "parity";

/** A nine-bit serial line at 19200 baud, however its characters travel. It reconnects by itself until it is closed. */
export interface Carrier {
  /** Calls back from now on; one listener. Begins with `connected` once it is. */
  open(receive: (unit: LineUnit) => void): void;
  /** Sends one message: the ninth bit is set on its first byte and clear on the others. Dropped while not connected. */
  send(message: Uint8Array): void;
  close(): Promise<void>;
  /** Calls back once it has delivered everything that had reached this computer; absent: nothing ever waits to be read. */
  afterArrived?(run: () => void): void;
  /** The other end measures the pauses of the line, so that a character which this computer sees late is not one that came late. */
  readonly reportsGaps?: boolean;
  /** Longest time between the first byte of a message and the others so far, ms; absent: the front end makes it. */
  wakeupGapMs?(): number;
  /** Whether the other end of this connection has said which version of the framing it speaks; absent: nothing is framed. */
  hasGreeted?(): boolean;
}
