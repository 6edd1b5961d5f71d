import { useEffect, useRef } from "react";
import { useText } from "../../../shared/i18n/use-text.ts";
import { useLive } from "../../../shared/live/live.ts";
import { Avatar } from "../../../shared/ui/avatar/avatar.tsx";
import { IconButton } from "../../../shared/ui/key.tsx";
import type { TeamChat } from "../model/team-chat.ts";
import { ChatKey } from "./chat-key.tsx";
import css from "./chat-strip.module.css";
import type { ChatView } from "./chat-view.ts";
import { ContactStrip } from "./contact-strip.tsx";
import { Talk } from "./talk.tsx";
import { useFresh } from "./use-fresh.ts";
import { useSelected } from "./use-selected.ts";

/** The faces of the contacts in a column of 70 px that is always there; the panel of 360 px slides out of it over the content. */
export function ChatStrip(view: ChatView) {
  const { chat } = view;
  const { t } = useText();
  const isOpen = useLive(chat.now, (state) => state.isOpen);
  const selected = useSelected(chat);
  const panel = useRef<HTMLDivElement>(null);
  useClosing(chat, isOpen, panel);
  useFresh(chat, true);
  return (
    <aside className={css["place"]} aria-label={t("teamChat.title")}>
      <div ref={panel} className={css["panel"]} data-open={isOpen || undefined} data-region="main" data-chat-panel>
        <header className={css["head"]}>
          <div className={css["corner"]}>
            <ChatKey chat={chat} />
          </div>
          <div className={css["rest"]}>
            {selected && <Avatar name={selected.name} photo={selected.contact.avatar ?? ""} />}
            <div className={css["title"]}>
              <h2>{selected?.name ?? t("teamChat.title")}</h2>
              {selected && <p>{selected.status}</p>}
            </div>
            <IconButton icon="close" label={t("app.close")} onClick={() => chat.close()} />
          </div>
        </header>
        <div className={css["columns"]}>
          <ContactStrip chat={chat} />
          <div className={css["rest"]}>
            <Talk {...view} />
          </div>
        </div>
      </div>
    </aside>
  );
}

/** Escape and a press beside it close it; the focus goes back to where it came from. */
function useClosing(chat: TeamChat, isOpen: boolean, panel: { readonly current: HTMLElement | null }): void {
  useEffect(() => {
    if (!isOpen) return;
    const from = document.activeElement;
    const onKey = (event: KeyboardEvent) => {
      // A dialog over the page, or a menu, takes its own Escape.
      if (event.key !== "Escape" || event.defaultPrevented) return;
      if (document.querySelector("[role=dialog][data-open], [role=menu][data-open]") !== null) return;
      chat.close();
    };
    const onPress = ({ target }: PointerEvent) => {
      const isInside =
        target instanceof Element && (panel.current?.contains(target) || target.closest("[data-chat-key]"));
      if (!isInside) chat.close();
    };
    document.addEventListener("keydown", onKey);
    document.addEventListener("pointerdown", onPress);
    return () => {
      document.removeEventListener("keydown", onKey);
      document.removeEventListener("pointerdown", onPress);
      const left = document.activeElement;
      const isLost = left === null || left === document.body || panel.current?.contains(left);
      if (isLost && from instanceof HTMLElement && from.isConnected) from.focus({ preventScroll: true });
    };
  }, [chat, isOpen, panel]);
}
