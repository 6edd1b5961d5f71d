import type { Proof } from "@longarm/contract/player-keys";
import { Form, SecretField, useFields } from "@longarm/ui/form.tsx";
import type { Speech } from "@longarm/ui/i18n/texts.ts";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { Sheet } from "@longarm/ui/sheet.tsx";
import { useState } from "react";
import { failureText } from "../../shared/i18n/problem-text.ts";
import css from "./keys.module.css";
import type { KeyEnd } from "./keys.ts";

/** Why a change did not happen. */
export function endText(speech: Speech, end: KeyEnd): string | undefined {
  if (end.is === "failed") return failureText(speech, end.failure);
  if (end.is === "cancelled" || end.is === "known") return speech.t(`keys.${end.is}`);
  return end.is === "none" ? speech.t("keys.unsupported") : undefined;
}

type ProofSheetProps = {
  readonly open: boolean;
  readonly withPasskey: boolean;
  readonly prove: () => Promise<{ readonly proof: Proof } | KeyEnd>;
  /** Signing in anew at the issuer that the player is linked with; absent: none. */
  readonly openId?: { readonly label: string; readonly visit: () => Promise<KeyEnd> } | undefined;
  /** Makes the change with the proof. */
  readonly onProof: (proof: Proof) => Promise<KeyEnd | undefined>;
  readonly onClose: () => void;
};

/** The sign-in is not fresh: the password, or a passkey, before what signs in changes. */
export function ProofSheet({ open, onClose, ...rest }: ProofSheetProps) {
  const { t } = useText();
  return (
    <Sheet open={open} onClose={onClose} title={t("keys.proofTitle")}>
      <ProofForm {...rest} />
    </Sheet>
  );
}

function ProofForm({ withPasskey, prove, openId, onProof }: Omit<ProofSheetProps, "open" | "onClose">) {
  const speech = useText();
  const { t } = speech;
  const [text, setText] = useState<string>();
  const [busy, setBusy] = useState(false);
  const fields = useFields({ password: "" }, async ({ password }) => {
    setText(undefined);
    const end = await onProof({ password });
    const wrong = end && endText(speech, end);
    return wrong === undefined ? undefined : { password: wrong };
  });
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
      {withPasskey && (
        <Key icon="passkey" busy={busy} onClick={() => void byPasskey()}>
          {t("keys.proofPasskey")}
        </Key>
      )}
      {openId !== undefined && (
        <Key icon="player" className={css["issuer"]} busy={busy} onClick={() => void byIssuer(openId.visit)}>
          {t("keys.proofOpenId", { name: openId.label })}
        </Key>
      )}
      {text !== undefined && <p role="alert">{text}</p>}
      <Form of={fields} send={t("keys.proofSend")}>
        <SecretField
          label={t("keys.proofPassword")}
          show={t("keys.showPassword")}
          hide={t("keys.hidePassword")}
          name="password"
          autoComplete="current-password"
          {...fields.field("password")}
        />
      </Form>
    </div>
  );
}
