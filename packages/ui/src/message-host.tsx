import { useEffect, useState } from "react";
import { createPortal } from "react-dom";
import { useText } from "./i18n/use-text.ts";
import { Icon } from "./icon.tsx";
import type { IconName } from "./icon-paths.ts";
import { useLive } from "./live.ts";
import css from "./message-host.module.css";
import type { Message, Messages } from "./messages.ts";

const ICONS: Record<Message["kind"], IconName> = { good: "check", bad: "warning", info: "info" };

/** Top centre, over dialogs too: at most two messages, held while pointed at or focused. */
export function MessageHost({ messages }: { messages: Messages }) {
  const shown = useLive(messages.shown);
  const { t } = useText();
  // Dialogs are beside the page's root, which is a layer of its own: inside it a message would be under them.
  return createPortal(
    <section className={css["host"]} aria-label={t("app.messages")} aria-live="polite">
      {shown.map((message) => (
        <ShownMessage key={message.id} message={message} dismiss={messages.dismiss} close={t("app.close")} />
      ))}
    </section>,
    document.body,
  );
}

function ShownMessage({ message, dismiss, close }: { message: Message; dismiss: Messages["dismiss"]; close: string }) {
  const [held, hold] = useState(false);
  useEffect(() => {
    if (held) return;
    const timer = setTimeout(() => dismiss(message.id), message.forMs);
    return () => clearTimeout(timer);
  }, [held, dismiss, message.id, message.forMs]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: pointing at it only holds its timer.
    <div
      className={css["message"]}
      data-kind={message.kind}
      role={message.kind === "bad" ? "alert" : "status"}
      onPointerEnter={() => hold(true)}
      onPointerLeave={() => hold(false)}
      onFocus={() => hold(true)}
      onBlur={() => hold(false)}
    >
      <Icon name={ICONS[message.kind]} />
      <span>{message.text}</span>
      {message.act !== undefined && (
        <button
          type="button"
          className={css["act"]}
          onClick={() => {
            dismiss(message.id);
            message.act?.run();
          }}
        >
          {message.act.label}
        </button>
      )}
      <button type="button" className={css["close"]} aria-label={close} onClick={() => dismiss(message.id)}>
        <Icon name="close" />
      </button>
    </div>
  );
}
