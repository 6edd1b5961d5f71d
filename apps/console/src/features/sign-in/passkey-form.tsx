import { Field } from "@longarm/ui/field.tsx";
import { FormAlert } from "@longarm/ui/form.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { useState } from "react";
import { deviceLabel } from "../../shared/ui/device-label.ts";
import { ConsoleIcon } from "../../shared/ui/icons.tsx";
import { usePasskeyTry } from "../../shared/ui/passkey-try.ts";
import { gateCss } from "./gate.tsx";

/** Makes a first passkey, which is named after its device. */
export function PasskeyForm({ make }: { readonly make: (label: string) => Promise<void> }) {
  const { t } = useText();
  const [label, setLabel] = useState(() => deviceLabel(navigator.userAgent));
  const { busy, failure, start } = usePasskeyTry(() => make(label));
  return (
    <div className={gateCss["form"]}>
      <Field
        label={t("app.passkeyLabel")}
        note={t("app.passkeyLabelNote")}
        value={label}
        maxLength={100}
        onChange={({ target }) => setLabel(target.value)}
      />
      <Key kind="brass" className={gateCss["brass"]} busy={busy} disabled={label.trim() === ""} onClick={start}>
        <ConsoleIcon name="passkey" />
        {t("signIn.makePasskey")}
      </Key>
      {failure !== undefined && <FormAlert>{failure}</FormAlert>}
    </div>
  );
}
