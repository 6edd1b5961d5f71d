import type { Me } from "@longarm/contract/staff-sign-in";
import { Field } from "@longarm/ui/field.tsx";
import { Form, FormAlert, SecretField, useFields } from "@longarm/ui/form.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import type { Passkeys } from "@longarm/ui/passkeys.ts";
import { useState } from "react";
import type { AnswerOf } from "../../shared/api.ts";
import { useConsole } from "../../shared/console.ts";
import { ConsoleIcon } from "../../shared/ui/icons.tsx";
import { Note } from "../../shared/ui/panel.tsx";
import { failureText, usePasskeyTry } from "../../shared/ui/passkey-try.ts";
import { DirectoryWay } from "./directory-way.tsx";
import { Gate, gateCss, Way } from "./gate.tsx";

type How = "passkey" | "password" | "recovery";

/** On shift in one touch; a password with six figures, or a recovery code, when the passkey is not there. */
export function SignInPage({ ended }: { readonly ended: boolean }) {
  const { t } = useText();
  const [how, setHow] = useState<How>("passkey");
  return (
    <Gate
      plate={t("app.console")}
      title={t("signIn.title")}
      about={t(how === "passkey" ? "signIn.passkeyAbout" : "signIn.passwordAbout")}
      ways={<Ways how={how} choose={setHow} />}
    >
      {ended && how === "passkey" && <Note>{t("signIn.ended")}</Note>}
      {how === "passkey" ? <ByPasskey /> : <ByPassword key={how} recovery={how === "recovery"} />}
    </Gate>
  );
}

function Ways({ how, choose }: { how: How; choose: (how: How) => void }) {
  const { api } = useConsole();
  const { t } = useText();
  return (
    <>
      <DirectoryWay begin={() => api.call("directoryBegin", { body: {} })} />
      {how !== "passkey" && (
        <Way
          icon="passkey"
          title={t("signIn.usePasskey")}
          about={t("signIn.usePasskeyAbout")}
          onChoose={() => choose("passkey")}
        />
      )}
      {how !== "password" && (
        <Way
          icon="key"
          title={t("signIn.usePassword")}
          about={t("signIn.usePasswordAbout")}
          onChoose={() => choose("password")}
        />
      )}
      {how !== "recovery" && (
        <Way
          icon="shield"
          title={t("signIn.useRecovery")}
          about={t("signIn.useRecoveryAbout")}
          onChoose={() => choose("recovery")}
        />
      )}
    </>
  );
}

function ByPasskey() {
  const { api } = useConsole();
  const { t } = useText();
  return (
    <PasskeyKey
      label={t("signIn.passkey")}
      begin={() => api.call("passkeyBegin", { body: {} })}
      finish={(body) => api.call("passkeyFinish", { body })}
    />
  );
}

type Begun = AnswerOf<"passkeyBegin">;
type Used = Pick<Begun, "ceremony"> & { readonly response: Awaited<ReturnType<Passkeys["use"]>> };

/** Enters with a passkey: `begin` asks for the challenge, `finish` proves it. */
export function PasskeyKey(props: {
  readonly label: string;
  readonly begin: () => Promise<Begun>;
  readonly finish: (used: Used) => Promise<Me>;
}) {
  const { passkeys, sessions } = useConsole();
  const { busy, failure, start } = usePasskeyTry(async () => {
    const { ceremony, options } = await props.begin();
    sessions.enter(await props.finish({ ceremony, response: await passkeys.use(options) }));
  });
  return (
    <>
      <Key kind="brass" className={gateCss["brass"]} busy={busy} autoFocus onClick={start}>
        <ConsoleIcon name="passkey" />
        {props.label}
      </Key>
      {failure !== undefined && <FormAlert>{failure}</FormAlert>}
    </>
  );
}

function ByPassword({ recovery }: { readonly recovery: boolean }) {
  const { api, sessions } = useConsole();
  const speech = useText();
  const { t } = speech;
  const form = useFields({ username: "", password: "", code: "" }, async ({ username, password, code }) => {
    try {
      const me: AnswerOf<"me"> = recovery
        ? await api.call("recoverySignIn", { body: { username, password, recoveryCode: code } })
        : await api.call("passwordSignIn", { body: { username, password, code } });
      sessions.enter(me);
      return undefined;
    } catch (error) {
      return { form: failureText(speech, error) };
    }
  });
  return (
    <Form of={form} send={t("signIn.send")}>
      <Field
        label={t("app.username")}
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={100}
        autoFocus
        {...typed(form.field("username"))}
      />
      <SecretField
        label={t("signIn.password")}
        show={t("signIn.show")}
        hide={t("signIn.hide")}
        autoComplete="current-password"
        maxLength={256}
        {...form.field("password")}
      />
      {recovery ? (
        <Field
          label={t("signIn.recoveryCode")}
          note={t("signIn.recoveryNote")}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={40}
          {...typed(form.field("code"))}
        />
      ) : (
        <SixFigures {...form.field("code", figures)} />
      )}
    </Form>
  );
}

/** Of what is typed or pasted only figures, six of them. */
export const figures = (text: string): string => text.replaceAll(/\D/g, "").slice(0, 6);

type TextField = {
  readonly value: string;
  readonly error: string | undefined;
  readonly onText: (text: string) => void;
};

/** The props of a plain field whose text a form keeps. */
export function typed({ onText, ...field }: TextField & { "data-field": string }) {
  return { ...field, onChange: ({ target }: { target: { value: string } }) => onText(target.value) };
}

/** The six figures of an authenticator app. */
export function SixFigures(field: TextField & { "data-field": string }) {
  const { t } = useText();
  return (
    <Field
      label={t("signIn.code")}
      note={t("signIn.codeNote")}
      inputMode="numeric"
      autoComplete="one-time-code"
      dir="ltr"
      {...typed(field)}
    />
  );
}
