import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { Sheet } from "@longarm/ui/sheet.tsx";
import { useState } from "react";
import type { PinFormProps } from "../../features/profile/pin-form.tsx";
import { PinForm } from "../../features/profile/pin-form.tsx";
import css from "./pin-prompt.module.css";

export type PinPromptProps = {
  /** The idle time after which the screen locks, s. */
  readonly seconds: number;
  readonly onPin: PinFormProps["onPin"];
  /** The player has chosen one, or will not now. */
  readonly onClose: () => void;
};

/** Asks a player without a PIN to choose one: without it the screen cannot lock. */
export function PinPrompt({ seconds, onPin, onClose }: PinPromptProps) {
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
          onPin={async (fields) => {
            const failed = await onPin(fields);
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
