import type { Live } from "@longarm/ui/live.ts";
import { createStore } from "zustand/vanilla";
import type { Storage } from "../../shared/storage/storage.ts";
import { STORAGE_KEYS } from "../../shared/storage/storage.ts";

/** Whether the balance is hidden: one answer for header and menu, kept between visits (decision D-44). */
export type WalletVisibility = { readonly hidden: Live<boolean>; toggle(): void };

export function createWalletVisibility(storage: Storage): WalletVisibility {
  const hidden = createStore<boolean>(() => storage.read(STORAGE_KEYS.walletHidden) === "true");
  return {
    hidden,
    toggle() {
      const next = !hidden.getState();
      hidden.setState(next, true);
      storage.write(STORAGE_KEYS.walletHidden, String(next));
    },
  };
}
