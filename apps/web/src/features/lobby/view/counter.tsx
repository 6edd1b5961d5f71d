import type { RefObject } from "react";
import { useEffect, useRef, useState } from "react";
import { useText } from "../../../shared/i18n/use-text.ts";
import { useCurrency } from "../../../shared/money/currency.ts";
import { moneyParts, moneyText } from "../../../shared/money/format.ts";
import css from "./counter.module.css";

const DIGITS = "0123456789";

/** From one roll of the wheels to the next, at least, ms. */
const ROLL_GAP_MS = 2_000;

/** An amount on digit wheels. Wheels roll rightmost first, at most every 2 s and never out of sight; screen readers hear one amount, the newest. */
export function Counter({ minor }: { minor: number }) {
  const { language } = useText();
  const currency = useCurrency();
  const { shown, element } = usePaced(minor, ROLL_GAP_MS);
  const { symbol, whole, fraction } = moneyParts(shown, currency, language);
  const places = [...whole];
  return (
    <span ref={element}>
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

/** A value that changes at most every `gapMs`, and only while its element can be seen; afterwards it is the newest one at once. */
function usePaced<T>(value: T, gapMs: number): { shown: T; element: RefObject<HTMLElement | null> } {
  const element = useRef<HTMLElement>(null);
  const [shown, setShown] = useState(value);
  const [isSeen, setSeen] = useState(true);
  const [rests, setRests] = useState(false);

  useEffect(() => {
    if (element.current === null) return;
    const watch = new IntersectionObserver((seen) => setSeen(seen.at(-1)?.isIntersecting ?? true));
    watch.observe(element.current);
    return () => watch.disconnect();
  }, []);
  useEffect(() => {
    if (!rests) return;
    const timer = setTimeout(() => setRests(false), gapMs);
    return () => clearTimeout(timer);
  }, [rests, gapMs]);

  if (!Object.is(value, shown) && isSeen && !rests) {
    setShown(value);
    setRests(true);
  }
  return { shown, element };
}
