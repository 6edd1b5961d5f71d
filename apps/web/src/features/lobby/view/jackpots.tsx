import { useText } from "../../../shared/i18n/use-text.ts";
import { Lamp } from "../../../shared/ui/lamp.tsx";
import type { JackpotView } from "../model/jackpots.ts";
import { Counter } from "./counter.tsx";
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
