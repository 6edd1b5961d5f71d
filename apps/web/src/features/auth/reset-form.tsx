import { MAIL_CODE_MINUTES } from "@longarm/contract/player-mail";
import { Field } from "@longarm/ui/field.tsx";
import { Form, SecretField, useFields } from "@longarm/ui/form.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { useState } from "react";
import css from "./login.module.css";

type Chosen = {
  readonly reset: string;
  readonly code: string;
  readonly new_password: string;
  readonly second?: string;
};

/** A new password by a code that comes by e-mail. */
export type ResetDoor = {
  request(username: string): Promise<{ readonly reset: string } | { readonly failure: string }>;
  /** `is` names the field that was wrong; `second`: a recovery code is needed too, or was wrong. */
  choose(
    given: Chosen,
  ): Promise<
    { readonly is: "done" } | { readonly is: "second" | "code" | "password" | "failed"; readonly text: string }
  >;
};

/** First the name, then the code and the new password. */
export function ResetForm({ door }: { readonly door: ResetDoor }) {
  const { t } = useText();
  const [reset, setReset] = useState<string>();
  const [isDone, setDone] = useState(false);
  if (isDone) return <p role="status">{t("mail.done")}</p>;
  if (reset === undefined) return <NameForm door={door} onSent={setReset} />;
  return (
    <section className={css["code"]}>
      <p role="status">{t("mail.resetSent", { minutes: MAIL_CODE_MINUTES })}</p>
      <PasswordForm door={door} reset={reset} onDone={() => setDone(true)} />
      <p>{t("mail.staff")}</p>
      <Key onClick={() => setReset(undefined)}>{t("mail.again")}</Key>
    </section>
  );
}

function NameForm({ door, onSent }: { readonly door: ResetDoor; readonly onSent: (reset: string) => void }) {
  const { t } = useText();
  const fields = useFields({ username: "" }, async ({ username }) => {
    const end = await door.request(username.trim());
    if ("failure" in end) return { username: end.failure };
    onSent(end.reset);
    return undefined;
  });
  const { onText, ...field } = fields.field("username");
  return (
    <section className={css["code"]}>
      <p>{t("mail.resetAbout")}</p>
      <Form of={fields} send={t("mail.send")}>
        <Field
          label={t("auth.username")}
          name="reset-username"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          {...field}
          onChange={({ target }) => onText(target.value)}
        />
      </Form>
    </section>
  );
}

type PasswordFormProps = { readonly door: ResetDoor; readonly reset: string; readonly onDone: () => void };

function PasswordForm({ door, reset, onDone }: PasswordFormProps) {
  const { t } = useText();
  const [hasSecond, setSecond] = useState(false);
  const [second, setSecondText] = useState("");
  const [wrong, setWrong] = useState<string>();
  const fields = useFields({ code: "", password: "" }, async ({ code, password }) => {
    setWrong(undefined);
    const typed = hasSecond && second.trim() !== "" ? { second: second.trim() } : {};
    const end = await door.choose({ reset, code, new_password: password, ...typed });
    if (end.is === "done") {
      onDone();
      return undefined;
    }
    if (end.is === "second") {
      setSecond(true);
      if (hasSecond) setWrong(end.text);
      return {};
    }
    return end.is === "failed" ? { form: end.text } : { [end.is]: end.text };
  });
  const { onText: onCode, ...code } = fields.field("code");
  return (
    <Form of={fields} send={t("mail.set")}>
      <Field
        label={t("mail.code")}
        name="mailed-code"
        autoComplete="one-time-code"
        inputMode="numeric"
        maxLength={40}
        dir="ltr"
        autoFocus
        {...code}
        onChange={({ target }) => onCode(target.value)}
      />
      <SecretField
        label={t("mail.newPassword")}
        show={t("mail.show")}
        hide={t("mail.hide")}
        name="new_password"
        autoComplete="new-password"
        {...fields.field("password")}
      />
      {hasSecond && (
        <>
          <p role="status">{t("mail.secondAbout")}</p>
          <Field
            label={t("mail.second")}
            name="second"
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            maxLength={60}
            dir="ltr"
            autoFocus
            value={second}
            error={wrong}
            onChange={({ target }) => {
              setSecondText(target.value);
              setWrong(undefined);
            }}
          />
        </>
      )}
    </Form>
  );
}
