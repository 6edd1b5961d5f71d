import { useText } from "@longarm/ui/i18n/use-text.ts";
import { useState } from "react";
import { deviceLabel } from "../../shared/ui/device-label.ts";
import { ActKeys, FormSheet } from "../../shared/ui/form-sheet.tsx";
import { ReasonField, reasonOf } from "../../shared/ui/reason-field.tsx";
import { useAct } from "../../shared/ui/use-act.ts";

type Person = { readonly id: string; readonly name: string };
type About =
  | { readonly is: "endAccount" | "unlink"; readonly person: Person }
  | {
      readonly is: "endSignIn";
      readonly signIn: { readonly id: string; readonly device: string; readonly person: Person };
    };

/** What each end is called, and what it means. */
const TEXTS = {
  endAccount: ["staff.endAccount", "staff.endAccountAbout"],
  unlink: ["staff.unlinkTitle", "staff.unlinkAbout"],
  endSignIn: ["staff.endSignIn", "staff.endSignInAbout"],
} as const;

/** Ends an account, its link with the directory, or one sign-in, with a reason. */
export function EndSheet({ about, close }: { readonly about: About | undefined; readonly close: () => void }) {
  const { t } = useText();
  const title = t(TEXTS[about?.is ?? "endAccount"][0]);
  return (
    <FormSheet open={about !== undefined} title={title} onClose={close}>
      {about !== undefined && <EndForm about={about} title={title} close={close} />}
    </FormSheet>
  );
}

function EndForm(props: { readonly about: About; readonly title: string; readonly close: () => void }) {
  const { about, title, close } = props;
  const { t } = useText();
  const { busy, run } = useAct();
  const [reason, setReason] = useState("");
  const fields = { reason: reasonOf(reason) };
  const { name } = about.is === "endSignIn" ? about.signIn.person : about.person;
  const screen = about.is === "endSignIn" ? ([[t("staff.screen"), deviceLabel(about.signIn.device)]] as const) : [];
  const wanted = {
    fields,
    summary: { title, lines: [[t("staff.name"), name], ...screen, [t("app.reason"), fields.reason]] as const },
    reads: ["signIns", "staff"] as const,
  };
  async function send(): Promise<void> {
    const answer = await end();
    if (answer !== undefined) close();
  }
  function end() {
    if (about.is === "endSignIn")
      return run("endSignIn", { ...wanted, params: { id: about.signIn.id }, said: t("staff.signInEnded") });
    const params = { id: about.person.id };
    return about.is === "unlink"
      ? run("unlinkDirectory", { ...wanted, params, said: t("staff.unlinked", { name }) })
      : run("endStaff", { ...wanted, params, said: t("staff.accountEndedSaid", { name }) });
  }
  return (
    <>
      <p className="soft">{t(TEXTS[about.is][1], { name })}</p>
      <ReasonField value={reason} onText={setReason} />
      <ActKeys
        send={title}
        danger
        busy={busy}
        disabled={fields.reason === ""}
        onSend={() => void send()}
        onCancel={close}
      />
    </>
  );
}
