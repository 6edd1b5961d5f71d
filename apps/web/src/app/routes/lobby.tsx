import type { Stop, Timers } from "@longarm/link/socket";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import type { Live } from "@longarm/ui/live.ts";
import { useLive } from "@longarm/ui/live.ts";
import { usePageTitle } from "@longarm/ui/page-title.ts";
import { getRouteApi, useNavigate, useParams, useRouteContext, useRouter, useSearch } from "@tanstack/react-router";
import { use, useState } from "react";
import type { LobbySource, MachinesNow } from "../../features/lobby/machine-lists.ts";
import { StatusPushes } from "../../features/lobby/machine-lists.ts";
import type { QueueParts } from "../../features/lobby/queue-parts.ts";
import { useFilters } from "../../features/lobby/use-filters.ts";
import { useLobby } from "../../features/lobby/use-lobby.ts";
import { LobbyScreen, LobbySummary } from "../../features/lobby/view/lobby-screen.tsx";
import type { MachineWay } from "../../features/lobby/view/machine-card.tsx";
import { Page } from "../../features/shell/page.tsx";
import type { App } from "../app.ts";
import { oncePer } from "../app.ts";
import type { PlayerLink } from "../player/player-link.ts";
import { favouritesOf, recentOf } from "../player/player-views.ts";
import { QuietContext } from "../player/query-cache.ts";
import { useLate } from "../player/use-late.ts";

const shell = getRouteApi("/shell/player");

/** Where the lobby's lists come from. */
const sourceOf = oncePer<App, LobbySource>(({ api, settings, seen }) => ({
  api,
  pushes: new StatusPushes(),
  // The setting is in seconds; 0 means never (decision D-28).
  refreshMs: settings.updateLobby === 0 ? false : settings.updateLobby * 1_000,
  onSeen(machines) {
    for (const machine of machines) seen.set(machine.id, machine);
  },
}));

/** The lobby, where machines, wallet and shell meet. */
export function LobbyRoute() {
  const { app } = useRouteContext({ from: "__root__" });
  const link = shell.useLoaderData();
  const { t } = useText();
  const { settings } = app;
  const { id: brandId } = useParams({ strict: false });
  const lobby = useLobby(sourceOf(app), settings.showLobby ? brandId : undefined, settings.showLobby, link);
  const navigate = useNavigate();
  const [filters, setFilters] = useFilters(useSearch({ strict: false }), (query) => {
    void navigate({
      to: ".",
      search: (kept) => withoutUndefined({ ...kept, ...query }),
      replace: true,
      resetScroll: false,
    });
  });
  const isQuiet = use(QuietContext);
  const queue = useQueueParts(app, link, isQuiet, lobby.allMachines);
  const router = useRouter();
  const [point] = useState(() => followPointer(app.timers, (way: MachineWay) => void router.preloadRoute(way)));
  usePageTitle(t("lobby.title"));

  function sit(): boolean {
    const empty = link.wallet.getState()?.balance === 0 && (link.wallet.getState()?.onMachine ?? 0) === 0;
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
        {...{ ...lobby, isQuiet }}
        settings={settings}
        filters={filters}
        onFilters={setFilters}
        openSession={link.openSession}
        favourites={favouritesOf(app)}
        recent={recentOf(app)(link.player.id)}
        clock={app.clock}
        still={(image) => URL.parse(image, app.addresses.api)?.href}
        onSit={sit}
        onPoint={point}
        queue={queue}
        say={(text) => app.messages.say("info", text)}
      />
    </Page>
  );
}

/** A pointer that only crosses a card is not on its way to it, ms. */
const RESTED_MS = 80;

/** Calls `rested` once the pointer has stayed at one place; call the returned function with each place that it comes to, and with none when it leaves. */
export function followPointer<Place>(timers: Timers, rested: (place: Place) => void): (place?: Place) => void {
  let stop: Stop | undefined;
  return (place) => {
    stop?.();
    stop = place && timers.after(RESTED_MS, () => rested(place));
  };
}

const withoutUndefined = (query: object): Record<string, string> =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));

const loadQueue = () => import("../queue/lobby-queue.tsx");

/** The part of queues, loaded once a machine says that it has one and the first screen is drawn. */
function useQueueParts(
  app: App,
  link: PlayerLink,
  isQuiet: boolean,
  machines: Live<MachinesNow>,
): QueueParts | undefined {
  const hasQueues = useLive(machines, (list) => list?.some(({ waiting }) => waiting !== undefined) ?? false);
  return useLate(app, isQuiet && hasQueues, "queue", loadQueue)?.lobbyQueueOf(app)(link);
}
