import type { PlayedGame } from "@longarm/contract/player-record";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import { IconButton, Key, keyClass } from "@longarm/ui/key.tsx";
import { Money, MoneySaid } from "@longarm/ui/money/money.tsx";
import { Sheet } from "@longarm/ui/sheet.tsx";
import { Unsaid } from "@longarm/ui/unsaid.tsx";
import { Link, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useEffect, useState } from "react";
import type { ApiClient } from "../../../shared/api/client.ts";
import { paths } from "../../../shared/paths/paths.ts";
import type { Recalled } from "../recall.ts";
import { LAST_GAMES, useGame, useLastGames } from "../recall.ts";
import { countText, secondText } from "../times.ts";
import css from "./games-sheet.module.css";

type Search = Record<string, unknown>;
const namingGame = (game: string) => (search: Search) => ({ ...without(search), game });
const without = ({ game: _, session: __, ...others }: Search): Search => others;

/** What leads to the last ten games. */
function LastGamesKey() {
  const { t } = useText();
  return (
    <Link
      className={keyClass({ kind: "line" })}
      to={paths.slotSessions}
      search={namingGame(LAST_GAMES)}
      resetScroll={false}
    >
      <Icon name="clock" />
      {t("record.lastGames")}
    </Link>
  );
}

/** What leads from the sessions to games and to questions about them. */
export function GamesKeys() {
  const { t } = useText();
  return (
    <nav className={css["keys"]} aria-label={t("record.ways")}>
      <LastGamesKey />
      <Link className={keyClass({ kind: "line" })} to={paths.slotSessions} search={{ question: "all" }}>
        {t("record.questions")}
      </Link>
    </nav>
  );
}

/** What leads from the recording of a game to the game and to a question about it. */
export function RecordedGameKeys({ game }: { readonly game: string }) {
  const { t } = useText();
  return (
    <nav className={css["keys"]} aria-label={t("record.ways")}>
      <Link className={keyClass({ kind: "line" })} to={paths.slotSessions} search={{ game }}>
        {t("record.itsGame")}
      </Link>
      <Link className={keyClass({ kind: "line" })} to={paths.slotSessions} search={{ question: game }}>
        {t("record.somethingWrong")}
      </Link>
    </nav>
  );
}

type GamesSheetProps = {
  readonly api: Pick<ApiClient, "make">;
  /** What the address names; undefined: nothing. */
  readonly recalled: Recalled | undefined;
};

/** The last ten games, or one of them, as the machine counted it. Open while the address names it, so that "back" leads back. */
export function GamesSheet({ api, recalled }: GamesSheetProps) {
  const { t } = useText();
  const navigate = useNavigate();
  // What it showed stays while it closes.
  const [shown, setShown] = useState(recalled);
  useEffect(() => {
    if (recalled !== undefined) setShown(recalled);
  }, [recalled]);
  const now = recalled ?? shown;
  function close(): void {
    void navigate({ to: paths.slotSessions, search: without, resetScroll: false, replace: true });
  }
  return (
    <Sheet
      open={recalled !== undefined}
      onClose={close}
      title={now?.is === "game" ? t("record.gameTitle") : t("record.lastGames")}
      className={css["sheet"] ?? ""}
      head={<IconButton icon="close" label={t("app.close")} className={css["close"] ?? ""} onClick={close} />}
    >
      {now?.is === "game" ? (
        <OneGame key={now.id} api={api} id={now.id} />
      ) : (
        <LastGames api={api} isOpen={now !== undefined} />
      )}
    </Sheet>
  );
}

type LastGamesProps = {
  readonly api: GamesSheetProps["api"];
  readonly isOpen: boolean;
  /** A game is chosen here, where no address names it. */
  readonly onChoose?: (id: string) => void;
};

/** The last ten games, or why there is none. */
export function LastGames({ api, isOpen, onChoose }: LastGamesProps) {
  const { t } = useText();
  const { data, isError, refetch } = useLastGames(api, undefined, isOpen);
  if (isError) return <Failed onRetry={() => void refetch()} />;
  if (data === undefined) return <Note>{t("history.loading")}</Note>;
  if (data === "absent") return <Note>{t("record.gamesAbsent")}</Note>;
  if (data.length === 0) return <Note>{t("record.noGames")}</Note>;
  return (
    <div className={css["body"]} data-bare={onChoose !== undefined || undefined}>
      <GamesList games={data} onChoose={onChoose} />
      <p className={css["fine"]}>{t("record.gamesKept")}</p>
    </div>
  );
}

/** The last games of one play session, in its sheet. Nothing where there is none, or where the platform recalls none. */
export function GamesOfSession({ api, id }: { readonly api: GamesSheetProps["api"]; readonly id: string }) {
  const { t } = useText();
  const { data } = useLastGames(api, id, true);
  if (data === undefined || data === "absent" || data.length === 0) return null;
  return (
    <section aria-label={t("record.lastGames")}>
      <h3 className={css["head"]}>{t("record.lastGames")}</h3>
      <GamesList games={data} />
    </section>
  );
}

