import { useText } from "../../../shared/i18n/use-text.ts";
import { useCurrency } from "../../../shared/money/currency.ts";
import { moneyParts, moneyText } from "../../../shared/money/format.ts";
import css from "./counter.module.css";

const DIGITS = "0123456789";

/** An amount on digit wheels. Wheels roll rightmost first; screen readers hear one amount. */
export function Counter({ minor }: { minor: number }) {
  const { language } = useText();
  const currency = useCurrency();
  const { symbol, whole, fraction } = moneyParts(minor, currency, language);
  const places = [...whole];
  return (
    <span>
      <span className={css["counter"]} aria-hidden="true">
        <i>{symbol}</i>
        {places.map((char, index) => {
          // Counted from the right, so that a new digit in front leaves the other wheels where they are.
          const place = places.length - index;
          return /\d/.test(char) ? <Wheel key={place} digit={Number(char)} place={place} /> : <i key={place}>{char}</i>;
        })}
        <small>{fraction}</small>
      </span>
      <span className="visually-hidden">{moneyText(minor, currency, language)}</span>
    </span>
  );
}

function Wheel({ digit, place }: { digit: number; place: number }) {
  return (
    <span className={css["wheel"]}>
      <span
        className={css["strip"]}
        style={{ transform: `translateY(${-digit * 10}%)`, transitionDelay: `${(place - 1) * 40}ms` }}
      >
        {[...DIGITS].map((each) => (
          <span key={each}>{each}</span>
        ))}
      </span>
    </span>
  );
}
