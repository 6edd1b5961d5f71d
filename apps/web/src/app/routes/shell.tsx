import { CSPProvider } from "@base-ui/react/csp-provider";
import { DirectionProvider } from "@base-ui/react/direction-provider";
import type { InfoPage } from "@longarm/contract/info-pages";
import { INFO_PAGES } from "@longarm/contract/info-pages";
import type { Language } from "@longarm/contract/settings";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { keyClass } from "@longarm/ui/key.tsx";
import { useLive } from "@longarm/ui/live.ts";
import { QueryClientProvider } from "@tanstack/react-query";
import { getRouteApi, Link, Outlet, useRouteContext, useRouterState } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { lazy, Suspense, useState } from "react";
import { createStore } from "zustand/vanilla";
import { ClaimKeys } from "../../features/claims/claim-keys.tsx";
import { createClaims, createClaimTimes } from "../../features/claims/claims.ts";
import { INFO_PAGE_IDS, PAGE_TITLES } from "../../features/info-pages/page-titles.ts";
import { Shell } from "../../features/shell/shell.tsx";
import { HeaderBalance, MenuBalance } from "../../features/wallet/balance.tsx";
import { paths } from "../../shared/paths/paths.ts";
import { createStorage, STORAGE_KEYS } from "../../shared/storage/storage.ts";
import { createThrottle } from "../../shared/throttle/throttle.ts";
import type { App } from "../app.ts";
import { leadsToTemplate, oncePer } from "../app.ts";
import { changeAppearance, chooseLanguage, useDirection } from "../appearance.ts";
import type { PlayerLink } from "../player/player-link.ts";
import { guestShortcutsOf, shortcutsOf, visibilityOf } from "../player/player-views.ts";
import { QuietContext, queryCacheOf, useQuiet, useReturns } from "../player/query-cache.ts";
import { useLate } from "../player/use-late.ts";
import { useFrames } from "../template/use-frames.ts";

/** In place of a chunk that fails to load, which must not fail the page. */
const drawNothing = () => ({ default: () => null });

const ThemeControls = lazy(() => import("../panels/theme-controls.tsx").catch(drawNothing));

const TeamChatPanel = lazy(() => import("../panels/team-chat-panel.tsx").catch(drawNothing));

const MenuToday = lazy(() => import("../panels/lobby-asks.tsx").then((it) => ({ default: it.MenuToday }), drawNothing));

/** What waits for a player in the lobby: terms, the offer of limits, summaries. */
const LobbyAsks = lazy(() => import("../panels/lobby-asks.tsx").catch(drawNothing));

/** Pages of money and of protection: no discount and no bonus is offered beside them. */
const NO_PROMOTION: ReadonlySet<string> = new Set([paths.wallet, paths.saferPlay, paths.identity, paths.terms]);

const route = getRouteApi("/shell");
/** Guests have no live connection, so it counts as up. */
const ALWAYS = createStore(() => true);

/** Where the bars meet wallet, claims and info pages: the frame of every page with a menu. A guest's have nothing of a player. */
export function ShellRoute() {
  const { app } = useRouteContext({ from: "__root__" });
  const link = route.useLoaderData();
  const direction = useDirection(app);
  const { settings, appearance } = app;
  const { style, config } = useLive(appearance.current, ({ layout }) => layout);
  const frames = useFrames(app);
  const isCasino = frames === undefined || style === "layout3";
  const infoSeen = infoSeenOf(app);
  const infoPages = useInfoPages();
  useReturns(link);
  const quiet = useQuiet(link);
  // No promotion is on a page of protection, beside a question about a game, nor before a player who has closed play.
  const promotes = useRouterState({
    select: ({ location: { pathname, search } }) => !NO_PROMOTION.has(pathname) && !("question" in search),
  });
  const bars = {
    ...{ settings, storage: app.storage, ...playerBars(app, link, promotes) },
    infoLinks: settings.externalInfo ? infoPages.links : [],
    infoIsNew: infoSeen.isNew(),
    onInfoSeen: infoSeen.mark,
    onLanguage: (next: Language) => chooseLanguage(app, next),
    children: (
      <>
        <QuietContext value={quiet}>
          <Outlet />
        </QuietContext>
        {quiet && <Theme app={app} form="keys" />}
      </>
    ),
  };
  return (
    <CSPProvider disableStyleElements>
      <DirectionProvider direction={direction}>
        <OfPlayer link={link}>
          {isCasino ? (
            <Shell
              {...bars}
              moreTool={
                link?.player.teamChat
                  ? (close) => quiet && <Chat {...{ app, link }} form="key" onPress={close} />
                  : undefined
              }
              morePages={async () => (await import("../template/template-tree.ts")).foundPages(app, link?.player)}
              {...frames?.casinoWith(config, settings)}
            />
          ) : (
            <frames.Framed
              {...{ ...bars, style, config, templateTree: frames.templateTree, pages: frames.pages }}
              panelKeys={<frames.PanelKeys {...{ app, link }} withQuickPanel={leadsToTemplate(settings)} />}
              sidePanel={<frames.SidePanels {...{ app, link }} />}
              onConfig={(change) => changeAppearance(app, { layout: { config: change } })}
            />
          )}
          {quiet && isCasino && <Chat {...{ app, link }} form="overlay" />}
          {quiet && <Theme app={app} form="panels" />}
          {infoPages.modal}
          {link && quiet && (
            <Suspense>
              <LobbyAsks {...{ app, link }} />
            </Suspense>
          )}
          {link && <LateLayers app={app} link={link} />}
        </OfPlayer>
      </DirectionProvider>
    </CSPProvider>
  );
}

