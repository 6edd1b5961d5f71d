import { useEffect } from "react";
import type { Live } from "../../shared/live/live.ts";
import type { WalletNow } from "../../shared/play-deps.ts";

/** What tells that rows may have been added. */
export type Freshness = {
  /** The live connection: what happened while it was away is in no push. */
  readonly online: Live<boolean>;
  /** A balance that changed has a transaction behind it. */
  readonly wallet: Live<WalletNow>;
};

/** Asks again when there may be more to see. */
export function useFresh({ online, wallet }: Freshness, refetch: () => unknown): void {
  useEffect(() => {
    const ends = [
      online.subscribe((up, was) => void (up && !was && refetch())),
      wallet.subscribe((now, was) => void (was !== undefined && now?.balance !== was.balance && refetch())),
    ];
    return () => {
      for (const end of ends) end();
    };
  }, [online, wallet, refetch]);
}
