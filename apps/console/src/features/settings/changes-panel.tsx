import { TWO_PERSON_KEYS } from "@longarm/contract/venue-settings";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { useState } from "react";
import { useMay, useMe, useOnline } from "../../shared/me.ts";
import { ActKeys, FormSheet } from "../../shared/ui/form-sheet.tsx";
import { Empty, Note, Panel, panelCss } from "../../shared/ui/panel.tsx";
import { ReasonField, reasonOf } from "../../shared/ui/reason-field.tsx";
import { useAct } from "../../shared/ui/use-act.ts";
import { Checked } from "./checked.tsx";
import { Differences } from "./differences.tsx";
import type { Change, SettingsNow } from "./draft.ts";
import { saidOf } from "./draft.ts";
import css from "./settings.module.css";

/** Exactly what differs, what is wrong with it, and the way to save it. */
export function ChangesPanel(props: {
  readonly now: SettingsNow;
  readonly changes: readonly Change[];
  /** Somebody else has saved a version meanwhile. */
  readonly isStale: boolean;
  readonly rebase: () => void;
  readonly clear: () => void;
}) {
  const { t } = useText();
  const mayChange = useMay("settings.change");
  const online = useOnline();
  const [isSaving, setSaving] = useState(false);
  const { now, changes, isStale } = props;
  const wrong = changes.filter(({ rule }) => rule !== undefined).map(({ key }) => key);
  if (changes.length === 0)
    return (
      <Panel title={t("settings.changes")}>
        <Empty title={t("settings.noChanges")} body={t(mayChange ? "settings.noChangesAbout" : "settings.readOnly")} />
      </Panel>
    );
  return (
    <Panel title={t("settings.changes")} tools={<b className={css["count"]}>{changes.length}</b>}>
      <div className={panelCss["body"]}>
        {isStale && (
          <Note kind="wait">
            <p>{t("settings.conflict", { number: now.number })}</p>
            <Key kind="line" onClick={props.rebase}>
              {t("settings.continueNew", { number: now.number })}
            </Key>
          </Note>
        )}
        <Differences
          rows={changes.map(({ key, before, after, rule }) => ({ key, before, after, isWrong: rule !== undefined }))}
        />
        {wrong.length > 0 && <Note kind="bad">{t("settings.wrongOnes", { names: wrong.join(", ") })}</Note>}
        <TwoPeople changes={changes} />
        <MoneySheet changes={changes} />
        <div className={css["keys"]}>
          <Key kind="brass" disabled={!online || isStale || wrong.length > 0} onClick={() => setSaving(true)}>
            {t("settings.save", { count: changes.length })}
          </Key>
          <Key kind="bare" onClick={props.clear}>
            {t("settings.putBack")}
          </Key>
        </div>
      </div>
      <FormSheet open={isSaving} title={t("settings.saveTitle")} onClose={() => setSaving(false)}>
        {isSaving && (
          <SaveForm
            now={now}
            changes={changes}
            onClose={() => setSaving(false)}
            onSaved={() => {
              setSaving(false);
              props.clear();
            }}
          />
        )}
      </FormSheet>
    </Panel>
  );
}

function TwoPeople({ changes }: { readonly changes: readonly Change[] }) {
  const { t } = useText();
  const { venue } = useMe();
  const names = changes.map(({ key }) => key).filter((key) => TWO_PERSON_KEYS.has(key));
  if (!venue.secondPerson || names.length === 0) return null;
  return <Note>{t("settings.needsTwo", { names: names.join(", ") })}</Note>;
}

/** The quick amounts as players will see them. */
function MoneySheet({ changes }: { readonly changes: readonly Change[] }) {
  const { t } = useText();
  const coins = changes.find(({ key, rule }) => key === "hotCoins" && rule === undefined)?.after;
  if (!Array.isArray(coins)) return null;
  return (
    <figure className={css["sheet"]}>
      <div>
        <span className="plate">{t("settings.deposit")}</span>
        <ul>
          {coins.map(({ amount, label }: { readonly amount: number; readonly label: string }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two quick amounts may be the same.
            <li key={`${amount} ${at}`}>{label}</li>
          ))}
          <li>{t("settings.all")}</li>
        </ul>
      </div>
      <figcaption className="fine">{t("settings.asPlayer")}</figcaption>
    </figure>
  );
}

function SaveForm(props: {
  readonly now: SettingsNow;
  readonly changes: readonly Change[];
  readonly onClose: () => void;
  readonly onSaved: () => void;
}) {
  const { t } = useText();
  const { busy, run } = useAct();
  const [text, setText] = useState("");
  const reason = reasonOf(text);
  // What was on the screen when the sheet was opened is what is saved.
  const [wanted] = useState(() => ({
    expected: props.now.number,
    changes: Object.fromEntries(props.changes.map(({ key, sent }) => [key, sent])),
  }));
  async function save(): Promise<void> {
    const done = await run("changeSettings", {
      fields: { ...wanted, reason },
      summary: {
        title: t("settings.saveTitle"),
        lines: props.changes.map(({ key, before, after }) => [key, `${saidOf(before)} → ${saidOf(after)}`] as const),
      },
      reads: ["settings", "settingsVersions", "approvals"],
      said: t("settings.saved"),
    });
    if (done !== undefined) props.onSaved();
  }
  return (
    <>
      <Checked call="changeSettings" fields={wanted} />
      <ReasonField value={text} onText={setText} />
      <ActKeys
        send={t("settings.saveSend")}
        busy={busy}
        disabled={reason === ""}
        onSend={() => void save()}
        onCancel={props.onClose}
      />
    </>
  );
}
