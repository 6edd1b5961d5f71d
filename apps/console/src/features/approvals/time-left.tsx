import { useText } from "@longarm/ui/i18n/use-text.ts";
import { useNow } from "@longarm/ui/time/use-now.ts";
import { useConsole } from "../../shared/console.ts";
import { leftText } from "../../shared/times.ts";

/** What is left of the time in which it may be signed. */
export function TimeLeft({ until }: { readonly until: string }) {
  const { clock, timers } = useConsole();
  const { t } = useText();
  const left = Date.parse(until) - useNow(clock, timers);
  return (
    <small className="num">{left > 0 ? t("approvals.left", { time: leftText(left) }) : t("approvals.expired")}</small>
  );
}
