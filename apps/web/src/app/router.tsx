import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { Notice } from "@longarm/ui/notice.tsx";
import { usePageTitle } from "@longarm/ui/page-title.ts";
import { painted } from "@longarm/ui/time/painted.ts";
import type { AnyRouter } from "@tanstack/react-router";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
  useRouter,
} from "@tanstack/react-router";
import { useEffect } from "react";
import type { ShowcasePage } from "../features/showcase/pages.ts";
import { paths } from "../shared/paths/paths.ts";
import { Splash } from "../shared/ui/splash.tsx";
import type { loadGame } from "./game/game-loader.ts";
import type { Arriving, RouterContext } from "./guard.ts";
import { ACCESS, goTo, guard, guardPlay } from "./guard.ts";
import { needCodes } from "./start/sign-in.ts";
import { needFrames } from "./template/use-frames.ts";

const rootRoute = createRootRouteWithContext<RouterContext>()({
  // A router draws a page in one piece. The tap that led to it is painted first, except at the start; what the page needs is on its way meanwhile.
  loader: { handler: ({ cause }) => (cause === "stay" ? painted() : undefined), staleReloadMode: "blocking" },
  staleTime: 0,
  component: Root,
  errorComponent: Broken,
});

const startRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  // The query of a link to the start page is kept.
  beforeLoad: () => {
    throw redirect({ to: paths.lobby, search: true, replace: true });
  },
});

const loginRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/login",
  beforeLoad: guard(ACCESS.onlyGuest),
  component: lazyRouteComponent(() => import("./routes/login.tsx"), "LoginRoute"),
});

const logoutRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/logout",
  component: lazyRouteComponent(() => import("./routes/logout.tsx"), "LogoutRoute"),
});

const callbackRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/callback",
  beforeLoad: guard(ACCESS.onlyGuest),
  component: Splash,
});

/** Every page with bars: they show the signed-in player, if there is one. */
const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: "shell",
  loader: {
    handler: async ({ context }) => {
      const { texts, auth } = context.app;
      const isGuest = auth.state.getState().is === "guest";
      const [link] = await Promise.all([
        isGuest ? undefined : context.playerLink(),
        texts.need("shell", "wallet", "claims", "lobby"),
        needFrames(context.app),
      ]);
      return link;
    },
    // A player never sees the bars of the player who was signed in before.
    staleReloadMode: "blocking",
  },
  staleTime: Number.POSITIVE_INFINITY,
  component: lazyRouteComponent(() => import("./routes/shell.tsx"), "ShellRoute"),
});

/** The casino's own pages. */
const playerRoute = createRoute({
  getParentRoute: () => shellRoute,
  id: "player",
  beforeLoad: guard(ACCESS.user),
  loader: { handler: ({ context }) => context.playerLink(), staleReloadMode: "blocking" },
  staleTime: Number.POSITIVE_INFINITY,
});

/** The template's pages: their table loads with the first of them, and each page when it is opened. */
const templatePage = {
  beforeLoad: async (arriving: Arriving) => {
    if (!arriving.context.app.settings.showTemplatePages) goTo(paths.notFound)();
    return (await import("./template/template-route.tsx")).enterPage(arriving);
  },
  loader: async ({ context }: { context: RouterContext & { page: ShowcasePage } }) =>
    (await import("./template/template-route.tsx")).loadPage(context),
  staleTime: Number.POSITIVE_INFINITY,
  component: lazyRouteComponent(() => import("./template/template-route.tsx"), "TemplateRoute"),
};
const uiRoute = createRoute({ getParentRoute: () => shellRoute, path: "/ui/$", ...templatePage });
const pagesRoute = createRoute({ getParentRoute: () => shellRoute, path: "/pages/$", ...templatePage });
const rolesRoute = createRoute({ getParentRoute: () => shellRoute, path: "/auth/$", ...templatePage });
const guideRoute = createRoute({ getParentRoute: () => shellRoute, path: "/documentation", ...templatePage });

/** One page at two addresses: a brand only changes the machines on its floor. */
const floorRoute = createRoute({
  getParentRoute: () => playerRoute,
  id: "floor",
  beforeLoad: guardPlay,
  component: lazyRouteComponent(() => import("./routes/lobby.tsx"), "LobbyRoute"),
});
const lobbyRoute = createRoute({ getParentRoute: () => floorRoute, path: "/lobby" });
const brandRoute = createRoute({ getParentRoute: () => floorRoute, path: "/lobby/$id/$name" });

