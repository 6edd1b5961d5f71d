import type { Live } from "@longarm/ui/live.ts";
import { useLive } from "@longarm/ui/live.ts";
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { lazy, Suspense, useEffect } from "react";
import { createStore } from "zustand/vanilla";
import { countFree } from "../../features/lobby/filters.ts";
import type { MachinesNow } from "../../features/lobby/machine-lists.ts";
import { refreshMachines } from "../../features/lobby/machine-lists.ts";
import type { QueueParts } from "../../features/lobby/queue-parts.ts";
import { calledIn } from "../../features/queue/queues.ts";
import { CardGlass, CardKey, Pooled } from "../../features/queue/view/card-parts.tsx";
import type { Waited } from "../../features/queue/view/join-sheet.tsx";
import { JoinSheet } from "../../features/queue/view/join-sheet.tsx";
import { Strip } from "../../features/queue/view/ticket.tsx";
import { paths } from "../../shared/paths/paths.ts";
import type { App } from "../app.ts";
import { oncePer } from "../app.ts";
import type { PlayerLink } from "../player/player-link.ts";
import { queryCacheOf } from "../player/query-cache.ts";
import { queueDepsOf } from "./queues-of.ts";

/** What the lobby draws of queues, for the player who is signed in. */
export const lobbyQueueOf = oncePer((app: App) => oncePer((link: PlayerLink) => makeParts(app, link)));

function makeParts(app: App, link: PlayerLink): QueueParts {
  const deps = queueDepsOf(app)(link);
  const waited = createStore<Waited | undefined>(() => undefined);
  const wait: QueueParts["wait"] = (machine, lamp, word) => waited.setState({ machine, lamp, word }, true);
  return {
    wait,
    strip: () => <LobbyStrip {...{ app, link, waited }} onClose={() => waited.setState(undefined, true)} />,
    pooled: (brand, machines) => <NoneFree {...{ app, link, brand, machines }} />,
    cardKey: (machine, lamp, word) => <CardKey {...{ deps, machine }} onWait={() => wait(machine, lamp, word)} />,
    cardGlass: (machine) => <CardGlass {...{ deps, machine }} />,
  };
}

type NoneFreeProps = {
  readonly app: App;
  readonly link: PlayerLink;
  readonly brand: string;
  readonly machines: Live<MachinesNow>;
};

function NoneFree({ app, link, brand, machines }: NoneFreeProps) {
  const { machineStatus } = app.settings;
  const hasFree = useLive(machines, (list) => (countFree(list ?? [], machineStatus).get(brand) ?? 0) > 0);
  return <Pooled deps={queueDepsOf(app)(link)} {...{ brand, hasFree }} />;
}

const OnDevice = lazy(() => import("../device/on-device.tsx").catch(() => ({ default: () => null })));

/** The switch in the sheet that joins: whether this device rings for it. */
export const ringSwitch = (app: App, link: PlayerLink): ReactNode => (
  <Suspense>
    <OnDevice {...{ app, link }} at="sheet" />
  </Suspense>
);

type LobbyStripProps = {
  readonly app: App;
  readonly link: PlayerLink;
  readonly waited: Live<Waited | undefined>;
  readonly onClose: () => void;
};

/** The strip, and the sheet of the machine that was chosen. */
function LobbyStrip({ app, link, waited, onClose }: LobbyStripProps) {
  const deps = queueDepsOf(app)(link);
  const { queues } = deps;
  const navigate = useNavigate();
  const open = useLive(waited);
  const calledTo = useLive(queues.now, (now) => calledIn(now)?.call.machineId);
  useEffect(() => {
    if (queues.now.getState().answer === undefined) void queues.load();
  }, [queues]);
  // Whose turn it is: only the list says for whom a machine is kept. A sheet to join gives way to the call.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another machine calls.
  useEffect(() => {
    refreshMachines(queryCacheOf(link));
    onClose();
  }, [calledTo, link]);
  const toPlaces = () => void navigate({ to: paths.queue });
  const machine = open?.machine;
  return (
    <>
      <Strip deps={deps} onShow={toPlaces}>
        <Suspense>
          <OnDevice {...{ app, link }} at="places" />
        </Suspense>
      </Strip>
      <JoinSheet
        deps={deps}
        waited={open}
        onClose={onClose}
        onWatch={machine?.watchable ? () => void navigate(paths.watch(machine.id, machine.name)) : undefined}
        onPlaces={toPlaces}
        onHelp={(page) => void navigate({ to: HELP[page] })}
        ring={ringSwitch(app, link)}
      />
    </>
  );
}

/** The page that helps after a refusal. */
export const HELP = { limits: paths.saferPlay, identity: paths.identity, terms: paths.terms } as const;
