import type { Stop } from "@longarm/link/socket";
import type { Live } from "@longarm/ui/live.ts";

/** The browser's locks; absent outside a secure context. */
export type TabLocks = Pick<LockManager, "query"> & {
  request(name: string, options: { mode: "shared" }, until: () => Promise<void>): Promise<unknown>;
};

export type Seat = { readonly playerId: string; readonly machineId: string };

const lockOf = ({ playerId, machineId }: Seat): string => `longarm.seat ${playerId} ${machineId}`;

/** Lets other tabs of this browser see the seat while this tab has it. The browser lets go of a lock by itself when its tab dies. */
export function showSeatToTabs<T>(
  locks: TabLocks | undefined,
  seat: Seat,
  state: Live<T>,
  hasSeat: (state: T) => boolean,
): Stop {
  let letGo: (() => void) | undefined;
  const look = (): void => {
    if (!hasSeat(state.getState())) {
      letGo?.();
      letGo = undefined;
    } else if (letGo === undefined && locks !== undefined) {
      const { promise, resolve } = Promise.withResolvers<void>();
      letGo = resolve;
      // Shared: a tab that takes the seat over need not wait for the one that loses it. A browser that refuses shows nothing.
      locks.request(lockOf(seat), { mode: "shared" }, () => promise).catch(() => {});
    }
  };
  look();
  const stop = state.subscribe(look);
  return () => {
    stop();
    letGo?.();
  };
}

/** Whether a tab of this browser has the player's seat at the machine; false where the browser does not say. */
export async function isSeatInTab(locks: TabLocks | undefined, seat: Seat): Promise<boolean> {
  const state = await locks?.query().catch(() => undefined);
  return state?.held?.some(({ name }) => name === lockOf(seat)) ?? false;
}
