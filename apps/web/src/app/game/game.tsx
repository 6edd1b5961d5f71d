import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { PlayScreen } from "../../features/play/view/play-screen.tsx";
import { WatchScreen } from "../../features/play/view/watch/watch-screen.tsx";
import { paths } from "../../shared/paths/paths.ts";
import type { LeaveReason } from "../../shared/play-deps.ts";
import { recentOf } from "../player/player-views.ts";
import { AtTheMachine, useMachineRoute } from "./at-the-machine.tsx";
import { leaveText } from "./leave-text.ts";
import { playDeps } from "./play-deps.ts";
import { endsForGood, whenReturned } from "./when-returned.ts";

// Both screens at a machine are one chunk: they share nearly all of it, and one more chunk would be named in every first load.

/** The game: no bars, and everything it needs is handed to it. */
export function GameRoute() {
  const { app, machineId, machineName, loaded } = useMachineRoute();
  const navigate = useNavigate();
  const { wallet, player } = loaded.part;
  useEffect(() => recentOf(app)(player.id).played(machineId), [app, player, machineId]);
  const leave = (reason: LeaveReason) => {
    const { texts, messages, settings, timers } = app;
    const say = (why: LeaveReason): void => {
      const text = leaveText(texts.speech.getState(), why, settings.currency);
      if (text !== undefined) messages.say(why.is === "left" ? "good" : "info", text);
    };
    say(reason);
    if (endsForGood(reason)) whenReturned(wallet, timers, (returned) => say({ is: "left", returned }));
    void navigate({ to: paths.lobby, replace: true });
  };
  return (
    <AtTheMachine>
      <PlayScreen
        key={`${player.id} ${machineId}`}
        machineId={machineId}
        machineName={machineName}
        deps={playDeps(app, loaded, leave)}
      />
    </AtTheMachine>
  );
}

/** A machine that somebody else plays, to look at. It ends on its own screen, where the seat can be taken. */
export function WatchRoute() {
  const { app, machineId, machineName, loaded } = useMachineRoute();
  const navigate = useNavigate();
  const leave = () => void navigate({ to: paths.lobby, replace: true });
  return (
    <AtTheMachine>
      <WatchScreen
        key={`${loaded.part.player.id} ${machineId}`}
        machineId={machineId}
        machineName={machineName}
        deps={playDeps(app, loaded, leave)}
        onSit={() => void navigate({ ...paths.game(machineId, machineName), replace: true })}
      />
    </AtTheMachine>
  );
}
