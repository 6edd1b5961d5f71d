import type { ChatMessage } from "@longarm/contract/notification-socket";
import type { Language } from "@longarm/contract/settings";
import type { ChatContact } from "@longarm/contract/template/team-chat";
import { CHAT_TEXT_MAX } from "@longarm/contract/template/team-chat";
import type { Timers } from "@longarm/link/socket";
import { Avatar } from "@longarm/ui/avatar.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key, keyClass } from "@longarm/ui/key.tsx";
import type { Live } from "@longarm/ui/live.ts";
import { useLive } from "@longarm/ui/live.ts";
import { agoText } from "@longarm/ui/time/ago-text.ts";
import { dateTimeText } from "@longarm/ui/time/time-text.ts";
import { useNow } from "@longarm/ui/time/use-now.ts";
import type { KeyboardEvent, ReactNode } from "react";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { failureText } from "../../shared/i18n/problem-text.ts";
import type { Bubbles, Unsent } from "./chat-state.ts";
import { groupsOf, keyOf } from "./chat-state.ts";
import { OwnStatus, useNameOf } from "./contacts.tsx";
import css from "./talk.module.css";
import type { TeamChat } from "./team-chat.ts";

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

type DialogProps = ChatView & { readonly contact: ChatContact; readonly dialog: readonly ChatMessage[] };

const NOTHING: readonly Unsent[] = [];
/** A reader who has scrolled back further than this is not taken to the end, px. */
const AT_END_PX = 80;

/** What was said, in bubbles: one's own at the end side. Always at its end, unless somebody has scrolled back. */
function Dialog({ chat, clock, timers, contact, dialog }: DialogProps) {
  const { t } = useText();
  const name = useNameOf()(contact);
  const unsent = useLive(chat.now, (state) => state.unsent[contact.id] ?? NOTHING);
  const now = useNow(clock, timers, EVERY_MS);
  const box = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const newest = dialog.at(-1);
  const shown = `${newest && keyOf(newest)} ${unsent.map(({ key, failure }) => `${key} ${failure?.is}`).join()}`;
  useLayoutEffect(() => {
    const scroller = box.current;
    if (scroller !== null && shown !== "" && atEnd.current) scroller.scrollTop = scroller.scrollHeight;
  }, [shown]);
  const groups = groupsOf(dialog);
  return (
    <div
      ref={box}
      className={css["dialog"]}
      role="log"
      aria-label={t("teamChat.dialog", { name })}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
      tabIndex={0}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        atEnd.current = scrollHeight - scrollTop - clientHeight < AT_END_PX;
      }}
    >
      {groups.length === 0 && unsent.length === 0 && <p className={css["start"]}>{t("teamChat.start")}</p>}
      {groups.map((group) => (
        <Group key={groupKey(group)} group={group} contact={contact} name={name} now={now} />
      ))}
      {unsent.map((one) => (
        <NotSent
          key={one.key}
          unsent={one}
          onRetry={() => chat.retry(one.key)}
          onDiscard={() => chat.discard(one.key)}
        />
      ))}
    </div>
  );
}

const groupKey = ({ messages: [first] }: Bubbles): string => (first === undefined ? "" : keyOf(first));

type GroupProps = {
  readonly group: Bubbles;
  readonly contact: ChatContact;
  readonly name: string;
  readonly now: number;
};

function Group({ group: { who, messages }, contact, name, now }: GroupProps) {
  const { t, language } = useText();
  const isOwn = who !== contact.id;
  const last = messages.at(-1);
  return (
    <div className={css["group"]} data-own={isOwn || undefined}>
      {messages.map((message) => (
        <p key={keyOf(message)} className={css["bubble"]}>
          <span className="visually-hidden">{isOwn ? t("teamChat.you") : name}: </span>
          <span className={css["text"]} dir="auto">
            {message.message}
          </span>
        </p>
      ))}
      <span className={css["foot"]}>
        {!isOwn && <Avatar name={name} photo={contact.avatar ?? ""} className={css["avatar"] ?? ""} />}
        {last && <time dateTime={last.time}>{relativeText(last.time, now, language)}</time>}
      </span>
    </div>
  );
}

