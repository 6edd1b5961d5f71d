import type { LobbyMachine } from "@longarm/contract/lobby-lists";
import type { Settings } from "@longarm/contract/settings";
import type { Timers } from "@longarm/link/socket";
import type { Texts } from "@longarm/ui/i18n/texts.ts";
import type { Messages } from "@longarm/ui/messages.ts";
import type { ApiClient } from "../shared/api/client.ts";
import type { AppearanceStore } from "../shared/appearance/appearance.ts";
import type { AuthSession } from "../shared/auth/auth-session.ts";
import type { Log } from "../shared/log/log.ts";
import type { Addresses } from "../shared/settings/addresses.ts";
import type { Storage } from "../shared/storage/storage.ts";

/** What the real world gives the page: made in `main.tsx`, replaced in tests. */
export type Surroundings = {
  readonly fetch: typeof fetch;
  readonly storage: Storage;
  readonly clock: { now(): number };
  readonly timers: Timers;
  readonly random: () => number;
  readonly newId: () => string;
  readonly log: Log;
};

/** The started page: everything that routes hand to features. */
export type App = Surroundings & {
  readonly settings: Settings;
  readonly addresses: Addresses;
  readonly api: ApiClient;
  readonly auth: AuthSession;
  readonly texts: Texts;
  readonly messages: Messages;
  readonly appearance: AppearanceStore;
  /** Machines as the lobby last saw them, by id. */
  readonly seen: Map<string, LobbyMachine>;
};

/** Makes something once per owner, on first use. */
export function oncePer<Owner extends object, T>(make: (owner: Owner) => T): (owner: Owner) => T {
  const made = new WeakMap<Owner, T>();
  return (owner) => {
    const known = made.get(owner);
    if (known !== undefined) return known;
    const fresh = make(owner);
    made.set(owner, fresh);
    return fresh;
  };
}

/**
 * Whether a player's interface leads to the template's pages and panels. By default it does not: a casino's player has no use for them,
 * and the pages stay reachable by their addresses.
 */
export const leadsToTemplate = ({ showTemplatePages, showTemplateKeys }: Settings): boolean =>
  showTemplatePages && showTemplateKeys;
