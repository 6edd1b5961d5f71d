import { recordCalls } from "@longarm/contract/player-record";
import type { Speech } from "@longarm/ui/i18n/texts.ts";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { useLive } from "@longarm/ui/live.ts";
import { useCurrency } from "@longarm/ui/money/currency.ts";
import { Money } from "@longarm/ui/money/money.tsx";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useRouterState } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { lazy, Suspense, useEffect, useEffectEvent, useState } from "react";
import type { LetterWay } from "../../features/letters/letter-sheet.tsx";
import type { LimitNews as News } from "../../features/safer-play/limits.ts";
import { durationText, newsOf, partsOf, tightestOf, useLimits, valueText } from "../../features/safer-play/limits.ts";
import { Gauge } from "../../features/safer-play/view/gauge.tsx";
import type { Summary } from "../../features/summary/summaries.ts";
import { afterShown, shownOf, shownText, summaryDue } from "../../features/summary/summaries.ts";
import { SummarySheet } from "../../features/summary/summary-sheet.tsx";
import { dataOf } from "../../shared/api/client.ts";
import { paths } from "../../shared/paths/paths.ts";
import { STORAGE_KEYS } from "../../shared/storage/storage.ts";
import type { App } from "../app.ts";
import { beginDevice } from "../device/device-of.ts";
import type { PlayerLink } from "../player/player-link.ts";
import { renewToken } from "../start/sign-in.ts";
import css from "./lobby-asks.module.css";
import { useTextsOf } from "./use-texts-of.ts";

const TermsAsk = lazy(() => import("./terms-ask.tsx").catch(() => ({ default: () => null })));

/** Most players never get a letter. */
const LetterSheet = lazy(() =>
  import("../../features/letters/letter-sheet.tsx").then(
    (it) => ({ default: it.LetterSheet }),
    () => ({ default: () => null }),
  ),
);

const LimitsAsk = lazy(() => import("./limits-ask.tsx").catch(() => ({ default: () => null })));

type AsksProps = { readonly app: App; readonly link: PlayerLink };

/** What waits for the player over the shell: terms first, then whether limits are wanted, a letter of staff, what was played. */
export default function LobbyAsks({ app, link }: AsksProps) {
  useEffect(() => void beginDevice(app)(link), [app, link]);
  const inLobby = useRouterState({ select: ({ location }) => /^\/lobby(\/|$)/.test(location.pathname) });
  const summaries = inLobby ? (
    <>
      <Summaries app={app} link={link} />
      {link.player.limitsNewsAt !== undefined && <LimitNews app={app} link={link} at={link.player.limitsNewsAt} />}
      {link.player.disputeNews !== undefined && <QuestionNews app={app} game={link.player.disputeNews} />}
    </>
  ) : null;
  const letter = inLobby && link.player.letterWaits ? <LetterAsk app={app} otherwise={summaries} /> : summaries;
  const asks = link.player.limitsOffered ? (
    <Suspense>
      <LimitsAsk {...{ app, link }} otherwise={letter} />
    </Suspense>
  ) : (
    letter
  );
  if (link.player.termsDue === undefined) return asks;
  return (
    <Suspense>
      <TermsAsk app={app} otherwise={asks} />
    </Suspense>
  );
}

/** A letter of staff, over the lobby alone: never in a game. `otherwise`: once it is put away. */
function LetterAsk({ app, otherwise }: { readonly app: App; readonly otherwise: ReactNode }) {
  const ready = useTextsOf(app, "letters");
  const navigate = useNavigate();
  const [away, setAway] = useState(false);
  if (away) return otherwise;
  if (!ready) return null;
  function putAway(way: LetterWay | undefined): void {
    setAway(true);
    // The sign-in's answer says from now on that no letter waits.
    void renewToken(app);
    if (way !== undefined) void navigate({ to: paths.saferPlay, search: { tab: way } });
  }
  return (
    <Suspense>
      <LetterSheet api={app.api} otherwise={otherwise} onPutAway={putAway} />
    </Suspense>
  );
}

/** The summary of the sign-in, or of the play session that has ended: over the lobby alone, and over no other sheet. A platform without a record has none. */
function Summaries({ app, link }: AsksProps) {
  const { player, openSession } = link;
  const wordsReady = [useTextsOf(app, "record"), useTextsOf(app, "saferPlay")].every(Boolean);
  const isSeated = useLive(openSession, (open) => open !== undefined);
  const { data, refetch } = useRecent(app, link);
  const [shown, setShown] = useState(() => shownOf(app.storage.read(STORAGE_KEYS.summaryShown)));
  const [open, setOpen] = useState<Summary>();
  const [closing, setClosing] = useState<Summary>();
  useEffect(() => {
    if (!isSeated) void refetch();
  }, [isSeated, refetch]);
  const due = data && !isSeated && wordsReady ? summaryDue(player, data, shown) : undefined;
  const isFree = useNoSheet(due !== undefined && open === undefined);
  if (due !== undefined && isFree && open === undefined) setOpen(due);
  function close(): void {
    if (!data || open === undefined) return;
    const now = afterShown(player, data);
    app.storage.write(STORAGE_KEYS.summaryShown, shownText(now));
    setShown(now);
    setClosing(open);
    setOpen(undefined);
  }
  const drawn = open ?? closing;
  if (drawn === undefined) return null;
  return (
    <SummarySheet
      open={open !== undefined}
      summary={drawn}
      player={player}
      gauge={drawn.is === "signIn" && <Tightest {...{ app, link }} />}
      onClose={close}
    />
  );
}

