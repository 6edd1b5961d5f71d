import type { ReactNode } from "react";
import { useText } from "../../../shared/i18n/use-text.ts";
import { useLive } from "../../../shared/live/live.ts";
import { Key } from "../../../shared/ui/key.tsx";
import { ChatGlyph } from "./chat-glyph.tsx";
import type { ChatView } from "./chat-view.ts";
import { Composer } from "./composer.tsx";
import { Dialog } from "./dialog.tsx";
import { OwnStatus } from "./own-status.tsx";
import css from "./talk.module.css";

/** The main area of the panel: the dialog with the chosen contact, or why there is none. */
export function Talk(view: ChatView) {
  const { chat, online } = view;
  const { t } = useText();
  const { load, chatLoad, selectedId, contacts, chat: shown } = useLive(chat.now);
  const isOnline = useLive(online);
  const contact = contacts.find(({ id }) => id === selectedId);
  const failed = (text: string) => (
    <Hint text={text} isBad>
      <Key kind="line" onClick={() => chat.tryAgain()}>
        {t("app.tryAgain")}
      </Key>
    </Hint>
  );
  function content(): ReactNode {
    if (load === "failed") return failed(t("teamChat.contactsFailed"));
    if (load === "loading" || chatLoad === "loading") return <Hint text={t("app.loading")} isBusy />;
    if (chatLoad === "failed") return failed(t("teamChat.chatFailed"));
    if (contacts.length === 0) return <Hint text={t("teamChat.nobody")} />;
    if (contact === undefined || shown === undefined) return <Hint text={t("teamChat.select")} />;
    return <Dialog {...view} contact={contact} dialog={shown.dialog} />;
  }
  const hasChat = contact !== undefined && shown !== undefined && chatLoad === "ready";
  return (
    <section className={css["talk"]}>
      {!isOnline && (
        <p className={css["late"]} role="status">
          {t("teamChat.late")}
        </p>
      )}
      {content()}
      {hasChat && <Composer key={contact.id} chat={chat} />}
      {load === "ready" && selectedId === undefined && <OwnStatus chat={chat} />}
    </section>
  );
}

type HintProps = {
  readonly text: string;
  readonly isBusy?: true;
  readonly isBad?: true;
  readonly children?: ReactNode;
};

function Hint({ text, isBusy, isBad, children }: HintProps) {
  return (
    <div className={css["hint"]} aria-busy={isBusy}>
      <ChatGlyph />
      <p role={isBad ? "alert" : "status"}>{text}</p>
      {children}
    </div>
  );
}
