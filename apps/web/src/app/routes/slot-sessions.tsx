import { useText } from "../../shared/i18n/use-text.ts";
import { Listing } from "./listing.tsx";

export function SlotSessionsRoute() {
  const { t } = useText();
  return <Listing kind="sessions" title={t("shell.sessions")} subtitle={t("history.sessionsAbout")} />;
}
