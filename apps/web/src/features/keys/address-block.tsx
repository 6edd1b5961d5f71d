import type { Proof } from "@longarm/contract/player-keys";
import type { PlayerMail } from "@longarm/contract/player-mail";
import { MAIL_CODE_MINUTES } from "@longarm/contract/player-mail";
import { Field } from "@longarm/ui/field.tsx";
import { Form, useFields } from "@longarm/ui/form.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import { Key } from "@longarm/ui/key.tsx";
import { TOAST_MS } from "@longarm/ui/messages.ts";
import { Notice } from "@longarm/ui/notice.tsx";
import { useId, useState } from "react";
import css from "./keys.module.css";
import type { KeyEnd, KeysProps } from "./keys.ts";
import { useAddress, useAddressChanges } from "./keys.ts";
import { endText, ProofSheet } from "./proof-sheet.tsx";

/** The player's e-mail address, which a code confirms. Absent where the platform sends no mail. */
export function AddressBlock({ api, messages, onConfirmed }: KeysProps & { readonly onConfirmed: () => void }) {
  const { t } = useText();
  const title = useId();
  const { data, error, refetch } = useAddress(api);
  if (data === "absent") return null;
  return (
    <section className={css["block"]} aria-labelledby={title}>
      <h2 id={title}>{t("mail.title")}</h2>
      <p>{t("mail.about")}</p>
      {data === undefined && error === null && <p role="status">{t("keys.loading")}</p>}
      {data === undefined && error !== null && (
        <div role="alert">
          <Notice title={t("mail.failed")} body={t("app.callFailed")}>
            <Key onClick={() => void refetch()}>{t("app.tryAgain")}</Key>
          </Notice>
        </div>
      )}
      {data !== undefined && <Address {...{ api, messages, onConfirmed }} own={data} />}
    </section>
  );
}

type AddressProps = KeysProps & { readonly own: PlayerMail; readonly onConfirmed: () => void };

function Address({ api, messages, own, onConfirmed }: AddressProps) {
  const speech = useText();
  const { t, language } = speech;
  const changes = useAddressChanges(api);
  const [changing, setChanging] = useState(!own.confirmed);
  /** Where a code went. */
  const [sentTo, setSentTo] = useState(own.sentTo);
  /** An address that waits for a proof. */
  const [waiting, setWaiting] = useState<string>();

  async function request(address: string, proof?: Proof): Promise<KeyEnd> {
    const end = await changes.requestCode(address, language, proof);
    if (end.is === "proof") setWaiting(address);
    if (end.is === "done") {
      setWaiting(undefined);
      setSentTo(address);
    }
    return end;
  }
  async function confirm(code: string): Promise<KeyEnd> {
    const end = await changes.confirm(code);
    if (end.is !== "done") return end;
    setSentTo(undefined);
    setChanging(false);
    messages.say("good", t("mail.saved"), TOAST_MS);
    onConfirmed();
    return end;
  }
  return (
    <>
      {own.address === null ? (
        <p>{t("mail.none")}</p>
      ) : (
        <ul className={css["rows"]}>
          <li>
            <Icon name="player" />
            <div>
              <b>
                <bdi>{own.address}</bdi>
              </b>
              <span>{t(own.confirmed ? "mail.confirmed" : "mail.open")}</span>
            </div>
            {own.confirmed && !changing && (
              <div className={css["acts"]}>
                <Key onClick={() => setChanging(true)}>{t("mail.change")}</Key>
              </div>
            )}
          </li>
        </ul>
      )}
      {changing && sentTo === undefined && (
        <TextForm
          label={t("mail.address")}
          send={t("mail.send")}
          start={own.confirmed ? "" : (own.address ?? "")}
          type="email"
          autoComplete="email"
          onSend={async (address) => endText(speech, await request(address.trim()))}
        />
      )}
      {sentTo !== undefined && (
        <>
          <p role="status">{t("mail.sent", { address: sentTo, minutes: MAIL_CODE_MINUTES })}</p>
          <TextForm
            label={t("mail.code")}
            send={t("mail.confirm")}
            inputMode="numeric"
            autoComplete="one-time-code"
            onSend={async (code) => endText(speech, await confirm(code))}
          />
          <Key onClick={() => setSentTo(undefined)} className={css["go"]}>
            {t("mail.other")}
          </Key>
        </>
      )}
      <ProofSheet
        api={api}
        open={waiting !== undefined}
        onProof={async (proof) => (waiting === undefined ? undefined : await request(waiting, proof))}
        onClose={() => setWaiting(undefined)}
      />
    </>
  );
}

type TextFormProps = Pick<Parameters<typeof Field>[0], "label" | "type" | "autoComplete" | "inputMode"> & {
  readonly send: string;
  readonly start?: string;
  /** Answers what went wrong. */
  readonly onSend: (text: string) => Promise<string | undefined>;
};

/** One line of text, and the key that sends it. */
function TextForm({ send, start = "", onSend, ...field }: TextFormProps) {
  const fields = useFields({ text: start }, async ({ text }) => {
    const wrong = await onSend(text);
    return wrong === undefined ? undefined : { text: wrong };
  });
  const { onText, ...own } = fields.field("text");
  return (
    <Form of={fields} send={send}>
      <Field
        {...field}
        {...own}
        autoCapitalize="none"
        spellCheck={false}
        maxLength={254}
        dir="ltr"
        onChange={({ target }) => onText(target.value)}
      />
    </Form>
  );
}
