import type { LimitSubject } from "@longarm/contract/player-protection";
import { LimitSubject as Subjects } from "@longarm/contract/player-protection";
import { Check, Field } from "@longarm/ui/field.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { useState } from "react";
import { amountOf } from "../../shared/ui/amount-field.tsx";
import { CheckFirst } from "../../shared/ui/check-first.tsx";
import { ActKeys } from "../../shared/ui/form-sheet.tsx";
import { Note } from "../../shared/ui/panel.tsx";
import { ReasonField, reasonOf } from "../../shared/ui/reason-field.tsx";
import { SelectField } from "../../shared/ui/select-field.tsx";
import { useAct } from "../../shared/ui/use-act.ts";
import type { CountedLimit } from "./limit-text.ts";
import { isTime, shownLimits, useLimitText } from "./limit-text.ts";
import type { Subject } from "./player-act.ts";
import { PLAYER_READS } from "./player-act.ts";

const MINUTES_MAX = 43_200;

/** A limit as it was typed: minor units or minutes. Undefined: it is none. */
function limitOf(key: LimitSubject, typed: string): number | undefined {
  if (!isTime(key)) return amountOf(typed) || undefined;
  const minutes = /^\d{1,5}$/.test(typed.trim()) ? Number(typed.trim()) : 0;
  return minutes >= 1 && minutes <= MINUTES_MAX ? minutes : undefined;
}

type Typed = Partial<Record<LimitSubject, string>>;

function LimitField(props: {
  readonly name: LimitSubject;
  readonly held: number | null | undefined;
  readonly value: string;
  readonly error: string | undefined;
  readonly disabled?: boolean;
  readonly onText: (text: string) => void;
}) {
  const { t } = useText();
  const { nameOf, wordsOf } = useLimitText();
  const { name, held } = props;
  return (
    <Field
      label={isTime(name) ? t("players.inMinutes", { limit: nameOf(name) }) : nameOf(name)}
      note={held === undefined ? undefined : t("players.limitNow", { limit: wordsOf(name, held) })}
      error={props.error}
      value={props.value}
      maxLength={20}
      inputMode="decimal"
      autoComplete="off"
      dir="ltr"
      disabled={props.disabled}
      onChange={({ target }) => props.onText(target.value)}
    />
  );
}

/** Limits by key, as far as the person may see them. */
const heldOf = (limits: Subject["limits"]): ReadonlyMap<LimitSubject, number | null> =>
  new Map((limits?.counted ?? []).map(({ key, value }) => [key, value]));

/** Limits that become stricter hold at once. What stays empty stays as it is. */
export function StricterForm({ subject, close }: { readonly subject: Subject; readonly close: () => void }) {
  const { t } = useText();
  const { busy, run } = useAct();
  const { nameOf, wordsOf } = useLimitText();
  const [typed, setTyped] = useState<Typed>({});
  const [more, setMore] = useState<readonly LimitSubject[]>([]);
  const [text, setText] = useState("");
  const { player, limits } = subject;
  const held = heldOf(limits);
  const fields = fieldsOf(limits, more);
  const names = Subjects.options.filter((name) => (typed[name] ?? "") !== "");
  const problemOf = (name: LimitSubject): string | undefined => {
    if (!names.includes(name)) return undefined;
    const value = limitOf(name, typed[name] ?? "");
    if (value === undefined) return t(isTime(name) ? "players.minutesWrong" : "app.amountWrong");
    const now = held.get(name) ?? null;
    return now !== null && value >= now ? t("players.notStricter") : undefined;
  };
  const reason = reasonOf(text);
  const wanted = Object.fromEntries(names.map((name) => [name, limitOf(name, typed[name] ?? "")]));
  const sent = { limits: wanted, reason };
  const params = { id: player.id };
  const isWhole = names.length > 0 && names.every((name) => problemOf(name) === undefined) && reason !== "";
  async function send(): Promise<void> {
    const answer = await run("stricterLimits", {
      params,
      fields: sent,
      summary: {
        title: t("players.stricterLimits"),
        lines: names.map((name) => [nameOf(name), wordsOf(name, wanted[name] ?? null)]),
      },
      reads: PLAYER_READS,
      said: t("players.limitsSaid"),
    });
    if (answer !== undefined) close();
  }
  return (
    <>
      <p className="soft">{t("players.stricterLimitsAbout")}</p>
      {fields.map((name) => (
        <LimitField
          key={name}
          name={name}
          held={limits === null ? undefined : (held.get(name) ?? null)}
          value={typed[name] ?? ""}
          error={problemOf(name)}
          onText={(value) => setTyped({ ...typed, [name]: value })}
        />
      ))}
      <SelectField<LimitSubject | "">
        label={t("players.moreLimits")}
        value=""
        choices={[
          ["", t("players.chooseLimit")],
          ...Subjects.options.filter((name) => !fields.includes(name)).map((name) => [name, nameOf(name)] as const),
        ]}
        onChange={(name) => name !== "" && setMore([...more, name])}
      />
      <ReasonField value={text} onText={setText} />
      <CheckFirst name="stricterLimits" params={params} fields={sent} disabled={!isWhole} />
      <ActKeys
        send={t("players.stricterLimits")}
        busy={busy}
        disabled={!isWhole}
        onSend={() => void send()}
        onCancel={close}
      />
    </>
  );
}

