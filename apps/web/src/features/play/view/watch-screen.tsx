import type { MachineState } from "@longarm/contract/lobby-lists";
import type { Speech } from "@longarm/ui/i18n/texts.ts";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import { Key } from "@longarm/ui/key.tsx";
import { useLive } from "@longarm/ui/live.ts";
import { Notice } from "@longarm/ui/notice.tsx";
import type { ReactNode } from "react";
import { useEffect, useState } from "react";
import { codeText } from "../../../shared/i18n/problem-text.ts";
import type { TextKey } from "../../../shared/i18n/text-key.ts";
import type { LeaveReason, PlayDeps } from "../../../shared/play-deps.ts";
import { createThrottle } from "../../../shared/throttle/throttle.ts";
import { createKeySounds } from "../browser/key-sounds.ts";
import { openPlaySession } from "../browser/open-session.ts";
import { machineStateOf } from "../state/ending.ts";
import { createPreferences } from "../state/preferences.ts";
import { createScope } from "../state/scope.ts";
import { Hud } from "./hud.tsx";
import { StateLine } from "./notices.tsx";
import type { PlayNow } from "./play-context.ts";
import { createScreen, PlayContext } from "./play-context.ts";
import css from "./play-screen.module.css";
import { SessionPanel } from "./session-panel.tsx";
import { Stage } from "./stage.tsx";
import { FullScreen, Volume } from "./tools.tsx";

export type WatchScreenProps = {
  readonly machineId: string;
  readonly machineName: string;
  /** `leave` goes to the lobby; this screen first shows any other reason why the watching ended. */
  readonly deps: PlayDeps;
  /** Goes to the game, to take the seat. */
  readonly onSit: () => void;
  /** The queue of the machine, in the bar. */
  readonly queue?: ReactNode;
};

type Opened = Pick<PlayNow, "session" | "preferences" | "sounds">;

/** A machine that another player plays: video and sound only, without any input. */
export function WatchScreen({ machineId, machineName, deps: given, onSit, queue }: WatchScreenProps) {
  const { t } = useText();
  // As in the game: only the screen's own end ends the watching.
  const [deps] = useState(given);
  const [opened, setOpened] = useState<Opened>();
  const [over, setOver] = useState<LeaveReason>();
  const [round, setRound] = useState(1);
  const [state, setState] = useMachineState(machineId, deps);
  const [throttle] = useState(() => createThrottle(deps.clock, deps.settings.throttleMs));
  const [screen] = useState(createScreen);
  useEffect(() => {
    // Each round is a play session of its own.
    if (round === 0) return;
    const scope = createScope();
    const sounds = createKeySounds();
    scope.onEnd(sounds.end);
    const preferences = createPreferences(deps.storage, deps.settings.volume);
    const leave = (reason: LeaveReason): void => {
      if (reason.is === "left") deps.leave(reason);
      else setOver(reason);
      // It is not played any more; that it is free may have been reported already.
      setState((before) => (before === "playing" ? undefined : before));
    };
    const session = openPlaySession(scope, machineId, { ...deps, leave }, preferences, { role: "spectator" });
    setOpened({ session, preferences, sounds });
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
    return <WatchTable play={play} queue={queue} />;
  }
  return (
    <Notice whole title={machineName} body={t("play.loading")}>
      <Key kind="line" icon="back" onClick={toLobby}>
        {t("play.toLobby")}
      </Key>
    </Notice>
  );
}

/** The state of one machine by the last `machine` notification; undefined before the first one. */
function useMachineState(machineId: string, { events, settings }: PlayDeps) {
  const [state, setState] = useState<MachineState>();
  useEffect(
    () =>
      events.on("machine", ({ id, status }) => {
        if (String(id) === machineId) setState(machineStateOf(status, settings));
      }),
    [machineId, events, settings],
  );
  return [state, setState] as const;
}

/** The platform's code for a machine without a player. */
const NOT_PLAYED = 60010;

type OverProps = {
  readonly reason: LeaveReason;
  /** The machine's state now; undefined: not reported since. */
  readonly state: MachineState | undefined;
  readonly onSit: () => void;
  readonly onWatch: () => void;
  readonly onLobby: () => void;
};

/** Why the watching ended, and what can be done now that the seat is free, or taken by the next player. */
function Over({ reason, state, onSit, onWatch, onLobby }: OverProps) {
  const speech = useText();
  const { t } = speech;
  const { title, body } = endText(speech, reason);
  const next = reason.is === "refused" && Number(reason.code) !== NOT_PLAYED ? undefined : NEXT[state ?? "reserved"];
  return (
    <Notice whole title={t(title)} {...sentence(body ?? (next && t(next)))}>
      <div className={css["keys"]}>
        {state === "available" && (
          <Key kind="brass" ref={takeLostFocus} onClick={onSit}>
            {t("play.takeSeat")}
          </Key>
        )}
        {state === "playing" && (
          <Key kind="brass" icon="eye" ref={takeLostFocus} onClick={onWatch}>
            {t("play.watchAgain")}
          </Key>
        )}
        <Key kind="line" icon="back" ref={takeLostFocus} onClick={onLobby}>
          {t("play.toLobby")}
        </Key>
      </div>
    </Notice>
  );
}

const NEXT: Readonly<Record<MachineState, TextKey>> = {
  available: "play.seatFree",
  playing: "play.seatPlayed",
  waiting: "play.seatNotFree",
  reserved: "play.seatNotFree",
  notAvailable: "play.seatNotFree",
};

function endText(speech: Speech, reason: LeaveReason): { title: TextKey; body?: string | undefined } {
  if (reason.is !== "refused") return { title: "play.watchOver" };
  if (Number(reason.code) === NOT_PLAYED) return { title: "play.nobodyPlays" };
  return { title: "play.cannotWatch", body: codeText(speech, reason.code, reason.params) ?? reason.message };
}

const sentence = (body: string | undefined) => (body === undefined ? {} : { body });

/** The video and its buttons are gone, and the focus with them. */
function takeLostFocus(button: HTMLButtonElement | null) {
  if (document.activeElement === document.body) button?.focus({ preventScroll: true });
}

/** What a spectator sees: the machine, the quality of its link, and that it is only watched. */
export function WatchTable({ play, queue }: { play: PlayNow; queue?: ReactNode }) {
  const { session, deps, machineName } = play;
  const { machine, phase, live, online } = useLive(session.state);
  return (
    <PlayContext value={play}>
      <main
        className={`${css["game"]} ${css["watch"]}`}
        data-palette="night"
        data-brand={machine?.brand ?? deps.machine?.brand}
        data-phase={phase}
        data-live={live}
        data-online={online}
      >
        <Stage />
        <Hud name={machine?.name ?? machineName} />
        <SessionPanel />
        <StateLine />
        <Bar queue={queue} />
      </main>
    </PlayContext>
  );
}

/** Says that the machine is only watched. The exit is where it is in a game. */
function Bar({ queue }: { queue: ReactNode }) {
  const { t } = useText();
  return (
    <section className={css["bar"]} aria-label={t("play.watching")}>
      <p className={css["said"]}>
        <Icon name="eye" />
        {t("play.watching")}
      </p>
      {queue}
      <Volume />
      <FullScreen />
    </section>
  );
}
