/**
 * The port to the buttons of one real machine, pressed through relays or opto-couplers that are wired in parallel to them, so that the
 * machine's own buttons keep working. The agent only starts a pulse; the clock of the board ends it, so a dead agent never holds a button.
 */
export interface PressPort {
  /** Ids of the panel's buttons that are wired, such as `spin`. Does not change. */
  readonly buttons: readonly string[];
  /**
   * Presses one button once. Never rejects, and never repeats a press: `unconfirmed` says that the pulse may have happened, and only the
   * machine's own events or meters decide whether it did.
   */
  press(button: string): Promise<WiredPress>;
  /**
   * As `press`, with the longest pulse that the board may give, for the doctor and a button that does nothing. Resolves to the pulse's length, ms;
   * undefined: nothing was sent, or the usual pulse is as long.
   */
  pressLonger(button: string): Promise<number | undefined>;
  /** Position of the key switch at the machine. A machine without a key switch is always `remote`. */
  keySwitch(): KeySwitch;
  /** Calls back when `keySwitch` would answer otherwise. One listener at a time. Returns the function that stops it. */
  onKeySwitch(changed: () => void): () => void;
  /** Turns the outputs of this machine off and lets go of the board. No press is accepted from the call on. */
  close(): Promise<void>;
}

/**
 * Position of the key switch. `remote`: players play over the network. `local`: a person plays at the machine, no press is sent and the seat
 * closes. `unknown`: the switch cannot be read; no press is sent, and a `KeySwitch` that stays unknown becomes `local` after a grace time.
 */
export type KeySwitch = "remote" | "local" | "unknown";

/** Why a press was not sent; the button was not touched. `boardRefused`: the board answered that it does not do this. */
export type PressObstacle =
  | "unknownButton"
  | "tooSoon"
  | "local"
  | "keyUnknown"
  | "boardAway"
  | "boardRefused"
  | "closed";

/**
 * What became of a press. `readBack`: the board reported the output as on during the pulse, or was not read in time.
 * `says`: one sentence for the log.
 */
export type WiredPress =
  | { readonly outcome: "sent"; readonly readBack: "on" | "unread" }
  | { readonly outcome: "refused"; readonly reason: PressObstacle; readonly says: string }
  | { readonly outcome: "unconfirmed"; readonly says: string };
