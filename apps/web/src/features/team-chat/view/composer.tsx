import { CHAT_TEXT_MAX } from "@longarm/contract/template/team-chat";
import type { KeyboardEvent } from "react";
import { useEffect, useRef, useState } from "react";
import { useText } from "../../../shared/i18n/use-text.ts";
import { keyClass } from "../../../shared/ui/key.tsx";
import type { TeamChat } from "../model/team-chat.ts";
import { SendGlyph } from "./chat-glyph.tsx";
import css from "./composer.module.css";

/** Where a message is typed. Enter sends, with Shift it begins a line. */
export function Composer({ chat }: { readonly chat: TeamChat }) {
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
