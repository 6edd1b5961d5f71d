import { Page } from "../../features/shell/page.tsx";
import { useText } from "../../shared/i18n/use-text.ts";
import { usePageTitle } from "../page-title.ts";

export function TransactionsRoute() {
  const { t } = useText();
  usePageTitle(t("shell.transactions"));
  return <Page title={t("shell.transactions")}>{null}</Page>;
}
