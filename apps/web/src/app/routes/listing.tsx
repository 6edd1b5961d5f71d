import { useText } from "@longarm/ui/i18n/use-text.ts";
import { usePageTitle } from "@longarm/ui/page-title.ts";
import { getRouteApi, useNavigate, useRouteContext, useSearch } from "@tanstack/react-router";
import { recordingIn } from "../../features/clips/clips.ts";
import { Recording } from "../../features/clips/recording.tsx";
import { questionIn } from "../../features/disputes/disputes.ts";
import { QuestionPage } from "../../features/disputes/question-page.tsx";
import { QuestionsList } from "../../features/disputes/questions-list.tsx";
import type { ChosenColumns } from "../../features/history/columns.ts";
import { createChosenColumns } from "../../features/history/columns.ts";
import { filtersOf, queryOf } from "../../features/history/filters.ts";
import { recalledIn } from "../../features/history/recall.ts";
import type { ListingKind } from "../../features/history/row.ts";
import { GamesKeys, GamesSheet, RecordedGameKeys } from "../../features/history/view/games-sheet.tsx";
import { ListingScreen } from "../../features/history/view/listing-screen.tsx";
import { Page } from "../../features/shell/page.tsx";
import type { App } from "../app.ts";
import { oncePer } from "../app.ts";
import { visibilityOf } from "../player/player-views.ts";
import { renewToken } from "../start/sign-in.ts";

const shell = getRouteApi("/shell/player");
const columnsOf = oncePer<App, Readonly<Record<ListingKind, ChosenColumns>>>(({ storage }) => ({
  sessions: createChosenColumns("sessions", storage),
  transactions: createChosenColumns("transactions", storage),
}));

type ListingProps = { readonly kind: ListingKind; readonly title: string; readonly subtitle: string };

/** No id is longer (the contract's `WireId`). */
const ID_MAX = 64;
function sessionIn({ session }: Record<string, unknown>): string | undefined {
  return typeof session === "string" && session !== "" && session.length <= ID_MAX ? session : undefined;
}

/** A listing in the shell; its filters are the query of the address. */
function Listing({ kind, title, subtitle }: ListingProps) {
  const { app } = useRouteContext({ from: "__root__" });
  const link = shell.useLoaderData();
  const query: Record<string, unknown> = useSearch({ strict: false });
  const navigate = useNavigate();
  usePageTitle(title);
  return (
    <Page title={title} subtitle={subtitle}>
      {kind === "sessions" && <GamesKeys />}
      <ListingScreen
        title={title}
        source={{ api: app.api, kind, at: app.addresses[kind] }}
        columns={columnsOf(app)[kind]}
        filters={filtersOf(query)}
        onFilters={(filters, how) =>
          void navigate({ to: ".", search: queryOf(query, filters), resetScroll: false, ...how })
        }
        session={sessionIn(query)}
        clock={app.clock}
        freshness={link}
        hidden={visibilityOf(app).hidden}
      />
      {kind === "sessions" && <GamesSheet api={app.api} recalled={recalledIn(query)} />}
    </Page>
  );
}

/** The player's sessions; where the address names a question about a game, that question, or all of them; where it names a recording, that. */
export function SlotSessionsRoute() {
  const { t } = useText();
  const search: Record<string, unknown> = useSearch({ strict: false });
  const [question, recorded] = [questionIn(search), recordingIn(search)];
  if (recorded !== undefined) return <RecordingOf key={recorded} game={recorded} />;
  if (question !== undefined) return <Questions {...question} />;
  return <Listing kind="sessions" title={t("shell.sessions")} subtitle={t("history.sessionsAbout")} />;
}

function Questions({ game }: { readonly game?: string }) {
  const { app } = useRouteContext({ from: "__root__" });
  const { t } = useText();
  const isOne = game !== undefined;
  const title = t(isOne ? "disputes.title" : "disputes.listTitle");
  usePageTitle(title);
  return (
    <Page title={title} subtitle={t(isOne ? "disputes.about" : "disputes.listAbout")}>
      {isOne ? (
        <QuestionPage
          key={game}
          api={app.api}
          game={game}
          recording={<Recording api={app.api} game={game} />}
          onRead={() => void renewToken(app)}
        />
      ) : (
        <QuestionsList api={app.api} />
      )}
    </Page>
  );
}

/** The recording of one game, and the ways from it. */
function RecordingOf({ game }: { readonly game: string }) {
  const { app } = useRouteContext({ from: "__root__" });
  const { t } = useText();
  usePageTitle(t("clips.title"));
  return (
    <Page title={t("clips.title")} subtitle={t("clips.about")}>
      <Recording api={app.api} game={game} whole />
      <RecordedGameKeys game={game} />
    </Page>
  );
}

export function TransactionsRoute() {
  const { t } = useText();
  return <Listing kind="transactions" title={t("shell.transactions")} subtitle={t("history.transactionsAbout")} />;
}
