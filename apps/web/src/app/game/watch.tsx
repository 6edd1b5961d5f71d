import { useNavigate } from "@tanstack/react-router";
import { useCallback } from "react";
import { WatchScreen } from "../../features/play/view/watch/watch-screen.tsx";
import { paths } from "../../shared/paths/paths.ts";
import { AtTheMachine, useMachineRoute } from "./at-the-machine.tsx";
import { usePlayDeps } from "./play-deps.ts";

/** A machine that somebody else plays, to look at. It ends on its own screen, where the seat can be taken. */
export function WatchRoute() {
  const { app, machineId, machineName, loaded } = useMachineRoute();
  const navigate = useNavigate();
  const leave = useCallback(() => void navigate({ to: paths.lobby, replace: true }), [navigate]);
  const deps = usePlayDeps(app, loaded, leave);
  return (
    <AtTheMachine>
      <WatchScreen
        key={machineId}
        machineId={machineId}
        machineName={machineName}
        deps={deps}
        onSit={() => void navigate({ ...paths.game(machineId, machineName), replace: true })}
      />
    </AtTheMachine>
  );
}
