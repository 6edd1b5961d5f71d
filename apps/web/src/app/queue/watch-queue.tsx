import type { LobbyMachine } from "@longarm/contract/lobby-lists";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { useLive } from "@longarm/ui/live.ts";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { JoinSheet } from "../../features/queue/view/join-sheet.tsx";
import { WatchPlace } from "../../features/queue/view/watch-place.tsx";
import { paths } from "../../shared/paths/paths.ts";
import type { App } from "../app.ts";
import { useTextsOf } from "../panels/use-texts-of.ts";
import type { PlayerLink } from "../player/player-link.ts";
import { waitingAt } from "./at-machine.ts";
import { HELP, ringSwitch } from "./lobby-queue.tsx";
import { QueueLayer } from "./queue-layer.tsx";
import { queueDepsOf } from "./queues-of.ts";

type WatchQueueProps = { readonly app: App; readonly link: PlayerLink; readonly machine: LobbyMachine };

/** Beside the picture of a machine that is watched: its queue, the sheet to join, and the turn that may come. */
export default function WatchQueue({ app, link, machine }: WatchQueueProps) {
  const ready = useTextsOf(app, "queue");
  return ready ? <Queue {...{ app, link, machine }} /> : null;
}

function Queue({ app, link, machine }: WatchQueueProps) {
  const { t } = useText();
  const deps = queueDepsOf(app)(link);
  const navigate = useNavigate();
  const [counted] = useState(() => waitingAt(app, link, machine.id));
  const waiting = useLive(counted) ?? 0;
  const [open, setOpen] = useState(false);
  const waited = {
    machine: { ...machine, waiting },
    lamp: "playing" as const,
    word: t("lobby.playing"),
  };
  return (
    <>
      <WatchPlace {...{ deps, waiting }} machineId={machine.id} onWait={() => setOpen(true)} />
      <JoinSheet
        deps={deps}
        waited={open ? waited : undefined}
        onClose={() => setOpen(false)}
        onWatch={undefined}
        onPlaces={() => void navigate({ to: paths.queue })}
        onHelp={(page) => void navigate({ to: HELP[page] })}
        ring={ringSwitch(app, link)}
      />
      <QueueLayer app={app} link={link} />
    </>
  );
}
