import { Field } from "@longarm/ui/field.tsx";
import { Form, FormAlert, useFields } from "@longarm/ui/form.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import { Key, keyClass } from "@longarm/ui/key.tsx";
import { TOAST_MS } from "@longarm/ui/messages.ts";
import { QrCode } from "@longarm/ui/qr-code.tsx";
import { dayAndTime } from "@longarm/ui/time/time-text.ts";
import { useId, useState } from "react";
import css from "./keys.module.css";
import type { KeyChange, KeyEnd, KeysProps, NewApp } from "./keys.ts";
import { useAppChanges, useKeys } from "./keys.ts";
import { Codes } from "./keys-block.tsx";
import { endText, ProofSheet } from "./proof-sheet.tsx";

/** The player's authenticator app. Absent where the platform has none, and while the keys above are not read. */
export function AppBlock({ api, messages }: KeysProps) {
  const speech = useText();
  const { t, language } = speech;
  const title = useId();
  const { data } = useKeys(api);
  const [begun, setBegun] = useState<NewApp>();
  const [codes, setCodes] = useState<readonly string[]>();
  const changes = useAppChanges(api, { begun: setBegun, codes: setCodes });
  const [waiting, setWaiting] = useState<KeyChange>();
  const [end, setEnd] = useState<KeyEnd>();
  const [busy, setBusy] = useState(false);

  /** Makes a change; where the platform wants a proof, its sheet opens and makes it again. */
  async function run(change: KeyChange, proof?: Parameters<KeyChange>[0]): Promise<KeyEnd> {
    setBusy(true);
    setEnd(undefined);
    const by = await change(proof);
    setBusy(false);
    if (by.is === "proof") setWaiting(() => change);
    else if (proof === undefined || by.is === "done") {
      setWaiting(undefined);
      setEnd(by);
    }
    return by;
  }
  async function remove(proof?: Parameters<KeyChange>[0]): Promise<KeyEnd> {
    const by = await changes.remove(proof);
    if (by.is === "done") messages.say("good", t("keys.appRemoved"), TOAST_MS);
    return by;
  }
  async function confirm(code: string): Promise<string | undefined> {
    if (begun === undefined) return undefined;
    const by = await changes.add(begun, code);
    if (by.is === "failed" && by.failure.httpStatus !== 404) return endText(speech, by);
    setBegun(undefined);
    if (by.is === "done") messages.say("good", t("keys.appAdded"), TOAST_MS);
    else messages.say("bad", t("keys.appLate"), TOAST_MS);
    return undefined;
  }

  if (data === undefined || data === "absent" || data.appSince === undefined) return null;
  const since = data.appSince;
  const failed = end === undefined || end.is === "done" ? undefined : endText(speech, end);
  return (
    <section className={css["block"]} aria-labelledby={title}>
      <h2 id={title}>{t("keys.appTitle")}</h2>
      <p>{t("keys.appAbout")}</p>
      {since !== null && (
        <ul className={css["rows"]}>
          <li>
            <Icon name="passkey" />
            <div>
              <b>{t("keys.appOn")}</b>
              <span>{t("keys.added", { day: dayAndTime(Date.parse(since), language)[0] })}</span>
            </div>
            <Key
              aria-label={t("keys.removeOf", { name: t("keys.appTitle") })}
              busy={busy}
              onClick={() => void run(remove)}
            >
              {t("keys.remove")}
            </Key>
          </li>
        </ul>
      )}
      {failed !== undefined && <FormAlert>{failed}</FormAlert>}
      {codes !== undefined && <Codes left={0} codes={codes} busy={busy} onDone={() => setCodes(undefined)} />}
      {begun === undefined ? (
        <Key className={css["go"]} busy={busy} onClick={() => void run(changes.begin)}>
          {t(since === null ? "keys.appSetUp" : "keys.appMove")}
        </Key>
      ) : (
        <Pairing begun={begun} onCode={confirm} onBack={() => setBegun(undefined)} />
      )}
      {since !== null && <p className={css["small"]}>{t("keys.appLost")}</p>}
      <ProofSheet
        api={api}
        open={waiting !== undefined}
        onProof={async (proof) => (waiting === undefined ? undefined : await run(waiting, proof))}
        onClose={() => setWaiting(undefined)}
      />
    </section>
  );
}

type PairingProps = {
  readonly begun: NewApp;
  /** Answers what went wrong. */
  readonly onCode: (code: string) => Promise<string | undefined>;
  readonly onBack: () => void;
};

/** The new secret, for a camera and for a keyboard, and the first code of the app. */
function Pairing({ begun: { otpauth, secret }, onCode, onBack }: PairingProps) {
  const { t } = useText();
  const fields = useFields({ code: "" }, async ({ code }) => {
    const wrong = await onCode(code);
    return wrong === undefined ? undefined : { code: wrong };
  });
  const { onText, ...field } = fields.field("code");
  return (
    <div className={css["codes"]}>
      <p>{t("keys.appScan")}</p>
      <div className={css["qr"]}>
        <QrCode text={otpauth} label={t("keys.appQr")} />
      </div>
      <a className={keyClass({ kind: "line" }, css["go"])} href={otpauth}>
        {t("keys.appOpen")}
      </a>
      <p>
        {t("keys.appKey")} <code dir="ltr">{secret.match(/.{1,4}/g)?.join(" ")}</code>
      </p>
      <Form of={fields} send={t("keys.appConfirm")} also={<Key onClick={onBack}>{t("keys.back")}</Key>}>
        <Field
          label={t("keys.appCode")}
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={20}
          dir="ltr"
          {...field}
          onChange={({ target }) => onText(target.value)}
        />
      </Form>
    </div>
  );
}
