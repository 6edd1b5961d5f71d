import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { useState } from "react";
import type { AnswerOf } from "../../shared/api.ts";
import { useConsole } from "../../shared/console.ts";
import { useMe, useOnline } from "../../shared/me.ts";
import { whenText } from "../../shared/times.ts";
import { FormSheet } from "../../shared/ui/form-sheet.tsx";
import { Facts, Panel, panelCss } from "../../shared/ui/panel.tsx";
import { ReasonForm } from "../../shared/ui/reason-form.tsx";
import css from "./players.module.css";

type Detail = AnswerOf<"player">;

/** Who the player is. The e-mail is shown in part until somebody says why they need it, which is written to the audit log. */
export function Contact({ detail }: { readonly detail: Detail }) {
  const { t, language } = useText();
  const { clock } = useConsole();
  const { venue } = useMe();
  const online = useOnline();
  const [open, setOpen] = useState(false);
  const [shown, setShown] = useState<string>();
  const { player, email, addedAt, lastSeen } = detail;
  const at = (when: string) => whenText(when, clock.now(), venue.timeZone, language);
  return (
    <Panel title={t("players.who")}>
      <div className={panelCss["body"]}>
        <Facts
          rows={[
            [t("app.username"), player.username],
            [
              t("players.email"),
              <span key="email" className={css["contact"]}>
                <bdi>{shown ?? email ?? "–"}</bdi>
                {email !== null && shown === undefined && (
                  <Key
                    kind="bare"
                    disabled={!online}
                    aria-label={t("players.revealContact")}
                    onClick={() => setOpen(true)}
                  >
                    {t("players.reveal")}
                  </Key>
                )}
              </span>,
            ],
            [t("players.addedAt"), at(addedAt)],
            [t("players.lastSeen"), lastSeen === null ? t("players.never") : at(lastSeen)],
          ]}
        />
      </div>
      <FormSheet open={open} title={t("players.revealContact")} onClose={() => setOpen(false)}>
        <ReasonForm
          name="revealContact"
          params={{ id: player.id }}
          title={t("players.revealContact")}
          about={t("players.revealContactAbout")}
          lines={[[t("players.one"), player.username]]}
          reads={[]}
          close={() => setOpen(false)}
          onAnswer={(answer) => {
            if (answer.is === "done") setShown(answer.result.email ?? "–");
            setOpen(false);
          }}
        />
      </FormSheet>
    </Panel>
  );
}

/** Where the player is signed in now, and what signs in beside the password. */
export function SignIns({ detail }: { readonly detail: Detail }) {
  const { t, language } = useText();
  const { clock } = useConsole();
  const { venue } = useMe();
  return (
    <Panel title={t("players.signIns")}>
      <div className={panelCss["body"]}>
        {detail.signIns.length === 0 ? (
          <p className="soft">{t("players.noSignIns")}</p>
        ) : (
          <ul className={css["signIns"]}>
            {detail.signIns.map(({ id, address, since }) => (
              <li key={id}>
                <span className="ltr">{address}</span>
                <small>{t("players.since", { time: whenText(since, clock.now(), venue.timeZone, language) })}</small>
              </li>
            ))}
          </ul>
        )}
        {detail.passkeys + detail.recoveryCodes > 0 && (
          <p className="soft">{t("players.keys", { passkeys: detail.passkeys, codes: detail.recoveryCodes })}</p>
        )}
        {detail.hasApp && <p className="soft">{t("players.app")}</p>}
      </div>
    </Panel>
  );
}
