import type { FormEvent } from "react";
import { useId, useRef, useState } from "react";
import { useText } from "../../shared/i18n/use-text.ts";
import { Field } from "../../shared/ui/field.tsx";
import { Icon } from "../../shared/ui/icon.tsx";
import { IconButton, Key } from "../../shared/ui/key.tsx";
import type { PasswordErrors, PasswordFields } from "./password-model.ts";
import { maySend } from "./password-model.ts";
import css from "./profile.module.css";

export type PasswordFormProps = {
  /** For the browser's password keeper: whose password it is. */
  readonly username: string;
  /** Sends both. Resolves with what went wrong, or undefined when the password is changed. */
  readonly onChange: (fields: PasswordFields) => Promise<PasswordErrors | undefined>;
};

const EMPTY: PasswordFields = { oldPassword: "", newPassword: "" };

/** Old and new password; the key wakes up once both are there. */
export function PasswordForm({ username, onChange }: PasswordFormProps) {
  const { t } = useText();
  const title = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  const form = useRef<HTMLFormElement>(null);
  const [fields, setFields] = useState(EMPTY);
  const [errors, setErrors] = useState<PasswordErrors>({});
  const [busy, setBusy] = useState(false);

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (busy || !maySend(fields)) return;
    setBusy(true);
    setErrors({});
    const failed = await onChange(fields);
    setBusy(false);
    if (failed === undefined) {
      setFields(EMPTY);
      // The key sleeps again: without a new place the focus would be lost.
      heading.current?.focus();
      return;
    }
    setErrors(failed);
    const name = failed.newPassword === undefined ? "old_password" : "new_password";
    const field = form.current?.querySelector<HTMLInputElement>(`[name=${name}]`);
    field?.focus();
    field?.select();
  }

  function change(part: Partial<PasswordFields>) {
    setFields({ ...fields, ...part });
    setErrors({});
  }

  return (
    <section className={css["block"]} aria-labelledby={title}>
      <h2 id={title} ref={heading} tabIndex={-1}>
        {t("profile.changePassword")}
      </h2>
      <form ref={form} className={css["form"]} onSubmit={(event) => void submit(event)} noValidate>
        {errors.form !== undefined && (
          <p className={css["alert"]} role="alert">
            <Icon name="warning" />
            {errors.form}
          </p>
        )}
        <input className={css["keeper"]} type="text" autoComplete="username" value={username} readOnly />
        <div className={css["pair"]}>
          <Secret
            label={t("profile.oldPassword")}
            show={t("profile.showOld")}
            hide={t("profile.hideOld")}
            name="old_password"
            autoComplete="current-password"
            value={fields.oldPassword}
            error={errors.oldPassword}
            onText={(oldPassword) => change({ oldPassword })}
          />
          <Secret
            label={t("profile.newPassword")}
            show={t("profile.showNew")}
            hide={t("profile.hideNew")}
            name="new_password"
            autoComplete="new-password"
            value={fields.newPassword}
            error={errors.newPassword}
            onText={(newPassword) => change({ newPassword })}
          />
        </div>
        <Key kind="brass" type="submit" className={css["go"]} busy={busy} disabled={!maySend(fields)}>
          {t("profile.changePassword")}
        </Key>
      </form>
    </section>
  );
}

/** A password's, or a PIN's, field with the key that shows what was typed; it is hidden again once the field is empty. */
export function Secret(props: {
  readonly "data-field"?: string;
  readonly inputMode?: "numeric";
  readonly label: string;
  readonly show: string;
  readonly hide: string;
  readonly name: string;
  readonly autoComplete: string;
  readonly value: string;
  readonly error: string | undefined;
  readonly onText: (text: string) => void;
}) {
  const { label, show, hide, name, autoComplete, value, error, onText, inputMode } = props;
  const [wanted, setWanted] = useState(false);
  const shown = wanted && value !== "";
  return (
    <Field
      label={label}
      name={name}
      type={shown ? "text" : "password"}
      autoComplete={autoComplete}
      autoCapitalize="none"
      spellCheck={false}
      required
      data-field={props["data-field"]}
      {...(inputMode && { inputMode })}
      value={value}
      error={error}
      onChange={({ target }) => {
        if (value === "") setWanted(false);
        onText(target.value);
      }}
      after={
        <IconButton
          icon={shown ? "eyeOff" : "eye"}
          label={shown ? hide : show}
          className={css["eye"] ?? ""}
          onClick={() => setWanted(!shown)}
        />
      }
    />
  );
}
