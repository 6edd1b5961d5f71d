import { useText } from "../../shared/i18n/use-text.ts";
import { Listing } from "./listing.tsx";

export function TransactionsRoute() {
  const { t } = useText();
  return <Listing kind="transactions" title={t("shell.transactions")} subtitle={t("history.transactionsAbout")} />;
}
