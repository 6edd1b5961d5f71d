/** Ends a timer; calling it again does nothing. */
export type Stop = () => void;

/**
 * Time as the agent sees it, given as an argument so that tests can drive it.
 *
 * The capture clock, the RTP timestamps and the answers of the `clock` channel all use `now()`,
 * so the page can convert an RTP timestamp into the capture time of a frame.
 */
export interface Clock {
  /** Milliseconds since the Unix epoch, with fractions. Never goes back while the process lives. */
  now(): number;
  /** Runs once, `delayMs` (0 or more) from now. */
  after(delayMs: number, run: () => void): Stop;
  /** Runs each `periodMs` (more than 0); the first time one period from now. A late call is never made twice. */
  every(periodMs: number, run: () => void): Stop;
}
