import type { SimulatedFault } from "@longarm/contract/machine";
import { LOCKUPS } from "@longarm/contract/machine";
import { printable } from "@longarm/reels/picture/view";
import type { EgmEventBody } from "../../ports/egm.ts";

type FaultShown = {
  /** On the machine's screen, in the place of its title. `code`: the machine's own, or empty. */
  readonly notice: (code: string) => string;
  /** The code, and what staff reads, when staff makes it happen (`longarm simulate`). */
  readonly code: string;
  readonly said: string;
};

/** What each fault looks like, gravest first. */
export const FAULTS = {
  tilt: { notice: (code) => `TILT - ${printable(code)}`, code: "simulated", said: "The machine is in tilt." },
  door: { notice: () => "DOOR OPEN", code: "", said: "The door is open." },
} as const satisfies Record<SimulatedFault, FaultShown>;

/** The faults that the machine has, each with the machine's own code for it, or "". */
export type Faults = Readonly<Partial<Record<SimulatedFault, string>>>;

export function gravest(faults: Faults): SimulatedFault | undefined {
  return (Object.keys(FAULTS) as SimulatedFault[]).find((kind) => faults[kind] !== undefined);
}

/** The event that begins (`code` given) or ends a fault. */
export function faultEvent(kind: SimulatedFault, code: string | null): EgmEventBody {
  const { begins, ends } = LOCKUPS[kind].events;
  return code === null ? { what: ends } : { what: begins, ...(code !== "" && { code }) };
}

/** What the machine's screen says about its gravest fault; empty without one. */
export function faultNotice(faults: Faults): string {
  const fault = gravest(faults);
  return fault === undefined ? "" : FAULTS[fault].notice(faults[fault] ?? "");
}
