import type { Language, Settings } from "@longarm/contract/settings";
import { Field } from "@longarm/ui/field.tsx";
import { Form, useFields } from "@longarm/ui/form.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import { Key } from "@longarm/ui/key.tsx";
import { LanguageChoice } from "@longarm/ui/language-choice.tsx";
import { Logo } from "@longarm/ui/logo.tsx";
import { siteName } from "@longarm/ui/page-title.ts";
import type { ReactNode } from "react";
import { useState } from "react";
import { ContactLinks, isReachable, LegalLine } from "../../shared/contacts/contacts.tsx";
import { failureText } from "../../shared/i18n/problem-text.ts";
import css from "./login.module.css";
import type { LoginFormProps } from "./login-form.tsx";
import { LoginForm } from "./login-form.tsx";
import type { PasskeyDoor } from "./passkey-door.ts";

/** How long the arm stays down before the form is there, ms. Nothing waits for it with reduced motion. */
const PULL_MS = 260;

export type LoginScreenProps = LoginFormProps & {
  readonly settings: Pick<Settings, "contacts" | "showContactOnLogin" | "loginNotice" | "minimumAge">;
  /** Only a token in the address signs in, and it was bad or absent. */
  readonly refused: boolean;
  /** How a forgotten password is replaced. */
  readonly reset: ReactNode;
  /** What is wanted after the right password, in place of the form. */
  readonly second?: ReactNode;
  readonly onLanguage: (language: Language) => Promise<void>;
};

/** The login: a card with the logo; pulling its arm shows the form. */
export function LoginScreen({ settings, refused, reset, second, onLanguage, ...form }: LoginScreenProps) {
  const { t } = useText();
  const [arm, setArm] = useState<"up" | "pulled" | "form" | "forgot">("up");

  const reachable = settings.contacts.filter(isReachable);

  function pull() {
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (still) return setArm("form");
    setArm("pulled");
    setTimeout(() => setArm("form"), PULL_MS);
  }

  return (
    <main className={css["door"]} data-palette="night">
      <LanguageChoice className={css["languages"] ?? ""} onLanguage={onLanguage} />
      <div className={css["middle"]}>
        <div className={css["card"]}>
          <h1 className="visually-hidden">{t("auth.heading", { name: siteName() })}</h1>
          {refused && <Refused />}
          {!refused && arm === "form" && (second ?? <LoginForm {...form} onForgot={() => setArm("forgot")} />)}
          {!refused && arm === "forgot" && (
            <Forgot reset={reset} passkeys={form.passkeys} contacts={settings.contacts} onBack={() => setArm("form")} />
          )}
          {!refused && (arm === "up" || arm === "pulled") && (
            <button type="button" className={css["pull"]} onClick={pull}>
              <Logo className={css["logo"] ?? ""} pulled={arm === "pulled"} />
              <span className={css["hint"]}>{t("auth.pull")}</span>
            </button>
          )}
        </div>
        {settings.showContactOnLogin && reachable.length > 0 && arm !== "forgot" && (
          <ContactLinks contacts={reachable} className={css["contacts"]} />
        )}
        <LegalLine {...settings} className={css["legal"]} />
      </div>
    </main>
  );
}

/** How a forgotten password is replaced, and how to reach staff. */
function Forgot({
  reset,
  contacts,
  passkeys,
  onBack,
}: Pick<Settings, "contacts"> & Pick<LoginScreenProps, "reset" | "passkeys"> & { onBack: () => void }) {
  const { t } = useText();
  return (
    <div className={css["form"]}>
      <h2 tabIndex={-1} ref={(heading) => heading?.focus()}>
        {t("auth.forgotTitle")}
      </h2>
      {reset}
      {contacts.length > 0 && <ContactLinks contacts={contacts} kind="line" className={css["staff"]} />}
      {passkeys && <RecoveryCode door={passkeys} />}
      <Key big className={css["submit"] ?? ""} onClick={onBack}>
        {t("auth.forgotBack")}
      </Key>
    </div>
  );
}

/** For who has lost every device and the password: a code of the paper list. */
function RecoveryCode({ door }: { readonly door: PasskeyDoor }) {
  const speech = useText();
  const { t } = speech;
  const fields = useFields({ username: "", code: "" }, async ({ username, code }) => {
    const end = await door.byCode(username.trim(), code.trim());
    return end.is === "failed" ? { form: failureText(speech, end.failure) } : undefined;
  });
  const entry = (name: "username" | "code") => {
    const { onText, ...field } = fields.field(name);
    return { name, ...field, onChange: ({ target }: { target: { value: string } }) => onText(target.value) };
  };
  return (
    <section className={css["code"]}>
      <h3>{t("auth.codeTitle")}</h3>
      <p>{t("auth.codeBody")}</p>
      <Form of={fields} send={t("auth.codeSubmit")}>
        <Field label={t("auth.username")} autoComplete="username" autoCapitalize="none" {...entry("username")} />
        <Field
          label={t("auth.code")}
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          maxLength={60}
          dir="ltr"
          {...entry("code")}
        />
      </Form>
    </section>
  );
}

function Refused() {
  const { t } = useText();
  return (
    <div className={css["form"]}>
      <Logo className={css["smallLogo"] ?? ""} />
      <p className={css["alert"]} role="alert">
        <Icon name="warning" />
        {t("auth.notAllowed")}
      </p>
    </div>
  );
}
