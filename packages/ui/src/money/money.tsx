import { useText } from "../i18n/use-text.ts";
import { Unsaid } from "../unsaid.tsx";
import { useCurrency } from "./currency.ts";
import { moneyParts } from "./format.ts";
import css from "./money.module.css";

/** An amount of money: sign first and quieter, kuruş small, tabular, left to right in every language. */
export function Money({
  minor,
  signed = false,
  tone = "money",
  short = false,
  className = "",
}: {
  readonly minor: number;
  /** A plus before a positive amount. */
  readonly signed?: boolean;
  /** `money`: the player's own; `ink`: everything else. */
  readonly tone?: "money" | "ink";
  /** Leaves out a fraction of zero. */
  readonly short?: boolean;
  readonly className?: string;
}) {
  const { language } = useText();
  const currency = useCurrency();
  const { sign, symbol, whole, fraction } = moneyParts(minor, currency, language, signed);
  return (
    <span className={`${css["money"]} ${className}`} data-tone={tone}>
      {sign}
      <i>{symbol}</i>
      {whole}
      {!(short && minor % 100 === 0) && <small>{fraction}</small>}
    </span>
  );
}

/** An amount that a machine may not say: then a dash, never a zero. */
export function MoneySaid({
  minor,
  ...look
}: Omit<Parameters<typeof Money>[0], "minor"> & { minor: number | undefined }) {
  return minor === undefined ? <Unsaid /> : <Money minor={minor} {...look} />;
}
