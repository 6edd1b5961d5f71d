import { CSPProvider } from "@base-ui/react/csp-provider";
import { DirectionProvider } from "@base-ui/react/direction-provider";
import type { MachineState } from "@longarm/contract/lobby-lists";
import type { Timers } from "@longarm/link/socket";
import type { Speech } from "@longarm/ui/i18n/texts.ts";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import type { Live } from "@longarm/ui/live.ts";
import { moneyText } from "@longarm/ui/money/format.ts";
import { usePageTitle } from "@longarm/ui/page-title.ts";
import { QueryClientProvider } from "@tanstack/react-query";
import { useLoaderData, useNavigate, useParams, useRouteContext } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { lazy, Suspense, useEffect, useLayoutEffect, useState } from "react";
import { createStore } from "zustand/vanilla";
import { browserOpeners } from "../../features/play/browser/open-session.ts";
import { ReadyPlay } from "../../features/play/browser/ready-play.ts";
import { PlayScreen } from "../../features/play/view/play-screen.tsx";
import { WatchScreen } from "../../features/play/view/watch-screen.tsx";
import { codeText } from "../../shared/i18n/problem-text.ts";
import type { TextKey } from "../../shared/i18n/text-key.ts";
import type { HelpingPage } from "../../shared/money/refusal-text.ts";
import { helpingPage, refusalText } from "../../shared/money/refusal-text.ts";
import { paths } from "../../shared/paths/paths.ts";
import type { LeaveReason, PlayDeps, WalletNow } from "../../shared/play-deps.ts";
import type { App } from "../app.ts";
import { oncePer } from "../app.ts";
import { useDirection } from "../appearance.ts";
import type { RouterContext } from "../guard.ts";
import { recentOf } from "../player/player-views.ts";
import { queryCacheOf } from "../player/query-cache.ts";
import { useLate } from "../player/use-late.ts";
import { calledAwayOf, waitingAt } from "../queue/at-machine.ts";
import { renewToken } from "../start/sign-in.ts";
import type { GameLoaded } from "./game-loaded.ts";
import type { KeptQuestion, QuestionsProps } from "./game-questions.tsx";

const loadQuestions = () => import("./game-questions.tsx");

const LimitReached = lazy(async () => ({
  default: (await import("../../features/safer-play/view/limit-reached.tsx")).LimitReached,
}));

/** Where queues are, with the turn that may come meanwhile. */
const WatchQueue = lazy(() => import("../queue/watch-queue.tsx").catch(() => ({ default: () => null })));

// Both screens at a machine are one chunk: they share nearly all of it, and one more chunk would be named in every first load.

/** The game: no bars, and everything it needs is handed to it. */
export function GameRoute() {
  const { app, machineId, machineName, loaded } = useMachineRoute();
  const navigate = useNavigate();
  const { wallet, player } = loaded.link;
  useEffect(() => recentOf(app)(player.id).played(machineId), [app, player, machineId]);
  const [reached, setReached] = useState<{ readonly returned?: number }>();
  const toLobby = () => void navigate({ to: paths.lobby, replace: true });
  const leadOn = (reason: LeaveReason) => {
    if (reason.is !== "left" || reason.to === undefined) toLobby();
    else void navigate({ ...paths.game(reason.to.id, reason.to.name), replace: true });
  };
  const toLimits = () => void navigate({ to: paths.saferPlay, replace: true });
  const leave = (reason: LeaveReason) => {
    const { texts, messages, settings, timers } = app;
    if (isByLimit(reason)) {
      const ready = texts.need("saferPlay");
      const show = (next: { returned?: number }) => setReached((now) => ({ ...now, ...next }));
      ready.then(() => show({}), toLobby);
      whenReturned(
        wallet,
        timers,
        (returned) =>
          void ready.then(
            () => show({ returned }),
            () => {},
          ),
      );
      return;
    }
    const speech = texts.speech.getState();
    const say = (why: LeaveReason): void => {
      const text = leaveText(speech, why, settings.currency);
      const page = pageAfter(why);
      const act = page && { label: speech.t(WAYS[page].label), run: () => void navigate({ to: WAYS[page].to }) };
      if (text !== undefined) messages.say(why.is === "left" ? "good" : "info", text, undefined, act);
    };
    say(reason);
    if (endsForGood(reason)) whenReturned(wallet, timers, (returned) => say({ is: "left", returned }));
    // Where a break has ended play, the sign-in's answer says so, and the lobby leads on to the break's page.
    if (isByBreak(reason)) void renewToken(app).then(toLobby);
    else leadOn(reason);
  };
  if (reached !== undefined)
    return (
      <AtTheMachine>
        <QueryClientProvider client={queryCacheOf(loaded.link)}>
          <Suspense>
            <LimitReached deps={{ ...app, wallet }} returned={reached.returned} onLeave={toLobby} onLimits={toLimits} />
          </Suspense>
        </QueryClientProvider>
      </AtTheMachine>
    );
  return (
    <AtTheMachine>
      <PlayScreen
        key={`${player.id} ${machineId}`}
        machineId={machineId}
        machineName={machineName}
        deps={playDeps(app, loaded, leave)}
        ready={readyOf(app)}
      />
    </AtTheMachine>
  );
}

