import type { OwnLimit } from "@longarm/contract/player-limits";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { useCurrency } from "@longarm/ui/money/currency.ts";
import { Money } from "@longarm/ui/money/money.tsx";
import type { ReactNode } from "react";
import { durationText, gaugeOf, isTime, momentText, partsOf, valueText } from "../limits.ts";
import css from "./gauge.module.css";
import { SaferIcon } from "./icons.tsx";

/** How much of a limit is left, in words and as a bar; amber from 80 % on. Whose limit it is where it is not the player's own. `named`: with its name, where no table around it says it. */
export function Gauge({ limit, named = false }: { readonly limit: OwnLimit; readonly named?: boolean }) {
  const speech = useText();
  const currency = useCurrency();
  const { t } = speech;
  const { key, value, used, left, owner, frees, required, mine } = limit;
  const gauge = gaugeOf(limit);
  if (gauge === undefined || value === null)
    return (
      <p className={css["none"]} data-needed={required || undefined}>
        {t(required ? "saferPlay.needed" : "saferPlay.none")}
      </p>
    );
  const text = (amount: number) => valueText(speech, currency, key, amount);
  const { row, period } = partsOf(key);
  const name = `${t(`saferPlay.${row}`)}, ${t(`saferPlay.period_${period}`)}`;
  return (
    <div className={css["gauge"]} data-near={gauge.isNear || undefined}>
      <p className={css["top"]} aria-hidden="true">
        <b>{left === 0 ? t("saferPlay.usedUp") : <Left limit={limit} />}</b>
        {named ? (
          <span>
            {t(`saferPlay.limitOf_${row}`)}, {t(`saferPlay.period_${period}`)}
          </span>
        ) : (
          <span className="num">
            <OfLimit limit={limit} />
          </span>
        )}
      </p>
      {/* biome-ignore lint/a11y/useSemanticElements: browsers draw a <meter> in their own way. */}
      <div
        className={css["bar"]}
        role="meter"
        aria-label={name}
        aria-valuemin={0}
        aria-valuemax={value}
        aria-valuenow={Math.min(used, value)}
        aria-valuetext={t("saferPlay.meter", { left: text(left ?? 0), limit: text(value) })}
      >
        <i style={{ inlineSize: `${gauge.full * 100}%` }} />
      </div>
      {frees !== null && (
        <p className={css["note"]}>{t("saferPlay.usedUpUntil", { time: momentText(speech, frees) })}</p>
      )}
      {owner !== null && owner !== "player" && (
        <p className={css["note"]}>
          <SaferIcon name="scales" />
          {t(`saferPlay.owner_${owner}`)}
        </p>
      )}
      {required && mine === null && (
        <p className={css["note"]} data-needed>
          {t("saferPlay.needed")}
        </p>
      )}
    </div>
  );
}

/** A sentence with an amount or a time in it, in the player's order of words. */
function Left({ limit: { key, left } }: { readonly limit: OwnLimit }) {
  const speech = useText();
  const amount = isTime(key) ? durationText(speech, left ?? 0) : <Money minor={left ?? 0} tone="ink" />;
  return <Filled text={speech.t("saferPlay.left", { amount: "\0" })} parts={[amount]} />;
}

function OfLimit({ limit: { key, used, value } }: { readonly limit: OwnLimit }) {
  const speech = useText();
  const show = (amount: number) =>
    isTime(key) ? durationText(speech, amount) : <Money minor={amount} tone="ink" short />;
  return <Filled text={speech.t("saferPlay.of", { used: "\0", limit: "\0" })} parts={[show(used), show(value ?? 0)]} />;
}

/** A text whose places, in its own order, are filled with drawn parts. */
function Filled({ text, parts }: { readonly text: string; readonly parts: readonly ReactNode[] }) {
  return text.split("\0").map((words, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the words of one sentence never change their order.
    <span key={at}>
      {at > 0 && parts[at - 1]}
      {words}
    </span>
  ));
}
