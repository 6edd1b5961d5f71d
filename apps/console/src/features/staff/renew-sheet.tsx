import { useText } from "@longarm/ui/i18n/use-text.ts";
import { useState } from "react";
import type { AnswerOf } from "../../shared/api.ts";
import { useMe } from "../../shared/me.ts";
import { FormSheet } from "../../shared/ui/form-sheet.tsx";
import { Note } from "../../shared/ui/panel.tsx";
import { ReasonForm } from "../../shared/ui/reason-form.tsx";
import { OneTimeLink } from "./invite-sheet.tsx";

type Renewed = Extract<AnswerOf<"renewInvitation">, { is: "done" }>["result"];
type Person = { readonly id: string; readonly name: string };

/** A new one-time link for somebody who lost every way in. The link is shown once. */
export function RenewSheet({ person, close }: { readonly person: Person | undefined; readonly close: () => void }) {
  const { t } = useText();
  const { venue } = useMe();
  const [renewed, setRenewed] = useState<Renewed>();
  const end = () => {
    setRenewed(undefined);
    close();
  };
  const name = person?.name ?? "";
  return (
    <FormSheet
      open={person !== undefined}
      title={renewed === undefined ? t("staff.renewOf", { name }) : t("staff.linkTitle")}
      onClose={renewed === undefined ? end : () => {}}
    >
      {renewed !== undefined && <OneTimeLink {...renewed} close={end} />}
      {renewed === undefined && person !== undefined && (
        <ReasonForm
          name="renewInvitation"
          params={{ id: person.id }}
          title={t("staff.renew")}
          about={t("staff.renewAbout", { name })}
          lines={[[t("staff.name"), name]]}
          danger
          reads={["staff", "signIns", "approvals"]}
          close={end}
          onAnswer={(answer) => (answer.is === "done" ? setRenewed(answer.result) : end())}
        >
          {venue.secondPerson && <Note kind="wait">{t("staff.renewRoles")}</Note>}
        </ReasonForm>
      )}
    </FormSheet>
  );
}