/** What is opened for a game before its screen is there, and closed when the player signs out. */
const readyOf = oncePer(({ timers, auth }: App) => {
  const ready = new ReadyPlay(timers);
  auth.state.subscribe(({ is }) => is === "guest" && ready.close());
  return ready;
});

/** A card is pointed at: a connection is made. It was chosen: the game's socket is opened, too, while the screen is still being made. */
export function getReady(app: App, machineId: string, { link, machine }: GameLoaded, chosen: boolean): void {
  const { addresses, auth, settings } = app;
  const now = auth.state.getState();
  // Another player may have signed in since, or the player out.
  if (now.is === "guest" || now.player.id !== link.player.id) return;
  const deps = { addresses, machine, settings, token: auth.token };
  const { openSocket, openRtc } = browserOpeners(machineId, deps, "player");
  const ready = readyOf(app);
  if (chosen) ready.prepareSocket({ playerId: link.player.id, machineId }, openSocket);
  ready.prepareRtc(openRtc, settings.iceServers);
}

/** Where a refusal leads, and an end for want of something that play needs. */
const WAYS = {
  limits: { label: "play.toLimits", to: paths.saferPlay },
  identity: { label: "play.toIdentity", to: paths.identity },
  terms: { label: "play.toTerms", to: paths.terms },
} as const satisfies Record<HelpingPage, { readonly label: TextKey; readonly to: string }>;

/** Ends because something is lost that play needs, or others wait, by the platform's reason: what the page says, and the page that helps. */
const LOST: Readonly<Record<string, { readonly text: TextKey; readonly page?: HelpingPage }>> = {
  identity: { text: "play.endedIdentity", page: "identity" },
  limitMissing: { text: "play.endedLimitMissing", page: "limits" },
  register: { text: "play.endedRegister" },
  help: { text: "play.endedHelp" },
  payment: { text: "play.endedPayment" },
  turn: { text: "play.endedTurn" },
};
const lostIn = (reason: LeaveReason) =>
  reason.is === "ended" && Object.hasOwn(LOST, reason.why ?? "") ? LOST[reason.why ?? ""] : undefined;

/** The page that helps after this end of play; undefined: none does. */
function pageAfter(reason: LeaveReason): HelpingPage | undefined {
  if (reason.is === "refused") return helpingPage(reason.code);
  return lostIn(reason)?.page;
}

/** Whether a limit of the player has ended the play session: a sheet says which one, before the lobby. */
const isByLimit = (reason: LeaveReason): boolean => reason.is === "ended" && reason.why === "limit";

const isByBreak = (reason: LeaveReason): boolean => reason.is === "ended" && reason.why === "excluded";

/** A machine that somebody else plays, to look at. It ends on its own screen, where the seat can be taken. */
export function WatchRoute() {
  const { app, machineId, machineName, loaded } = useMachineRoute();
  const navigate = useNavigate();
  const leave = () => void navigate({ to: paths.lobby, replace: true });
  const { link, machine } = loaded;
  return (
    <AtTheMachine>
      <WatchScreen
        key={`${loaded.link.player.id} ${machineId}`}
        machineId={machineId}
        machineName={machineName}
        deps={playDeps(app, loaded, leave)}
        onSit={() => void navigate({ ...paths.game(machineId, machineName), replace: true })}
        queue={
          machine?.waiting !== undefined && (
            <Suspense>
              <WatchQueue {...{ app, link, machine }} />
            </Suspense>
          )
        }
      />
    </AtTheMachine>
  );
}

/** A machine that takes longer to give its credits back is no news in the lobby any more, ms. */
const PATIENCE_MS = 2 * 60_000;

/** Whether the platform ended the play session and so returns the credits itself. A player who left has already read what came back. */
export function endsForGood(reason: LeaveReason): boolean {
  if (reason.is === "status") return reason.state !== "waiting" && reason.state !== "playing";
  return reason.is === "ended" || (reason.is === "closed" && reason.reason === "ended");
}

