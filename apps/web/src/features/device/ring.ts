import { pushCalls } from "@longarm/contract/player-push";
import type { Language } from "@longarm/contract/settings";
import type { PushPort } from "@longarm/ui/browser-push.ts";
import type { Live } from "@longarm/ui/live.ts";
import { createStore } from "zustand/vanilla";
import type { ApiClient } from "../../shared/api/client.ts";
import type { Log } from "../../shared/log/log.ts";

/**
 * Whether this device rings while no page is open. `absent`: the platform, or the browser, has no pushes. `denied`: its person forbade them.
 */
export type Ring = "absent" | "denied" | "off" | "on";

export type RingOnDevice = {
  /** Undefined: not known yet. */
  readonly now: Live<Ring | undefined>;
  load(): Promise<void>;
  /** Has the browser ask its person, and the platform push. False: it does not ring; `now` says why. */
  ring(language: Language): Promise<boolean>;
  silence(): Promise<void>;
};

/** The pushes of this device, for the player who is signed in. */
export function createRing(api: Pick<ApiClient, "make">, port: PushPort, log: Log): RingOnDevice {
  const now = createStore<Ring | undefined>(() => undefined);
  let publicKey: string | undefined;
  const set = (ring: Ring) => now.setState(ring, true);

  async function load(): Promise<void> {
    const [answer, here] = await Promise.all([api.make(pushCalls.push), port.state().catch(() => "none" as const)]);
    if (answer.ok) publicKey = answer.data.publicKey;
    if (!answer.ok || here === "none") return set("absent");
    if (here === "denied") return set("denied");
    // The platform may push to another player's, or an earlier, subscription of this browser.
    set(here === "on" && answer.data.on ? "on" : "off");
  }

  return {
    now,
    load,
    async ring(language) {
      if (publicKey === undefined) return false;
      try {
        const target = await port.subscribe(publicKey);
        const answer = await api.make(pushCalls.addPush, { body: { ...target, language } });
        if (answer.ok) set("on");
        return answer.ok;
      } catch (error) {
        log("This browser gives no pushes.", error);
        await load();
        return false;
      }
    },
    async silence() {
      const answer = await api.make(pushCalls.endPush);
      if (!answer.ok) return;
      set("off");
      await port.unsubscribe().catch(() => undefined);
    },
  };
}
