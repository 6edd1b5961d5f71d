import type { Brand } from "@longarm/contract/lobby-lists";
import { shownName } from "@longarm/ui/i18n/shown-name.ts";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { useCurrency } from "@longarm/ui/money/currency.ts";
import { moneyParts, moneyText } from "@longarm/ui/money/format.ts";
import type { RefObject } from "react";
import { useEffect, useRef, useState } from "react";
import css from "./jackpots.module.css";

/** Mechanical counters: the chosen brand's list, or the largest of each brand. */
export function Jackpots({ jackpots, brand }: { jackpots: readonly JackpotView[]; brand: string | undefined }) {
  const { t } = useText();
  if (jackpots.length === 0) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways on small screens, so the keyboard must reach it.
    <section className={css["jackpots"]} aria-labelledby="lobby-jackpots" tabIndex={0}>
      <h2 id="lobby-jackpots">{brand === undefined ? t("lobby.jackpotsOfAll") : t("lobby.jackpotsOf", { brand })}</h2>
      <ul className={css["list"]}>
        {jackpots.map((jackpot) => (
          <li key={jackpot.key} className={css["jackpot"]}>
            <span className={css["head"]}>
              <span className="plate" lang={jackpot.name === undefined ? undefined : "en"}>
                {nameOf(jackpot, brand === undefined, t("lobby.jackpot", { number: jackpot.number }))}
              </span>
              {jackpot.hot && (
                <Lamp status="waiting" className={css["hot"] ?? ""}>
                  {t("lobby.hot")}
                </Lamp>
              )}
            </span>
            <Counter minor={jackpot.minor} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function nameOf({ name, brand }: JackpotView, withBrand: boolean, numbered: string): string {
  return withBrand ? `${brand} ${name ?? numbered}` : (name ?? numbered);
}

const DIGITS = "0123456789";

/** From one roll of the wheels to the next, at least, ms. */
const ROLL_GAP_MS = 2_000;

/** An amount on digit wheels. Wheels roll rightmost first, at most every 2 s and never out of sight; screen readers get one amount, the newest. */
function Counter({ minor }: { minor: number }) {
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

/** One jackpot counter. */
type JackpotView = {
  readonly key: string;
  readonly brand: string;
  /** The platform's name of it, or undefined: then it is numbered. */
  readonly name: string | undefined;
  /** From 1. */
  readonly number: number;
  readonly minor: number;
  readonly hot: boolean;
};

/** A brand's jackpots: a comma-separated text in minor units, or a list. What is no amount is left out. */
export function jackpotsOf(brand: Brand, hotAboveMinor: number): JackpotView[] {
  const raw = Array.isArray(brand.jackpot) ? brand.jackpot : (brand.jackpot ?? "").split(",");
  return raw.flatMap((part, index) => {
    const text = String(part).trim();
    const minor = Number(text);
    if (text === "" || !Number.isSafeInteger(minor) || minor < 0) return [];
    const name = brand.jackpotNames?.[index] || undefined;
    const view = { key: `${brand.id}.${index}`, brand: shownName(brand), name, number: index + 1, minor };
    return [{ ...view, hot: minor > hotAboveMinor }];
  });
}

/** Without a chosen brand: the largest of each, largest first. */
export function largestJackpots(brands: readonly Brand[], hotAboveMinor: number): JackpotView[] {
  const largest = brands.flatMap((brand) => {
    const all = jackpotsOf(brand, hotAboveMinor);
    const top = all.toSorted((a, b) => b.minor - a.minor)[0];
    return top === undefined ? [] : [top];
  });
  return largest.toSorted((a, b) => b.minor - a.minor);
}
