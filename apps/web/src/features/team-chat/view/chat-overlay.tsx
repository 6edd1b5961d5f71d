import { useText } from "../../../shared/i18n/use-text.ts";
import { useLive } from "../../../shared/live/live.ts";
import { EndPanel } from "../../../shared/ui/end-panel.tsx";
import css from "./chat-overlay.module.css";
import type { ChatView } from "./chat-view.ts";
import { ContactStrip } from "./contact-strip.tsx";
import { Talk } from "./talk.tsx";
import { useFresh } from "./use-fresh.ts";
import { useSelected } from "./use-selected.ts";

/** The panel over the page: 360 px at the end side, called by its key. Escape, a press beside it and a swipe close it. */
export function ChatOverlay(view: ChatView) {
  const { chat } = view;
  const { t } = useText();
  const isOpen = useLive(chat.now, (state) => state.isOpen);
  const selected = useSelected(chat);
  useFresh(chat, isOpen);
  return (
    <EndPanel
      open={isOpen}
      title={selected ? t("teamChat.contact", { name: selected.name, status: selected.status }) : t("teamChat.title")}
      onClose={() => chat.close()}
      className={css["overlay"] ?? ""}
      finalFocus={() => keyToReturnTo() ?? true}
    >
      <div className={css["columns"]} data-chat-panel>
        <ContactStrip chat={chat} />
        <Talk {...view} />
      </div>
    </EndPanel>
  );
}

/** The key that calls it may have gone with a drawer, or stand where there is no room for it. */
function keyToReturnTo(): HTMLElement | undefined {
  return ["[data-chat-key]", "[data-menu-key]"]
    .flatMap((key) => [...document.querySelectorAll<HTMLElement>(key)])
    .find((key) => key.checkVisibility());
}
