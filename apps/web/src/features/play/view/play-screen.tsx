import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { Notice } from "@longarm/ui/notice.tsx";
import { useLayoutEffect, useState } from "react";
import type { PlayDeps } from "../../../shared/play-deps.ts";
import { createKeySounds } from "../browser/key-sounds.ts";
import { openPlaySession } from "../browser/open-session.ts";
import type { ReadyPlay } from "../browser/ready-play.ts";
import { createPreferences } from "../state/preferences.ts";
import { createScope } from "../state/scope.ts";
import type { PlayNow } from "./play-context.ts";
import { Table } from "./table.tsx";

type Opened = Pick<PlayNow, "session" | "preferences" | "sounds">;

/** The game screen of one player at one machine, which are its React key: owns the play session from mount to unmount. */
export function PlayScreen({
  machineId,
  machineName,
  deps: given,
  ready: givenReady,
}: {
  machineId: string;
  machineName: string;
  deps: PlayDeps;
  /** What was opened before this screen was there. */
  ready?: ReadyPlay;
}) {
  const { t } = useText();
  // React keeps a state for the life of the screen, but may forget a memo: new objects for the same player and machine must not end the seat.
  const [deps] = useState(given);
  const [ready] = useState(givenReady);
  const [opened, setOpened] = useState<Opened>();
  // Before the screen is drawn for the first time: drawing takes longer than the request for the seat.
  useLayoutEffect(() => {
    const scope = createScope();
    const sounds = createKeySounds();
    scope.onEnd(sounds.end);
    const preferences = createPreferences(deps.storage, deps.settings.volume);
    setOpened({ session: openPlaySession(scope, machineId, deps, preferences, { ready }), preferences, sounds });
    return () => scope.end();
  }, [machineId, deps, ready]);
  if (opened !== undefined) return <Table {...opened} machineName={machineName} deps={deps} />;
  return (
    <Notice whole title={machineName} body={t("play.loading")}>
      <Key kind="line" icon="back" onClick={() => deps.leave({ is: "left" })}>
        {t("play.toLobby")}
      </Key>
    </Notice>
  );
}
