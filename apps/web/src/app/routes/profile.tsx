import { Page } from "../../features/shell/page.tsx";
import { useText } from "../../shared/i18n/use-text.ts";
import { usePageTitle } from "../page-title.ts";

export function ProfileRoute() {
  const { t } = useText();
  usePageTitle(t("shell.profile"));
  return <Page title={t("shell.profile")}>{null}</Page>;
}
