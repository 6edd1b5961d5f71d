import { useText } from "@longarm/ui/i18n/use-text.ts";
import type { TextKey } from "../../shared/texts.ts";

/** What moves at a machine by the ledger. */
const BOOKED = ["game", "games", "cashIn", "cashOut", "handPay", "jackpot", "fee"] as const;
/** Who has an account or acts, by the word before the colon. */
const PARTIES = ["house", "machine", "player", "staff", "agent"] as const;

/** Kinds and parties of ledger and audit log in the reader's words; one that is not known here stays as it is written. */
export function useWrittenWords() {
  const { t } = useText();
  const party = (address: string): string => {
    const [kind = "", ...rest] = address.split(":");
    const known = PARTIES.find((one) => one === kind);
    return known === undefined ? isolated(address) : t(`disputes.party_${known}`, { id: isolated(rest.join(":")) });
  };
  return {
    party,
    kind(kind: string): string {
      const known = BOOKED.find((one) => one === kind);
      const key: TextKey | undefined = known && `disputes.booked_${known}`;
      return key === undefined ? kind : t(key);
    },
    way: ({ from, to }: { readonly from: string; readonly to: string }): string =>
      t("disputes.fromTo", { from: party(from), to: party(to) }),
  };
}

/** A name among words of another direction. */
const isolated = (text: string): string => `\u2068${text}\u2069`;
