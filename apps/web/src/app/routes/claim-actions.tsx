import { ClaimKeys } from "../../features/claims/claim-keys.tsx";
import { createClaimTimes } from "../../features/claims/claim-times.ts";
import { createClaims } from "../../features/claims/claims.ts";
import { createThrottle } from "../../shared/throttle/throttle.ts";
import type { App } from "../app.ts";
import { oncePer } from "../once-per.ts";
import type { PlayerPart } from "../player/player-part.ts";

/** One per sign-in: a call under way is known on whichever page and in whichever place the keys stand. */
const claimsOf = oncePer((app: App) => oncePer((part: PlayerPart) => makeClaims(app, part)));

function makeClaims({ api, settings, clock, storage, texts, messages }: App, part: PlayerPart) {
  const times = createClaimTimes(storage, clock, settings.claimThrottleMs);
  const claims = createClaims({
    ...{ api, settings, times, texts, say: messages.say },
    throttle: createThrottle(clock, settings.throttleMs),
    balance: () => part.wallet.getState()?.balance,
    refreshBalance: part.refreshBalance,
  });
  return { claims, times };
}

/** The discount and bonus keys of the shell, where claims and wallet meet. */
export function ClaimActions({ app, part }: { app: App; part: PlayerPart }) {
  return <ClaimKeys settings={app.settings} timers={app.timers} {...claimsOf(app)(part)} />;
}
