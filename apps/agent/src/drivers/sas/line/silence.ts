import type { Clock, Stop } from "../../../ports/clock.ts";
import type { Carrier } from "./carrier.ts";

/** How much later than its line this computer may see a character when the front end reports the pauses itself: a network, and a full computer. */
const REPORTED_SLACK_MS = 150;

type Ear = { readonly carrier: Carrier; readonly clock: Clock; readonly timing: { readonly slackMs: number } };

/**
 * Calls back when nothing has come for `lineMs` on the line, as far as this computer can see. Its clock rings late when it is full, and what
 * arrived in time still waits to be read then: the carrier delivers it first. Stop it, and begin anew, with each character.
 */
export function onSilence({ carrier, clock, timing }: Ear, lineMs: number, run: () => void): Stop {
  let stopped = false;
  const rung = (): void => {
    if (!stopped) run();
  };
  const slackMs = carrier.reportsGaps === true ? Math.max(timing.slackMs, REPORTED_SLACK_MS) : timing.slackMs;
  const stop = clock.after(lineMs + slackMs, () => {
    if (carrier.afterArrived === undefined) rung();
    else carrier.afterArrived(rung);
  });
  return () => {
    stopped = true;
    stop();
  };
}
