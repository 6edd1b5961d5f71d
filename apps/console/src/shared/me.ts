import type { Permission } from "@longarm/contract/staff-rights";
import type { Me } from "@longarm/contract/staff-sign-in";
import { useLive } from "@longarm/ui/live.ts";
import { useConsole } from "./console.ts";

function useSignedIn() {
  const session = useLive(useConsole().sessions.state);
  if (!("me" in session)) throw new Error("This page is drawn for a person who is signed in");
  return session;
}

/** Who is signed in. @throws Error on a page that is drawn without a sign-in. */
export const useMe = (): Me => useSignedIn().me;

/** How far the venue's clock is ahead of this computer's, ms. @throws Error on a page that is drawn without a sign-in. */
export const useSkewMs = (): number => useSignedIn().skewMs;

export function useMay(permission: Permission): boolean {
  return useMe().permissions.includes(permission);
}

/** Whether something may be changed now: not while the platform is out of reach. */
export function useOnline(): boolean {
  return useLive(useConsole().offlineSince) === null;
}
