import { useEffect, useState } from "react";
import { useText } from "../../../../shared/i18n/use-text.ts";
import type { LeaveReason, PlayDeps } from "../../../../shared/play-deps.ts";
import { createThrottle } from "../../../../shared/throttle/throttle.ts";
import { Key } from "../../../../shared/ui/key.tsx";
import { Notice } from "../../../../shared/ui/notice.tsx";
import { createKeySounds } from "../../browser/key-sounds.ts";
import { openPlaySession } from "../../browser/open-session.ts";
import { createPreferences } from "../../state/preferences.ts";
import { createScope } from "../../state/scope.ts";
import { createScreen } from "../picture/screen.ts";
import type { PlayNow } from "../play-context.ts";
import { Over } from "./over.tsx";
import { useMachineState } from "./use-machine-state.ts";
import { WatchTable } from "./watch-table.tsx";

export type WatchScreenProps = {
  readonly machineId: string;
  readonly machineName: string;
  /** `leave` goes to the lobby; whatever else ends the watching is said here first. */
  readonly deps: PlayDeps;
  /** Goes to the game, to sit down. */
  readonly onSit: () => void;
};

type Opened = Pick<PlayNow, "session" | "preferences" | "sounds">;

/** A machine that somebody else plays: its picture and its sound, and nothing that reaches it. */
export function WatchScreen({ machineId, machineName, deps: given, onSit }: WatchScreenProps) {
  const { t } = useText();
  // As at the game: only the screen's own end ends the watching.
  const [deps] = useState(given);
  const [opened, setOpened] = useState<Opened>();
  const [over, setOver] = useState<LeaveReason>();
  const [round, setRound] = useState(1);
  const [state, setState] = useMachineState(machineId, deps);
  const [throttle] = useState(() => createThrottle(deps.clock, deps.settings.throttleMs));
  const [screen] = useState(createScreen);
  useEffect(() => {
    // Each round is a place of its own.
    if (round === 0) return;
    const scope = createScope();
    const sounds = createKeySounds();
    scope.onEnd(sounds.end);
    const preferences = createPreferences(deps.storage, deps.settings.volume);
    const leave = (reason: LeaveReason): void => {
      if (reason.is === "left") deps.leave(reason);
      else setOver(reason);
      // That it was played is over now; that it is free may have been told already.
      setState((before) => (before === "playing" ? undefined : before));
    };
    setOpened({ session: openPlaySession(scope, machineId, { ...deps, leave }, "spectator"), preferences, sounds });
    return () => scope.end();
  }, [machineId, deps, round, setState]);

  const toLobby = (): void => deps.leave({ is: "left" });
  if (over !== undefined) {
    const watchAgain = (): void => {
      setOpened(undefined);
      setOver(undefined);
      setRound(round + 1);
    };
    return <Over reason={over} state={state} onSit={onSit} onWatch={watchAgain} onLobby={toLobby} />;
  }
  if (opened !== undefined) {
    const nothing = (): void => {};
    const play: PlayNow = {
      ...opened,
      deps,
      machineName,
      ...{ throttle, screen },
      watching: true,
      openMoney: nothing,
      openAutoplay: nothing,
    };
    return <WatchTable play={play} />;
  }
  return (
    <Notice whole title={machineName} body={t("play.loading")}>
      <Key kind="line" icon="back" onClick={toLobby}>
        {t("play.toLobby")}
      </Key>
    </Notice>
  );
}
