import { Form, SecretField, useFields } from "@longarm/ui/form.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { QrCode } from "@longarm/ui/qr-code.tsx";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { AnswerOf } from "../../shared/api.ts";
import { useConsole } from "../../shared/console.ts";
import { roleText } from "../../shared/problem-text.ts";
import { whenText } from "../../shared/times.ts";
import { Facts, Loaded } from "../../shared/ui/panel.tsx";
import { failureText } from "../../shared/ui/passkey-try.ts";
import { RecoveryCodes } from "../../shared/ui/recovery-codes.tsx";
import { DirectoryWay } from "./directory-way.tsx";
import { Gate, gateCss, Way } from "./gate.tsx";
import { PasskeyForm } from "./passkey-form.tsx";
import { figures, SixFigures } from "./sign-in-page.tsx";

type Invitation = AnswerOf<"invitation">;
type Accepted = AnswerOf<"invitationPasskeyFinish">;

/** The first way in: the one-time link, with which a person makes a passkey, or a password with an authenticator app. */
export function InvitationPage({ token, done }: { readonly token: string; readonly done: () => void }) {
  const { api, sessions } = useConsole();
  const { t } = useText();
  const [how, setHow] = useState<"passkey" | "password">("passkey");
  const [accepted, setAccepted] = useState<Accepted>();
  const invitation = useQuery({
    queryKey: ["invitation", token],
    queryFn: () => api.call("invitation", { body: { token } }),
    enabled: accepted === undefined,
    retry: false,
    refetchOnWindowFocus: false,
  });
  if (accepted !== undefined)
    return (
      <Gate plate={accepted.me.person.name} title={t("app.codesTitle")} about={t("app.codesAbout")}>
        <RecoveryCodes
          codes={accepted.recoveryCodes}
          send={t("app.codesKept")}
          onKept={() => {
            sessions.enter(accepted.me);
            done();
          }}
        />
      </Gate>
    );
  const name = invitation.data?.name;
  return (
    <Gate
      plate={t("app.console")}
      title={name === undefined ? t("signIn.invitation") : t("signIn.welcome", { name })}
      about={t("signIn.invitationAbout")}
      ways={
        <>
          <DirectoryWay begin={() => api.call("invitationDirectoryBegin", { body: { token } })} />
          <InvitationWays how={how} choose={setHow} />
        </>
      }
    >
      <Loaded of={invitation}>
        {(found) => (
          <>
            <Invited invitation={found} />
            {how === "passkey" ? (
              <MakePasskey token={token} onAccepted={setAccepted} />
            ) : (
              <MakePassword token={token} username={found.username} onAccepted={setAccepted} />
            )}
          </>
        )}
      </Loaded>
    </Gate>
  );
}

function InvitationWays({ how, choose }: { how: string; choose: (how: "passkey" | "password") => void }) {
  const { t } = useText();
  return how === "passkey" ? (
    <Way
      icon="key"
      title={t("signIn.makePassword")}
      about={t("signIn.makePasswordAbout")}
      onChoose={() => choose("password")}
    />
  ) : (
    <Way
      icon="passkey"
      title={t("signIn.makePasskey")}
      about={t("signIn.makePasskeyAbout")}
      onChoose={() => choose("passkey")}
    />
  );
}

function Invited({ invitation: { username, roles, expiresAt } }: { readonly invitation: Invitation }) {
  const speech = useText();
  const { clock } = useConsole();
  const { t, language } = speech;
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const shown = roles.length === 0 ? t("signIn.noRoles") : roles.map((role) => roleText(speech, role)).join(", ");
  return (
    <Facts
      rows={[
        [t("app.username"), username],
        [t("app.roles"), shown],
        [t("signIn.goodUntil"), whenText(expiresAt, clock.now(), zone, language)],
      ]}
    />
  );
}

function MakePasskey({ token, onAccepted }: { token: string; onAccepted: (accepted: Accepted) => void }) {
  const { api, passkeys } = useConsole();
  async function make(label: string): Promise<void> {
    const { ceremony, options } = await api.call("invitationPasskeyBegin", { body: { token } });
    const response = await passkeys.make(options);
    onAccepted(await api.call("invitationPasskeyFinish", { body: { token, ceremony, response, label } }));
  }
  return <PasskeyForm make={make} />;
}

function MakePassword(props: { token: string; username: string; onAccepted: (accepted: Accepted) => void }) {
  const { api } = useConsole();
  const speech = useText();
  const { t } = speech;
  const [begun, setBegun] = useState<AnswerOf<"invitationPasswordBegin">>();
  const form = useFields({ password: "" }, async ({ password }) => {
    try {
      setBegun(await api.call("invitationPasswordBegin", { body: { token: props.token, password } }));
      return undefined;
    } catch (error) {
      return { password: failureText(speech, error) };
    }
  });
  if (begun !== undefined) return <PairApp {...props} begun={begun} again={() => setBegun(undefined)} />;
  return (
    <Form of={form} send={t("app.next")}>
      {/* For password managers: which account the password belongs to. */}
      <input
        className="visually-hidden"
        type="text"
        autoComplete="username"
        value={props.username}
        readOnly
        tabIndex={-1}
        aria-hidden="true"
      />
      <SecretField
        label={t("signIn.newPassword")}
        note={t("signIn.newPasswordNote")}
        show={t("signIn.show")}
        hide={t("signIn.hide")}
        autoComplete="new-password"
        maxLength={256}
        {...form.field("password")}
      />
    </Form>
  );
}

function PairApp(props: {
  readonly token: string;
  readonly begun: AnswerOf<"invitationPasswordBegin">;
  readonly onAccepted: (accepted: Accepted) => void;
  readonly again: () => void;
}) {
  const { api } = useConsole();
  const speech = useText();
  const { t } = speech;
  const { ceremony, otpauth, secret } = props.begun;
  const form = useFields({ code: "" }, async ({ code }) => {
    try {
      props.onAccepted(await api.call("invitationPasswordFinish", { body: { token: props.token, ceremony, code } }));
      return undefined;
    } catch (error) {
      // One attempt for each ceremony: the next one begins with the password.
      return { form: failureText(speech, error) };
    }
  });
  return (
    <div className={gateCss["form"]}>
      <p>{t("signIn.pair")}</p>
      <QrCode text={otpauth} label={t("signIn.qr")} />
      <p className="fine">
        {t("signIn.secret")} <code className="ltr">{secret.match(/.{1,4}/g)?.join(" ")}</code>
      </p>
      <Form of={form} send={t("signIn.finish")}>
        <SixFigures {...form.field("code", figures)} />
      </Form>
      {form.errors.form !== undefined && (
        <Key kind="line" onClick={props.again}>
          {t("signIn.beginAgain")}
        </Key>
      )}
    </div>
  );
}
