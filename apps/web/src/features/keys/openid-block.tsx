import { FormAlert } from "@longarm/ui/form.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import { Key } from "@longarm/ui/key.tsx";
import { TOAST_MS } from "@longarm/ui/messages.ts";
import { Notice } from "@longarm/ui/notice.tsx";
import { dayAndTime } from "@longarm/ui/time/time-text.ts";
import { useId, useState } from "react";
import css from "./keys.module.css";
import type { KeyChange, KeyEnd, KeysProps } from "./keys.ts";
import { useKeyChanges, useOpenId } from "./keys.ts";
import { endText, ProofSheet } from "./proof-sheet.tsx";

/** The player's link with the operator's issuer. Absent where the platform has none. */
export function OpenIdBlock({ api, messages }: KeysProps) {
  const speech = useText();
  const { t, language } = speech;
  const title = useId();
  const { data, error, refetch } = useOpenId(api);
  const changes = useKeyChanges(api);
  const [waiting, setWaiting] = useState<KeyChange>();
  const [end, setEnd] = useState<KeyEnd>();
  const [busy, setBusy] = useState(false);

  /** Makes a change; where the platform wants a proof, its sheet opens and makes it again. */
  async function run(change: KeyChange, proof?: Parameters<KeyChange>[0]): Promise<KeyEnd> {
    setBusy(true);
    setEnd(undefined);
    const by = await change(proof);
    // The page is on its way out.
    if (by.is === "left") return by;
    setBusy(false);
    if (by.is === "proof") setWaiting(() => change);
    else if (proof === undefined || by.is === "done") {
      setWaiting(undefined);
      setEnd(by);
    }
    if (by.is === "done") messages.say("good", t("keys.openIdNow"), TOAST_MS);
    return by;
  }

  // Most platforms have none: nothing is drawn before it is known.
  if (data === "absent" || (data === undefined && error === null)) return null;
  if (data === undefined)
    return (
      <section className={css["block"]}>
        <div role="alert">
          <Notice title={t("keys.openIdFailed")} body={t("app.callFailed")}>
            <Key onClick={() => void refetch()}>{t("app.tryAgain")}</Key>
          </Notice>
        </div>
      </section>
    );
  const { label, link, keepsLast } = data;
  const day = (time: string) => dayAndTime(Date.parse(time), language)[0];
  const failed = end === undefined || end.is === "done" ? undefined : endText(speech, end);
  return (
    <section className={css["block"]} aria-labelledby={title}>
      <h2 id={title}>{t("keys.openIdTitle", { name: label })}</h2>
      <p>{t("keys.openIdAbout", { name: label })}</p>
      {link !== null && (
        <ul className={css["rows"]}>
          <li>
            <Icon name="player" />
            <div>
              <b>
                <bdi>{link.name}</bdi>
              </b>
              <span>
                {t("keys.openIdOf", { day: day(link.linkedAt) })} ·{" "}
                {link.usedAt === null ? t("keys.usedNever") : t("keys.used", { day: day(link.usedAt) })}
              </span>
              {keepsLast && <span>{t("keys.keepsLast")}</span>}
            </div>
            {!keepsLast && (
              <Key
                aria-label={t("keys.removeOf", { name: link.name })}
                busy={busy}
                onClick={() => void run(changes.unlink)}
              >
                {t("keys.remove")}
              </Key>
            )}
          </li>
        </ul>
      )}
      {failed !== undefined && <FormAlert>{failed}</FormAlert>}
      {link === null ? (
        <Key
          icon="player"
          className={`${css["go"]} ${css["issuer"]}`}
          busy={busy}
          onClick={() => void run(changes.visit("link"))}
        >
          {t("keys.openIdLink", { name: label })}
        </Key>
      ) : (
        <p className={css["small"]}>{t("keys.openIdLost")}</p>
      )}
      <ProofSheet
        api={api}
        open={waiting !== undefined}
        onProof={async (proof) => (waiting === undefined ? undefined : await run(waiting, proof))}
        onClose={() => setWaiting(undefined)}
      />
    </section>
  );
}
