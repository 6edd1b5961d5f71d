import type { Clock } from "../../ports/clock.ts";
import { messageOf } from "../finding.ts";

/*
 * Commissioning walks a machine through steps. A step is data: what it is called, which steps it builds on, and a function that looks. It ends with
 * an outcome, a sentence and evidence. A failure has a name of a closed list, and each name has its advice.
 */

/** Everything that commissioning can find wrong, with what to check, in words for the person at the machine. */
export const FAULTS = {
  "driver.fault": "Follow what the sentence says, then run the doctor again",
  "machine.unreachable":
    "Check that the machine is on and that its cable is plugged in at both ends, then run the doctor again",
  "machine.silent":
    "The machine stopped answering in the middle of this step: check its cable and its power, then run the doctor again",
  "step.late": "The step took too long: look at the machine's screen for a message, then run the doctor again",
  "meters.fell":
    "Meters never fall on a working machine: its memory was cleared or its battery is empty. Do not use it before a technician has looked",
  "meters.moving": "Somebody is playing at the machine: close it for guests and run the doctor again",
  "meters.drift":
    "The credit meter does not follow the other meters: compare both with the machine's audit menu and do not use it before they agree",
  "state.handPay": "A hand pay waits: pay it and reset it with the attendant's key",
  "state.door": "Close every door of the cabinet, the logic box and the bill acceptor, and check their switches",
  "state.tilt": "Clear the tilt at the machine; its screen says which part it is",
  "state.disabled": "The machine was disabled by a host or in its own menu: enable it",
  "state.outOfService": "The machine says that it is out of service: look at its screen and into its event log",
  "state.local": "Turn the key switch at the machine to remote",
  "disable.ignored":
    "The machine takes the command to stop and continues: allow host control in its communication menu",
  "enable.ignored": "The machine stays disabled: another host may hold it disabled, or its own menu does",
  "press.refused": "The machine or its button board refused the press for the reason above",
  "button.dead":
    "The press was sent and the machine did not react: check the wires from the board's output to the two contacts of this button, and that the output's number is right",
  "button.swapped":
    "The press did what another button does: two outputs are swapped, in the wires or in the configuration",
  "button.twice":
    "One press counted twice: make the pulse shorter, and check that the contact is not bounced by a long wire",
  "credit.none": "Put credit on the machine that is worth a few games, then run the doctor again",
  "picture.none":
    "Check the camera's or grabber's cable and power, and run the doctor without --machine for what is wrong with the device",
  "picture.dark":
    "The picture is black: switch the machine's screen on, take the lens cap off, or choose the other HDMI input",
  "picture.still": "The machine played and its picture did not change: it is frozen, or it shows another machine",
  "light.slow": "The picture follows the press too late: choose a faster format for the camera, or another grabber",
} as const satisfies Record<string, string>;
export type FaultName = keyof typeof FAULTS;

/** What a step measured or read, for the report: short names, plain values. */
export type Evidence = Readonly<Record<string, string | number | boolean>>;

/** `noted`: worth knowing, and no reason against the machine. `skipped`: not looked at, `says` has the reason. */
export type StepResult =
  | { readonly outcome: "passed" | "noted" | "skipped"; readonly says: string; readonly evidence?: Evidence }
  | { readonly outcome: "failed"; readonly fault: FaultName; readonly says: string; readonly evidence?: Evidence };

export interface Step {
  /** Unique in its run, such as `meters` or `button:spin`. */
  readonly id: string;
  /** As a person reads it. */
  readonly title: string;
  /** Ids of steps of the same run that must not have failed or been skipped: without them this one says nothing. */
  readonly needs: readonly string[];
  /** Longest time, ms; default 30 s. */
  readonly withinMs?: number;
  /** Rejects when the machine cannot be reached or answers nonsense. */
  run(): Promise<StepResult>;
}

/** A step that has ended. `at`: when it began, ms since 1970. */
export type EndedStep = StepResult & {
  readonly id: string;
  readonly title: string;
  readonly at: number;
  readonly tookMs: number;
};

export const passed = (says: string, evidence?: Evidence): StepResult => ({
  outcome: "passed",
  says,
  ...given(evidence),
});
export const noted = (says: string, evidence?: Evidence): StepResult => ({
  outcome: "noted",
  says,
  ...given(evidence),
});
export const skipped = (says: string): StepResult => ({ outcome: "skipped", says });
export const failed = (fault: FaultName, says: string, evidence?: Evidence): StepResult => ({
  outcome: "failed",
  fault,
  says,
  ...given(evidence),
});

const given = (evidence: Evidence | undefined) => (evidence === undefined ? {} : { evidence });

const STEP_MS_MAX = 30_000;

/** Runs the steps in their order, one at a time. `ended` is called after each, so that a person can watch. */
export async function runSteps(
  steps: readonly Step[],
  clock: Clock,
  ended: (step: EndedStep) => void = () => undefined,
): Promise<EndedStep[]> {
  const done = new Map<string, EndedStep>();
  for (const step of steps) {
    const at = clock.now();
    const missing = step.needs.find((id) => !["passed", "noted"].includes(done.get(id)?.outcome ?? ""));
    const result =
      missing === undefined
        ? await runOne(step, clock)
        : skipped(`Not looked at, because "${steps.find(({ id }) => id === missing)?.title ?? missing}" did not pass.`);
    const record = { ...result, id: step.id, title: step.title, at, tookMs: Math.round(clock.now() - at) };
    done.set(step.id, record);
    ended(record);
  }
  return [...done.values()];
}

async function runOne({ run, withinMs = STEP_MS_MAX }: Step, clock: Clock): Promise<StepResult> {
  const late = Promise.withResolvers<StepResult>();
  const stop = clock.after(withinMs, () =>
    late.resolve(failed("step.late", `No result within ${Math.round(withinMs / 1_000)} s.`)),
  );
  try {
    return await Promise.race([run(), late.promise]);
  } catch (error) {
    return failed("machine.silent", `The machine gave no valid answer: ${messageOf(error)}`);
  } finally {
    stop();
  }
}

/** Looks every 20 ms until `look` finds something or `withinMs` have passed; then undefined. Rejects as `look` does. */
export async function until<T>(
  clock: Clock,
  withinMs: number,
  look: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const endsAt = clock.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (clock.now() >= endsAt) return undefined;
    await new Promise<void>((resolve) => void clock.after(20, resolve));
  }
}
