import type { Me } from "@longarm/contract/staff-people";
import { Form, FormAlert, SecretField, useFields } from "@longarm/ui/form.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { useState } from "react";
import { useConsole } from "../../shared/console.ts";
import { ConsoleIcon } from "../../shared/ui/icons.tsx";
import { failureText, usePasskeyTry } from "../../shared/ui/passkey-try.ts";
import { Gate, gateCss, Way } from "./gate.tsx";
import { figures, SixFigures } from "./sign-in-page.tsx";

/** The idle lock: the sign-in lasts, its person comes back with a touch, and nothing of the page is there until then. */
export function LockPage({ me }: { readonly me: Me }) {
  const { api, passkeys, sessions, messages } = useConsole();
  const speech = useText();
  const { t } = speech;
  const [how, setHow] = useState<"passkey" | "password">(me.passkeys > 0 ? "passkey" : "password");
  const unlock = usePasskeyTry(async () => {
    const begun = await api.call("unlockPasskeyBegin", { body: {} });
    const response = await passkeys.use(begun.options);
    sessions.enter(await api.call("unlockPasskeyFinish", { body: { ceremony: begun.ceremony, response } }));
  });
  const leave = () => sessions.signOut().catch((error: unknown) => messages.say("bad", failureText(speech, error)));
  return (
    <Gate
      plate={me.venue.name}
      title={t("signIn.lockedTitle")}
      about={t("signIn.lockedAbout", { name: me.person.name })}
      ways={
        <>
          {how === "passkey" ? (
            <Way
              icon="key"
              title={t("signIn.usePassword")}
              about={t("signIn.usePasswordAbout")}
              onChoose={() => setHow("password")}
            />
          ) : (
            me.passkeys > 0 && (
              <Way
                icon="passkey"
                title={t("signIn.usePasskey")}
                about={t("signIn.usePasskeyAbout")}
                onChoose={() => setHow("passkey")}
              />
            )
          )}
          <Way
            icon="staff"
            title={t("signIn.otherPerson")}
            about={t("signIn.otherPersonAbout", { name: me.person.name })}
            onChoose={() => void leave()}
          />
        </>
      }
    >
      {how === "passkey" ? (
        <>
          <Key kind="brass" className={gateCss["brass"]} busy={unlock.busy} autoFocus onClick={unlock.start}>
            <ConsoleIcon name="passkey" />
            {t("signIn.unlockPasskey")}
          </Key>
          {unlock.failure !== undefined && <FormAlert>{unlock.failure}</FormAlert>}
        </>
      ) : (
        <UnlockByPassword />
      )}
    </Gate>
  );
}

function UnlockByPassword() {
  const { api, sessions } = useConsole();
  const speech = useText();
  const { t } = speech;
  const form = useFields({ password: "", code: "" }, async (body) => {
    try {
      sessions.enter(await api.call("unlockPassword", { body }));
      return undefined;
    } catch (error) {
      return { form: failureText(speech, error) };
    }
  });
  return (
    <Form of={form} send={t("signIn.unlock")}>
      <SecretField
        label={t("signIn.password")}
        show={t("signIn.show")}
        hide={t("signIn.hide")}
        autoComplete="current-password"
        maxLength={256}
        {...form.field("password")}
      />
      <SixFigures {...form.field("code", figures)} />
    </Form>
  );
}
