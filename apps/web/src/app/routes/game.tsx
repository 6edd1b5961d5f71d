import { CSPProvider } from "@base-ui/react/csp-provider";
import { DirectionProvider } from "@base-ui/react/direction-provider";
import { useLoaderData, useNavigate, useParams, useRouteContext } from "@tanstack/react-router";
import { useMemo } from "react";
import { PlayScreen } from "../../features/play/view/play-screen.tsx";
import { codeText } from "../../shared/i18n/problem-text.ts";
import type { Speech } from "../../shared/i18n/texts.ts";
import { useText } from "../../shared/i18n/use-text.ts";
import { moneyText } from "../../shared/money/format.ts";
import { paths } from "../../shared/paths/paths.ts";
import type { LeaveReason, PlayDeps } from "../../shared/play-deps.ts";
import { usePageTitle } from "../page-title.ts";
import type { GameLoaded } from "./game-loader.ts";

/** The game: no bars, and everything it needs is handed to it. */
export function GameRoute() {
  const { app } = useRouteContext({ from: "__root__" });
  const { gameId = "", name } = useParams({ strict: false });
  const { part, machine } = useLoaderData({ strict: false }) as GameLoaded;
  const { language } = useText();
  const navigate = useNavigate();
  const machineName = machine?.name || (name === "-" ? undefined : name) || gameId;
  usePageTitle(machineName);

  // The screen owns a seat and a video: it must not be given new objects while the same machine is played.
  const deps = useMemo<PlayDeps>(() => {
    const { api, settings, addresses, storage, clock, timers, random, newId, log, messages, texts, auth } = app;
    return {
      ...{ api, settings, addresses, storage, clock, timers, random, newId, log, machine },
      token: auth.token,
      playerId: part.player.id,
      events: part.events,
      wallet: part.wallet,
      openSession: part.openSession,
      say: messages.say,
      leave(reason) {
        const text = leaveText(texts.speech.getState(), reason, settings.currency);
        if (text !== undefined) messages.say(reason.is === "left" ? "good" : "info", text);
        void navigate({ to: paths.lobby, replace: true });
      },
    };
  }, [app, part, machine, navigate]);

  return (
    <CSPProvider disableStyleElements>
      <DirectionProvider direction={language === "ar" ? "rtl" : "ltr"}>
        <PlayScreen key={gameId} machineId={gameId} machineName={machineName} deps={deps} />
      </DirectionProvider>
    </CSPProvider>
  );
}

/** What the player is told in the lobby. When they left themselves: only what came back. */
function leaveText(speech: Speech, reason: LeaveReason, currency: string): string | undefined {
  if (reason.is === "left") {
    const { returned } = reason;
    if (returned === undefined) return undefined;
    return speech.t("play.withdrawDone", { amount: moneyText(returned, currency, speech.language, true) });
  }
  if (reason.is === "status") return speech.t("play.ended");
  const known = codeText(speech, reason.code, reason.is === "refused" ? reason.params : undefined);
  return known ?? (reason.is === "refused" ? reason.message : undefined) ?? speech.t("play.ended");
}