/** The bars' contents for a player, or for a guest. */
function playerBars(app: App, link: PlayerLink | undefined, promotes: boolean) {
  if (link === undefined) {
    const login = (
      <Link to={paths.login} className={keyClass({ kind: "brass" })}>
        {app.texts.speech.getState().t("auth.title")}
      </Link>
    );
    return {
      ...{ player: undefined, online: ALWAYS, shortcuts: guestShortcutsOf(app) },
      ...{ wallet: null, balance: null, actions: login },
    };
  }
  const visibility = visibilityOf(app);
  return {
    ...{ player: link.player, online: link.online, shortcuts: shortcutsOf(app)(link.player) },
    wallet: <HeaderBalance wallet={link.wallet} visibility={visibility} />,
    balance: (
      <>
        <MenuBalance wallet={link.wallet} visibility={visibility} withToggle={!app.settings.header} />
        <Suspense>
          <MenuToday app={app} link={link} />
        </Suspense>
      </>
    ),
    actions: promotes && link.player.playClosed === undefined ? <ClaimActions app={app} link={link} /> : null,
  };
}

/** Lists are cached for the player who is signed in. */
function OfPlayer({ link, children }: { link: PlayerLink | undefined; children: ReactNode }) {
  if (link === undefined) return children;
  return <QueryClientProvider client={queryCacheOf(link)}>{children}</QueryClientProvider>;
}

function Theme({ app, form }: { app: App; form: "keys" | "panels" }) {
  if (!leadsToTemplate(app.settings)) return null;
  return (
    <Suspense>
      <ThemeControls app={app} form={form} />
    </Suspense>
  );
}

type ChatProps = { app: App; link: PlayerLink | undefined; form: "key" | "overlay"; onPress?: () => void };

function Chat({ link, ...rest }: ChatProps) {
  if (!link?.player.teamChat) return null;
  return (
    <Suspense>
      <TeamChatPanel link={link} {...rest} />
    </Suspense>
  );
}

/** One per sign-in: a call under way is known on every page and in every place of the buttons. */
const claimsOf = oncePer((app: App) => oncePer((link: PlayerLink) => makeClaims(app, link)));

function makeClaims({ api, settings, clock, storage, texts, messages }: App, link: PlayerLink) {
  const times = createClaimTimes(storage, clock, settings.claimThrottleMs);
  const claims = createClaims({
    ...{ api, settings, times, texts, say: messages.say },
    throttle: createThrottle(clock, settings.throttleMs),
    balance: () => link.wallet.getState()?.balance,
    refreshBalance: link.refreshBalance,
  });
  return { claims, times };
}

/** The discount and bonus keys of the shell, where claims and wallet meet. */
function ClaimActions({ app, link }: { app: App; link: PlayerLink }) {
  return <ClaimKeys settings={app.settings} timers={app.timers} {...claimsOf(app)(link)} />;
}

/** Whether this visit has seen the information text: it opens by itself once a session, and a new sign-in or a new text is a new one. */
const infoSeenOf = oncePer<App, { isNew(): boolean; mark(): void }>(({ auth, settings, storage }) => {
  // Kept as long as the tab, so that a reload does not show it again.
  const session = createStorage(() => sessionStorage);
  auth.state.subscribe((state) => {
    // The lock does not end the sign-in: the player who unlocks has read the text.
    if (state.is === "guest" && storage.read(STORAGE_KEYS.lock) === null) session.remove(STORAGE_KEYS.infoSeen);
  });
  return {
    isNew: () => session.read(STORAGE_KEYS.infoSeen) !== settings.infoText,
    mark: () => session.write(STORAGE_KEYS.infoSeen, settings.infoText),
  };
});

const InfoModal = lazy(async () => ({ default: (await import("../../features/info-pages/info-modal.tsx")).InfoModal }));

/** The info page that is open over everything, and the links that open the six. */
function useInfoPages() {
  const { t } = useText();
  const [open, setOpen] = useState<{ readonly page: InfoPage; readonly from: Element | null }>();
  const links = INFO_PAGE_IDS.map((page) => ({
    ...{ id: page, title: INFO_PAGES[page].title, label: t(PAGE_TITLES[page]) },
    open: () => setOpen({ page, from: document.activeElement }),
  }));
  /** Back to its link; after a drawer or the search, which are closed by now, to the menu button. */
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

const loadReconnect = () => import("../player/reconnect-layer.tsx");
const loadQueue = () => import("../queue/queue-layer.tsx");

/** The reconnect dialog once a play session is open, and the turn of a queue once the player has a place. */
function LateLayers({ app, link }: { app: App; link: PlayerLink }) {
  const isOpen = useLive(link.openSession, (open) => open !== undefined);
  const hasPlaces = useLive(link.queue, (pushed) => pushed !== undefined);
  const reconnect = useLate(app, isOpen, "reconnect", loadReconnect);
  const queue = useLate(app, hasPlaces, "queue", loadQueue);
  return (
    <>
      {reconnect && <reconnect.ReconnectLayer app={app} link={link} />}
      {queue && <queue.QueueLayer app={app} link={link} />}
    </>
  );
}