type NotSentProps = { readonly unsent: Unsent; readonly onRetry: () => void; readonly onDiscard: () => void };

function NotSent({ unsent: { text, failure }, onRetry, onDiscard }: NotSentProps) {
  const speech = useText();
  const { t } = speech;
  return (
    <div className={css["group"]} data-own data-unsent={failure === undefined ? "sending" : "failed"}>
      <p className={css["bubble"]}>
        <span className={css["text"]} dir="auto">
          {text}
        </span>
      </p>
      {failure === undefined ? (
        <span className={css["foot"]}>{t("teamChat.sending")}</span>
      ) : (
        <>
          <span className={css["failure"]} role="alert">
            {t("teamChat.notSent")} {failureText(speech, failure)}
          </span>
          <span className={css["keys"]}>
            <Key kind="line" onClick={onRetry}>
              {t("app.tryAgain")}
            </Key>
            <Key kind="bare" onClick={onDiscard}>
              {t("teamChat.discard")}
            </Key>
          </span>
        </>
      )}
    </div>
  );
}

/** How often "a minute ago" is refreshed, ms. */
const EVERY_MS = 30_000;
const WEEK_MS = 7 * 86_400_000;

/** How long ago an ISO time is; from a week on the day and time themselves. */
function relativeText(time: string, now: number, language: Language): string {
  // A clock that is a little ahead must not speak of the future.
  const ago = Math.max(0, now - Date.parse(time));
  return ago < WEEK_MS ? agoText(ago, language) : dateTimeText(time, language);
}

/** Where a message is typed. Enter sends, with Shift it begins a line. */
function Composer({ chat }: { readonly chat: TeamChat }) {
  const { t } = useText();
  const [text, setText] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    // On a touch screen the keyboard would cover what was written before.
    if (matchMedia("(hover: hover)").matches) field.current?.focus({ preventScroll: true });
  }, []);
  function send(): void {
    if (chat.send(text)) setText("");
    field.current?.focus({ preventScroll: true });
  }
  function onKeyDown(event: KeyboardEvent): void {
    // Enter that ends a composed word sends nothing.
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  }
  return (
    <form
      className={css["composer"]}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        ref={field}
        rows={1}
        dir="auto"
        value={text}
        maxLength={CHAT_TEXT_MAX}
        aria-label={t("teamChat.field")}
        placeholder={t("teamChat.field")}
        enterKeyHint="send"
        onChange={({ target }) => setText(target.value)}
        onKeyDown={onKeyDown}
      />
      <button
        type="submit"
        className={keyClass({ kind: "bare" }, css["send"])}
        aria-label={t("teamChat.send")}
        title={t("teamChat.send")}
      >
        <SendGlyph />
      </button>
    </form>
  );
}

/** Two bubbles: people who talk to each other. */
export function ChatGlyph() {
  return (
    <Glyph path="M4 5.5h9A1.5 1.5 0 0 1 14.5 7v5a1.5 1.5 0 0 1-1.5 1.5H8L4.5 16.5v-3A1.5 1.5 0 0 1 3 12V7a1.5 1.5 0 0 1 1-1.5zM17.5 9.5H19.5A1.5 1.5 0 0 1 21 11v5a1.5 1.5 0 0 1-1.5 1.5v3L16 17.5h-4.5A1.5 1.5 0 0 1 10 16.5" />
  );
}

/** A paper plane that flies to the end of the line. */
function SendGlyph() {
  return <Glyph path="M4 12 20.5 4.5 16 20l-4.5-6.5zM11.5 13.5 20.5 4.5" flips />;
}

function Glyph({ path, flips }: { readonly path: string; readonly flips?: true }) {
  return (
    <svg className={css["glyph"]} viewBox="0 0 24 24" aria-hidden="true" data-flips={flips}>
      <path d={path} />
    </svg>
  );
}

/** What the panel is drawn with. */
export type ChatView = {
  readonly chat: TeamChat;
  /** The live connection is there. */
  readonly online: Live<boolean>;
  readonly clock: { now(): number };
  readonly timers: Timers;
};
