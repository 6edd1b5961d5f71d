import { useText } from "../../../shared/i18n/use-text.ts";
import { useCurrency } from "../../../shared/money/currency.ts";
import { moneyText } from "../../../shared/money/format.ts";
import { Money } from "../../../shared/money/money.tsx";
import { dayAndTime, elapsedText } from "../../../shared/time/time-text.ts";
import { Icon } from "../../../shared/ui/icon.tsx";
import type { Column } from "../model/columns.ts";
import type { HistoryRow, Jackpot } from "../model/row.ts";
import { countText } from "../model/times.ts";
import { ACTIONS, actionText, JACKPOT, sourceText } from "../model/words.ts";
import css from "./cell.module.css";

/** What a row has in a column; a dash where it has nothing. */
export function Cell({ row, column }: { readonly row: HistoryRow; readonly column: Column }) {
  const speech = useText();
  switch (column) {
    case "machine":
      return <Name text={row.machine} />;
    case "from":
      return <Name text={row.from === undefined ? undefined : sourceText(row.from, speech)} />;
    case "type":
      return <Action type={row.type} />;
    case "operationDate":
      return <Time ms={row.operationMs} />;
    case "start":
      return <Time ms={row.startMs} />;
    case "end":
      return <Time ms={row.endMs} />;
    case "duration":
      return row.duration === undefined ? <Nothing /> : <bdi>{elapsedText(row.duration * 1_000)}</bdi>;
    case "spins":
      return <Count value={row.spins} />;
    case "freeSpins":
      return <Count value={row.freeSpins} />;
    case "amount":
      if (row.amount === undefined) return <Nothing />;
      // Brass is money that came in.
      return (
        <>
          <Money minor={row.amount} signed tone={row.amount > 0 ? "money" : "ink"} className={css["money"] ?? ""} />
          {row.jackpots !== undefined && <Jackpots won={row.jackpots} />}
        </>
      );
  }
}

function Name({ text }: { readonly text: string | undefined }) {
  return text === undefined ? <Nothing /> : <bdi className={css["name"]}>{text}</bdi>;
}

function Count({ value }: { readonly value: number | undefined }) {
  const { language } = useText();
  return value === undefined ? <Nothing /> : <bdi>{countText(value, language)}</bdi>;
}

function Time({ ms }: { readonly ms: number | undefined }) {
  const { language } = useText();
  if (ms === undefined) return <Nothing />;
  const [day, time] = dayAndTime(ms, language);
  return (
    <time dateTime={new Date(ms).toISOString()} dir="ltr" className={css["time"]}>
      <span>{day}</span> <span>{time}</span>
    </time>
  );
}

function Action({ type }: { readonly type: number | undefined }) {
  const speech = useText();
  if (type === undefined) return <Nothing />;
  const action = Object.hasOwn(ACTIONS, type) ? ACTIONS[type] : undefined;
  return (
    <span className={css["action"]} data-jackpot={type === JACKPOT || undefined}>
      {action && <Icon name={action.icon} />}
      {actionText(type, speech)}
    </span>
  );
}

/** In words: what the machine paid to its own credit meter is no line of the wallet (player 8). */
function Jackpots({ won }: { readonly won: readonly Jackpot[] }) {
  const { t, language } = useText();
  const currency = useCurrency();
  return won.map(({ name, amount: minor }, index) => {
    const amount = moneyText(minor, currency, language, true);
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: the jackpots of a session only grow, and two may be alike.
      <small key={index} className={css["jackpot"]}>
        {name === "" ? t("history.jackpotWon", { amount }) : t("history.jackpotOf", { name, amount })}
      </small>
    );
  });
}

function Nothing() {
  const { t } = useText();
  return (
    <>
      <span aria-hidden="true">—</span>
      <span className="visually-hidden">{t("history.none")}</span>
    </>
  );
}
