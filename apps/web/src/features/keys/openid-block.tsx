import { FormAlert } from "@longarm/ui/form.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { TOAST_MS } from "@longarm/ui/messages.ts";
import { Notice } from "@longarm/ui/notice.tsx";
import { dayAndTime } from "@longarm/ui/time/time-text.ts";
import { useId, useState } from "react";
import { IssuerIcon } from "../../shared/issuer-visit/issuer-icon.tsx";
import css from "./keys.module.css";
import type { KeyChange, KeyEnd, KeysProps, OwnIssuer } from "./keys.ts";
import { useKeyChanges, useOpenId } from "./keys.ts";
import { endText, ProofSheet } from "./proof-sheet.tsx";

/** The player's links with the operator's issuers. Absent where the platform has none. */
export function OpenIdBlock({ api, messages }: KeysProps) {
  const speech = useText();
  const { t } = speech;
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
  const [only, ...others] = data;
  const name = others.length === 0 ? only?.label : undefined;
  const failed = end === undefined || end.is === "done" ? undefined : endText(speech, end);
  return (
    <section className={css["block"]} aria-labelledby={title}>
      <h2 id={title}>{name === undefined ? t("keys.issuersTitle") : t("keys.openIdTitle", { name })}</h2>
      <p>{name === undefined ? t("keys.issuersAbout") : t("keys.openIdAbout", { name })}</p>
      <ul className={css["rows"]}>
        {data.map((issuer) => (
          <IssuerRow
            key={issuer.label}
            issuer={issuer}
            isOnly={name !== undefined}
            busy={busy}
            onLink={() => void run(changes.visit("link", issuer))}
            onUnlink={() => void run(changes.unlink(issuer))}
          />
        ))}
      </ul>
      {failed !== undefined && <FormAlert>{failed}</FormAlert>}
      {data.some(({ link }) => link !== null) && <p className={css["small"]}>{t("keys.openIdLost")}</p>}
      <ProofSheet
        api={api}
        open={waiting !== undefined}
        onProof={async (proof) => (waiting === undefined ? undefined : await run(waiting, proof))}
        onClose={() => setWaiting(undefined)}
      />
    </section>
  );
}

type IssuerRowProps = {
  readonly issuer: OwnIssuer;
  /** The heading has its name already. */
  readonly isOnly: boolean;
  readonly busy: boolean;
  readonly onLink: () => void;
  readonly onUnlink: () => void;
};

/** One issuer: whom the player is there, or that they may be linked. */
function IssuerRow({ issuer, isOnly, busy, onLink, onUnlink }: IssuerRowProps) {
  const { t, language } = useText();
  const { label, icon, link, keepsLast } = issuer;
  const day = (time: string) => dayAndTime(Date.parse(time), language)[0];
  return (
    <li>
      <IssuerIcon address={icon} />
      <div>
        <b>
          <bdi>{isOnly && link !== null ? link.name : label}</bdi>
        </b>
        {!isOnly && link !== null && (
          <span>
            <bdi>{link.name}</bdi>
          </span>
        )}
        {link === null ? (
          <span>{t("keys.notLinked")}</span>
        ) : (
          <span>
            {t("keys.openIdOf", { day: day(link.linkedAt) })} ·{" "}
            {link.usedAt === null ? t("keys.usedNever") : t("keys.used", { day: day(link.usedAt) })}
          </span>
        )}
        {keepsLast && <span>{t("keys.keepsLast")}</span>}
      </div>
      {link === null && (
        <Key aria-label={t("keys.openIdLink", { name: label })} busy={busy} onClick={onLink}>
          {t("keys.link")}
        </Key>
      )}
      {link !== null && !keepsLast && (
        <Key aria-label={t("keys.removeOf", { name: isOnly ? link.name : label })} busy={busy} onClick={onUnlink}>
          {t("keys.remove")}
        </Key>
      )}
    </li>
  );
}
