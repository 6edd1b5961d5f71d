import type { ChatMessage } from "@longarm/contract/notification-socket";
import type { Language } from "@longarm/contract/settings";
import type { ChatContact } from "@longarm/contract/template/team-chat";
import type { Timers } from "@longarm/link/socket";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { failureText } from "../../../shared/i18n/problem-text.ts";
import { useText } from "../../../shared/i18n/use-text.ts";
import { useLive } from "../../../shared/live/live.ts";
import { LOCALES } from "../../../shared/money/format.ts";
import { dateTimeText } from "../../../shared/time/time-text.ts";
import { Avatar } from "../../../shared/ui/avatar/avatar.tsx";
import { Key } from "../../../shared/ui/key.tsx";
import type { Bubbles, Unsent } from "../model/chat-state.ts";
import { groupsOf, keyOf } from "../model/chat-state.ts";
import type { ChatView } from "./chat-view.ts";
import css from "./dialog.module.css";
import { useNameOf } from "./use-name-of.ts";

type DialogProps = ChatView & { readonly contact: ChatContact; readonly dialog: readonly ChatMessage[] };

const NOTHING: readonly Unsent[] = [];
/** Whoever has scrolled back further than this reads, and is not taken to the end, px. */
const AT_END_PX = 80;

/** What was said, in bubbles: one's own at the end side. Always at its end, unless somebody has scrolled back. */
export function Dialog({ chat, clock, timers, contact, dialog }: DialogProps) {
  const { t } = useText();
  const name = useNameOf()(contact);
  const unsent = useLive(chat.now, (state) => state.unsent[contact.id] ?? NOTHING);
  const now = useMinute(clock, timers);
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

/** How often "a minute ago" is said anew, ms. */
const EVERY_MS = 30_000;

/** The time, ms since 1970, fresh enough for words like "5 minutes ago". */
function useMinute(clock: { now(): number }, timers: Timers): number {
  const [now, setNow] = useState(() => clock.now());
  useEffect(() => {
    let stop = (): void => {};
    const tick = (): void => {
      setNow(clock.now());
      stop = timers.after(EVERY_MS, tick);
    };
    tick();
    return () => stop();
  }, [clock, timers]);
  return now;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const formats = new Map<Language, Intl.RelativeTimeFormat>();

/** How long ago an ISO time is, in the page's language: "now", "5 minutes ago", "yesterday"; from a week on the day and time themselves. */
function relativeText(time: string, now: number, language: Language): string {
  // A clock that is a little ahead tells nothing of the future.
  const ago = Math.max(0, now - Date.parse(time));
  if (!(ago < 7 * DAY_MS)) return dateTimeText(time, language);
  const format = formats.get(language) ?? new Intl.RelativeTimeFormat(LOCALES[language], { numeric: "auto" });
  formats.set(language, format);
  if (ago < MINUTE_MS) return format.format(0, "second");
  if (ago < HOUR_MS) return format.format(-Math.floor(ago / MINUTE_MS), "minute");
  if (ago < DAY_MS) return format.format(-Math.floor(ago / HOUR_MS), "hour");
  return format.format(-Math.floor(ago / DAY_MS), "day");
}
