import type { Me } from "@longarm/contract/staff-sign-in";
import { Form, FormAlert, SecretField, useFields } from "@longarm/ui/form.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { useState } from "react";
import { useConsole } from "../../shared/console.ts";
import { failureText } from "../../shared/ui/passkey-try.ts";
import { useDirectory } from "./directory-way.tsx";
import { Gate, gateCss, Way } from "./gate.tsx";
import { figures, PasskeyKey, SixFigures } from "./sign-in-page.tsx";

type How = "passkey" | "directory" | "password";

/** The idle lock: the sign-in lasts, its person comes back with a touch, and nothing of the page is there until then. */
export function LockPage({ me }: { readonly me: Me }) {
  const { t } = useText();
  const [how, setHow] = useState<How>(firstWay(me));
  return (
    <Gate
      plate={me.venue.name}
      title={t("signIn.lockedTitle")}
      about={t("signIn.lockedAbout", { name: me.person.name })}
      ways={<UnlockWays me={me} how={how} choose={setHow} />}
    >
      {how === "passkey" && <UnlockByPasskey />}
      {how === "directory" && <UnlockByDirectory label={me.directory?.label ?? ""} />}
      {how === "password" && <UnlockByPassword />}
    </Gate>
  );
}

function firstWay({ passkeys, directory }: Me): How {
  if (passkeys > 0) return "passkey";
  return directory === null ? "password" : "directory";
}

function UnlockWays({ me, how, choose }: { me: Me; how: How; choose: (how: How) => void }) {
  const { sessions, messages } = useConsole();
  const speech = useText();
  const { t } = speech;
  const leave = () => sessions.signOut().catch((error: unknown) => messages.say("bad", failureText(speech, error)));
  return (
    <>
      {how !== "passkey" && me.passkeys > 0 && (
        <Way
          icon="passkey"
          title={t("signIn.usePasskey")}
          about={t("signIn.usePasskeyAbout")}
          onChoose={() => choose("passkey")}
        />
      )}
      {how !== "directory" && me.directory !== null && (
        <Way
          icon="audit"
          title={t("signIn.useDirectory", { label: me.directory.label })}
          about={t("signIn.useDirectoryAbout")}
          onChoose={() => choose("directory")}
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
      <Way
        icon="staff"
        title={t("signIn.otherPerson")}
        about={t("signIn.otherPersonAbout", { name: me.person.name })}
        onChoose={() => void leave()}
      />
    </>
  );
}

function UnlockByPasskey() {
  const { api } = useConsole();
  const { t } = useText();
  return (
    <PasskeyKey
      label={t("signIn.unlockPasskey")}
      begin={() => api.call("unlockPasskeyBegin", { body: {} })}
      finish={(body) => api.call("unlockPasskeyFinish", { body })}
    />
  );
}

function UnlockByDirectory({ label }: { readonly label: string }) {
  const { api } = useConsole();
  const { t } = useText();
  const { busy, failure, start } = useDirectory(() => api.call("unlockDirectoryBegin", { body: {} }));
  return (
    <>
      <Key kind="brass" className={gateCss["brass"]} busy={busy} autoFocus onClick={start}>
        {t("signIn.unlockDirectory", { label })}
      </Key>
      {failure !== undefined && <FormAlert>{failure}</FormAlert>}
    </>
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