/** Reports once, in minor units, what came back to the wallet after its credits left the machine; nothing when nothing came back. */
export function whenReturned(wallet: Live<WalletNow>, timers: Timers, report: (returned: number) => void): void {
  const before = wallet.getState();
  if (before?.onMachine === undefined) return;
  const stopWaiting = timers.after(PATIENCE_MS, () => stop());
  const stop = wallet.subscribe((now) => {
    if (now === undefined || now.onMachine !== undefined || now.pending !== undefined) return;
    stop();
    stopWaiting();
    if (now.balance > before.balance) report(now.balance - before.balance);
  });
}

/** The machine that a route of the game names, with what was loaded for it. */
function useMachineRoute() {
  const { app } = useRouteContext({ from: "__root__" });
  const { gameId = "", name } = useParams({ strict: false });
  const loaded = useLoaderData({ strict: false }) as GameLoaded;
  const machineName = loaded.machine?.name || (name === "-" ? undefined : name) || gameId;
  usePageTitle(machineName);
  return { app, machineId: gameId, machineName, loaded };
}

/** The frame of a screen without the shell's bars. */
function AtTheMachine({ children }: { children: ReactNode }) {
  const { app } = useRouteContext({ from: "__root__" });
  useLayoutEffect(() => {
    // Machines glow only in a dark room: here every palette is night, that of the dialogs too.
    document.documentElement.dataset["room"] = "dark";
    return () => {
      delete document.documentElement.dataset["room"];
    };
  }, []);
  return (
    <CSPProvider disableStyleElements>
      <DirectionProvider direction={useDirection(app)}>{children}</DirectionProvider>
    </CSPProvider>
  );
}

const OF_STATE: Readonly<Record<MachineState, TextKey>> = {
  notAvailable: "play.endedNotAvailable",
  available: "play.endedAvailable",
  waiting: "play.endedWaiting",
  playing: "play.ended",
  reserved: "play.endedReserved",
};

type Closed = Extract<LeaveReason, { is: "closed" }>["reason"];
const OF_CLOSE: Readonly<Record<Closed, TextKey>> = {
  "taken over": "play.closedTakenOver",
  kicked: "play.closedKicked",
  ended: "play.ended",
  "logged out": "play.closedLoggedOut",
  banned: "code.10704",
  "bad token": "code.10",
};

/** The message in the lobby: why the game ended. For a player who left: only what came back. */
function leaveText(speech: Speech, reason: LeaveReason, currency: string): string | undefined {
  switch (reason.is) {
    case "left": {
      const { returned } = reason;
      if (returned === undefined) return undefined;
      return speech.t("play.withdrawDone", { amount: moneyText(returned, currency, speech.language, true) });
    }
    case "status":
      return speech.t(OF_STATE[reason.state]);
    case "closed":
      return speech.t(OF_CLOSE[reason.reason]);
    case "ended": {
      const lost = lostIn(reason);
      if (lost !== undefined) return speech.t(lost.text);
      return codeText(speech, reason.code) ?? speech.t("play.ended");
    }
    case "refused":
      return refusalText(speech, reason, currency) ?? reason.message ?? speech.t("play.ended");
  }
}

/** Fetched when it is first wanted. */
function Questions(props: QuestionsProps) {
  const { t } = useText();
  const late = useLate(props.app, true, "disputes", loadQuestions);
  return late === undefined ? <p role="status">{t("play.loading")}</p> : <late.default {...props} />;
}

/** What a screen at a machine is given. It keeps what it is given first, for as long as it is open. */
function playDeps(app: RouterContext["app"], { link, machine }: GameLoaded, leave: PlayDeps["leave"]): PlayDeps {
  const { api, settings, addresses, storage, clock, timers, random, newId, log, messages, auth } = app;
  // What the player has chosen and written stays, also where a reality check comes between.
  const kept = createStore<KeptQuestion>(() => ({ game: undefined, kind: "", words: "" }));
  return {
    ...{ api, settings, addresses, storage, clock, timers, random, newId, log, machine, leave },
    token: auth.token,
    playerId: link.player.id,
    events: link.events,
    wallet: link.wallet,
    openSession: link.openSession,
    waiting: waitingAt(app, link, machine?.id),
    calledAway: calledAwayOf(app)(link),
    questions: () => <Questions {...{ app, link, kept }} />,
    say: messages.say,
  };
}
