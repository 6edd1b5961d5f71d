import { getRouteApi, useNavigate, useParams, useRouteContext, useSearch } from "@tanstack/react-router";
import { LobbySummary } from "../../features/lobby/lobby-summary.tsx";
import { useFilters } from "../../features/lobby/use-filters.ts";
import { useLobby } from "../../features/lobby/use-lobby.ts";
import { LobbyScreen } from "../../features/lobby/view/lobby-screen.tsx";
import { Page } from "../../features/shell/page.tsx";
import { useText } from "../../shared/i18n/use-text.ts";
import { usePageTitle } from "../page-title.ts";
import { lobbySourceOf } from "../player/lobby-source.ts";
import { favouritesOf, recentOf } from "../player/player-views.ts";

const shell = getRouteApi("/shell/player");

/** The lobby, where machines, wallet and shell meet. */
export function LobbyRoute() {
  const { app } = useRouteContext({ from: "__root__" });
  const part = shell.useLoaderData();
  const { t } = useText();
  const { settings } = app;
  const { id: brandId } = useParams({ strict: false });
  const lobby = useLobby(lobbySourceOf(app), settings.showLobby ? brandId : undefined, settings.showLobby, part);
  const navigate = useNavigate();
  const [filters, setFilters] = useFilters(useSearch({ strict: false }), (query) => {
    void navigate({
      to: ".",
      search: (kept) => withoutUndefined({ ...kept, ...query }),
      replace: true,
      resetScroll: false,
    });
  });
  usePageTitle(t("lobby.title"));

  function sit(): boolean {
    const empty = part.wallet.getState()?.balance === 0 && (part.wallet.getState()?.onMachine ?? 0) === 0;
    if (settings.allowZeroBalance || !empty) return true;
    app.messages.say("info", t("lobby.zeroBalance"));
    return false;
  }

  return (
    <Page
      title={t("lobby.title")}
      subtitle={<LobbySummary machines={lobby.machines} statusMap={settings.machineStatus} />}
    >
      <LobbyScreen
        settings={settings}
        brands={lobby.brands}
        brandsAwaited={lobby.brandsAwaited}
        machines={lobby.machines}
        allMachines={lobby.allMachines}
        chosen={lobby.chosen}
        filters={filters}
        onFilters={setFilters}
        failure={lobby.failure}
        onRetry={lobby.retry}
        openSession={part.openSession}
        favourites={favouritesOf(app)}
        recent={recentOf(app)(part.player.id)}
        clock={app.clock}
        still={(image) => URL.parse(image, app.addresses.api)?.href}
        onSit={sit}
        say={(text) => app.messages.say("info", text)}
      />
    </Page>
  );
}

const withoutUndefined = (query: object): Record<string, string> =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
