import { useText } from "@longarm/ui/i18n/use-text.ts";
import { useState } from "react";
import { useConsole } from "../../shared/console.ts";
import { useMe, useSkewMs } from "../../shared/me.ts";
import { whenText } from "../../shared/times.ts";
import { ActKeys } from "../../shared/ui/form-sheet.tsx";
import { Note } from "../../shared/ui/panel.tsx";
import { ReasonField, reasonOf } from "../../shared/ui/reason-field.tsx";
import { SelectField } from "../../shared/ui/select-field.tsx";
import { useAct } from "../../shared/ui/use-act.ts";
import type { Subject } from "./player-act.ts";
import { PLAYER_READS } from "./player-act.ts";

const DAY_MS = 86_400_000;
const DAYS = ["1", "7", "30", "90", "180", "365", "1825"] as const;
type Days = (typeof DAYS)[number];

/** Keeps a player from playing until a day. Who is excluded already may be excluded for longer, never for shorter. */
export function ExcludeForm({ subject, close }: { readonly subject: Subject; readonly close: () => void }) {
  const { t, language } = useText();
  const { clock } = useConsole();
  const { venue } = useMe();
  const { busy, run } = useAct();
  const skew = useSkewMs();
  // The day does not move while the sheet is open: a repeat is the same act.
  const [now] = useState(() => clock.now() + skew);
  const held = subject.limits?.excludedUntil ?? null;
  const untilOf = (days: Days) => new Date(now + Number(days) * DAY_MS).toISOString();
  const offered = DAYS.filter((days) => held === null || Date.parse(untilOf(days)) > Date.parse(held));
  const [days, setDays] = useState<Days>(offered.includes("30") ? "30" : (offered[0] ?? "1825"));
  const [text, setText] = useState("");
  const reason = reasonOf(text);
  const excludeUntil = untilOf(days);
  const until = whenText(excludeUntil, now, venue.timeZone, language);
  async function send(): Promise<void> {
    const answer = await run("stricterLimits", {
      params: { id: subject.player.id },
      fields: { excludeUntil, reason },
      summary: { title: t("players.exclude"), lines: [[t("players.one"), subject.player.username]] },
      reads: PLAYER_READS,
      said: t("players.excludedSaid", { time: until }),
    });
    if (answer !== undefined) close();
  }
  if (offered.length === 0) return <Note>{t("players.excludedLonger")}</Note>;
  return (
    <>
      <p className="soft">{t("players.excludeAbout")}</p>
      <SelectField<Days>
        label={t("players.excludeFor")}
        note={t("players.excludeUntil", { time: until })}
        value={days}
        onChange={setDays}
        choices={offered.map((value) => [value, t("players.days", { count: Number(value) })])}
      />
      <ReasonField value={text} onText={setText} />
      <ActKeys
        send={t("players.exclude")}
        danger
        busy={busy}
        disabled={reason === ""}
        onSend={() => void send()}
        onCancel={close}
      />
    </>
  );
}
