import type { Given } from "../command.ts";
import { UsageProblem } from "../command.ts";
import { printableLine } from "../printable.ts";

const REASON_LENGTH_MAX = 200;

/** Why it is done, kept for ever; empty: nothing was said. @throws UsageProblem. */
export function readReason(given: Given): string {
  const reason = given.get("reason")?.toString() ?? "";
  if (reason.length <= REASON_LENGTH_MAX && reason === printableLine(reason) && reason === reason.trim()) return reason;
  throw new UsageProblem(`--reason must be plain text of one line, at most ${REASON_LENGTH_MAX} characters.`);
}
