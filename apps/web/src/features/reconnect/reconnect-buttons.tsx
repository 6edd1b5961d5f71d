import type { SessionStatus } from "@longarm/contract/lobby-lists";
import type { Settings } from "@longarm/contract/settings";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import type { KeyKind } from "@longarm/ui/key.tsx";
import { Key } from "@longarm/ui/key.tsx";
import type { LampStatus } from "@longarm/ui/lamp.tsx";
import { useId, useState } from "react";
import { ContactLink, ContactLinks } from "../../shared/contacts/contacts.tsx";
import type { Reconnect, ReconnectNow } from "./reconnect.ts";
import css from "./reconnect-buttons.module.css";

type KeysProps = {
  readonly actions: readonly Action[];
  /** The first of them is the one to press. */
  readonly hasPrimary: boolean;
  readonly busy: ReconnectNow["busy"];
  readonly reconnect: Reconnect;
  readonly contacts: Settings["contacts"];
  /** Elsewhere than in the lobby closing goes there. */
  readonly toLobby: (() => void) | undefined;
};

/** The keys of a variant: the primary one over the whole width, the others beside each other. */
export function Keys({ actions, hasPrimary, busy, reconnect, contacts, toLobby }: KeysProps) {
  const { t } = useText();
  return (
    <div className={css["actions"]} data-primary={hasPrimary || undefined}>
      {actions.map((action, place) => {
        const primary = hasPrimary && place === 0;
        const look = { kind: primary ? "brass" : "plain", big: primary } as const;
        const others = busy !== undefined;
        switch (action) {
          case "continue":
            return (
              <Key key={action} {...look} disabled={others} onClick={reconnect.goOn}>
                {t("reconnect.continue")}
              </Key>
            );
          case "cashOut":
            return (
              <Key key={action} {...look} icon="cashOut" busy={others} onClick={() => void reconnect.cashOut()}>
                {t("reconnect.cashOut")}
              </Key>
            );
          case "kick":
            return (
              <Key key={action} kind="danger" busy={others} onClick={() => void reconnect.kick()}>
                {t("reconnect.kick")}
              </Key>
            );
          case "playHere":
            return (
              <Key key={action} {...look} busy={others} onClick={() => void reconnect.kick()}>
                {t("reconnect.playHere")}
              </Key>
            );
          case "tryAgain":
            return (
              <Key key={action} {...look} busy={others} onClick={reconnect.askAgain}>
                {t("reconnect.tryAgain")}
              </Key>
            );
          case "support":
            return <Support key={action} contacts={contacts} {...look} />;
          default:
            return (
              <Key
                key={action}
                kind="line"
                onClick={() => {
                  reconnect.close();
                  toLobby?.();
                }}
              >
                {toLobby === undefined ? t("reconnect.close") : t("reconnect.toLobby")}
              </Key>
            );
        }
      })}
    </div>
  );
}

/** The operator's WhatsApp: the one line at once, several behind a key. */
function Support({ contacts, kind, big }: Pick<KeysProps, "contacts"> & { kind: KeyKind; big: boolean }) {
  const { t } = useText();
  const [open, setOpen] = useState(false);
  const listId = useId();
  const [only] = contacts;
  if (only !== undefined && contacts.length === 1)
    return (
      <ContactLink contact={only} kind={kind} big={big}>
        {t("reconnect.support")}
      </ContactLink>
    );
  return (
    <>
      <Key {...{ kind, big }} icon="chat" aria-expanded={open} aria-controls={listId} onClick={() => setOpen(!open)}>
        {t("reconnect.support")}
      </Key>
      <div id={listId} className={css["contacts"]} hidden={!open}>
        <ContactLinks contacts={contacts} />
      </div>
    </>
  );
}

export type Action = "continue" | "cashOut" | "kick" | "playHere" | "tryAgain" | "support" | "close";

type Variant = {
  readonly lamp: LampStatus;
  /** In the order of the keys; the first one that can be had is the primary one (decision D-39). */
  readonly actions: readonly Action[];
};

/** What the dialog says: the machine's status, but another tab of this browser is not accused of being someone else. */
export type Face = SessionStatus | "otherTab";

export const VARIANTS: Readonly<Record<Face, Variant>> = {
  waiting: { lamp: "waiting", actions: ["continue", "cashOut", "close"] },
  // Nothing else: cashing out would lose the bonus.
  "in-bonus": { lamp: "waiting", actions: ["continue"] },
  "trying-cashout": { lamp: "playing", actions: ["support", "close"] },
  playing: { lamp: "playing", actions: ["support", "kick", "close"] },
  otherTab: { lamp: "playing", actions: ["playHere", "support", "close"] },
  error: { lamp: "fault", actions: ["cashOut", "support", "close"] },
  offline: { lamp: "off", actions: ["tryAgain", "support", "close"] },
  unknown: { lamp: "off", actions: ["tryAgain", "close"] },
};
