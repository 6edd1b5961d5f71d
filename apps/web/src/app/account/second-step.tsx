import { problems } from "@longarm/contract/problems";
import { Field } from "@longarm/ui/field.tsx";
import { Form, useFields } from "@longarm/ui/form.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import css from "../../features/auth/login.module.css";
import type { ApiFailure } from "../../shared/api/failure.ts";
import { failureText } from "../../shared/i18n/problem-text.ts";

type Props = {
  /** Logs in with the code beside the password. Resolves with what went wrong, or undefined when the page moves on. */
  readonly onCode: (code: string) => Promise<ApiFailure | undefined>;
  readonly onBack: () => void;
};

/** Right after the password: the code of the player's authenticator app. Loaded when the platform wants one. */
export function SecondStep({ onCode, onBack }: Props) {
  const speech = useText();
  const { t } = speech;
  const fields = useFields({ code: "" }, async ({ code }) => {
    const failure = await onCode(code.trim());
    if (failure === undefined) return undefined;
    const text = failureText(speech, failure);
    return failure.code === problems["app.code_wrong"].code ? { code: text } : { form: text };
  });
  const { onText, ...field } = fields.field("code");
  return (
    <div className={css["form"]}>
      <section className={css["code"]}>
        <h2>{t("keys.secondTitle")}</h2>
        <p>{t("keys.secondAbout")}</p>
        <Form of={fields} send={t("auth.submit")}>
          <Field
            label={t("keys.secondCode")}
            name="code"
            autoComplete="one-time-code"
            autoCapitalize="characters"
            spellCheck={false}
            maxLength={60}
            dir="ltr"
            autoFocus
            {...field}
            onChange={({ target }) => onText(target.value)}
          />
        </Form>
      </section>
      <Key big className={css["submit"] ?? ""} onClick={onBack}>
        {t("auth.forgotBack")}
      </Key>
    </div>
  );
}
