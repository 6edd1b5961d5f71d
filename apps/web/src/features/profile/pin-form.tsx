import type { FieldErrors } from "@longarm/ui/form.tsx";
import { Form, SecretField, useFields } from "@longarm/ui/form.tsx";
import type { Speech } from "@longarm/ui/i18n/texts.ts";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { useEffect } from "react";
import { PasskeyInstead } from "./passkey-instead.tsx";
import css from "./profile.module.css";

/** Without the password a passkey confirms the change. */
export type PinFields = { readonly password?: string; readonly pin: string };
export type PinErrors = FieldErrors<"password" | "pin" | "repeated">;

export type PinFormProps = {
  /** The player has one already. */
  readonly hasPin: boolean;
  /** Moves the focus to the first field: the player has just opened the form. */
  readonly focuses?: boolean;
  /** Sends the password and the new PIN. Resolves with what went wrong, or undefined when the PIN is saved. */
  readonly onPin: (fields: PinFields) => Promise<PinErrors | undefined>;
  /** The player has a passkey that this browser may use in place of the password. */
  readonly hasPasskey: boolean;
};

/** A PIN as the platform accepts it. */
const PIN = /^[0-9]{4,12}$/;
const EMPTY = { password: "", pin: "", repeated: "" };

/** Password, and the new PIN twice; obvious mistakes are reported before anything is sent. */
export function PinForm({ hasPin, focuses = false, onPin, hasPasskey }: PinFormProps) {
  const { t } = useText();
  const fields = useFields(
    EMPTY,
    async ({ password, pin, repeated }) => obviousErrors(t, { pin, repeated }) ?? (await onPin({ password, pin })),
  );
  const { form } = fields;
  const byPasskey = () =>
    fields.sendBy(async ({ pin, repeated }) => obviousErrors(t, { pin, repeated }) ?? (await onPin({ pin })));
  useEffect(() => {
    if (focuses) form.current?.querySelector("input")?.focus();
  }, [focuses, form]);
  const digits = (text: string) => text.replace(/[^0-9]/g, "").slice(0, 12);

  return (
    <Form
      of={fields}
      send={t(hasPin ? "profile.pinChange" : "profile.pinChoose")}
      also={
        hasPasskey && (
          <PasskeyInstead
            busy={fields.busy}
            disabled={fields.fields.pin === "" || fields.fields.repeated === ""}
            onUse={byPasskey}
          />
        )
      }
    >
      <SecretField
        label={t("profile.pinPassword")}
        show={t("profile.showPassword")}
        hide={t("profile.hidePassword")}
        name="pin_password"
        autoComplete="current-password"
        {...fields.field("password")}
      />
      <div className={css["pair"]}>
        <SecretField
          label={t("profile.pinNew")}
          show={t("profile.showPin")}
          hide={t("profile.hidePin")}
          name="new_pin"
          inputMode="numeric"
          autoComplete="off"
          {...fields.field("pin", digits)}
        />
        <SecretField
          label={t("profile.pinRepeat")}
          show={t("profile.showPinRepeat")}
          hide={t("profile.hidePinRepeat")}
          name="new_pin_again"
          inputMode="numeric"
          autoComplete="off"
          {...fields.field("repeated", digits)}
        />
      </div>
    </Form>
  );
}

/** Mistakes that the page can see; whether a PIN is too easy is for the platform to decide. */
function obviousErrors(t: Speech["t"], { pin, repeated }: Omit<typeof EMPTY, "password">): PinErrors | undefined {
  if (!PIN.test(pin)) return { pin: t("profile.pinForm") };
  return pin === repeated ? undefined : { repeated: t("profile.pinDiffers") };
}
