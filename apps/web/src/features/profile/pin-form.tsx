import type { FormEvent } from "react";
import { useEffect, useRef, useState } from "react";
import type { Speech } from "../../shared/i18n/texts.ts";
import { useText } from "../../shared/i18n/use-text.ts";
import { Icon } from "../../shared/ui/icon.tsx";
import { Key } from "../../shared/ui/key.tsx";
import { Secret } from "./password-form.tsx";
import type { PinErrors, PinFields } from "./pin-model.ts";
import css from "./profile.module.css";

export type PinFormProps = {
  /** The player has one already. */
  readonly hasPin: boolean;
  /** The player opened the form and goes on in its first field. */
  readonly focuses?: boolean;
  /** Sends the password and the new PIN. Resolves with what went wrong, or undefined when the PIN is saved. */
  readonly onPin: (fields: PinFields) => Promise<PinErrors | undefined>;
};

/** A PIN as the platform accepts it. */
const PIN = /^[0-9]{4,12}$/;
const EMPTY = { password: "", pin: "", repeated: "" };

/** Password, and the new PIN twice; what can be seen to be wrong is said before anything is sent. */
export function PinForm({ hasPin, focuses = false, onPin }: PinFormProps) {
  const { t } = useText();
  const form = useRef<HTMLFormElement>(null);
  const [fields, setFields] = useState(EMPTY);
  const [errors, setErrors] = useState<PinErrors>({});
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    if (focuses) form.current?.querySelector("input")?.focus();
  }, [focuses]);
  const isFilled = fields.password !== "" && fields.pin !== "" && fields.repeated !== "";

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (busy || !isFilled) return;
    setBusy(true);
    setErrors({});
    const failed = seenErrors(t, fields) ?? (await onPin({ password: fields.password, pin: fields.pin }));
    setBusy(false);
    if (failed === undefined) {
      setFields(EMPTY);
      return;
    }
    setErrors(failed);
    const [name = "password"] = Object.keys(failed).filter((one) => one !== "form");
    const field = form.current?.querySelector<HTMLInputElement>(`[data-field=${name}]`);
    field?.focus();
    field?.select();
  }

  function change(part: Partial<typeof EMPTY>) {
    setFields({ ...fields, ...part });
    setErrors({});
  }
  const digits = (text: string) => text.replace(/[^0-9]/g, "").slice(0, 12);

  return (
    <form ref={form} className={css["form"]} onSubmit={(event) => void submit(event)} noValidate>
      {errors.form !== undefined && (
        <p className={css["alert"]} role="alert">
          <Icon name="warning" />
          {errors.form}
        </p>
      )}
      <Secret
        label={t("profile.pinPassword")}
        show={t("profile.showPassword")}
        hide={t("profile.hidePassword")}
        name="pin_password"
        data-field="password"
        autoComplete="current-password"
        value={fields.password}
        error={errors.password}
        onText={(password) => change({ password })}
      />
      <div className={css["pair"]}>
        <Secret
          label={t("profile.pinNew")}
          show={t("profile.showPin")}
          hide={t("profile.hidePin")}
          name="new_pin"
          data-field="pin"
          inputMode="numeric"
          autoComplete="off"
          value={fields.pin}
          error={errors.pin}
          onText={(text) => change({ pin: digits(text) })}
        />
        <Secret
          label={t("profile.pinRepeat")}
          show={t("profile.showPinRepeat")}
          hide={t("profile.hidePinRepeat")}
          name="new_pin_again"
          data-field="repeated"
          inputMode="numeric"
          autoComplete="off"
          value={fields.repeated}
          error={errors.repeated}
          onText={(text) => change({ repeated: digits(text) })}
        />
      </div>
      <Key kind="brass" type="submit" className={css["go"]} busy={busy} disabled={!isFilled}>
        {t(hasPin ? "profile.pinChange" : "profile.pinChoose")}
      </Key>
    </form>
  );
}

/** What the page sees by itself; whether a PIN is too easy is the platform's to judge. */
function seenErrors(t: Speech["t"], { pin, repeated }: typeof EMPTY): PinErrors | undefined {
  if (!PIN.test(pin)) return { pin: t("profile.pinForm") };
  return pin === repeated ? undefined : { repeated: t("profile.pinDiffers") };
}
