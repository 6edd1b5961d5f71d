import { useText } from "@longarm/ui/i18n/use-text.ts";
import { usePageTitle } from "@longarm/ui/page-title.ts";
import { getRouteApi, useNavigate, useRouteContext, useSearch } from "@tanstack/react-router";
import type { ChosenColumns } from "../../features/history/columns.ts";
import { createChosenColumns } from "../../features/history/columns.ts";
import { filtersOf, queryOf } from "../../features/history/filters.ts";
import { recalledIn } from "../../features/history/recall.ts";
import type { ListingKind } from "../../features/history/row.ts";
import { GamesKeys, GamesSheet } from "../../features/history/view/games-sheet.tsx";
import { ListingScreen } from "../../features/history/view/listing-screen.tsx";
import { Page } from "../../features/shell/page.tsx";
import type { App } from "../app.ts";
import { oncePer } from "../app.ts";
import { visibilityOf } from "../player/player-views.ts";

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

export function SlotSessionsRoute() {
  const { t } = useText();
  return <Listing kind="sessions" title={t("shell.sessions")} subtitle={t("history.sessionsAbout")} />;
}

export function TransactionsRoute() {
  const { t } = useText();
  return <Listing kind="transactions" title={t("shell.transactions")} subtitle={t("history.transactionsAbout")} />;
}
