import type { DriverKind } from "../ports/driver.ts";
import { sas } from "./sas/index.ts";
import { simulated } from "./simulated/index.ts";

/** Every driver, by the name that the operator's list uses. */
export const DRIVERS: ReadonlyMap<string, DriverKind> = new Map(
  [simulated, sas].map((kind) => [kind.name, kind as DriverKind]),
);

/** What an agent drives that has no list: so many machines of the demonstration floor. */
export const demonstration = (machines: number): object => ({ driver: simulated.name, floor: machines });

/** The driver of a machine whose entry was checked. */
export function driverOf({ driver }: { readonly driver: string }): DriverKind {
  const kind = DRIVERS.get(driver);
  if (kind === undefined) throw new Error(`There is no driver "${driver}".`);
  return kind;
}
