import { useId, useRef } from "react";
import { useText } from "../../shared/i18n/use-text.ts";
import type { PasswordErrors, PasswordFields } from "./password-model.ts";
import css from "./profile.module.css";
import { FieldsForm, Secret, useFields } from "./secret-form.tsx";

export type PasswordFormProps = {
  /** For the browser's password keeper: whose password it is. */
  readonly username: string;
  /** Sends both. Resolves with what went wrong, or undefined when the password is changed. */
  readonly onChange: (fields: PasswordFields) => Promise<PasswordErrors | undefined>;
};

const EMPTY: PasswordFields = { oldPassword: "", newPassword: "" };

/** Old and new password; the button wakes up once both are there. */
export function PasswordForm({ username, onChange }: PasswordFormProps) {
  const { t } = useText();
  const title = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  // The button sleeps again: without a new place the focus would be lost.
  const fields = useFields(EMPTY, onChange, () => heading.current?.focus());
  return (
    <section className={css["block"]} aria-labelledby={title}>
      <h2 id={title} ref={heading} tabIndex={-1}>
        {t("profile.changePassword")}
      </h2>
      <FieldsForm of={fields} send={t("profile.changePassword")}>
        <input className={css["keeper"]} type="text" autoComplete="username" value={username} readOnly />
        <div className={css["pair"]}>
          <Secret
            label={t("profile.oldPassword")}
            show={t("profile.showOld")}
            hide={t("profile.hideOld")}
            name="old_password"
            autoComplete="current-password"
            {...fields.field("oldPassword")}
          />
          <Secret
            label={t("profile.newPassword")}
            show={t("profile.showNew")}
            hide={t("profile.hideNew")}
            name="new_password"
            autoComplete="new-password"
            {...fields.field("newPassword")}
          />
        </div>
      </FieldsForm>
    </section>
  );
}
