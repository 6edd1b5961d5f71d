import type { Settings } from "@longarm/contract/settings";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { Sheet } from "@longarm/ui/sheet.tsx";
import { ContactLinks } from "../../shared/contacts/contacts.tsx";
import css from "./panel-sheets.module.css";

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

/** The operator's contacts. */
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
