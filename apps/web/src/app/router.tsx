import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from "@tanstack/react-router";
import { paths } from "../shared/paths/paths.ts";
import { Splash } from "../shared/ui/splash.tsx";
import type { Access } from "./guard.ts";
import { ACCESS, detourOf } from "./guard.ts";
import type { RouterContext } from "./router-context.ts";
import { Broken } from "./routes/broken.tsx";
import { Root } from "./routes/root.tsx";

type Arriving = {
  readonly context: RouterContext;
  readonly location: { readonly href: string; readonly state: { readonly wanted?: string | undefined } };
};

/** Sends away who may not enter; the wanted path travels in the history entry of the login (specification 2.2). */
function guard(access: Access) {
  return ({ context, location }: Arriving): void => {
    const { roles } = context.app.auth.state.getState();
    const detour = detourOf(access, roles, location.href, location.state.wanted);
    if (detour === undefined) return;
    throw redirect({
      to: detour.to,
      replace: true,
      ...(detour.remember === undefined ? {} : { state: { wanted: detour.remember } }),
    });
  };
}

const rootRoute = createRootRouteWithContext<RouterContext>()({ component: Root, errorComponent: Broken });

const goTo = (to: string) => () => {
  throw redirect({ to, replace: true });
};

const startRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  // What a link to the house carries in its query is kept.
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

/** Everything in the casino shell: menu and header. */
const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: "shell",
  beforeLoad: guard(ACCESS.user),
  loader: async ({ context }) => {
    const [part] = await Promise.all([
      context.playerPart(),
      context.app.texts.need("shell", "wallet", "claims", "lobby"),
    ]);
    return part;
  },
  staleTime: Number.POSITIVE_INFINITY,
  component: lazyRouteComponent(() => import("./routes/shell.tsx"), "ShellRoute"),
});

const lobbyComponent = lazyRouteComponent(() => import("./routes/lobby.tsx"), "LobbyRoute");
const lobbyRoute = createRoute({ getParentRoute: () => shellRoute, path: "/lobby", component: lobbyComponent });
const brandRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/lobby/$id/$name",
  component: lobbyComponent,
});

const profileOptions = {
  loader: ({ context }: { context: RouterContext }) => context.app.texts.need("profile"),
  component: lazyRouteComponent(() => import("./routes/profile.tsx"), "ProfileRoute"),
};
const profileRoute = createRoute({ getParentRoute: () => shellRoute, path: "/profile", ...profileOptions });
const profileOfRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/profile/$profileId",
  ...profileOptions,
});
/** What has a catalogue area of its own loads it with the page, not with the shell. */
const historyTexts = {
  loader: ({ context }: { context: RouterContext }) => context.app.texts.need("history"),
  staleTime: Number.POSITIVE_INFINITY,
};
const sessionsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/slot-sessions",
  ...historyTexts,
  component: lazyRouteComponent(() => import("./routes/slot-sessions.tsx"), "SlotSessionsRoute"),
});
const transactionsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/transactions",
  ...historyTexts,
  component: lazyRouteComponent(() => import("./routes/transactions.tsx"), "TransactionsRoute"),
});

/** The game hides all bars. */
const hasWebRtc = typeof RTCPeerConnection === "function";
const machineScreen = (name: "GameRoute" | "WatchRoute") =>
  hasWebRtc
    ? lazyRouteComponent(() => import("./game/game.tsx"), name)
    : lazyRouteComponent(() => import("./routes/no-web-rtc.tsx"), "NoWebRtcRoute");
const gameLoader = async ({ context, params }: { context: RouterContext; params: { gameId: string } }) => {
  if (!hasWebRtc) return context.app.texts.need("gates");
  const { loadGame } = await import("./game/game-loader.ts");
  return loadGame(context, params.gameId);
};
const gameOptions = {
  beforeLoad: guard(ACCESS.user),
  loader: gameLoader,
  staleTime: 0,
  component: machineScreen("GameRoute"),
};
const gameRoute = createRoute({ getParentRoute: () => rootRoute, path: "/game/$gameId/$name", ...gameOptions });
const gameByIdRoute = createRoute({ getParentRoute: () => rootRoute, path: "/game/$gameId", ...gameOptions });
const watchRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/watch/$gameId/$name",
  ...gameOptions,
  component: machineScreen("WatchRoute"),
});
const noGameRoute = createRoute({ getParentRoute: () => rootRoute, path: "/game", beforeLoad: goTo(paths.lobby) });

const notFoundRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/pages/errors/error-404",
  component: lazyRouteComponent(() => import("./routes/not-found.tsx"), "NotFoundRoute"),
});
const unknownRoute = createRoute({ getParentRoute: () => rootRoute, path: "$", beforeLoad: goTo(paths.notFound) });

const routeTree = rootRoute.addChildren([
  startRoute,
  loginRoute,
  logoutRoute,
  callbackRoute,
  shellRoute.addChildren([lobbyRoute, brandRoute, profileRoute, profileOfRoute, sessionsRoute, transactionsRoute]),
  gameRoute,
  gameByIdRoute,
  watchRoute,
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
    /** The path asked for before the login came between. */
    wanted?: string;
  }
}
