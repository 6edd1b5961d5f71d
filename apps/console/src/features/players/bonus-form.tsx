import { useText } from "@longarm/ui/i18n/use-text.ts";
import { useCurrency } from "@longarm/ui/money/currency.ts";
import { moneyText } from "@longarm/ui/money/format.ts";
import { useState } from "react";
import { useConsole } from "../../shared/console.ts";
import { useMe, useSkewMs } from "../../shared/me.ts";
import { whenText } from "../../shared/times.ts";
import { AmountField, amountOf } from "../../shared/ui/amount-field.tsx";
import { CheckFirst } from "../../shared/ui/check-first.tsx";
import { ActKeys } from "../../shared/ui/form-sheet.tsx";
import { Note } from "../../shared/ui/panel.tsx";
import { ReasonField, reasonOf } from "../../shared/ui/reason-field.tsx";
import { SelectField } from "../../shared/ui/select-field.tsx";
import { useAct } from "../../shared/ui/use-act.ts";
import type { Subject } from "./player-act.ts";
import { PLAYER_READS } from "./player-act.ts";

const DAY_MS = 86_400_000;
/** The platform counts begun days, and two clocks are never quite the same. */
const SPARE_MS = 60_000;
const DAYS = ["1", "3", "7", "14", "30", "90"] as const;
type Days = (typeof DAYS)[number];

/** A bonus by hand: the player claims it until a day. Above what one person may grant in a day a second person signs. */
export function BonusForm({ subject, close }: { readonly subject: Subject; readonly close: () => void }) {
  const { t, language } = useText();
  const currency = useCurrency();
  const { clock } = useConsole();
  const { venue, limits } = useMe();
  const { busy, run } = useAct();
  const skew = useSkewMs();
  const [now] = useState(() => clock.now() + skew);
  const [amountText, setAmountText] = useState("");
  const [days, setDays] = useState<Days>("7");
  const [text, setText] = useState("");
  const amount = amountOf(amountText) ?? 0;
  const reason = reasonOf(text);
  const expiresAt = new Date(now + Number(days) * DAY_MS - SPARE_MS).toISOString();
  const alone = limits.bonus ?? 0;
  const fields = { amount, expiresAt, reason };
  const params = { id: subject.player.id };
  const isWhole = amount > 0 && reason !== "";
  async function send(): Promise<void> {
    const answer = await run("grantBonus", {
      params,
      fields,
      summary: {
        title: t("players.grantBonus"),
        lines: [
          [t("players.one"), subject.player.username],
          [t("players.bonusUntil"), whenText(expiresAt, now, venue.timeZone, language)],
          [t("app.reason"), reason],
        ],
        amount,
      },
      reads: PLAYER_READS,
      said: t("players.bonusSaid"),
    });
    if (answer !== undefined) close();
  }
  return (
    <>
      <p className="soft">{t("players.grantBonusAbout")}</p>
      <AmountField label={t("app.amount")} value={amountText} onText={setAmountText} />
      <SelectField<Days>
        label={t("players.bonusFor")}
        value={days}
        onChange={setDays}
        choices={DAYS.map((value) => [value, t("players.days", { count: Number(value) })])}
      />
      <ReasonField value={text} onText={setText} />
      {venue.secondPerson && (
        <Note kind={amount > alone ? "wait" : "plain"}>
          {t("players.bonusAlone", { amount: moneyText(alone, currency, language, true) })}
        </Note>
      )}
      <CheckFirst name="grantBonus" params={params} fields={fields} disabled={!isWhole} />
      <ActKeys
        send={t("players.grantBonus")}
        busy={busy}
        disabled={!isWhole}
        onSend={() => void send()}
        onCancel={close}
      />
    </>
  );
}
