import { useEffect } from "react";
import type { Live } from "../../shared/live/live.ts";
import type { WalletNow } from "../../shared/play-deps.ts";

/** What tells that rows may have been added. */
export type Freshness = {
  /** A balance that changed has a transaction behind it. */
  readonly wallet: Live<WalletNow>;
};

/** Asks again when there may be more to see. */
export function useFresh({ wallet }: Freshness, refetch: () => unknown): void {
  useEffect(
    () => wallet.subscribe((now, was) => void (was !== undefined && now?.balance !== was.balance && refetch())),
    [wallet, refetch],
  );
}
