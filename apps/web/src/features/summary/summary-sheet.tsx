import type { SessionEnd, SessionSummary } from "@longarm/contract/player-record";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key, keyClass } from "@longarm/ui/key.tsx";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { useCurrency } from "@longarm/ui/money/currency.ts";
import { moneyText } from "@longarm/ui/money/format.ts";
import { Money } from "@longarm/ui/money/money.tsx";
import { Sheet } from "@longarm/ui/sheet.tsx";
import { elapsedText, timeFormat } from "@longarm/ui/time/time-text.ts";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { TextKey } from "../../shared/i18n/text-key.ts";
import { paths } from "../../shared/paths/paths.ts";
import type { Summary } from "./summaries.ts";
import css from "./summary-sheet.module.css";

type SummarySheetProps = {
  readonly open: boolean;
  readonly summary: Summary;
  /** The player's first name, and time (ISO 8601) and address of the sign-in before; empty: not known. */
  readonly player: { readonly name: string; readonly LastLogon: string; readonly LastLogonIP: string };
  /** What is left of the limit that is reached first. */
  readonly gauge?: ReactNode;
  /** It was read. */
  readonly onClose: () => void;
};

/** What was played, over the lobby: once in each sign-in, and after each play session. One key closes it; nothing in it leads back to a machine. */
export function SummarySheet(props: SummarySheetProps) {
  const { open, summary, onClose } = props;
  const { t } = useText();
  const isSignIn = summary.is === "signIn";
  const { name } = props.player;
  const welcome = name === "" ? t("record.welcome") : t("record.welcomeName", { name });
  return (
    <Sheet
      open={open}
      onClose={onClose}
      title={isSignIn ? welcome : endTitle(t, summary.session)}
      className={css["sheet"] ?? ""}
      head={isSignIn ? undefined : <Home session={summary.session} />}
      finalFocus={() => document.querySelector<HTMLElement>("main h1") ?? true}
    >
      <div className={css["body"]} data-summary={summary.is}>
        {isSignIn ? <OfSignIn {...props} summary={summary} /> : <OfSession session={summary.session} />}
        <Key big onClick={onClose}>
          {t(isSignIn ? "record.toLobby" : "record.ok")}
        </Key>
        <Ways summary={summary} onClose={onClose} />
      </div>
    </Sheet>
  );
}

type OfSignInProps = SummarySheetProps & { readonly summary: Extract<Summary, { is: "signIn" }> };

function OfSignIn({ summary: { last, recent }, player, gauge }: OfSignInProps) {
  const { t, language } = useText();
  const time = timeFormat(language, {
    ...{ weekday: "long", day: "numeric", month: "long", hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
  }).format(Date.parse(player.LastLogon));
  const [before, after] = t("record.lastHereFrom", { time, address: "\0" }).split("\0");
  return (
    <>
      <p>
        {player.LastLogonIP === "" ? (
          t("record.lastHere", { time })
        ) : (
          <>
            {before}
            <bdi className="num" dir="ltr">
              {player.LastLogonIP}
            </bdi>
            {after}
          </>
        )}
      </p>
      {last === undefined ? (
        <p>{t("record.nothingYet")}</p>
      ) : (
        <>
          <h3>{t("record.lastAt", { machine: last.machine })}</h3>
          <Figures session={last}>
            <Figure name={t("record.recent")}>
              <Money minor={recent.won - recent.wagered} signed tone="ink" />
            </Figure>
          </Figures>
        </>
      )}
      {gauge}
    </>
  );
}

function OfSession({ session }: { readonly session: SessionSummary }) {
  const { t } = useText();
  const why = session.endedBy === null ? undefined : WHY[session.endedBy];
  return (
    <>
      {why !== undefined && <p>{t(why)}</p>}
      <Figures session={session} withGames />
    </>
  );
}

/** Time, wagered, won and what that comes to, in the same ink. */
function Figures({
  session: { seconds, games, wagered, won },
  withGames = false,
  children,
}: {
  readonly session: SessionSummary;
  readonly withGames?: boolean;
  readonly children?: ReactNode;
}) {
  const { t } = useText();
  return (
    <dl className={css["figures"]}>
      <Figure name={t("record.time")}>
        <bdi className="num" dir="ltr">
          {elapsedText(seconds * 1_000)}
        </bdi>
      </Figure>
      {withGames && (
        <Figure name={t("record.games")}>
          <span className="num">{games}</span>
        </Figure>
      )}
      <Figure name={t("record.wagered")}>
        <Money minor={wagered} tone="ink" />
      </Figure>
      <Figure name={t("record.won")}>
        <Money minor={won} tone="ink" />
      </Figure>
      <Figure name={t("record.result")}>
        <Money minor={won - wagered} signed tone="ink" />
      </Figure>
      {children}
    </dl>
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

/** Where the credit is. */
function Home({ session: { cameHome } }: { readonly session: SessionSummary }) {
  const { t, language } = useText();
  const currency = useCurrency();
  return (
    <p>
      <Lamp status={cameHome > 0 ? "available" : "off"}>
        {cameHome > 0
          ? t("record.home", { amount: moneyText(cameHome, currency, language, true) })
          : t("record.homeNothing")}
      </Lamp>
    </p>
  );
}

/** Ends that are not the player's own, each with its reason. */
const WHY = {
  ...{ left: undefined, cancelled: undefined },
  noDeposit: "record.endedNoDeposit",
  idle: "record.endedIdle",
  lostLink: "record.endedLostLink",
  limit: "record.endedLimit",
  excluded: "record.endedExcluded",
  identity: "record.endedIdentity",
  kicked: "record.endedHouse",
  banned: "record.endedHouse",
  house: "record.endedHouse",
} as const satisfies Record<SessionEnd, TextKey | undefined>;

function endTitle(t: ReturnType<typeof useText>["t"], { machine, endedBy }: SessionSummary): string {
  const own = endedBy === null || WHY[endedBy] === undefined;
  return t(own ? "record.leftMachine" : "record.endedAt", { machine });
}

/** What leads on, quietly: no machine, no money. */
function Ways({ summary, onClose }: Pick<SummarySheetProps, "summary" | "onClose">) {
  const { t } = useText();
  const quiet = keyClass({ kind: "bare" });
  if (summary.is === "session")
    return (
      <nav className={css["ways"]} aria-label={t("record.ways")}>
        <Link className={quiet} to={paths.slotSessions} search={{ session: summary.session.id }} onClick={onClose}>
          {t("record.seeGames")}
        </Link>
        <Link className={quiet} to={paths.saferPlay} search={{ tab: "statement" }} onClick={onClose}>
          {t("record.statement")}
        </Link>
      </nav>
    );
  return (
    <nav className={css["ways"]} aria-label={t("record.ways")}>
      <Link className={quiet} to={paths.profile} onClick={onClose}>
        {t("record.notMe")}
      </Link>
      <Link className={quiet} to={paths.saferPlay} search={{ tab: "limits" }} onClick={onClose}>
        {t("record.limits")}
      </Link>
      <Link className={quiet} to={paths.saferPlay} search={{ tab: "statement" }} onClick={onClose}>
        {t("record.statement")}
      </Link>
    </nav>
  );
}
