import type { ChatStatus } from "@longarm/contract/template/team-chat";
import { CHAT_STATUSES } from "@longarm/contract/template/team-chat";
import { useText } from "../../../shared/i18n/use-text.ts";
import { useLive } from "../../../shared/live/live.ts";
import type { TeamChat } from "../model/team-chat.ts";
import css from "./own-status.module.css";
import { STATUS_TEXTS, StatusDot } from "./status-dot.tsx";

/** What the others see of the player; whoever is not to be disturbed gets no words about new messages. */
export function OwnStatus({ chat }: { readonly chat: TeamChat }) {
  const { t } = useText();
  const status = useLive(chat.now, ({ user }) => user?.status ?? "online");
  return (
    <label className={css["own"]}>
      <span className={css["label"]}>{t("teamChat.ownStatus")}</span>
      <span className={css["well"]}>
        <StatusDot status={status} />
        <select value={status} onChange={({ target }) => void chat.say({ status: target.value as ChatStatus })}>
          {CHAT_STATUSES.map((one) => (
            <option key={one} value={one}>
              {t(STATUS_TEXTS[one])}
            </option>
          ))}
        </select>
      </span>
    </label>
  );
}
