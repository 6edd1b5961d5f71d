import { useNavigate } from "@tanstack/react-router";
import { useCallback } from "react";
import { PlayScreen } from "../../features/play/view/play-screen.tsx";
import { paths } from "../../shared/paths/paths.ts";
import type { LeaveReason } from "../../shared/play-deps.ts";
import { AtTheMachine, useMachineRoute } from "./at-the-machine.tsx";
import { leaveText } from "./leave-text.ts";
import { usePlayDeps } from "./play-deps.ts";

/** The game: no bars, and everything it needs is handed to it. */
export function GameRoute() {
  const { app, machineId, machineName, loaded } = useMachineRoute();
  const navigate = useNavigate();
  const leave = useCallback(
    (reason: LeaveReason) => {
      const { texts, messages, settings } = app;
      const text = leaveText(texts.speech.getState(), reason, settings.currency);
      if (text !== undefined) messages.say(reason.is === "left" ? "good" : "info", text);
      void navigate({ to: paths.lobby, replace: true });
    },
    [app, navigate],
  );
  const deps = usePlayDeps(app, loaded, leave);
  return (
    <AtTheMachine>
      <PlayScreen key={machineId} machineId={machineId} machineName={machineName} deps={deps} />
    </AtTheMachine>
  );
}
