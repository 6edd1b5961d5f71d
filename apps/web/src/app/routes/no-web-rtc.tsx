import { useNavigate, useRouteContext } from "@tanstack/react-router";
import { NoWebRtc } from "../../features/gates/no-web-rtc.tsx";
import { paths } from "../../shared/paths/paths.ts";

/** The game routes of a browser that cannot show a machine (decision D-35). */
export function NoWebRtcRoute() {
  const { app } = useRouteContext({ from: "__root__" });
  const navigate = useNavigate();
  return (
    <NoWebRtc
      contacts={app.settings.contacts}
      onRetry={() => location.reload()}
      onLobby={() => void navigate({ to: paths.lobby, replace: true })}
    />
  );
}
