import { CSPProvider } from "@base-ui/react/csp-provider";
import { DirectionProvider } from "@base-ui/react/direction-provider";
import { QueryClientProvider } from "@tanstack/react-query";
import { getRouteApi, Outlet, useRouteContext } from "@tanstack/react-router";
import { Shell } from "../../features/shell/shell.tsx";
import { HeaderBalance, MenuBalance } from "../../features/wallet/balance.tsx";
import { useDirection } from "../appearance.ts";
import { infoSeenOf } from "../frame/info-seen.ts";
import { useInfoPages } from "../frame/use-info-pages.tsx";
import { useReturns } from "../frame/use-returns.ts";
import { chooseLanguage } from "../language.ts";
import { queryCacheOf, shortcutsOf, visibilityOf } from "../player/player-views.ts";
import { OpenSessionWatch } from "../reconnect/open-session-watch.tsx";
import { ClaimActions } from "./claim-actions.tsx";

const route = getRouteApi("/shell");

/** Where the shell meets wallet, claims and info pages: the frame of every page with a menu. */
export function ShellRoute() {
  const { app } = useRouteContext({ from: "__root__" });
  const part = route.useLoaderData();
  const direction = useDirection(app);
  const { settings } = app;
  const visibility = visibilityOf(app);
  const infoSeen = infoSeenOf(app);
  const infoPages = useInfoPages();
  useReturns(part);
  return (
    <CSPProvider disableStyleElements>
      <DirectionProvider direction={direction}>
        <QueryClientProvider client={queryCacheOf(part)}>
          <Shell
            {...{ settings, player: part.player, online: part.online, storage: app.storage }}
            shortcuts={shortcutsOf(app)(part.player)}
            wallet={<HeaderBalance wallet={part.wallet} visibility={visibility} />}
            balance={<MenuBalance wallet={part.wallet} visibility={visibility} withToggle={!settings.header} />}
            actions={<ClaimActions app={app} part={part} />}
            infoLinks={settings.externalInfo ? infoPages.links : []}
            infoIsNew={infoSeen.isNew()}
            onInfoSeen={infoSeen.mark}
            onLanguage={(next) => void chooseLanguage(app, next)}
          >
            <Outlet />
          </Shell>
          {infoPages.modal}
          <OpenSessionWatch app={app} part={part} />
        </QueryClientProvider>
      </DirectionProvider>
    </CSPProvider>
  );
}
