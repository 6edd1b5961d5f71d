import type { Me } from "@longarm/contract/staff-people";
import type { Permission } from "@longarm/contract/staff-rights";
import { useLive } from "@longarm/ui/live.ts";
import { useConsole } from "./console.ts";

/** Who is signed in. @throws Error on a page that is drawn without a sign-in. */
export function useMe(): Me {
  const session = useLive(useConsole().sessions.state);
  if (!("me" in session)) throw new Error("This page is drawn for a person who is signed in");
  return session.me;
}

export function useMay(permission: Permission): boolean {
  return useMe().permissions.includes(permission);
}

/** Whether something may be changed now: not while the platform is out of reach. */
export function useOnline(): boolean {
  return useLive(useConsole().offlineSince) === null;
}

/** How far the venue's clock is ahead of this computer's, ms, as it was when its time came. */
export function useSkewMs(): number {
  const { clock } = useConsole();
  const me = useMe();
  const known = skews.get(me);
  if (known !== undefined) return known;
  const skew = Date.parse(me.venue.now) - clock.now();
  skews.set(me, skew);
  return skew;
}
const skews = new WeakMap<Me, number>();
