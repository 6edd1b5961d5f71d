import type { RoleName } from "@longarm/contract/staff-rights";
import { Field } from "@longarm/ui/field.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { useState } from "react";
import type { AnswerOf } from "../../shared/api.ts";
import { useConsole } from "../../shared/console.ts";
import { useMe } from "../../shared/me.ts";
import { roleText } from "../../shared/problem-text.ts";
import { whenText } from "../../shared/times.ts";
import { ActKeys, FormSheet } from "../../shared/ui/form-sheet.tsx";
import { Note } from "../../shared/ui/panel.tsx";
import { ReasonField, reasonOf } from "../../shared/ui/reason-field.tsx";
import { ShownOnce } from "../../shared/ui/shown-once.tsx";
import { useAct } from "../../shared/ui/use-act.ts";
import { RoleChoice } from "./role-choice.tsx";

type Invited = Extract<AnswerOf<"inviteStaff">, { is: "done" }>["result"];

/** A new account with a one-time link, which is shown once. */
export function InviteSheet({ open, close }: { readonly open: boolean; readonly close: () => void }) {
  const { t } = useText();
  const [invited, setInvited] = useState<Invited>();
  const end = () => {
    setInvited(undefined);
    close();
  };
  return (
    <FormSheet
      open={open}
      title={t(invited === undefined ? "staff.invite" : "staff.linkTitle")}
      onClose={invited === undefined ? end : () => {}}
    >
      {invited === undefined ? <InviteForm done={setInvited} close={end} /> : <OneTimeLink {...invited} close={end} />}
    </FormSheet>
  );
}

/** As the platform takes it. */
const USERNAME = /^[\p{L}\p{N}][\p{L}\p{N}._-]{1,39}$/u;

function InviteForm({ done, close }: { readonly done: (invited: Invited) => void; readonly close: () => void }) {
  const speech = useText();
  const { t } = speech;
  const { venue } = useMe();
  const { busy, run } = useAct();
  const [name, setName] = useState("");
  const [username, setUsername] = useState("");
  const [roles, setRoles] = useState<RoleName[]>([]);
  const [reason, setReason] = useState("");
  const fields = { name: name.trim(), username, roles, reason: reasonOf(reason) };
  const isWrong = username !== "" && !USERNAME.test(username);
  async function send(): Promise<void> {
    const answer = await run("inviteStaff", {
      fields,
      summary: {
        title: t("staff.invite"),
        lines: [
          [t("staff.name"), fields.name],
          [t("app.username"), username],
          [t("app.roles"), roles.map((role) => roleText(speech, role)).join(", ") || t("staff.noRole")],
        ],
      },
      reads: ["staff", "approvals"],
    });
    if (answer?.is === "done") done(answer.result);
  }
  return (
    <>
      <Field
        label={t("staff.name")}
        note={t("staff.nameNote")}
        value={name}
        maxLength={100}
        autoComplete="off"
        onChange={({ target }) => setName(target.value)}
      />
      <Field
        label={t("app.username")}
        note={t("staff.usernameNote")}
        error={isWrong ? t("staff.usernameWrong") : undefined}
        value={username}
        maxLength={40}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        onChange={({ target }) => setUsername(target.value)}
      />
      <RoleChoice chosen={roles} onChange={setRoles} />
      <ReasonField value={reason} onText={setReason} />
      {venue.secondPerson && roles.length > 0 && <Note>{t("staff.rolesWait")}</Note>}
      <ActKeys
        send={t("staff.makeLink")}
        busy={busy}
        disabled={fields.name === "" || isWrong || username === "" || fields.reason === ""}
        onSend={() => void send()}
        onCancel={close}
      />
    </>
  );
}

type LinkProps = Pick<Invited, "link" | "expiresAt" | "approval"> & { readonly close: () => void };

/** A one-time link, which is shown once; roles that come with it wait for another administrator. */
export function OneTimeLink({ link, expiresAt, approval, close }: LinkProps) {
  const { t, language } = useText();
  const { clock } = useConsole();
  const { venue } = useMe();
  return (
    <ShownOnce
      about={t("staff.linkAbout", { time: whenText(expiresAt, clock.now(), venue.timeZone, language) })}
      secret={link}
      close={close}
    >
      {approval !== null && <Note kind="wait">{t("staff.linkApproval")}</Note>}
    </ShownOnce>
  );
}
