import { Field } from "@longarm/ui/field.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { Sheet } from "@longarm/ui/sheet.tsx";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { AnswerOf } from "../../shared/api.ts";
import { useConsole } from "../../shared/console.ts";
import { useMe, useOnline } from "../../shared/me.ts";
import { paths } from "../../shared/paths.ts";
import { roleText } from "../../shared/problem-text.ts";
import { whenText } from "../../shared/times.ts";
import { deviceLabel } from "../../shared/ui/device-label.ts";
import { ActKeys, FormSheet } from "../../shared/ui/form-sheet.tsx";
import { ConsoleIcon } from "../../shared/ui/icons.tsx";
import { Page } from "../../shared/ui/page.tsx";
import { Facts, Loaded, Note, Panel, panelCss } from "../../shared/ui/panel.tsx";
import { usePasskeyTry } from "../../shared/ui/passkey-try.ts";
import { useRead } from "../../shared/ui/queries.ts";
import { RecoveryCodes } from "../../shared/ui/recovery-codes.tsx";
import { useAct } from "../../shared/ui/use-act.ts";
import css from "./account.module.css";

/** One's own account: passkeys, recovery codes, and where one is signed in. */
export function AccountPage() {
  const { t } = useText();
  return (
    <Page title={t("app.account")}>
      <div className={css["columns"]}>
        <Person />
        <Passkeys />
        <Directory />
      </div>
      <OwnSignIns />
    </Page>
  );
}

function Person() {
  const speech = useText();
  const { t, language } = speech;
  const { clock } = useConsole();
  const me = useMe();
  const { person, venue, previousSignIn, signIn, recoveryCodesLeft, directory } = me;
  const at = (when: string) => whenText(when, clock.now(), venue.timeZone, language);
  return (
    <Panel title={person.name} about={person.roles.map((role) => roleText(speech, role)).join(", ")}>
      <div className={panelCss["body"]}>
        <Facts
          rows={[
            [t("app.username"), person.username],
            [t("account.signedInSince"), at(signIn.since)],
            [t("account.endsAt"), at(signIn.expiresAt)],
            [
              t("account.previous"),
              previousSignIn === null ? (
                t("account.never")
              ) : (
                <>
                  {at(previousSignIn.at)}, <span className="ltr">{previousSignIn.address}</span>
                </>
              ),
            ],
          ]}
        />
        {/* They replace the six figures beside a password; who is linked with a directory has neither. */}
        {directory === null && recoveryCodesLeft < 3 && (
          <Note kind="wait">{t("account.fewCodes", { count: recoveryCodesLeft })}</Note>
        )}
        {directory === null && <NewRecoveryCodes left={recoveryCodesLeft} />}
      </div>
    </Panel>
  );
}

function NewRecoveryCodes({ left }: { readonly left: number }) {
  const { sessions } = useConsole();
  const { t } = useText();
  const online = useOnline();
  const { busy, run } = useAct();
  const [codes, setCodes] = useState<readonly string[]>();
  async function renew(): Promise<void> {
    const answer = await run("renewRecoveryCodes", {
      fields: {},
      summary: { title: t("account.newCodes"), lines: [[t("account.codesLeft"), String(left)]] },
    });
    if (answer?.is === "done") setCodes(answer.result.recoveryCodes);
  }
  return (
    <>
      <div className={css["row"]}>
        <span className="soft">
          {t("account.codesLeft")}: <b className="num">{left}</b>
        </span>
        <Key kind="line" busy={busy} disabled={!online} onClick={() => void renew()}>
          {t("account.newCodes")}
        </Key>
      </div>
      <Sheet open={codes !== undefined} title={t("app.codesTitle")}>
        <div className={css["sheet"]}>
          <RecoveryCodes
            codes={codes ?? []}
            send={t("app.done")}
            onKept={() => {
              setCodes(undefined);
              void sessions.refresh();
            }}
          />
        </div>
      </Sheet>
    </>
  );
}

