import { CSPProvider } from "@base-ui/react/csp-provider";
import { DirectionProvider } from "@base-ui/react/direction-provider";
import type { Language } from "@longarm/contract/settings";
import { QueryClientProvider } from "@tanstack/react-query";
import { getRouteApi, Link, Outlet, useRouteContext } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { lazy, Suspense } from "react";
import { createStore } from "zustand/vanilla";
import { ClaimKeys } from "../../features/claims/claim-keys.tsx";
import { createClaimTimes } from "../../features/claims/claim-times.ts";
import { createClaims } from "../../features/claims/claims.ts";
import { Shell } from "../../features/shell/shell.tsx";
import { HeaderBalance, MenuBalance } from "../../features/wallet/balance.tsx";
import { useLive } from "../../shared/live/live.ts";
import { paths } from "../../shared/paths/paths.ts";
import { createThrottle } from "../../shared/throttle/throttle.ts";
import { keyClass } from "../../shared/ui/key.tsx";
import type { App } from "../app.ts";
import { changeAppearance, useDirection } from "../appearance.ts";
import { infoSeenOf } from "../frame/info-seen.ts";
import { leadsToTemplate } from "../frame/leads-to-template.ts";
import { useFrames } from "../frame/use-frames.ts";
import { useInfoPages } from "../frame/use-info-pages.tsx";
import { useQuiet } from "../frame/use-quiet.ts";
import { useReturns } from "../frame/use-returns.ts";
import { chooseLanguage } from "../language.ts";
import { oncePer } from "../once-per.ts";
import type { PlayerPart } from "../player/player-part.ts";
import { guestShortcutsOf, queryCacheOf, shortcutsOf, visibilityOf } from "../player/player-views.ts";
import { OpenSessionWatch } from "../reconnect/open-session-watch.tsx";

/** If this chunk fails to load, draw nothing instead of failing the page. */
const ThemePart = lazy(() => import("../theme/theme-part.tsx").catch(() => ({ default: () => null })));

/** The same for Team Chat. */
const TeamChatPart = lazy(() => import("../panels/team-chat-part.tsx").catch(() => ({ default: () => null })));

const route = getRouteApi("/shell");
/** Guests have no live connection, so it counts as up. */
const ALWAYS = createStore(() => true);

/** Where the bars meet wallet, claims and info pages: the frame of every page with a menu. A guest's have nothing of a player. */
export function ShellRoute() {
  const { app } = useRouteContext({ from: "__root__" });
  const part = route.useLoaderData();
  const direction = useDirection(app);
  const { settings, appearance } = app;
  const { style, config } = useLive(appearance.current, ({ layout }) => layout);
  const frames = useFrames(app);
  const isCasino = frames === undefined || style === "layout3";
  const infoSeen = infoSeenOf(app);
  const infoPages = useInfoPages();
  useReturns(part);
  const quiet = useQuiet(part);
  const bars = {
    ...{ settings, storage: app.storage, ...playerBars(app, part) },
    infoLinks: settings.externalInfo ? infoPages.links : [],
    infoIsNew: infoSeen.isNew(),
    onInfoSeen: infoSeen.mark,
    onLanguage: (next: Language) => chooseLanguage(app, next),
    children: (
      <>
        <Outlet />
        {quiet && <Theme app={app} part="keys" />}
      </>
    ),
  };
  return (
    <CSPProvider disableStyleElements>
      <DirectionProvider direction={direction}>
        <OfPlayer part={part}>
          {isCasino ? (
            <Shell
              {...bars}
              moreTool={
                part?.player.teamChat
                  ? (close) => quiet && <Chat {...{ app, part }} form="key" onPress={close} />
                  : undefined
              }
              morePages={async () => (await import("./template/found-pages.ts")).foundPages(app, part?.player)}
              {...frames?.casinoWith(config, settings)}
            />
          ) : (
            <frames.Framed
              {...{ ...bars, style, config, templateTree: frames.templateTree, pages: frames.pages }}
              panelKeys={<frames.PanelKeys {...{ app, part }} withQuickPanel={leadsToTemplate(settings)} />}
              sidePanel={<frames.SidePanels {...{ app, part }} />}
              onConfig={(change) => changeAppearance(app, { layout: { config: change } })}
            />
          )}
          {quiet && isCasino && <Chat {...{ app, part }} form="overlay" />}
          {quiet && <Theme app={app} part="panels" />}
          {infoPages.modal}
          {part && <OpenSessionWatch app={app} part={part} />}
        </OfPlayer>
      </DirectionProvider>
    </CSPProvider>
  );
}

/** What stands in the bars of whoever is signed in, or of nobody. */
function playerBars(app: App, part: PlayerPart | undefined) {
  if (part === undefined) {
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
    ...{ player: part.player, online: part.online, shortcuts: shortcutsOf(app)(part.player) },
    wallet: <HeaderBalance wallet={part.wallet} visibility={visibility} />,
    balance: <MenuBalance wallet={part.wallet} visibility={visibility} withToggle={!app.settings.header} />,
    actions: <ClaimActions app={app} part={part} />,
  };
}

/** Lists are cached for whoever is signed in. */
function OfPlayer({ part, children }: { part: PlayerPart | undefined; children: ReactNode }) {
  if (part === undefined) return children;
  return <QueryClientProvider client={queryCacheOf(part)}>{children}</QueryClientProvider>;
}

function Theme({ app, part }: { app: App; part: "keys" | "panels" }) {
  if (!leadsToTemplate(app.settings)) return null;
  return (
    <Suspense>
      <ThemePart app={app} part={part} />
    </Suspense>
  );
}

type ChatProps = { app: App; part: PlayerPart | undefined; form: "key" | "overlay"; onPress?: () => void };

function Chat({ part, ...rest }: ChatProps) {
  if (!part?.player.teamChat) return null;
  return (
    <Suspense>
      <TeamChatPart part={part} {...rest} />
    </Suspense>
  );
}

/** One per sign-in: a call under way is known on whichever page and in whichever place the keys stand. */
const claimsOf = oncePer((app: App) => oncePer((part: PlayerPart) => makeClaims(app, part)));

function makeClaims({ api, settings, clock, storage, texts, messages }: App, part: PlayerPart) {
  const times = createClaimTimes(storage, clock, settings.claimThrottleMs);
  const claims = createClaims({
    ...{ api, settings, times, texts, say: messages.say },
    throttle: createThrottle(clock, settings.throttleMs),
    balance: () => part.wallet.getState()?.balance,
    refreshBalance: part.refreshBalance,
  });
  return { claims, times };
}

/** The discount and bonus keys of the shell, where claims and wallet meet. */
function ClaimActions({ app, part }: { app: App; part: PlayerPart }) {
  return <ClaimKeys settings={app.settings} timers={app.timers} {...claimsOf(app)(part)} />;
}
