import type { AppearanceChoice } from "@longarm/contract/template/appearance";
import type { Timers } from "@longarm/link/socket";

/** What a player may keep with the account; what is left out stays as it is. */
export type UserData = { readonly settings?: AppearanceChoice; readonly shortcuts?: readonly string[] };

type SaverDeps = {
  /** Sends what was gathered. Resolves with whether it is kept; rejects never. */
  readonly send: (data: UserData) => Promise<boolean>;
  readonly timers: Timers;
};

export type AccountSaver = {
  /** Gathers for a moment; resolves once what was given is kept, or could not be. The last of each wins. */
  save(data: UserData): Promise<boolean>;
  /** Sends now what is still gathered: the page may be gone in a moment. */
  flush(): void;
  /** Forgets what is still gathered: the player is gone. */
  drop(): void;
};

/** Changes come in bursts, as from a slider or a row of switches: so long without one ends a burst, ms. */
export const GATHER_MS = 500;

/** Keeps choices with the account: one call a burst and one at a time, so that none overtakes a later one. What failed goes with the next. */
export function createAccountSaver({ send, timers }: SaverDeps): AccountSaver {
  let gathered: UserData = {};
  let waiting: ((kept: boolean) => void)[] = [];
  let stopTimer = () => {};
  let sending = Promise.resolve();
  let era = 0;

  async function sendGathered(): Promise<void> {
    const tell = waiting;
    if (tell.length === 0) return;
    const data = gathered;
    const sentIn = era;
    gathered = {};
    waiting = [];
    const kept = await send(data);
    // A later choice is newer than the one that failed.
    if (!kept && era === sentIn) gathered = { ...data, ...gathered };
    for (const say of tell) say(kept);
  }

  function flush(): void {
    stopTimer();
    sending = sending.then(sendGathered);
  }

  return {
    save(data) {
      gathered = { ...gathered, ...data };
      stopTimer();
      stopTimer = timers.after(GATHER_MS, flush);
      return new Promise((resolve) => waiting.push(resolve));
    },
    flush,
    drop() {
      stopTimer();
      era += 1;
      gathered = {};
      for (const say of waiting.splice(0)) say(false);
    },
  };
}
