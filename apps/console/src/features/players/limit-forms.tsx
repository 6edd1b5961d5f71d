import { Check, Field } from "@longarm/ui/field.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { useState } from "react";
import { amountOf } from "../../shared/ui/amount-field.tsx";
import { CheckFirst } from "../../shared/ui/check-first.tsx";
import { ActKeys } from "../../shared/ui/form-sheet.tsx";
import { Note } from "../../shared/ui/panel.tsx";
import { ReasonField, reasonOf } from "../../shared/ui/reason-field.tsx";
import { useAct } from "../../shared/ui/use-act.ts";
import type { LimitKind } from "./limit-text.ts";
import { LIMIT_KINDS, useLimitText } from "./limit-text.ts";
import type { Subject } from "./player-act.ts";
import { PLAYER_READS } from "./player-act.ts";

const MINUTES_MAX = 1_440;

/** A limit as it was typed: minor units or minutes. Undefined: it is none. */
function limitOf(kind: LimitKind, typed: string): number | undefined {
  if (kind !== "sessionMinutes") return amountOf(typed) || undefined;
  const minutes = /^\d{1,4}$/.test(typed.trim()) ? Number(typed.trim()) : 0;
  return minutes >= 1 && minutes <= MINUTES_MAX ? minutes : undefined;
}

type Typed = Partial<Record<LimitKind, string>>;

function LimitField(props: {
  readonly kind: LimitKind;
  readonly held: number | null | undefined;
  readonly value: string;
  readonly error: string | undefined;
  readonly disabled?: boolean;
  readonly onText: (text: string) => void;
}) {
  const { t } = useText();
  const limitText = useLimitText();
  const { kind, held } = props;
  return (
    <Field
      label={t(`players.${kind}`)}
      note={held === undefined ? undefined : t("players.limitNow", { limit: limitText(kind, held) })}
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

/** Limits that become stricter hold at once. What stays empty stays as it is. */
export function StricterForm({ subject, close }: { readonly subject: Subject; readonly close: () => void }) {
  const { t } = useText();
  const { busy, run } = useAct();
  const limitText = useLimitText();
  const [typed, setTyped] = useState<Typed>({});
  const [text, setText] = useState("");
  const { player, limits } = subject;
  const kinds = LIMIT_KINDS.filter((kind) => (typed[kind] ?? "") !== "");
  const problemOf = (kind: LimitKind): string | undefined => {
    if (!kinds.includes(kind)) return undefined;
    const value = limitOf(kind, typed[kind] ?? "");
    if (value === undefined) return t(kind === "sessionMinutes" ? "players.minutesWrong" : "app.amountWrong");
    const held = limits?.[kind] ?? null;
    return held !== null && value >= held ? t("players.notStricter") : undefined;
  };
  const reason = reasonOf(text);
  const wanted = Object.fromEntries(kinds.map((kind) => [kind, limitOf(kind, typed[kind] ?? "")]));
  const fields = { ...wanted, reason };
  const params = { id: player.id };
  const isWhole = kinds.length > 0 && kinds.every((kind) => problemOf(kind) === undefined) && reason !== "";
  async function send(): Promise<void> {
    const answer = await run("stricterLimits", {
      params,
      fields,
      summary: {
        title: t("players.stricterLimits"),
        lines: kinds.map((kind) => [t(`players.${kind}`), limitText(kind, wanted[kind] ?? null)]),
      },
      reads: PLAYER_READS,
      said: t("players.limitsSaid"),
    });
    if (answer !== undefined) close();
  }
  return (
    <>
      <p className="soft">{t("players.stricterLimitsAbout")}</p>
      {LIMIT_KINDS.map((kind) => (
        <LimitField
          key={kind}
          kind={kind}
          held={limits?.[kind]}
          value={typed[kind] ?? ""}
          error={problemOf(kind)}
          onText={(value) => setTyped({ ...typed, [kind]: value })}
        />
      ))}
      <ReasonField value={text} onText={setText} />
      <CheckFirst name="stricterLimits" params={params} fields={fields} disabled={!isWhole} />
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

/** Which limits are to become looser, or end. */
function useLooserLimits(limits: Subject["limits"]) {
  const { t } = useText();
  const [typed, setTyped] = useState<Typed>({});
  const [ends, setEnds] = useState<ReadonlySet<LimitKind>>(new Set());
  const offered = LIMIT_KINDS.filter((kind) => (limits?.[kind] ?? null) !== null);
  const kinds = offered.filter((kind) => ends.has(kind) || (typed[kind] ?? "") !== "");
  const limitIn = (kind: LimitKind) => (ends.has(kind) ? null : limitOf(kind, typed[kind] ?? ""));
  const problemOf = (kind: LimitKind): string | undefined => {
    const value = limitIn(kind);
    if (value === null || !kinds.includes(kind)) return undefined;
    if (value === undefined) return t(kind === "sessionMinutes" ? "players.minutesWrong" : "app.amountWrong");
    return value <= (limits?.[kind] ?? 0) ? t("players.notLooser") : undefined;
  };
  const setEnd = (kind: LimitKind, on: boolean) =>
    setEnds(new Set(on ? [...ends, kind] : [...ends].filter((one) => one !== kind)));
  return { offered, kinds, typed, setTyped, ends, setEnd, limitIn, problemOf };
}

/** Limits that become looser hold after a day, at the player's wish, which is quoted. */
export function LooserForm({ subject, close }: { readonly subject: Subject; readonly close: () => void }) {
  const { t } = useText();
  const { busy, run } = useAct();
  const limitText = useLimitText();
  const [text, setText] = useState("");
  const { player, limits } = subject;
  const { offered, kinds, typed, setTyped, ends, setEnd, limitIn, problemOf } = useLooserLimits(limits);
  const reason = reasonOf(text);
  const wanted = Object.fromEntries(kinds.map((kind) => [kind, limitIn(kind)]));
  const fields = { ...wanted, reason };
  const params = { id: player.id };
  const isWhole = kinds.length > 0 && kinds.every((kind) => problemOf(kind) === undefined) && reason !== "";
  async function send(): Promise<void> {
    const answer = await run("looserLimits", {
      params,
      fields,
      summary: {
        title: t("players.looserLimits"),
        lines: [
          [t("players.one"), player.username],
          ...kinds.map((kind) => [t(`players.${kind}`), limitText(kind, limitIn(kind) ?? null)] as const),
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
      {offered.map((kind) => (
        <div key={kind}>
          <LimitField
            kind={kind}
            held={limits?.[kind]}
            value={ends.has(kind) ? "" : (typed[kind] ?? "")}
            error={problemOf(kind)}
            disabled={ends.has(kind)}
            onText={(value) => setTyped({ ...typed, [kind]: value })}
          />
          <Check
            label={t("players.endLimit")}
            aria-label={`${t("players.endLimit")}: ${t(`players.${kind}`)}`}
            checked={ends.has(kind)}
            onChange={({ target }) => setEnd(kind, target.checked)}
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
