import type { Proof } from "@longarm/contract/player-keys";
import { Field } from "@longarm/ui/field.tsx";
import { Form, SecretField, useFields } from "@longarm/ui/form.tsx";
import type { Speech } from "@longarm/ui/i18n/texts.ts";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { hasPasskeys } from "@longarm/ui/passkeys.ts";
import { Sheet } from "@longarm/ui/sheet.tsx";
import { useState } from "react";
import { failureText } from "../../shared/i18n/problem-text.ts";
import { IssuerIcon } from "../../shared/issuer-visit/issuer-icon.tsx";
import css from "./keys.module.css";
import type { KeyEnd, KeysProps } from "./keys.ts";
import { useKeyChanges, useKeys, useProofsByIssuer } from "./keys.ts";

/** Why a change did not happen. */
export function endText(speech: Speech, end: KeyEnd): string | undefined {
  if (end.is === "failed") return failureText(speech, end.failure);
  if (end.is === "cancelled" || end.is === "known") return speech.t(`keys.${end.is}`);
  return end.is === "none" ? speech.t("keys.unsupported") : undefined;
}

type ProofSheetProps = {
  readonly api: KeysProps["api"];
  readonly open: boolean;
  /** Makes the change with the proof. */
  readonly onProof: (proof: Proof) => Promise<KeyEnd | undefined>;
  readonly onClose: () => void;
};

/** The sign-in is not fresh: a passkey, or the password (of a player with an app, a code of it), before what signs in changes. */
export function ProofSheet({ open, onClose, ...rest }: ProofSheetProps) {
  const { t } = useText();
  return (
    <Sheet open={open} onClose={onClose} title={t("keys.proofTitle")}>
      <ProofForm {...rest} />
    </Sheet>
  );
}

function ProofForm({ api, onProof }: Pick<ProofSheetProps, "api" | "onProof">) {
  const speech = useText();
  const { t } = speech;
  const { data } = useKeys(api);
  const keys = data === "absent" ? undefined : data;
  const hasApp = typeof keys?.appSince === "string";
  const { prove } = useKeyChanges(api);
  const issuers = useProofsByIssuer(api);
  const [text, setText] = useState<string>();
  const [busy, setBusy] = useState(false);
  const fields = useFields({ secret: "" }, async ({ secret }) => {
    setText(undefined);
    const end = await onProof(hasApp ? { code: secret } : { password: secret });
    const wrong = end && endText(speech, end);
    return wrong === undefined ? undefined : { secret: wrong };
  });
  const { onText, ...field } = fields.field("secret");
  async function byPasskey(): Promise<void> {
    setBusy(true);
    setText(undefined);
    const by = await prove();
    const end = "proof" in by ? await onProof(by.proof) : by;
    setBusy(false);
    setText(end && endText(speech, end));
  }
  async function byIssuer(visit: () => Promise<KeyEnd>): Promise<void> {
    setBusy(true);
    setText(undefined);
    const end = await visit();
    if (end.is === "left") return;
    setBusy(false);
    setText(endText(speech, end));
  }
  return (
    <div className={css["proof"]}>
      <p>{t("keys.proofAbout")}</p>
      {keys !== undefined && keys.passkeys.length > 0 && hasPasskeys() && (
        <Key icon="passkey" busy={busy} onClick={() => void byPasskey()}>
          {t("keys.proofPasskey")}
        </Key>
      )}
      {issuers.map(({ label, icon, visit }) => (
        <Key key={label} className={css["issuer"]} busy={busy} onClick={() => void byIssuer(visit)}>
          <IssuerIcon address={icon} />
          {t("keys.proofOpenId", { name: label })}
        </Key>
      ))}
      {text !== undefined && <p role="alert">{text}</p>}
      <Form of={fields} send={t("keys.proofSend")}>
        {hasApp ? (
          <Field
            label={t("keys.proofCode")}
            autoComplete="one-time-code"
            autoCapitalize="characters"
            spellCheck={false}
            maxLength={60}
            dir="ltr"
            {...field}
            onChange={({ target }) => onText(target.value)}
          />
        ) : (
          <SecretField
            label={t("keys.proofPassword")}
            show={t("keys.showPassword")}
            hide={t("keys.hidePassword")}
            name="password"
            autoComplete="current-password"
            {...field}
            onText={onText}
          />
        )}
      </Form>
    </div>
  );
}
