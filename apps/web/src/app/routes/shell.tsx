import { CSPProvider } from "@base-ui/react/csp-provider";
import { DirectionProvider } from "@base-ui/react/direction-provider";
import type { InfoPage } from "@longarm/contract/info-pages";
import { INFO_PAGES } from "@longarm/contract/info-pages";
import { QueryClientProvider } from "@tanstack/react-query";
import { getRouteApi, Outlet, useRouteContext } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useState } from "react";
import { INFO_PAGE_IDS, PAGE_TITLES } from "../../features/info-pages/page-titles.ts";
import { Shell } from "../../features/shell/shell.tsx";
import { HeaderBalance, MenuBalance } from "../../features/wallet/balance.tsx";
import { useText } from "../../shared/i18n/use-text.ts";
import { infoSeenOf } from "../info-seen.ts";
import { chooseLanguage } from "../language.ts";
import { OpenSessionWatch } from "../open-session-watch.tsx";
import type { PlayerPart } from "../player-part.ts";
import { queryCacheOf, shortcutsOf, visibilityOf } from "../player-views.ts";
import { ClaimActions } from "./claim-actions.tsx";

const InfoModal = lazy(async () => ({ default: (await import("../../features/info-pages/info-modal.tsx")).InfoModal }));

const route = getRouteApi("/shell");

/** Where the shell meets wallet, claims and info pages: the frame of every page with a menu. */
export function ShellRoute() {
  const { app } = useRouteContext({ from: "__root__" });
  const part = route.useLoaderData();
  const { language } = useText();
  const { settings } = app;
  const visibility = visibilityOf(app);
  const infoSeen = infoSeenOf(app);
  const infoPages = useInfoPages();
  useReturns(part);
  return (
    <CSPProvider disableStyleElements>
      <DirectionProvider direction={language === "ar" ? "rtl" : "ltr"}>
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

/** The info page that is open over everything, and the links that open the six. */
function useInfoPages() {
  const { t } = useText();
  const [open, setOpen] = useState<{ readonly page: InfoPage; readonly from: Element | null }>();
  const links = INFO_PAGE_IDS.map((page) => ({
    ...{ id: page, title: INFO_PAGES[page].title, label: t(PAGE_TITLES[page]) },
    open: () => setOpen({ page, from: document.activeElement }),
  }));
  /** Back to its link; from a drawer or the search, which are gone by now, to what stands in the page. */
  function finalFocus(): HTMLElement | true {
    const from = open?.from;
    if (from instanceof HTMLElement && from.isConnected && from.closest("[role=dialog]") === null) return from;
    return document.querySelector<HTMLElement>("[data-menu-key]") ?? true;
  }
  const modal = open && (
    <Suspense>
      <InfoModal page={open.page} onClose={() => setOpen(undefined)} finalFocus={finalFocus} />
    </Suspense>
  );
  return { links, modal };
}

/** Keeps the player's part from waiting for its back-off, and has every list told anew after an outage. */
function useReturns(part: PlayerPart): void {
  useEffect(() => {
    const retry = () => part.retryNow();
    addEventListener("online", retry);
    document.addEventListener("visibilitychange", retry);
    // What happened meanwhile is in no push.
    const end = part.returns.subscribe(() => void queryCacheOf(part).invalidateQueries());
    return () => {
      end();
      removeEventListener("online", retry);
      document.removeEventListener("visibilitychange", retry);
    };
  }, [part]);
}
