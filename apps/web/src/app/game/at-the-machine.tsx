import { CSPProvider } from "@base-ui/react/csp-provider";
import { DirectionProvider } from "@base-ui/react/direction-provider";
import { useLoaderData, useParams, useRouteContext } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useLayoutEffect } from "react";
import { useDirection } from "../appearance.ts";
import { usePageTitle } from "../page-title.ts";
import type { GameLoaded } from "./game-loader.ts";

/** The machine that a route of the game names, with what was loaded for it. */
export function useMachineRoute() {
  const { app } = useRouteContext({ from: "__root__" });
  const { gameId = "", name } = useParams({ strict: false });
  const loaded = useLoaderData({ strict: false }) as GameLoaded;
  const machineName = loaded.machine?.name || (name === "-" ? undefined : name) || gameId;
  usePageTitle(machineName);
  return { app, machineId: gameId, machineName, loaded };
}

/** What the parts of a screen without the shell's bars stand in. */
export function AtTheMachine({ children }: { children: ReactNode }) {
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