/** What has a catalogue area of its own loads it with the page, not with the shell. */
const withTexts = (...areas: Parameters<RouterContext["app"]["texts"]["need"]>) => ({
  loader: ({ context }: { context: RouterContext }) => context.app.texts.need(...areas),
  staleTime: Number.POSITIVE_INFINITY,
});
const profileOptions = {
  ...withTexts("profile", "theme", "keys", "mail"),
  component: lazyRouteComponent(() => import("./routes/profile.tsx"), "ProfileRoute"),
};
const profileRoute = createRoute({ getParentRoute: () => playerRoute, path: "/profile", ...profileOptions });
const profileOfRoute = createRoute({
  getParentRoute: () => playerRoute,
  path: "/profile/$profileId",
  ...profileOptions,
});
const listing = (name: "SlotSessionsRoute" | "TransactionsRoute") =>
  lazyRouteComponent(() => import("./routes/listing.tsx"), name);
const accountPage = (name: "IdentityRoute" | "QueueRoute" | "TermsRoute") =>
  lazyRouteComponent(() => import("./routes/account-pages.tsx"), name);
const sessionsRoute = createRoute({
  getParentRoute: () => playerRoute,
  path: "/slot-sessions",
  ...withTexts("history", "record", "disputes", "clips"),
  component: listing("SlotSessionsRoute"),
});
const transactionsRoute = createRoute({
  getParentRoute: () => playerRoute,
  path: "/transactions",
  ...withTexts("history", "record"),
  component: listing("TransactionsRoute"),
});
/** Each `import` costs the first load the names of all that it fetches: pages of one file share theirs. */
const protectedPage = (name: "SaferPlayRoute" | "WalletRoute") =>
  lazyRouteComponent(() => import("./routes/safer-play.tsx"), name);
const saferPlayRoute = createRoute({
  getParentRoute: () => playerRoute,
  path: "/safer-play",
  ...withTexts("saferPlay", "breaks", "help", "letters", "history", "record"),
  component: protectedPage("SaferPlayRoute"),
});
const walletRoute = createRoute({
  getParentRoute: () => playerRoute,
  path: "/wallet",
  ...withTexts("payments", "saferPlay"),
  component: protectedPage("WalletRoute"),
});

const queueRoute = createRoute({
  getParentRoute: () => playerRoute,
  path: "/queue",
  ...withTexts("queue"),
  component: accountPage("QueueRoute"),
});
const identityRoute = createRoute({
  getParentRoute: () => playerRoute,
  path: "/identity",
  ...withTexts("identity"),
  component: accountPage("IdentityRoute"),
});
const termsRoute = createRoute({
  getParentRoute: () => playerRoute,
  path: "/terms",
  ...withTexts("terms"),
  component: accountPage("TermsRoute"),
});

/** The game hides all bars. */
const hasWebRtc = typeof RTCPeerConnection === "function";
const machineScreen = (name: "GameRoute" | "WatchRoute") =>
  hasWebRtc
    ? lazyRouteComponent(() => import("./game/game.tsx"), name)
    : lazyRouteComponent(() => import("./routes/no-web-rtc.tsx"), "NoWebRtcRoute");
const gameLoader = async (arriving: Parameters<typeof loadGame>[0]) => {
  const { app } = arriving.context;
  if (!hasWebRtc) return app.texts.need("gates");
  const [{ loadGame }] = await Promise.all([import("./game/game-loader.ts"), app.texts.need("play")]);
  return loadGame(arriving);
};

/** The code and the texts of the game, before a machine is chosen. What cannot be had now is requested again then. */
export function fetchGame(app: RouterContext["app"]): void {
  if (!hasWebRtc) return;
  const files = [import("./game/game-loader.ts"), import("./game/game.tsx")];
  for (const part of [...files, app.texts.need("play"), needCodes(app)]) part.catch(() => {});
}

