import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import { IconButton, keyClass } from "@longarm/ui/key.tsx";
import { Money } from "@longarm/ui/money/money.tsx";
import { Sheet } from "@longarm/ui/sheet.tsx";
import { elapsedText } from "@longarm/ui/time/time-text.ts";
import { Link, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { paths } from "../../../shared/paths/paths.ts";
import { transactionsOf } from "../filters.ts";
import type { ListingSource, SessionDetail } from "../listings.ts";
import { useSession } from "../listings.ts";
import type { HistoryRow } from "../row.ts";
import { ACTIONS, actionText } from "../row.ts";
import { countText, timeText } from "../times.ts";
import { GamesOfSession } from "./games-sheet.tsx";
import css from "./session-sheet.module.css";

type SessionSheetProps = {
  readonly source: ListingSource;
  /** The session that the address names; undefined: none. */
  readonly id: string | undefined;
  /** The rows of the list, which know the session on a platform that serves no single one. */
  readonly rows: readonly HistoryRow[];
};

/** One play session: what was played, wagered, won and moved. Open while the address names one, so that "back" closes it. */
export function SessionSheet({ source, id, rows }: SessionSheetProps) {
  const { t } = useText();
  const navigate = useNavigate();
  const answer = useSession(source, id);
  const detail = answer?.is === "found" ? answer.detail : undefined;
  const row = detail?.session ?? rows.find((one) => one.id === id);
  function close(): void {
    const search = ({ session: _, ...others }: Record<string, unknown>) => others;
    void navigate({ to: paths.slotSessions, search, resetScroll: false, replace: true });
  }
  return (
    <Sheet
      open={id !== undefined}
      onClose={close}
      title={row?.machine ?? t("history.session")}
      className={css["sheet"] ?? ""}
      head={<IconButton icon="close" label={t("app.close")} className={css["close"] ?? ""} onClick={close} />}
    >
      {row && <Session row={row} detail={detail} games={detail && <GamesOfSession api={source.api} id={row.id} />} />}
      {row === undefined && answer === undefined && <p className={css["note"]}>{t("history.loading")}</p>}
      {row === undefined && answer !== undefined && <p className={css["note"]}>{t("history.sessionUnknown")}</p>}
    </Sheet>
  );
}

type SessionProps = { readonly row: HistoryRow; readonly detail: SessionDetail | undefined; readonly games: ReactNode };

function Session({ row, detail, games }: SessionProps) {
  const { t, language } = useText();
  const target = transactionsOf(row);
  const end = row.endMs === undefined ? t("history.sessionOpen") : timeText(row.endMs, language);
  return (
    <div className={css["body"]}>
      {row.startMs !== undefined && (
        <p className={`${css["when"]} num`}>
          <bdi>{timeText(row.startMs, language)}</bdi> – <bdi>{end}</bdi>
        </p>
      )}
      <dl className={css["figures"]}>
        {row.duration !== undefined && (
          <Figure name={t("history.sessionTime")}>
            <bdi className="num">{elapsedText(row.duration * 1_000)}</bdi>
          </Figure>
        )}
        {row.spins !== undefined && (
          <Figure name={t("history.sessionSpins")}>
            <bdi className="num">{countText(row.spins, language)}</bdi>
          </Figure>
        )}
        <Amount name={t("history.wagered")} minor={detail?.wagered} />
        <Amount name={t("history.won")} minor={detail?.won} />
        <Amount name={t("history.movedIn")} minor={detail?.cashedIn} />
        <Amount name={t("history.movedOut")} minor={detail?.cashedOut} />
        {row.amount !== undefined && (
          <Figure name={t("history.netResult")}>
            <Money minor={row.amount} signed tone={row.amount > 0 ? "money" : "ink"} />
          </Figure>
        )}
        {row.freeSpins !== undefined && row.freeSpins > 0 && (
          <Figure name={t("history.sessionFreeSpins")}>
            <bdi className="num">{countText(row.freeSpins, language)}</bdi>
          </Figure>
        )}
      </dl>
      {detail !== undefined && detail.transfers.length > 0 && <Transfers detail={detail} />}
      {games}
      {target && (
        <Link {...target} className={keyClass({ kind: "line" }, css["more"])}>
          {t("history.sessionTransactions")}
        </Link>
      )}
    </div>
  );
}

function Figure({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt className="plate">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Amount({ name, minor }: { readonly name: string; readonly minor: number | undefined }) {
  if (minor === undefined) return null;
  return (
    <Figure name={name}>
      <Money minor={minor} tone="ink" />
    </Figure>
  );
}

/** What went to the machine and what came back, in the order in which it did. */
function Transfers({ detail: { transfers, transfersAreMore } }: { readonly detail: SessionDetail }) {
  const speech = useText();
  const { t, language } = speech;
  return (
    <section className={css["transfers"]} aria-label={t("history.moved")}>
      <h3>{t("history.moved")}</h3>
      <ul>
        {transfers.map(({ id, type, operationMs, amount }) => (
          <li key={id}>
            {type !== undefined && ACTIONS[type] && <Icon name={ACTIONS[type].icon} />}
            <span>
              {type !== undefined && <b>{actionText(type, speech)}</b>}
              {operationMs !== undefined && <bdi className="num">{timeText(operationMs, language)}</bdi>}
            </span>
            {amount !== undefined && <Money minor={amount} signed tone={amount > 0 ? "money" : "ink"} />}
          </li>
        ))}
      </ul>
      {transfersAreMore && <p className={css["note"]}>{t("history.transfersMore")}</p>}
    </section>
  );
}
