import type { StepResult } from "../../../doctor/commissioning/commissioning.ts";
import { failed } from "../../../doctor/commissioning/commissioning.ts";
import type { Clock } from "../../../ports/clock.ts";
import { systemFiles } from "../../../system-files.ts";
import type { CarrierConfig } from "../carriers/carriers.ts";
import { openCarrier } from "../carriers/carriers.ts";
import type { DriverState } from "../driver/memory.ts";
import { DriverMemory } from "../driver/memory.ts";
import type { LineTiming, SasLine } from "../line/line.ts";
import { Line } from "../line/line.ts";
import { exceptionName } from "../protocol/events.ts";
import { LookLine } from "./look-line.ts";

/** A machine that has not answered within this time does not answer, ms. */
const ANSWER_MS_MAX = 12_000;

export type SessionSetup = {
  readonly carrier: CarrierConfig;
  readonly address: number;
  readonly timing: LineTiming;
  readonly clock: Clock;
  /** The machine's own folder. */
  readonly folder: string;
  readonly acts: boolean;
};

/** Another message would acknowledge the event, and the machine would forget it. */
export const eventWaits = (code: number): StepResult =>
  failed(
    "line.events",
    `The machine answers, and wants to report first: ${exceptionName(code)}. To read on would take this from the agent.`,
  );

/** The line of one examination: first one that only looks; where the doctor may act, later one that makes exceptions durable for the driver. */
export class Session {
  readonly setup: SessionSetup;
  #look: LookLine | undefined;
  #acting: { readonly line: Line; readonly memory: DriverMemory } | undefined;

  constructor(setup: SessionSetup) {
    this.setup = setup;
  }

  async look(): Promise<LookLine> {
    const { carrier, clock, address, timing } = this.setup;
    this.#look ??= new LookLine({ carrier: await openCarrier(carrier, clock), clock, address, timing });
    return this.#look;
  }

  /** What the machine has to report, and the line that looks cannot take. */
  waiting(): ReturnType<LookLine["seen"]>["waiting"] {
    return this.#look?.seen().waiting;
  }

  /**
   * Runs what only reads. When the machine wants to report an event meanwhile, the line that looks ends: then it runs again on the line that
   * stores events, or ends as `line.events` where the doctor may not act.
   */
  async reading(run: (line: SasLine) => Promise<StepResult>): Promise<StepResult> {
    if (this.#acting !== undefined) return run(this.#acting.line);
    if (this.waiting() === undefined) {
      const result = await run(await this.look()).catch((error: unknown) => {
        if (this.waiting() === undefined) throw error;
        return undefined;
      });
      if (result !== undefined && this.waiting() === undefined) return result;
    }
    return this.setup.acts ? run((await this.acting()).line) : eventWaits(this.waiting()?.code ?? 0);
  }

  /** What the driver knew of this machine when it last drove it. Undefined: it never has. */
  known(): Promise<DriverState | undefined> {
    return DriverMemory.known(systemFiles, this.setup.folder);
  }

  /** For polls that change something. What the machine reports meanwhile is stored where the driver finds it. */
  async acting(): Promise<{ readonly line: SasLine; readonly memory: DriverMemory }> {
    if (!this.setup.acts) throw new Error("This examination only looks.");
    if (this.#acting !== undefined) return this.#acting;
    const { carrier, clock, address, timing, folder } = this.setup;
    await this.#look?.close();
    const memory = await DriverMemory.open(systemFiles, folder);
    const up = Promise.withResolvers<void>();
    let why = "";
    const line = new Line({
      ...{ carrier: await openCarrier(carrier, clock), clock, address, timing },
      unacknowledged: memory.unacknowledged(),
      accept: async (event) => void (await memory.store(event, clock.now())),
      acknowledged: () => void memory.acknowledged().catch(() => undefined),
      changed: (state) => {
        why = state.why;
        if (state.up) up.resolve();
      },
    });
    this.#acting = { line, memory };
    const stop = clock.after(ANSWER_MS_MAX, () => up.reject(new Error(why)));
    await up.promise.finally(stop);
    return this.#acting;
  }

  async end(): Promise<void> {
    await this.#look?.close();
    await this.#acting?.line.close();
    await this.#acting?.memory.close();
  }
}
