import type { ChatContact } from "@longarm/contract/template/team-chat";
import { Avatar } from "@longarm/ui/avatar.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { IconButton, keyClass } from "@longarm/ui/key.tsx";
import { useLive } from "@longarm/ui/live.ts";
import { useEffect, useRef } from "react";
import { EndPanel } from "../../shared/ui/end-panel.tsx";
import css from "./chat-panel.module.css";
import { unreadOf } from "./chat-state.ts";
import { ContactStrip, STATUS_TEXTS, UnreadBadge, useNameOf } from "./contacts.tsx";
import type { ChatView } from "./talk.tsx";
import { ChatGlyph, Talk } from "./talk.tsx";
import type { TeamChat } from "./team-chat.ts";

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
      <div className={css["overlayColumns"]} data-chat-panel>
        <ContactStrip chat={chat} />
        <Talk {...view} />
      </div>
    </EndPanel>
  );
}

/** The button that opens it may have closed with a drawer, or be hidden for lack of room. */
function keyToReturnTo(): HTMLElement | undefined {
  return ["[data-chat-key]", "[data-menu-key]"]
    .flatMap((key) => [...document.querySelectorAll<HTMLElement>(key)])
    .find((key) => key.checkVisibility());
}

/** Opens and closes the panel, and shows how much is unread. */
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
      {unread !== "0" && <UnreadBadge count={unread} />}
    </button>
  );
}

type Selected = { readonly contact: ChatContact; readonly name: string; readonly status: string };

/** The contact whose chat is open, with name and status for the head of the panel; undefined: none is. */
function useSelected(chat: TeamChat): Selected | undefined {
  const { t } = useText();
  const nameOf = useNameOf();
  const contact = useLive(chat.now, ({ contacts, selectedId }) => contacts.find(({ id }) => id === selectedId));
  if (contact === undefined) return undefined;
  return { contact, name: nameOf(contact), status: t(STATUS_TEXTS[contact.status]) };
}

/** While the contacts are in sight they are read again from time to time; what came while the page was hidden is read once it is shown. */
function useFresh(chat: TeamChat, isInSight: boolean): void {
  useEffect(() => {
    const seen = () => chat.seen();
    document.addEventListener("visibilitychange", seen);
    return () => document.removeEventListener("visibilitychange", seen);
  }, [chat]);
  useEffect(() => (isInSight ? chat.watch() : undefined), [chat, isInSight]);
}
