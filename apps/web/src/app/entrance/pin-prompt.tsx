import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { hasPasskeys } from "@longarm/ui/passkeys.ts";
import { Sheet } from "@longarm/ui/sheet.tsx";
import { useState } from "react";
import { PinForm } from "../../features/profile/pin-form.tsx";
import { STORAGE_KEYS } from "../../shared/storage/storage.ts";
import { choosePin } from "../account/new-secrets.ts";
import type { App } from "../app.ts";
import css from "./pin-prompt.module.css";

export type PinPromptProps = {
  /** The idle time after which the screen locks, s. */
  readonly seconds: number;
  readonly app: App;
  /** The player has chosen one, or will not now. */
  readonly onClose: () => void;
};

/** Asks a player without a PIN to choose one: without it the screen cannot lock. */
export function PinPrompt({ seconds, app, onClose }: PinPromptProps) {
  const { t } = useText();
  const [open, setOpen] = useState(true);
  function close(): void {
    setOpen(false);
    onClose();
  }
  return (
    <Sheet open={open} onClose={close} title={t("profile.pinChoose")}>
      <div className={css["body"]}>
        <p>{t("profile.pinAsk", { seconds })}</p>
        <PinForm
          hasPin={false}
          hasPasskey={hasPasskeys() && app.storage.read(STORAGE_KEYS.passkey) !== null}
          onPin={async (fields) => {
            const failed = await choosePin(app, fields);
            if (failed === undefined) close();
            return failed;
          }}
        />
        <Key kind="bare" onClick={close}>
          {t("profile.pinLater")}
        </Key>
      </div>
    </Sheet>
  );
}
