import type { Meters } from "@longarm/contract/machine";
import { LOCKUP_REASONS } from "@longarm/contract/machine";

/** Why the machine takes no press, by its own word. */
export type Lockup = NonNullable<Meters["lockup"]>;

const LOCKUPS: ReadonlySet<string> = new Set(LOCKUP_REASONS);
export const isLockup = (is: string): is is Lockup => LOCKUPS.has(is);

/** A hand pay comes first: it is the player's money. */
export function lockupOf({ handPay, lockup }: Meters): Lockup | undefined {
  return handPay === undefined ? lockup : "handPay";
}
