import { Popover } from "@base-ui/react/popover";
import type { ReportFigures } from "@longarm/contract/staff-reports";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { Money } from "@longarm/ui/money/money.tsx";
import type { ReactNode } from "react";
import type { AnswerOf } from "../../shared/api.ts";
import { Facts } from "../../shared/ui/panel.tsx";
import { isOutsideBand } from "./report-table.tsx";
import css from "./reports.module.css";
import { useFigures } from "./use-figures.ts";

/** The figures of the whole period, each beside what it is compared with; the hold opens to how it comes about. */
export function Totals(props: {
  readonly report: AnswerOf<"report">;
  /** Shows the rows of each machine, which open to their games. */
  readonly byMachine: () => void;
  /** Another period is being read. */
  readonly stale: boolean;
}) {
  const { t } = useText();
  const { percent, change, count, share } = useFigures();
  const { total, before } = props.report;
  const { venue, expected } = total;
  const more = change(total.wagered, before.wagered);
  const gifts = venue === null ? undefined : venue.bonuses + venue.discounts;
  const giftsText = (minor: number) =>
    total.held > 0
      ? t("reports.giftsShare", { percent: percent(Math.round((minor / total.held) * 10_000)) })
      : t("reports.giftsAbout");
  return (
    <section className={css["figures"]} aria-label={t("reports.totals")} data-stale={props.stale || undefined}>
      <Figure
        name={t("reports.played")}
        note={more === undefined ? t("reports.noBefore") : t("reports.toBefore", { change: more })}
      >
        <Money minor={total.wagered} tone="ink" />
      </Figure>
      <Figure
        name={t("reports.hold")}
        note={
          expected === null ? t("reports.expectedNotKnown") : t("reports.expected", { percent: percent(expected.hold) })
        }
      >
        <HoldProof figures={total} byMachine={props.byMachine} />
      </Figure>
      <Figure
        name={t("reports.held")}
        note={
          expected === null ? (
            t("reports.beforeGifts")
          ) : (
            <>
              {t("reports.variance")} <Money minor={expected.variance} signed tone="ink" />
            </>
          )
        }
      >
        <Money minor={total.held} />
      </Figure>
      <Figure
        name={t("reports.games")}
        note={t("reports.sessionsAndSeats", {
          count: total.sessions,
          sessions: count(total.sessions),
          share: share(total.seatedMs, total.availableMs),
        })}
      >
        <span>{count(total.games)}</span>
      </Figure>
      <Figure name={t("reports.gifts")} note={gifts === undefined ? t("reports.giftsOfVenue") : giftsText(gifts)}>
        {gifts === undefined ? <span>–</span> : <Money minor={gifts} tone="ink" />}
      </Figure>
      <Figure
        name={t("reports.byHand")}
        note={
          <>
            {t("reports.ofJackpots")} <Money minor={total.jackpots} tone="ink" />
          </>
        }
      >
        <Money minor={total.handPays + total.cancelledCredits + total.jackpots} tone="ink" />
      </Figure>
    </section>
  );
}

function Figure({
  name,
  note,
  children,
}: {
  readonly name: string;
  readonly note: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <div className={css["figure"]}>
      <small>{name}</small>
      <b>{children}</b>
      <small>{note}</small>
    </div>
  );
}

/** How the hold comes about, by the machines' meters and by the ledger, and whether chance allows it. */
function HoldProof({ figures, byMachine }: { readonly figures: ReportFigures; readonly byMachine: () => void }) {
  const { t } = useText();
  const { percent, count } = useFigures();
  const { hold, expected } = figures;
  if (hold === null) return <span>–</span>;
  const kept = figures.wagered - figures.machinePaid;
  const agrees = figures.ledgerKept === kept;
  const money = (key: string, minor: number) => <Money key={key} minor={minor} tone="ink" />;
  return (
    <Popover.Root>
      <Popover.Trigger className={css["proof"]}>{percent(hold)}</Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner className={css["proofPlace"]} side="bottom" align="start" sideOffset={8}>
          <Popover.Popup className={css["proofPanel"]}>
            <Popover.Title className="plate">{t("reports.howHold", { percent: percent(hold) })}</Popover.Title>
            <Facts
              rows={[
                [t("reports.playedByMeters"), money("in", figures.wagered)],
                [t("reports.toCredit"), money("out", figures.machinePaid)],
                [t("reports.wonByHand"), money("hand", figures.handPaid)],
                [t("reports.heldOfIt"), money("held", figures.held)],
                [t("reports.keptByMeters"), money("kept", kept)],
                [t("reports.keptByLedger"), money("ledger", figures.ledgerKept)],
              ]}
            />
            <p className={css["agrees"]}>
              <span>{t("reports.gamesEach", { count: figures.games, games: count(figures.games) })}</span>
              <Lamp status={agrees ? "available" : "fault"}>{t(agrees ? "reports.agrees" : "reports.differs")}</Lamp>
            </p>
            {expected?.band && (
              <p className={isOutsideBand(figures) ? css["outside"] : "soft"}>
                {t(isOutsideBand(figures) ? "reports.outside" : "reports.inside", {
                  low: percent(expected.band.low),
                  high: percent(expected.band.high),
                })}
              </p>
            )}
            <Key kind="line" onClick={byMachine}>
              {t("reports.showMachines")}
            </Key>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
