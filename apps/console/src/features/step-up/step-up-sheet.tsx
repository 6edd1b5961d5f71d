import { FormAlert } from "@longarm/ui/form.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { useLive } from "@longarm/ui/live.ts";
import { Money } from "@longarm/ui/money/money.tsx";
import { Sheet } from "@longarm/ui/sheet.tsx";
import type { OpenStepUp } from "../../shared/acts.ts";
import { useConsole } from "../../shared/console.ts";
import { useMe } from "../../shared/me.ts";
import { ConsoleIcon } from "../../shared/ui/icons.tsx";
import { Facts, Note } from "../../shared/ui/panel.tsx";
import { usePasskeyTry } from "../../shared/ui/passkey-try.ts";
import css from "./step-up.module.css";

/** The question whether it is the person who is signed in: the passkey confirms one act with one content. */
export function StepUpSheet() {
  const { acts } = useConsole();
  const open = useLive(acts.stepUp);
  const { t } = useText();
  return (
    <Sheet open={open !== null} title={t("app.confirmTitle")} {...(open && { onClose: open.cancel })}>
      {open !== null && <Question open={open} />}
    </Sheet>
  );
}

function Question({ open }: { readonly open: OpenStepUp }) {
  const { t } = useText();
  const me = useMe();
  const { busy, failure, start } = usePasskeyTry(open.confirm);
  const { title, lines, amount } = open.summary;
  return (
    <div className={css["body"]}>
      <p className="soft">{t("app.confirmAbout")}</p>
      <div className={css["what"]}>
        <b>{title}</b>
        <Facts
          rows={[
            ...(amount === undefined ? [] : ([[t("app.amount"), <Money key="amount" minor={amount} />]] as const)),
            ...lines,
          ]}
        />
      </div>
      {me.passkeys === 0 ? (
        <Note kind="wait">{t("app.confirmNoPasskey")}</Note>
      ) : (
        <Key kind="brass" className={css["brass"]} busy={busy} onClick={start}>
          <ConsoleIcon name="passkey" />
          {t("signIn.passkey")}
        </Key>
      )}
      {failure !== undefined && <FormAlert>{failure}</FormAlert>}
      <div className={css["foot"]}>
        <Key kind="bare" onClick={open.cancel}>
          {t("app.cancel")}
        </Key>
        <span className="fine">{t("app.confirmOnce")}</span>
      </div>
    </div>
  );
}