const gameOptions = {
  beforeLoad: guardPlay,
  loader: gameLoader,
  staleTime: 0,
  // What is chosen is loaded as such, however lately it was pointed at: the game's socket is opened then.
  preloadStaleTime: 0,
  component: machineScreen("GameRoute"),
};
const gameRoute = createRoute({ getParentRoute: () => rootRoute, path: "/game/$gameId/$name", ...gameOptions });
const gameByIdRoute = createRoute({ getParentRoute: () => rootRoute, path: "/game/$gameId", ...gameOptions });
const watchRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/watch/$gameId/$name",
  ...gameOptions,
  beforeLoad: guard(ACCESS.user),
  component: machineScreen("WatchRoute"),
});
/** Instead of lobby and game, while the player is on a break. */
const closedRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/closed",
  beforeLoad: guard(ACCESS.user),
  loader: async ({ context }) => {
    const [link] = await Promise.all([context.playerLink(), context.app.texts.need("gates", "breaks", "help")]);
    return link;
  },
  component: lazyRouteComponent(() => import("./routes/closed.tsx"), "ClosedRoute"),
});
const noGameRoute = createRoute({ getParentRoute: () => rootRoute, path: "/game", beforeLoad: goTo(paths.lobby) });

const notFoundRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/pages/errors/error-404",
  ...withTexts("pages", "lobby"),
  component: lazyRouteComponent(() => import("./routes/not-found.tsx"), "NotFoundRoute"),
});
const unknownRoute = createRoute({ getParentRoute: () => rootRoute, path: "$", beforeLoad: goTo(paths.notFound) });

const routeTree = rootRoute.addChildren([
  startRoute,
  loginRoute,
  logoutRoute,
  callbackRoute,
  shellRoute.addChildren([
    playerRoute.addChildren([
      floorRoute.addChildren([lobbyRoute, brandRoute]),
      ...[
        profileRoute,
        profileOfRoute,
        sessionsRoute,
        transactionsRoute,
        saferPlayRoute,
        walletRoute,
        queueRoute,
        identityRoute,
        termsRoute,
      ],
    ]),
    ...[uiRoute, pagesRoute, rolesRoute, guideRoute],
  ]),
  gameRoute,
  gameByIdRoute,
  watchRoute,
  closedRoute,
  noGameRoute,
  notFoundRoute,
  unknownRoute,
]);

export function createAppRouter(context: RouterContext) {
  return createRouter({
    routeTree,
    context,
    // Plain query strings: what an operator's link says stays as it was written.
    parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
    stringifySearch: (search) => {
      const text = new URLSearchParams(search as Record<string, string>).toString();
      return text === "" ? "" : `?${text}`;
    },
    defaultPreload: "intent",
    defaultErrorComponent: Broken,
    scrollRestoration: true,
    // What scrolls between the bars of layout1 and layout2.
    scrollToTopSelectors: ["#content"],
    // A game leads back to the lobby by a new entry of the history: the floor is found where it was left all the same.
    getScrollRestorationKey: ({ pathname, href, state }) =>
      pathname.startsWith(paths.lobby) ? href : (state.__TSR_key ?? href),
  });
}

export type AppRouter = ReturnType<typeof createAppRouter>;

/** The routes as they are drawn. */
export type Routes = {
  now(): AppRouter;
  /** Begins again at the page's address: nothing that was loaded for the sign-in before is kept. */
  anew(): void;
};

declare module "@tanstack/react-router" {
  interface Register {
    router: AppRouter;
  }
  interface HistoryState {
    /** The path that was requested before the login. */
    wanted?: string;
  }
}

function Root() {
  const router = useRouter();
  useEffect(() => focusHeadings(router), [router]);
  return <Outlet />;
}

/** A route that threw, or whose files could not be had (an old page after an update): reloading gets the new ones. */
function Broken() {
  const { t } = useText();
  usePageTitle(t("app.brokenTitle"));
  return (
    <Notice whole title={t("app.brokenTitle")} body={t("app.brokenBody")}>
      <Key kind="brass" onClick={() => location.reload()}>
        {t("app.reload")}
      </Key>
    </Notice>
  );
}

/**
 * After a navigation the focus goes to the new page's heading, so that a screen reader says where it is and Tab goes on from there.
 * Within a page (a brand in the lobby) it stays where it was, unless that is gone. Returns what ends it.
 */
function focusHeadings(router: AnyRouter): () => void {
  return router.subscribe("onRendered", ({ fromLocation, toLocation, pathChanged }) => {
    if (fromLocation === undefined || !pathChanged) return;
    const samePage = pageOf(fromLocation.pathname) === pageOf(toLocation.pathname);
    if (samePage && document.activeElement !== document.body) return;
    if (document.querySelector("[role=dialog][data-open]") !== null) return;
    const heading = document.querySelector("h1");
    if (heading === null) return;
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  });
}

/** Below these every address is a page of its own. */
const pageOf = (path: string): string | undefined => (/^\/(ui|pages|auth)\//.test(path) ? path : path.split("/")[1]);
