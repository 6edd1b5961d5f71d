import type { VenueKey } from "@longarm/contract/venue-settings";
import { SETTING_UNITS, TWO_PERSON_KEYS } from "@longarm/contract/venue-settings";
import { Field } from "@longarm/ui/field.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { Switch } from "@longarm/ui/switch.tsx";
import { Tag } from "../../shared/ui/panel.tsx";
import { SelectField } from "../../shared/ui/select-field.tsx";
import type { Change, Raw, SettingsNow } from "./draft.ts";
import { choicesOf, controlOf, saidOf } from "./draft.ts";
import css from "./settings.module.css";

type RowProps = {
  readonly name: VenueKey;
  readonly now: SettingsNow;
  readonly raw: string | boolean;
  readonly change: Change | undefined;
  readonly mayChange: boolean;
  readonly onRaw: (raw: Raw) => void;
};

/** One setting: its name and what it does in the schema's words, its control, and where its value comes from. */
export function SettingRow(props: RowProps) {
  const { name, now, change, mayChange, onRaw } = props;
  const { t } = useText();
  const isOwn = Object.hasOwn(now.content, name);
  const was =
    change === undefined
      ? t(isOwn ? "settings.ofVenue" : "settings.ofServer")
      : t("settings.wasValue", { value: saidOf(change.before) });
  return (
    <div className={css["set"]} data-changed={change !== undefined || undefined}>
      <div className={css["name"]}>
        <code className="ltr">{name}</code> {TWO_PERSON_KEYS.has(name) && <Tag>{t("settings.two")}</Tag>}
        <small>{t(`settings.about_${name}`)}</small>
      </div>
      <Control {...props} />
      <div className={css["was"]}>
        <span dir="auto">{was}</span>
        {isOwn && mayChange && change?.sent !== null && (
          <Key kind="bare" aria-label={t("settings.takeBackOf", { name })} onClick={() => onRaw(null)}>
            {t("settings.takeBack")}
          </Key>
        )}
      </div>
    </div>
  );
}

function Control({ name, raw, change, mayChange, onRaw }: RowProps) {
  const { t } = useText();
  const kind = controlOf(name);
  const error =
    change?.rule === undefined ? undefined : t(`settings.wrong_${change.rule.name}`, { bound: change.rule.bound });
  const unit = SETTING_UNITS[name];
  if (kind === "switch" && typeof raw === "boolean")
    return (
      <div className={css["switch"]}>
        <Switch
          label={
            <span>
              <span className="visually-hidden">{name}: </span>
              {t(raw ? "settings.on" : "settings.off")}
            </span>
          }
          on={raw}
          disabled={!mayChange}
          onChange={onRaw}
        />
      </div>
    );
  const text = String(raw);
  if (kind === "choice")
    return (
      <SelectField
        label={name}
        bareLabel
        value={text}
        choices={choicesOf(name).map((one) => [one, one] as const)}
        disabled={!mayChange}
        onChange={onRaw}
      />
    );
  if (kind === "long" || kind === "json")
    return <LongField name={name} text={text} error={error} readOnly={!mayChange} onRaw={onRaw} />;
  return (
    <Field
      label={name}
      bareLabel
      value={text}
      readOnly={!mayChange}
      inputMode={kind === "number" ? "decimal" : "text"}
      dir={kind === "text" ? "auto" : "ltr"}
      maxLength={4_000}
      autoComplete="off"
      spellCheck={false}
      error={error}
      note={kind === "coins" ? t("settings.coinsNote") : undefined}
      after={unit !== undefined && <span className={css["unit"]}>{t(`settings.unit_${unit}`)}</span>}
      onChange={({ target }) => onRaw(target.value)}
    />
  );
}

function LongField(props: {
  readonly name: VenueKey;
  readonly text: string;
  readonly error: string | undefined;
  readonly readOnly: boolean;
  readonly onRaw: (raw: string) => void;
}) {
  const { name, text, error } = props;
  const isJson = controlOf(name) === "json";
  return (
    <div className={css["long"]}>
      <textarea
        aria-label={name}
        aria-invalid={error === undefined ? undefined : true}
        aria-describedby={error === undefined ? undefined : `${name}-wrong`}
        className={isJson ? "mono" : ""}
        dir={isJson ? "ltr" : "auto"}
        rows={Math.min(8, Math.max(2, text.split("\n").length))}
        value={text}
        readOnly={props.readOnly}
        spellCheck={!isJson}
        onChange={({ target }) => props.onRaw(target.value)}
      />
      {error !== undefined && (
        <p id={`${name}-wrong`} className={css["wrong"]} role="alert">
          {error}
        </p>
      )}
    </div>
  );
}
