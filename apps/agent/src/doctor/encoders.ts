import type { EncoderName } from "../media/encoder/h264-encoders.ts";
import { HARDWARE } from "../media/encoder/h264-encoders.ts";
import type { TrialOutcome } from "../media/encoder/trial.ts";
import type { Finding } from "./finding.ts";
import { bad, good, note } from "./finding.ts";

const PART = "codecs";

/** Tries the hardware encoders, beside x264 where one keeps its promises, and says which to use. `set`: what the setting ENCODER names. */
export async function checkEncoders(
  set: EncoderName,
  tryOne: (name: EncoderName) => Promise<TrialOutcome>,
): Promise<Finding[]> {
  const outcomes = new Map<EncoderName, TrialOutcome>();
  // One after the other: each has the computer to itself.
  for (const name of HARDWARE) outcomes.set(name, await tryOne(name));
  if (![...outcomes.values()].some(({ is }) => is === "kept")) return findings(outcomes, set);
  outcomes.set("x264", await tryOne("x264"));
  const chosen = chooseEncoder(outcomes);
  return [...findings(outcomes, set), choice(chosen, set)];
}

const findings = (outcomes: ReadonlyMap<EncoderName, TrialOutcome>, set: EncoderName): Finding[] =>
  [...outcomes].map(([name, outcome]) => finding(name, outcome, name === set && name !== "x264"));

const BACK = "Set ENCODER=x264, or look at docs/hardware.md (Encoders) for what it needs";

function finding(name: EncoderName, outcome: TrialOutcome, isWished: boolean): Finding {
  if (outcome.is === "kept") {
    const { delayMsP95, processorMs } = outcome;
    const within = `95 of 100 pictures are out within ${delayMsP95.toFixed(1)} ms`;
    return good(PART, `${name} keeps its promises; ${within}, for ${processorMs.toFixed(1)} ms of a processor each.`);
  }
  const why = outcome.why.replace(/\.$/, "");
  const says =
    outcome.is === "absent"
      ? `The encoder ${name} does not open here (${why}).`
      : `The encoder ${name} is unfit: ${why}.`;
  return isWished ? bad(PART, says, BACK) : note(PART, says);
}

function choice(chosen: EncoderName, set: EncoderName): Finding {
  const says =
    chosen === "x264"
      ? "x264 is the one to use: no hardware encoder is as quick and leaves clearly more of the processor."
      : `${chosen} is the one to use: it is as quick as x264 and leaves clearly more of the processor.`;
  return chosen === set ? good(PART, says) : note(PART, says, `Set ENCODER=${chosen}`);
}

/** A hardware encoder may be later than x264 by this, ms, and must leave at least this share of the processor's time. */
const LATER_MS_MAX = 3;
const PROCESSOR_SHARE_MAX = 0.7;

/** The encoder to use, of what the trials of one run found; x264 when in doubt. */
export function chooseEncoder(outcomes: ReadonlyMap<EncoderName, TrialOutcome>): EncoderName {
  const software = outcomes.get("x264");
  if (software?.is !== "kept") return "x264";
  let chosen: EncoderName = "x264";
  let leastMs = software.processorMs * PROCESSOR_SHARE_MAX;
  for (const [name, outcome] of outcomes) {
    if (outcome.is !== "kept" || outcome.delayMsP95 > software.delayMsP95 + LATER_MS_MAX) continue;
    if (outcome.processorMs > leastMs) continue;
    chosen = name;
    leastMs = outcome.processorMs;
  }
  return chosen;
}
