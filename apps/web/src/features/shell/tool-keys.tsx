import type { Settings } from "@longarm/contract/settings";
import { ContactLinks } from "../../shared/contacts/contact-links.tsx";
import { useText } from "../../shared/i18n/use-text.ts";
import { IconButton, Key } from "../../shared/ui/key.tsx";
import { Sheet } from "../../shared/ui/sheet.tsx";
import css from "./tool-keys.module.css";

/** What lies over the page, one at a time. */
export type Panel = "drawer" | "search" | "info" | "support";

export type ToolKeysProps = {
  readonly hasInfo: boolean;
  readonly hasSupport: boolean;
  readonly open: (panel: Panel) => void;
};

/** The small keys: search, information, support. */
export function ToolKeys(props: ToolKeysProps) {
  const { t } = useText();
  return (
    <>
      <IconButton
        icon="search"
        label={t("shell.search")}
        title={t("shell.searchHint")}
        aria-keyshortcuts="Control+K /"
        aria-haspopup="dialog"
        onClick={() => props.open("search")}
      />
      <InfoKeys {...props} />
    </>
  );
}

/** Information and support stand only where there is something to show. */
export function InfoKeys({ hasInfo, hasSupport, open }: ToolKeysProps) {
  const { t } = useText();
  return (
    <>
      {hasInfo && (
        <IconButton icon="info" label={t("shell.info")} aria-haspopup="dialog" onClick={() => open("info")} />
      )}
      {hasSupport && (
        <IconButton icon="chat" label={t("shell.support")} aria-haspopup="dialog" onClick={() => open("support")} />
      )}
    </>
  );
}

type SheetProps = {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly finalFocus: () => HTMLElement | boolean;
};

/** The operator's information text, its lines as they were written. */
export function InfoSheet({ text, ...sheet }: SheetProps & { text: string }) {
  const { t } = useText();
  return (
    <Sheet {...sheet} title={t("shell.info")}>
      <div className={css["body"]}>
        <p className={css["text"]} dir="auto">
          {text}
        </p>
        <Key kind="line" onClick={sheet.onClose}>
          {t("app.close")}
        </Key>
      </div>
    </Sheet>
  );
}

/** Whom to write to. */
export function SupportSheet({ contacts, ...sheet }: SheetProps & Pick<Settings, "contacts">) {
  const { t } = useText();
  return (
    <Sheet {...sheet} title={t("shell.support")}>
      <div className={css["body"]}>
        <p className={css["lead"]}>{t("shell.supportBody")}</p>
        <ContactLinks contacts={contacts} className={css["contacts"]} />
        <Key kind="line" onClick={sheet.onClose}>
          {t("app.close")}
        </Key>
      </div>
    </Sheet>
  );
}
