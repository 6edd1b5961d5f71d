/** Ends something; calling it again does nothing. */
export type Stop = () => void;

/** Time as an argument. Leases and expiries are judged by the database's clock; this one paces timers and stamps logs. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Runs once, `delayMs` from now. */
  after(delayMs: number, run: () => void): Stop;
  /** Runs each `periodMs`, first after one period. */
  every(periodMs: number, run: () => void): Stop;
}

/** The clock of this computer. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs).unref();
    return () => clearTimeout(timer);
  },
  every(periodMs, run) {
    const timer = setInterval(run, periodMs).unref();
    return () => clearInterval(timer);
  },
};
