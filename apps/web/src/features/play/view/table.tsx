import { lazy, Suspense, useEffect, useEffectEvent, useState } from "react";
import { useText, useTexts } from "../../../shared/i18n/use-text.ts";
import { useLive } from "../../../shared/live/live.ts";
import { createThrottle } from "../../../shared/throttle/throttle.ts";
import { loadSheetFrame } from "../../../shared/ui/sheet.tsx";
import { isAside, missingOf } from "../state/machine/saying.ts";
import type { Direction } from "../state/money/open-transfer.ts";
import type { PlayState } from "../state/play-state.ts";
import { otherHand } from "../state/preferences.ts";
import { createRoomCamera } from "../state/room-camera.ts";
import { useAutoplayNotes } from "./autoplay/use-autoplay-notes.ts";
import { loadSheets } from "./connection/connection-opener.tsx";
import { CountdownBanner } from "./countdown.tsx";
import { Deck } from "./deck/deck.tsx";
import { useGamepadPlays } from "./deck/use-gamepad-plays.ts";
import { usePressNotes } from "./deck/use-press-notes.ts";
import { useSpaceSpins } from "./deck/use-space-spins.ts";
import { Doing } from "./doing.tsx";
import { Hud } from "./hud.tsx";
import { asksBeforeLeaving, LeaveSheet } from "./leave-sheet.tsx";
import { MoneySheet } from "./money/money-sheet.tsx";
import { useTransferNotes } from "./money/use-transfer-notes.ts";
import { createScreen } from "./picture/screen.ts";
import type { PlayNow } from "./play-context.ts";
import { PlayContext } from "./play-context.ts";
import css from "./play-screen.module.css";
import { RoomCameraView } from "./room-camera/room-camera-view.tsx";
import { SideBar } from "./side-bar/side-bar.tsx";
import { Stage } from "./stage.tsx";
import { StateLine } from "./state-line.tsx";
import { Tools } from "./tools.tsx";

const AboutSheet = lazy(async () => ({ default: (await loadSheets()).AboutSheet }));
const AutoplaySheet = lazy(async () => ({ default: (await loadSheets()).AutoplaySheet }));

/** The player's place at the machine. The data attributes say what a test or a measurement wants to know. */
export function Table(
  given: Omit<
    PlayNow,
    "openAbout" | "openMoney" | "openAutoplay" | "askToLeave" | "throttle" | "screen" | "roomCamera"
  >,
) {
  const { session, deps, machineName } = given;
  const [money, setMoney] = useState<Direction>();
  // Undefined until it is wanted for the first time: its code is fetched then.
  const [auto, setAuto] = useState<boolean>();
  const [about, setAbout] = useState<boolean>();
  const [side, setSide] = useState(false);
  const [leaving, setLeaving] = useState(false);
  const state = useLive(session.state);
  const { turning } = useLive(session.reels);
  const { readout } = useLive(session.link);
  const [throttle] = useState(() => createThrottle(deps.clock, deps.settings.throttleMs));
  const [screen] = useState(createScreen);
  const [roomCamera] = useState(() => createRoomCamera(deps.storage));
  const { language } = useText();
  const { hand } = useLive(given.preferences.now);
  const openAbout = (): void => setAbout(true);
  const play: PlayNow = {
    ...given,
    ...{ throttle, screen, roomCamera },
    askToLeave: () => (asksBeforeLeaving(session.state.getState()) ? setLeaving(true) : session.leave()),
    openAbout,
    openAutoplay: () => setAuto(true),
    openMoney: (direction) => {
      session.autoplay.stop("transfer");
      setMoney(direction);
    },
  };
  useSheetsAtHand(state.started);
  usePressNotes(play);
  useTransferNotes(play, money !== undefined);
  useAutoplayNotes(play);
  useSpaceSpins(play, money === undefined && auto !== true && about !== true && !leaving);
  useGamepadPlays(play);
  useAboutKey(openAbout);
  const { meters, machine } = state;
  return (
    <PlayContext value={play}>
      <main
        className={css["game"]}
        data-palette="night"
        data-brand={machine?.brand ?? deps.machine?.brand}
        data-side={side ? "open" : undefined}
        data-hand={hand === otherHand(language) ? "other" : undefined}
        data-phase={state.phase}
        data-stopped={stopsTheGame(state) || undefined}
        data-live={state.live}
        data-online={state.online}
        data-turning={turning}
        data-fps={readout.framesPerSecond}
        data-delay-ms={readout.delayMs}
        data-credit={meters?.credit}
        data-bet={meters?.bet}
        data-win={meters?.win}
        data-games-played={meters?.gamesPlayed}
      >
        <Stage />
        <Hud name={machine?.name ?? machineName} />
        <StateLine />
        <CountdownBanner />
        <Doing />
        <Deck />
        <Tools sideOpen={side} onSide={() => throttle("side") && setSide(!side)} />
        <RoomCameraView />
        <SideBar open={side} onClose={() => setSide(false)} />
        {about !== undefined && (
          <Suspense fallback={null}>
            <AboutSheet open={about} onClose={() => setAbout(false)} />
          </Suspense>
        )}
        {auto !== undefined && (
          <Suspense fallback={null}>
            <AutoplaySheet open={auto} onClose={() => setAuto(false)} />
          </Suspense>
        )}
        <LeaveSheet open={leaving} onClose={() => setLeaving(false)} />
        <MoneySheet direction={money} onDirection={setMoney} onClose={() => setMoney(undefined)} />
      </main>
    </PlayContext>
  );
}

/** Whether nothing can be played now: only then a notice may lie over the glass. */
function stopsTheGame(state: PlayState): boolean {
  const missing = missingOf(state);
  return missing !== undefined && !isAside(missing);
}

/** Once the picture is there the sheets are fetched: opened without a network, one that is not here yet would take the game away. */
function useSheetsAtHand(started: boolean): void {
  const texts = useTexts();
  useEffect(() => {
    if (!started) return;
    const connectionTexts = () => texts.need("connection");
    for (const load of [loadSheetFrame, loadSheets, connectionTexts]) load().catch(() => undefined);
  }, [started, texts]);
}

/** The key I opens what there is to know of the machine, but where it writes a letter or a sheet is open. */
function useAboutKey(open: () => void): void {
  const pressed = useEffectEvent(open);
  useEffect(() => {
    const down = ({ key, code, repeat, target, altKey, ctrlKey, metaKey }: KeyboardEvent): void => {
      if (repeat || altKey || ctrlKey || metaKey || !(code === "KeyI" || /^[iıİ]$/i.test(key))) return;
      const writes = target instanceof Element && target.closest("input, textarea, select, [contenteditable]") !== null;
      if (!writes && document.querySelector("[role=dialog]") === null) pressed();
    };
    addEventListener("keydown", down);
    return () => removeEventListener("keydown", down);
  }, []);
}
