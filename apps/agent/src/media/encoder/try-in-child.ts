import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Clock } from "../../ports/clock.ts";
import type { EncoderName } from "./h264-encoders.ts";
import { TrialOutcome } from "./trial.ts";

/** A trial takes some ten seconds; on a slow computer, or a busy one, more. */
const TRIAL_MS_MAX = 60_000;

interface ChildDeps {
  readonly clock: Clock;
  /** By default that of this process. */
  readonly environment?: Readonly<Record<string, string>>;
  /** By default the real one. */
  readonly program?: string;
}

/** Tries an encoder in a process of its own. It always resolves: a process that crashes, hangs or says what cannot be read is what was found. */
export async function tryInChild(name: EncoderName, deps: ChildDeps): Promise<TrialOutcome> {
  const { clock, environment, program = fileURLToPath(new URL("./trial-main.ts", import.meta.url)) } = deps;
  const found = Promise.withResolvers<TrialOutcome>();
  const broken = (why: string): void => found.resolve({ is: "broken", why });
  const child = fork(program, [name], {
    execArgv: ["--disable-warning=ExperimentalWarning"],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    ...(environment && { env: environment }),
  });
  const stop = clock.after(TRIAL_MS_MAX, () => broken(`The trial does not end within ${TRIAL_MS_MAX / 1_000} s.`));
  child.once("message", (message) => {
    const outcome = TrialOutcome.safeParse(message);
    if (outcome.success) found.resolve(outcome.data);
    else broken("The trial says what cannot be read.");
  });
  child.once("error", (error) => broken(`The trial does not start: ${error.message}.`));
  child.once("exit", (code, signal) => broken(`The trial ended without a word (${signal ?? `code ${code}`}).`));
  try {
    return await found.promise;
  } finally {
    stop();
    // Not waited for: a process inside a driver that hangs may outlive even this.
    child.kill("SIGKILL");
    child.unref();
  }
}
