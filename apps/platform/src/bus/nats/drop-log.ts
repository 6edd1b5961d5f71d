import type { Clock } from "../../clock.ts";
import type { Log } from "../../log.ts";

/** Messages that were dropped are told this often, ms: whoever floods the bus must not fill the log. */
const TELL_EVERY_MS = 10_000;

/** Tells of messages that nobody gets to hear, the first one at once and then how many more. */
export function createDropLog(clock: Pick<Clock, "now">, log: Log): (subject: string, why: string) => void {
  let toldAt = Number.NEGATIVE_INFINITY;
  let untold = 0;
  return (subject, why) => {
    untold += 1;
    if (clock.now() - toldAt < TELL_EVERY_MS) return;
    toldAt = clock.now();
    log.warn({ alarm: "bus", subject, why, dropped: untold }, "messages on the bus were dropped");
    untold = 0;
  };
}