type GamesListProps = {
  readonly games: readonly PlayedGame[];
  readonly onChoose?: LastGamesProps["onChoose"];
};

/** Each game leads to its own page: machine, time, stake, win. */
function GamesList({ games, onChoose }: GamesListProps) {
  return (
    <ol className={css["games"]}>
      {games.map((game) => (
        <li key={game.id}>
          {onChoose === undefined ? (
            <Link to={paths.slotSessions} search={namingGame(game.id)} resetScroll={false}>
              <GameLine {...game} />
            </Link>
          ) : (
            <button type="button" onClick={() => onChoose(game.id)}>
              <GameLine {...game} />
            </button>
          )}
        </li>
      ))}
    </ol>
  );
}

function GameLine({ machine, end, stake, win }: PlayedGame) {
  const { t, language } = useText();
  return (
    <>
      <span>
        <b>
          <bdi>{machine}</bdi>
        </b>
        <bdi className="num">{secondText(Date.parse(end), language)}</bdi>
      </span>
      <span className={css["pair"]}>
        <span>
          {t("record.stake")} <MoneySaid minor={stake ?? undefined} tone="ink" />
        </span>
        <span>
          {t("record.win")} <MoneySaid minor={win ?? undefined} tone="ink" />
        </span>
      </span>
    </>
  );
}

function OneGame({ api, id }: { readonly api: GamesSheetProps["api"]; readonly id: string }) {
  const { t } = useText();
  const { data, isError, refetch } = useGame(api, id);
  if (isError) return <Failed onRetry={() => void refetch()} />;
  if (data === undefined) return <Note>{t("history.loading")}</Note>;
  if (data === "missing") return <Note>{t("record.gameMissing")}</Note>;
  return (
    <div className={css["body"]}>
      <Facts game={data} />
      {!data.addsUp && (
        <p className={css["warn"]} role="note">
          <Icon name="warning" />
          {t("record.gameBent")}
        </p>
      )}
      <p className={css["fine"]}>{t("record.gameAbout")}</p>
      <nav className={css["ways"]} aria-label={t("record.ways")}>
        <Link className={keyClass({ kind: "line" })} to={paths.slotSessions} search={{ recording: data.id }}>
          {t("record.watchRecording")}
        </Link>
        <Link className={keyClass({ kind: "line" })} to={paths.slotSessions} search={{ question: data.id }}>
          {t("record.somethingWrong")}
        </Link>
        <Link className={keyClass({ kind: "line" })} to={paths.slotSessions} search={namingGame(LAST_GAMES)} replace>
          {t("record.lastGames")}
        </Link>
        <Link
          className={keyClass({ kind: "line" })}
          to={paths.slotSessions}
          search={(search: Search) => ({ ...without(search), session: data.session })}
          replace
        >
          {t("record.itsSession")}
        </Link>
      </nav>
    </div>
  );
}

/** Credit before, stake, win, credit after, in the order in which they came; what the machine does not say is a dash with its reason. */
function Facts({ game }: { readonly game: PlayedGame }) {
  const { t, language } = useText();
  const { machine, number, start, end, before, stake, win, handPaid, after, freeSpins, bonus } = game;
  const amount = (minor: number | null) => (minor === null ? <Unsaid /> : <Money minor={minor} tone="ink" />);
  return (
    <>
      <dl className={css["facts"]}>
        <Fact name={t("history.machine")}>
          <bdi>{machine}</bdi>
        </Fact>
        <Fact name={t("record.gameNumber")}>
          <bdi className="num">{number}</bdi>
        </Fact>
        <Fact name={t("record.gameStart")}>
          <bdi className="num" dir="ltr">
            {secondText(Date.parse(start), language)}
          </bdi>
        </Fact>
        <Fact name={t("record.gameEnd")}>
          <bdi className="num" dir="ltr">
            {secondText(Date.parse(end), language)}
          </bdi>
        </Fact>
      </dl>
      <dl className={css["facts"]} data-money>
        <Fact name={t("record.before")}>{amount(before)}</Fact>
        <Fact name={t("record.stake")}>{amount(stake)}</Fact>
        <Fact name={t("record.win")}>{amount(win)}</Fact>
        {handPaid !== 0 && <Fact name={t("record.handPaid")}>{amount(handPaid)}</Fact>}
        <Fact name={t("record.after")}>{amount(after)}</Fact>
        <Fact name={t("history.freeSpins")}>
          {freeSpins === null ? <Unsaid /> : <bdi className="num">{countText(freeSpins, language)}</bdi>}
        </Fact>
        <Fact name={t("record.bonusRound")}>{bonus === null ? <Unsaid /> : t(bonus ? "record.yes" : "record.no")}</Fact>
      </dl>
    </>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Note({ children }: { readonly children: ReactNode }) {
  return (
    <p className={css["note"]} role="status">
      {children}
    </p>
  );
}

function Failed({ onRetry }: { readonly onRetry: () => void }) {
  const { t } = useText();
  return (
    <div className={css["note"]} role="alert">
      <p>{t("record.gamesFailed")}</p>
      <Key onClick={onRetry}>{t("app.tryAgain")}</Key>
    </div>
  );
}
