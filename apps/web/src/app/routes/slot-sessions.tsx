import { Page } from "../../features/shell/page.tsx";
import { useText } from "../../shared/i18n/use-text.ts";
import { usePageTitle } from "../page-title.ts";

export function SlotSessionsRoute() {
  const { t } = useText();
  usePageTitle(t("shell.sessions"));
  return <Page title={t("shell.sessions")}>{null}</Page>;
}
