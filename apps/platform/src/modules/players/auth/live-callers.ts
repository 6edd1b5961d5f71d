import type { FinalReason } from "@longarm/contract/envelope";
import type { Stop } from "../../../clock.ts";
import type { Caller } from "./caller.ts";

type Live = { readonly caller: Caller; readonly ended: (reason: FinalReason) => void };

type WhichCallers = {
  readonly jti?: string | undefined;
  readonly playerId?: string | undefined;
  readonly exceptJti?: string | undefined;
};

/** What lives as long as a sign-in does: the open sockets of this process. */
export function createLiveCallers() {
  const live = new Set<Live>();
  return {
    /** Calls `ended` once when the caller's sign-in ends. */
    add(caller: Caller, ended: (reason: FinalReason) => void): Stop {
      const entry = { caller, ended };
      live.add(entry);
      return () => void live.delete(entry);
    },
    end(which: WhichCallers, reason: FinalReason): void {
      for (const entry of [...live]) {
        const { jti, playerId } = entry.caller;
        if (jti === which.exceptJti || (jti !== which.jti && playerId !== which.playerId)) continue;
        live.delete(entry);
        entry.ended(reason);
      }
    },
    all: (): Caller[] => [...live].map(({ caller }) => caller),
  };
}
export type LiveCallers = ReturnType<typeof createLiveCallers>;
