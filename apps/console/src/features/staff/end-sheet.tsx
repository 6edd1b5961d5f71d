import { useText } from "@longarm/ui/i18n/use-text.ts";
import { useState } from "react";
import { deviceLabel } from "../../shared/ui/device-label.ts";
import { ActKeys, FormSheet } from "../../shared/ui/form-sheet.tsx";
import { ReasonField, reasonOf } from "../../shared/ui/reason-field.tsx";
import { useAct } from "../../shared/ui/use-act.ts";

type About =
  | { readonly is: "endAccount"; readonly person: { readonly id: string; readonly name: string } }
  | {
      readonly is: "endSignIn";
      readonly signIn: { readonly id: string; readonly device: string; readonly person: { readonly name: string } };
    };

/** Ends an account, or one sign-in, with a reason. */
export function EndSheet({ about, close }: { readonly about: About | undefined; readonly close: () => void }) {
  const { t } = useText();
  const title = about?.is === "endSignIn" ? t("staff.endSignIn") : t("staff.endAccount");
  return (
    <FormSheet open={about !== undefined} title={title} onClose={close}>
      {about !== undefined && <EndForm about={about} title={title} close={close} />}
    </FormSheet>
  );
}

function EndForm({
  about,
  title,
  close,
}: {
  readonly about: About;
  readonly title: string;
  readonly close: () => void;
}) {
  const { t } = useText();
  const { busy, run } = useAct();
  const [reason, setReason] = useState("");
  const fields = { reason: reasonOf(reason) };
  const { name } = about.is === "endSignIn" ? about.signIn.person : about.person;
  async function send(): Promise<void> {
    const answer =
      about.is === "endSignIn"
        ? await run("endSignIn", {
            params: { id: about.signIn.id },
            fields,
            summary: {
              title,
              lines: [
                [t("staff.name"), name],
                [t("staff.screen"), deviceLabel(about.signIn.device)],
                [t("app.reason"), fields.reason],
              ],
            },
            reads: ["signIns", "staff"],
            said: t("staff.signInEnded"),
          })
        : await run("endStaff", {
            params: { id: about.person.id },
            fields,
            summary: {
              title,
              lines: [
                [t("staff.name"), name],
                [t("app.reason"), fields.reason],
              ],
            },
            reads: ["staff", "signIns"],
            said: t("staff.accountEndedSaid", { name }),
          });
    if (answer !== undefined) close();
  }
  return (
    <>
      <p className="soft">{t(about.is === "endSignIn" ? "staff.endSignInAbout" : "staff.endAccountAbout", { name })}</p>
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
