import { useText } from "../../../shared/i18n/use-text.ts";
import { useLive } from "../../../shared/live/live.ts";
import { keyClass } from "../../../shared/ui/key.tsx";
import { unreadOf } from "../model/chat-state.ts";
import type { TeamChat } from "../model/team-chat.ts";
import { ChatGlyph } from "./chat-glyph.tsx";
import css from "./chat-key.module.css";
import badgeCss from "./unread-badge.module.css";

/** Opens and closes the panel, and tells how much was not read. */
export function ChatKey({ chat, onPress }: { readonly chat: TeamChat; readonly onPress?: (() => void) | undefined }) {
  const { t } = useText();
  const isOpen = useLive(chat.now, (state) => state.isOpen);
  const unread = useLive(chat.now, ({ contacts }) => unreadOf(contacts));
  const label = unread === "0" ? t("teamChat.toggle") : t("teamChat.toggleUnread", { unread });
  return (
    <button
      type="button"
      className={keyClass({ kind: "bare" }, css["key"])}
      aria-label={label}
      title={t("teamChat.toggle")}
      aria-expanded={isOpen}
      data-chat-key
      onClick={() => {
        onPress?.();
        chat.toggle();
      }}
    >
      <ChatGlyph />
      {unread !== "0" && (
        <span className={badgeCss["badge"]} aria-hidden="true">
          {unread}
        </span>
      )}
    </button>
  );
}
