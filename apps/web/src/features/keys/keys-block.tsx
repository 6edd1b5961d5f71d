import type { PlayerPasskey } from "@longarm/contract/player-keys";
import { systemOf } from "@longarm/contract/user-agent";
import { Field } from "@longarm/ui/field.tsx";
import { Form, FormAlert, useFields } from "@longarm/ui/form.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import { Key } from "@longarm/ui/key.tsx";
import { TOAST_MS } from "@longarm/ui/messages.ts";
import { Notice } from "@longarm/ui/notice.tsx";
import { hasPasskeys } from "@longarm/ui/passkeys.ts";
import { dayAndTime } from "@longarm/ui/time/time-text.ts";
import { useId, useState } from "react";
import type { TextKey } from "../../shared/i18n/text-key.ts";
import css from "./keys.module.css";
import type { KeyChange, KeyEnd, KeysProps } from "./keys.ts";
import { useKeyChanges, useKeys } from "./keys.ts";
import { endText, ProofSheet } from "./proof-sheet.tsx";

/** What is said once this browser has a new passkey. */
const ADDED = "keys.addedNow" satisfies TextKey;

/** A change under way that waits for a proof. */
type Waiting = { readonly change: KeyChange; readonly done?: TextKey | undefined };

/** The player's passkeys and recovery codes. Absent where the platform has none. */
export function KeysBlock({ api, messages, onAdded }: KeysProps & { readonly onAdded: () => void }) {
  const speech = useText();
  const { t } = speech;
  const title = useId();
  const { data, error, refetch } = useKeys(api);
  const changes = useKeyChanges(api);
  const [waiting, setWaiting] = useState<Waiting>();
  const [end, setEnd] = useState<KeyEnd>();
  const [codes, setCodes] = useState<readonly string[]>();
  const [busy, setBusy] = useState(false);

  /** Makes a change; where the platform wants a proof, its sheet opens and makes it again. */
  async function run(change: KeyChange, done?: TextKey, proof?: Parameters<KeyChange>[0]): Promise<KeyEnd> {
    setBusy(true);
    setEnd(undefined);
    const by = await change(proof);
    setBusy(false);
    if (by.is === "proof") setWaiting({ change, done });
    else if (proof === undefined || by.is !== "failed") {
      setWaiting(undefined);
      setEnd(by);
    }
    if (by.is === "done" && done === ADDED) onAdded();
    if (by.is === "done" && done !== undefined) messages.say("good", t(done), TOAST_MS);
    if (by.is === "done" && by.codes !== undefined) setCodes(by.codes);
    return by;
  }

  if (data === "absent") return null;
  const failed = end === undefined || end.is === "done" ? undefined : endText(speech, end);
  return (
    <section className={css["block"]} aria-labelledby={title}>
      <h2 id={title}>{t("keys.title")}</h2>
      <p>{t("keys.about")}</p>
      {data === undefined && error === null && <p role="status">{t("keys.loading")}</p>}
      {data === undefined && error !== null && (
        <div role="alert">
          <Notice title={t("keys.failed")} body={t("app.callFailed")}>
            <Key onClick={() => void refetch()}>{t("app.tryAgain")}</Key>
          </Notice>
        </div>
      )}
      {data !== undefined && (
        <>
          {data.passkeys.length === 0 && <p>{t("keys.none")}</p>}
          <ul className={css["rows"]}>
            {data.passkeys.map((row) => (
              <PasskeyRow
                key={row.id}
                row={row}
                stays={data.keepsLast && data.passkeys.length === 1}
                busy={busy}
                onRename={(name) => run(changes.rename(row.id, name))}
                onRemove={() => void run(changes.remove(row.id), "keys.removedNow")}
              />
            ))}
          </ul>
          {failed !== undefined && <FormAlert>{failed}</FormAlert>}
          {hasPasskeys() ? (
            <Key
              kind="brass"
              icon="passkey"
              className={css["go"]}
              busy={busy}
              onClick={() => void run(changes.add(systemOf(navigator.userAgent) || t("keys.title")), ADDED)}
            >
              {t("keys.add")}
            </Key>
          ) : (
            <p>{t("keys.unsupported")}</p>
          )}
          <p className={css["small"]}>{t("keys.lost")}</p>
          <Codes
            {...{ left: data.codesLeft, codes, busy }}
            onMake={() => void run(changes.renewCodes)}
            onDone={() => setCodes(undefined)}
          />
          <ProofSheet
            api={api}
            open={waiting !== undefined}
            onProof={async (proof) =>
              waiting === undefined ? undefined : await run(waiting.change, waiting.done, proof)
            }
            onClose={() => setWaiting(undefined)}
          />
        </>
      )}
    </section>
  );
}