function Passkeys() {
  const { t, language } = useText();
  const { clock } = useConsole();
  const { venue, passkeys: count, signIn } = useMe();
  const online = useOnline();
  const passkeys = useRead("myPasskeys");
  // The first one comes with an invitation: a password alone must not make the key that confirms money.
  const mayAdd = count > 0 || signIn.how === "invitation";
  const [adding, setAdding] = useState(false);
  const at = (when: string) => whenText(when, clock.now(), venue.timeZone, language);
  return (
    <Panel
      title={t("account.passkeys")}
      foot={t("account.passkeysAbout")}
      tools={
        mayAdd && (
          <Key kind="line" icon="plus" disabled={!online} onClick={() => setAdding(true)}>
            {t("account.addPasskey")}
          </Key>
        )
      }
    >
      <Loaded of={passkeys}>
        {({ rows }) => (
          <ul className={css["list"]}>
            {rows.length === 0 && <li className="soft">{t(mayAdd ? "account.noPasskeys" : "account.firstInvited")}</li>}
            {rows.map((row) => (
              <li key={row.id}>
                <ConsoleIcon name="passkey" />
                <span>
                  <b>{row.label}</b>
                  <small>
                    {t("account.added", { time: at(row.addedAt) })}
                    {" · "}
                    {row.lastUsedAt === null ? t("account.neverUsed") : t("account.used", { time: at(row.lastUsedAt) })}
                  </small>
                </span>
                <RemovePasskey row={row} />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      <AddPasskey open={adding} close={() => setAdding(false)} />
    </Panel>
  );
}

function RemovePasskey({ row }: { readonly row: AnswerOf<"myPasskeys">["rows"][number] }) {
  const { sessions } = useConsole();
  const { t } = useText();
  const online = useOnline();
  const { busy, run } = useAct();
  async function remove(): Promise<void> {
    const answer = await run("removePasskey", {
      params: { id: row.id },
      fields: {},
      summary: { title: t("account.removePasskey"), lines: [[t("account.passkey"), row.label]] },
      reads: ["myPasskeys"],
      said: t("account.removed"),
    });
    if (answer !== undefined) await sessions.refresh();
  }
  return (
    <Key
      kind="bare"
      busy={busy}
      disabled={!online}
      aria-label={t("account.removeNamed", { name: row.label })}
      onClick={() => void remove()}
    >
      {t("account.remove")}
    </Key>
  );
}

/** The link with the operator's directory, where there is one. */
function Directory() {
  const { sessions, clock } = useConsole();
  const { t, language } = useText();
  const { directory, venue } = useMe();
  const online = useOnline();
  const { busy, run } = useAct();
  if (directory === null) return null;
  const { label, name, linkedAt } = directory;
  async function unlink(): Promise<void> {
    const answer = await run("unlinkMyDirectory", {
      fields: {},
      summary: { title: t("account.unlinkNamed", { label }), lines: [[label, name]] },
      said: t("account.unlinked"),
    });
    if (answer !== undefined) await sessions.refresh();
  }
  return (
    <Panel title={t("account.directory")} foot={t("account.directoryAbout")}>
      <ul className={css["list"]}>
        <li>
          <ConsoleIcon name="audit" />
          <span>
            <b>{label}</b>
            <small>
              <bdi>{name}</bdi>
              {" · "}
              {t("account.directoryLinked", { time: whenText(linkedAt, clock.now(), venue.timeZone, language) })}
            </small>
          </span>
          <Key
            kind="bare"
            busy={busy}
            disabled={!online}
            aria-label={t("account.unlinkNamed", { label })}
            onClick={() => void unlink()}
          >
            {t("account.unlink")}
          </Key>
        </li>
      </ul>
    </Panel>
  );
}

/** A new passkey is made first and then confirmed with one that is there: who sits at an open page cannot add their own. */
function AddPasskey({ open, close }: { readonly open: boolean; readonly close: () => void }) {
  const { t } = useText();
  return (
    <FormSheet open={open} onClose={close} title={t("account.addPasskey")}>
      <AddPasskeyForm close={close} />
    </FormSheet>
  );
}

function AddPasskeyForm({ close }: { readonly close: () => void }) {
  const { api, acts, passkeys, sessions, messages } = useConsole();
  const speech = useText();
  const { t } = speech;
  const me = useMe();
  const { readAgain } = useAct();
  const [label, setLabel] = useState(() => deviceLabel(navigator.userAgent));
  const { busy, failure, start } = usePasskeyTry(async () => {
    const begun = await api.call("addPasskeyBegin", { body: {} });
    const response = await passkeys.make(begun.options);
    const end = await acts.send("addPasskeyFinish", {
      body: { ceremony: begun.ceremony, response, label },
      summary: { title: t("account.addPasskey"), lines: [[t("app.passkeyLabel"), label]] },
      stepUp: me.passkeys > 0,
    });
    if (end.is === "failed") throw end.problem;
    if (end.is === "cancelled") return;
    messages.say("good", t("account.passkeyAdded"));
    readAgain(["myPasskeys"]);
    close();
    await sessions.refresh();
  });
  return (
    <>
      <p className="soft">{t(me.passkeys > 0 ? "account.addAbout" : "account.addFirstAbout")}</p>
      <Field
        label={t("app.passkeyLabel")}
        note={t("app.passkeyLabelNote")}
        value={label}
        maxLength={100}
        onChange={({ target }) => setLabel(target.value)}
      />
      <ActKeys
        send={t("account.makePasskey")}
        busy={busy}
        disabled={label.trim() === ""}
        problem={failure}
        onSend={start}
        onCancel={close}
      />
    </>
  );
}

function OwnSignIns() {
  const { t, language } = useText();
  const { clock } = useConsole();
  const { venue } = useMe();
  const signIns = useRead("mySignIns");
  const at = (when: string) => whenText(when, clock.now(), venue.timeZone, language);
  return (
    <Panel
      title={t("account.signIns")}
      about={t("account.signInsAbout")}
      tools={<Link to={paths.device}>{t("account.deviceTitle")}</Link>}
    >
      <Loaded of={signIns}>
        {({ rows }) => (
          <ul className={css["list"]}>
            {rows.map((row) => (
              <li key={row.id}>
                <ConsoleIcon name={/iPhone|Android|Mobile/.test(row.device) ? "phone" : "screen"} />
                <span>
                  <b>{deviceLabel(row.device)}</b>
                  <small>
                    <span className="ltr">{row.address}</span>
                    {" · "}
                    {t("account.since", { time: at(row.since) })}
                  </small>
                </span>
                {row.isThis ? (
                  <Lamp status="available">{t("account.thisScreen")}</Lamp>
                ) : (
                  <EndOwnSignIn id={row.id} device={deviceLabel(row.device)} locked={row.locked} />
                )}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Panel>
  );
}

function EndOwnSignIn({
  id,
  device,
  locked,
}: {
  readonly id: string;
  readonly device: string;
  readonly locked: boolean;
}) {
  const { t } = useText();
  const online = useOnline();
  const { busy, run } = useAct();
  const end = () =>
    run("endMySignIn", {
      params: { id },
      fields: {},
      summary: { title: t("account.endSignIn"), lines: [[t("account.device"), device]] },
      reads: ["mySignIns"],
      said: t("account.ended"),
    });
  return (
    <>
      {locked && <Lamp status="off">{t("account.locked")}</Lamp>}
      <Key
        kind="danger"
        busy={busy}
        disabled={!online}
        aria-label={t("account.endNamed", { name: device })}
        onClick={() => void end()}
      >
        {t("account.end")}
      </Key>
    </>
  );
}
