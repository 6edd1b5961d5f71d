import type { DisputeAnswer } from "@longarm/contract/player-disputes";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Money } from "@longarm/ui/money/money.tsx";
import { dateTimeText } from "@longarm/ui/time/time-text.ts";
import { Unsaid } from "@longarm/ui/unsaid.tsx";
import css from "./disputes.module.css";

/** Which game it is, with the credit before, the stake, the win and the credit after, as the machine counted them. */
export function GameHead({ game: { machine, number, end, ...counted } }: Pick<DisputeAnswer, "game">) {
  const { t, language } = useText();
  const amount = (minor: number | null) => (minor === null ? <Unsaid /> : <Money minor={minor} tone="ink" />);
  return (
    <header className={css["game"]}>
      <p>
        {t("disputes.gameOf", { number: `\u2068${number}\u2069`, machine: `\u2068${machine}\u2069` })} ·{" "}
        <bdi className="num">{dateTimeText(end, language)}</bdi>
      </p>
      <dl>
        {(["before", "stake", "win", "after"] as const).map((name) => (
          <div key={name}>
            <dt>{t(`record.${name}`)}</dt>
            <dd>{amount(counted[name])}</dd>
          </div>
        ))}
      </dl>
    </header>
  );
}