/** What is left of the limit that is reached first. */
function Tightest({ app, link: { wallet } }: AsksProps) {
  const { data } = useLimits({ api: app.api, wallet });
  const limit = data === undefined || data === "absent" ? undefined : tightestOf(data);
  return limit === undefined ? null : <Gauge limit={limit} named />;
}

/** Timers of browsers count no further, ms. */
const TIMER_MS_MAX = 2_147_483_647;

/** Says in the lobby that a looser limit waits for a yes, or has begun: at its time, and each time that the player comes here until it is answered or read. */
function LimitNews({ app, link: { wallet }, at }: AsksProps & { readonly at: string }) {
  const wordsReady = useTextsOf(app, "saferPlay");
  const speech = useText();
  const currency = useCurrency();
  const navigate = useNavigate();
  const [isDue, setDue] = useState(false);
  useEffect(() => {
    const wait = Math.min(TIMER_MS_MAX, Math.max(0, Date.parse(at) - app.clock.now()));
    return app.timers.after(wait, () => setDue(true));
  }, [app, at]);
  const { data } = useLimits({ api: app.api, wallet });
  const news = !isDue || data === undefined || data === "absent" ? undefined : newsOf(data, Date.parse(data.now));
  const text = news && wordsReady ? newsText(speech, currency, news) : undefined;
  const say = useEffectEvent((words: string) => {
    const toLimits = () => void navigate({ to: paths.saferPlay, search: { tab: "limits" } });
    app.messages.say("info", words, NEWS_MS, { label: speech.t("saferPlay.reachedLimits"), run: toLimits });
  });
  useEffect(() => {
    if (text !== undefined) say(text);
  }, [text]);
  return null;
}
/** Says in the lobby that staff wrote something in a question about a game, each time that the player comes here until it is read. */
function QuestionNews({ app, game }: { readonly app: App; readonly game: string }) {
  const wordsReady = useTextsOf(app, "record");
  const { t } = useText();
  const navigate = useNavigate();
  const say = useEffectEvent(() => {
    const read = () => void navigate({ to: paths.slotSessions, search: { question: game } });
    app.messages.say("info", t("record.questionNews"), NEWS_MS, { label: t("record.questionRead"), run: read });
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each question.
  useEffect(() => {
    if (wordsReady) say();
  }, [wordsReady, game]);
  return null;
}
/** How long the message stays, ms. */
const NEWS_MS = 30_000;

function newsText(speech: Speech, currency: string, { is, key, value }: News): string {
  const { row, period } = partsOf(key);
  const limit = `${speech.t(`saferPlay.limitOf_${row}`)}, ${speech.t(`saferPlay.period_${period}`)}`;
  const amount = valueText(speech, currency, key, value);
  return speech.t(is === "asks" ? "saferPlay.newsAsks" : "saferPlay.newsBegun", { limit, amount });
}

const SHEETS = "[role=dialog], [role=alertdialog]";

/** Whether no sheet is over the page. Looks only while somebody waits for it. */
function useNoSheet(waits: boolean): boolean {
  const [isFree, setFree] = useState(false);
  useEffect(() => {
    if (!waits) return setFree(false);
    const look = () => setFree(document.querySelector(SHEETS) === null);
    look();
    const watch = new MutationObserver(look);
    watch.observe(document.body, { childList: true, subtree: true });
    return () => watch.disconnect();
  }, [waits]);
  return isFree;
}

/** Time at machines and the result since midnight, below the balance of the menu; nothing for who has not played today. */
export function MenuToday({ app, link }: { readonly app: App; readonly link: PlayerLink }) {
  const speech = useText();
  const wordsReady = [useTextsOf(app, "record"), useTextsOf(app, "saferPlay")].every(Boolean);
  const today = useRecent(app, link).data?.today;
  if (!wordsReady || today === undefined || (today.seconds === 0 && today.wagered === 0)) return null;
  return (
    <p className={css["today"]}>
      <span>{speech.t("record.today", { time: durationText(speech, Math.floor(today.seconds / 60)) })}</span>
      <Money minor={today.won - today.wagered} signed tone="ink" />
    </p>
  );
}

/** What the player played lately; read again when the balance changes, since credits came home then. Null: a platform without a record. */
function useRecent(app: App, { wallet }: PlayerLink) {
  const query = useQuery({
    queryKey: ["recent"],
    queryFn: async ({ signal }) => {
      const answer = await app.api.make(recordCalls.recent, { signal });
      return !answer.ok && answer.failure.httpStatus === 404 ? null : dataOf(answer);
    },
    staleTime: 0,
    refetchOnWindowFocus: false,
  });
  const { refetch } = query;
  useEffect(() => wallet.subscribe((now, was) => void (now?.balance !== was?.balance && refetch())), [wallet, refetch]);
  return query;
}