type RowProps = {
  readonly row: PlayerPasskey;
  /** It is the last way to sign in. */
  readonly stays: boolean;
  readonly busy: boolean;
  readonly onRename: (name: string) => Promise<KeyEnd>;
  readonly onRemove: () => void;
};

function PasskeyRow({ row, stays, busy, onRename, onRemove }: RowProps) {
  const speech = useText();
  const { t, language } = speech;
  const [renaming, setRenaming] = useState(false);
  const { name } = row;
  const day = (time: string) => dayAndTime(Date.parse(time), language)[0];
  const used = row.usedAt === null ? t("keys.usedNever") : t("keys.used", { day: day(row.usedAt) });
  return (
    <li>
      <Icon name="passkey" />
      <div>
        <b>
          <bdi>{name}</bdi>
        </b>
        <span>
          {t("keys.added", { day: day(row.addedAt) })} · {used}
        </span>
        {stays && <span>{t("keys.keepsLast")}</span>}
        {renaming && (
          <Rename
            name={name}
            onName={async (text) => {
              const end = await onRename(text);
              if (end.is !== "done") return endText(speech, end);
              setRenaming(false);
              return undefined;
            }}
          />
        )}
      </div>
      <div className={css["acts"]}>
        <Key aria-expanded={renaming} aria-label={t("keys.renameOf", { name })} onClick={() => setRenaming(!renaming)}>
          {t(renaming ? "keys.back" : "keys.rename")}
        </Key>
        {!stays && (
          <Key aria-label={t("keys.removeOf", { name })} busy={busy} onClick={onRemove}>
            {t("keys.remove")}
          </Key>
        )}
      </div>
    </li>
  );
}

/** Answers what went wrong. */
function Rename({ name, onName }: { name: string; onName: (text: string) => Promise<string | undefined> }) {
  const { t } = useText();
  const fields = useFields({ name }, async (typed) => {
    const wrong = await onName(typed.name);
    return wrong === undefined ? undefined : { name: wrong };
  });
  const { onText, ...field } = fields.field("name");
  return (
    <Form of={fields} send={t("keys.save")}>
      <Field
        label={t("keys.name")}
        maxLength={60}
        autoFocus
        {...field}
        onChange={({ target }) => onText(target.value)}
      />
    </Form>
  );
}

type CodesProps = {
  readonly left: number;
  /** Made just now. */
  readonly codes: readonly string[] | undefined;
  readonly busy: boolean;
  /** Absent: they are only shown. */
  readonly onMake?: () => void;
  readonly onDone: () => void;
};

export function Codes({ left, codes, busy, onMake, onDone }: CodesProps) {
  const { t } = useText();
  return (
    <div className={css["codes"]}>
      <h3>{t("keys.codes")}</h3>
      <p>{t("keys.codesAbout")}</p>
      {codes === undefined && (
        <>
          <p>{left === 0 ? t("keys.codesNone") : t("keys.codesLeft", { count: left })}</p>
          <Key className={css["go"]} busy={busy} onClick={onMake}>
            {t("keys.codesMake")}
          </Key>
        </>
      )}
      {codes !== undefined && (
        <>
          <p role="status">{t("keys.codesShown")}</p>
          <ol className={css["paper"]} dir="ltr">
            {codes.map((code) => (
              <li key={code}>
                <code>{code}</code>
              </li>
            ))}
          </ol>
          <Key className={css["go"]} onClick={onDone}>
            {t("keys.codesDone")}
          </Key>
        </>
      )}
    </div>
  );
}
