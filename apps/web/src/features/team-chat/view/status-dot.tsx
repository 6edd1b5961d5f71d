import type { ChatStatus } from "@longarm/contract/template/team-chat";
import type { TextKey } from "../../../shared/i18n/text-key.ts";
import css from "./status-dot.module.css";

/** The word of a status: it always stands beside its dot, seen or read out. */
export const STATUS_TEXTS: Readonly<Record<ChatStatus, TextKey>> = {
  online: "teamChat.online",
  "do-not-disturb": "teamChat.doNotDisturb",
  away: "teamChat.away",
  offline: "teamChat.offline",
};

/** A dot whose shape tells a status as its colour does. */
export function StatusDot({ status }: { readonly status: ChatStatus }) {
  return <span className={css["dot"]} data-status={status} aria-hidden="true" />;
}