const USUAL: readonly LimitSubject[] = ["cashIn.day", "loss.day", "session"];

/** The fields of the form: the usual limits, those that hold, and those that were chosen. */
function fieldsOf(limits: Subject["limits"], more: readonly LimitSubject[]): readonly LimitSubject[] {
  const shown = limits === null ? USUAL : shownLimits(limits.counted).map(({ key }) => key);
  return Subjects.options.filter((name) => shown.includes(name) || more.includes(name));
}

/** Which limits are to become looser, or end. */
function useLooserLimits(limits: Subject["limits"]) {
  const { t } = useText();
  const [typed, setTyped] = useState<Typed>({});
  const [ends, setEnds] = useState<ReadonlySet<LimitSubject>>(new Set());
  const offered = (limits?.counted ?? []).filter(isOfPeople).map(({ key }) => key);
  const held = heldOf(limits);
  const names = offered.filter((name) => ends.has(name) || (typed[name] ?? "") !== "");
  const limitIn = (name: LimitSubject) => (ends.has(name) ? null : limitOf(name, typed[name] ?? ""));
  const problemOf = (name: LimitSubject): string | undefined => {
    const value = limitIn(name);
    if (value === null || !names.includes(name)) return undefined;
    if (value === undefined) return t(isTime(name) ? "players.minutesWrong" : "app.amountWrong");
    return value <= (held.get(name) ?? 0) ? t("players.notLooser") : undefined;
  };
  const setEnd = (name: LimitSubject, on: boolean) =>
    setEnds(new Set(on ? [...ends, name] : [...ends].filter((one) => one !== name)));
  return { offered, held, names, typed, setTyped, ends, setEnd, limitIn, problemOf };
}

/** A limit of player or operator: the market's own stays. */
const isOfPeople = ({ value, owner }: CountedLimit): boolean => value !== null && owner !== "market";

/** Limits that become looser hold after the market's wait, at the player's wish, which is quoted. */
export function LooserForm({ subject, close }: { readonly subject: Subject; readonly close: () => void }) {
  const { t } = useText();
  const { busy, run } = useAct();
  const { nameOf, wordsOf } = useLimitText();
  const [text, setText] = useState("");
  const { player, limits } = subject;
  const { offered, held, names, typed, setTyped, ends, setEnd, limitIn, problemOf } = useLooserLimits(limits);
  const reason = reasonOf(text);
  const wanted = Object.fromEntries(names.map((name) => [name, limitIn(name)]));
  const fields = { limits: wanted, reason };
  const params = { id: player.id };
  const isWhole = names.length > 0 && names.every((name) => problemOf(name) === undefined) && reason !== "";
  async function send(): Promise<void> {
    const answer = await run("looserLimits", {
      params,
      fields,
      summary: {
        title: t("players.looserLimits"),
        lines: [
          [t("players.one"), player.username],
          ...names.map((name) => [nameOf(name), wordsOf(name, limitIn(name) ?? null)] as const),
          [t("players.wish"), reason],
        ],
      },
      reads: PLAYER_READS,
      said: t("players.laterSaid"),
    });
    if (answer !== undefined) close();
  }
  return (
    <>
      <p className="soft">{t("players.looserLimitsAbout")}</p>
      {offered.map((name) => (
        <div key={name}>
          <LimitField
            name={name}
            held={held.get(name)}
            value={ends.has(name) ? "" : (typed[name] ?? "")}
            error={problemOf(name)}
            disabled={ends.has(name)}
            onText={(value) => setTyped({ ...typed, [name]: value })}
          />
          <Check
            label={t("players.endLimit")}
            aria-label={`${t("players.endLimit")}: ${nameOf(name)}`}
            checked={ends.has(name)}
            onChange={({ target }) => setEnd(name, target.checked)}
          />
        </div>
      ))}
      <ReasonField label={t("players.wish")} value={text} onText={setText} />
      <Note kind="wait">{t("players.laterNote")}</Note>
      <CheckFirst name="looserLimits" params={params} fields={fields} disabled={!isWhole} />
      <ActKeys
        send={t("players.looserLimits")}
        busy={busy}
        disabled={!isWhole}
        onSend={() => void send()}
        onCancel={close}
      />
    </>
  );
}
