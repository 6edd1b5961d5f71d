import { useState } from "react";
import { useText } from "../../../shared/i18n/use-text.ts";
import { useLive } from "../../../shared/live/live.ts";
import { useCurrency } from "../../../shared/money/currency.ts";
import { moneyText } from "../../../shared/money/format.ts";
import { Money } from "../../../shared/money/money.tsx";
import type { Doing as DoingNow } from "../state/machine/saying.ts";
import { doingOf } from "../state/machine/saying.ts";
import css from "./doing.module.css";
import { usePlay } from "./play-context.ts";

/**
 * A small plate over the machine's own keys: free spins with those left, a bonus, a jackpot. A countdown has the place before it.
 * Screen readers hear each when it begins, not every spin.
 */
export function Doing() {
  const { session } = usePlay();
  const state = useLive(session.state);
  const doing = state.countdown === undefined ? doingOf(state) : undefined;
  return (
    <>
      <p className="visually-hidden" role="status">
        {doing !== undefined && <Begins key={doing.is} doing={doing} />}
      </p>
      {doing?.is === "jackpot" && <Jackpot {...doing} />}
      {doing !== undefined && doing.is !== "jackpot" && (
        <p className={css["plate"]} data-doing={doing.is} aria-hidden="true">
          <Words doing={doing} />
        </p>
      )}
    </>
  );
}

/** A moment of its own: the jackpot's name and what it paid. */
function Jackpot({ name, amount }: { name: string; amount: number }) {
  const { t } = useText();
  return (
    <div className={css["jackpot"]} data-doing="jackpot" aria-hidden="true">
      <span className="plate">
        <bdi>{name === "" ? t("play.jackpot") : t("play.jackpotName", { name })}</bdi>
      </span>
      <Money minor={amount} tone="money" />
    </div>
  );
}

/** What is heard: the words as they were when it began, so that a count that goes down says nothing more. */
function Begins({ doing }: { doing: DoingNow }) {
  const [first] = useState(doing);
  return <Words doing={first} />;
}

function Words({ doing }: { doing: DoingNow }) {
  const { t, language } = useText();
  const currency = useCurrency();
  if (doing.is === "bonus") return t("play.bonusOn");
  if (doing.is === "freeSpins") return t("play.freeSpinsLeft", { count: doing.left });
  const { name, amount: won } = doing;
  const amount = moneyText(won, currency, language, true);
  return name === "" ? t("play.jackpotWon", { amount }) : t("play.jackpotOf", { name, amount });
}
