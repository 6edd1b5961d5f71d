import { useText } from "@longarm/ui/i18n/use-text.ts";
import { useState } from "react";
import type { AnswerOf } from "../../shared/api.ts";
import { useMe } from "../../shared/me.ts";
import { roleText } from "../../shared/problem-text.ts";
import { ActKeys, FormSheet } from "../../shared/ui/form-sheet.tsx";
import { Note } from "../../shared/ui/panel.tsx";
import { ReasonField, reasonOf } from "../../shared/ui/reason-field.tsx";
import { useAct } from "../../shared/ui/use-act.ts";
import { RoleChoice } from "./role-choice.tsx";

type Person = Pick<AnswerOf<"staff">["rows"][number], "id" | "name" | "roles">;

/** Asks for other roles of one person: a second administrator signs before anything changes. */
export function RolesSheet({ person, close }: { readonly person: Person | undefined; readonly close: () => void }) {
  const { t } = useText();
  return (
    <FormSheet
      open={person !== undefined}
      title={t("staff.changeRolesOf", { name: person?.name ?? "" })}
      onClose={close}
    >
      {person !== undefined && <RolesForm key={person.id} person={person} close={close} />}
    </FormSheet>
  );
}

function RolesForm({ person, close }: { readonly person: Person; readonly close: () => void }) {
  const speech = useText();
  const { t } = speech;
  const { venue } = useMe();
  const { busy, run } = useAct();
  const [roles, setRoles] = useState([...person.roles]);
  const [reason, setReason] = useState("");
  const inWords = (list: readonly string[]) =>
    list.map((role) => roleText(speech, role)).join(", ") || t("staff.noRole");
  const isSame = roles.length === person.roles.length && roles.every((role) => person.roles.includes(role));
  const fields = { roles, reason: reasonOf(reason) };
  async function send(): Promise<void> {
    const answer = await run("changeRoles", {
      params: { id: person.id },
      fields,
      summary: {
        title: t("staff.changeRolesOf", { name: person.name }),
        lines: [
          [t("staff.before"), inWords(person.roles)],
          [t("staff.after"), inWords(roles)],
          [t("app.reason"), fields.reason],
        ],
      },
      reads: ["staff", "roles", "approvals"],
      said: t("staff.rolesChanged", { name: person.name }),
    });
    if (answer !== undefined) close();
  }
  return (
    <>
      <RoleChoice chosen={roles} onChange={setRoles} />
      <ReasonField value={reason} onText={setReason} />
      {venue.secondPerson && <Note>{t("staff.secondAdministrator")}</Note>}
      <ActKeys
        send={t(venue.secondPerson ? "staff.request" : "staff.change")}
        busy={busy}
        disabled={isSame || fields.reason === ""}
        onSend={() => void send()}
        onCancel={close}
      />
    </>
  );
}
