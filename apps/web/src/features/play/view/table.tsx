import type { Speech } from "@longarm/ui/i18n/texts.ts";
import { useText, useTexts } from "@longarm/ui/i18n/use-text.ts";
import { useLive } from "@longarm/ui/live.ts";
import { TOAST_MS } from "@longarm/ui/messages.ts";
import { useCurrency } from "@longarm/ui/money/currency.ts";
import { moneyText } from "@longarm/ui/money/format.ts";
import { loadSheetFrame } from "@longarm/ui/sheet.tsx";
import { useEffect, useEffectEvent, useRef, useState, useSyncExternalStore } from "react";
import { codeText } from "../../../shared/i18n/problem-text.ts";
import { withOwner } from "../../../shared/money/refusal-text.ts";
import { createThrottle } from "../../../shared/throttle/throttle.ts";
import { browserGamepads, watchGamepads } from "../browser/gamepad.ts";
import { interruptionOf, isAside } from "../state/interruption.ts";
import type { PlayState, PressNote } from "../state/play-state.ts";
import { createRoomCamera, otherHand } from "../state/preferences.ts";
import type { Direction } from "../state/transfers.ts";
import { AwayBanner } from "./away-banner.tsx";
import { CountdownBanner } from "./countdown.tsx";
import { Deck } from "./deck/deck.tsx";
import { useSpin } from "./deck/spin-button.tsx";
import { Hud } from "./hud.tsx";
import { SpecialPlayPlate, StateLine } from "./notices.tsx";
import type { PlayNow } from "./play-context.ts";
import { createScreen, PlayContext } from "./play-context.ts";
import css from "./play-screen.module.css";
import { RoomCameraView } from "./room-camera.tsx";
import { SessionPanel } from "./session-panel.tsx";
import { LateSheet, loadLateSheets } from "./sheets/late-sheet.tsx";
import { confirmsLeaving, LeaveSheet } from "./sheets/leave-sheet.tsx";
import { MoneySheet } from "./sheets/money-sheet.tsx";
import { transferText } from "./sheets/transfer-text.ts";
import { SideBar } from "./side-bar.tsx";
import { Stage } from "./stage.tsx";
import { Tools } from "./tools.tsx";

/** The player's screen at the machine. Tests and measurements read its data attributes. */
export function Table(
  given: Omit<
    PlayNow,
    "openAbout" | "openMoney" | "openAutoplay" | "openRules" | "requestLeave" | "throttle" | "screen" | "roomCamera"
  >,
) {
  const { session, deps, machineName } = given;
  const [money, setMoney] = useState<Direction>();
  // Undefined until it is first wanted: its code is fetched then.
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
  // Whatever else is open gives way to a reality check, and is there again after it.
  const checked = state.check.state === "open" && state.phase === "playing";
  const [wasChecked, setWasChecked] = useState(false);
  if (checked && !wasChecked) setWasChecked(true);
  const play: PlayNow = {
    ...given,
    ...{ throttle, screen, roomCamera },
    requestLeave: () => (confirmsLeaving(session.state.getState()) ? setLeaving(true) : session.leave()),
    openAbout,
    openAutoplay: () => setAuto(true),
    openRules: () => setSide(true),
    openMoney: (direction) => {
      session.autoplay.stop("transfer");
      setMoney(direction);
    },
  };
  useSheetsAtHand(state.started);
  usePressNotes(play);
  useTransferNotes(play, money !== undefined);
  useAutoplayNotes(play);
  useSpaceSpins(play, money === undefined && auto !== true && about !== true && !leaving && !checked);
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
        <SessionPanel />
        <StateLine />
        <CountdownBanner />
        <AwayBanner />
        <SpecialPlayPlate />
        <Deck />
        <Tools sideOpen={side} onSide={() => throttle("side") && setSide(!side)} />
        <RoomCameraView />
        <SideBar open={side} covered={checked} onClose={() => setSide(false)} />
        <LateSheet sheet="about" open={about && !checked} onClose={() => setAbout(false)} />
        <LateSheet sheet="autoplay" open={auto && !checked} onClose={() => setAuto(false)} />
        <LeaveSheet open={leaving && !checked} onClose={() => setLeaving(false)} />
        <MoneySheet
          direction={checked ? undefined : money}
          onDirection={setMoney}
          onClose={() => setMoney(undefined)}
        />
        <LateSheet sheet="check" open={wasChecked ? checked : undefined} onClose={() => undefined} />
      </main>
    </PlayContext>
  );
}

/** Whether nothing can be played now: only then may a notice cover the glass. */
function stopsTheGame(state: PlayState): boolean {
  const missing = interruptionOf(state);
  return missing !== undefined && !isAside(missing);
}

/** Fetches the sheets once the video has started: without a network, a sheet that is not loaded yet would replace the game by an error. */
function useSheetsAtHand(started: boolean): void {
  const texts = useTexts();
  useEffect(() => {
    if (!started) return;
    const connectionTexts = () => texts.need("connection");
    for (const load of [loadSheetFrame, loadLateSheets, connectionTexts]) load().catch(() => undefined);
  }, [started, texts]);
}

/** The key I opens the machine's information, except in a text field and over an open sheet. */
function useAboutKey(open: () => void): void {
  const pressed = useEffectEvent(open);
  useEffect(() => {
    const down = ({ key, code, repeat, target, altKey, ctrlKey, metaKey }: KeyboardEvent): void => {
      if (repeat || altKey || ctrlKey || metaKey || !(code === "KeyI" || /^[iıİ]$/i.test(key))) return;
      const writes = target instanceof Element && target.closest("input, textarea, select, [contenteditable]") !== null;
      if (!writes && document.querySelector("[role$=dialog]") === null) pressed();
    };
    addEventListener("keydown", down);
    return () => removeEventListener("keydown", down);
  }, []);
}

/** Shows the outcome of a transfer; a refusal only while the money sheet is not open to show it. */
function useTransferNotes({ session, deps }: PlayNow, sheetOpen: boolean): void {
  const speech = useText();
  const currency = useCurrency();
  const transfer = useLive(session.transfer);
  useEffect(() => {
    if (transfer.is !== "done" && (transfer.is !== "refused" || sheetOpen)) return;
    const text = transferText(transfer, speech, currency);
    if (text !== undefined) deps.say(transfer.is === "done" ? "good" : "bad", text);
    session.clearTransfer();
  }, [transfer, sheetOpen, session, deps, speech, currency]);
}

/** A player looks away during autoplay: the reason of its end stays readable so long, ms. */
const READ_MS = 30_000;

/** Shows why autoplay ended, once the page is visible. The player's own stop is shown briefly. */
function useAutoplayNotes({ session, deps }: PlayNow): void {
  const { t } = useText();
  const ended = useLive(session.autoplay.ended);
  const seen = useSyncExternalStore(onVisibility, () => document.visibilityState === "visible");
  useEffect(() => {
    if (ended === undefined || !seen) return;
    deps.say("info", t(`play.autoEnd_${ended}`), ended === "player" ? undefined : READ_MS);
    session.autoplay.clearEnded();
  }, [ended, seen, session, deps, t]);
}

function onVisibility(changed: () => void): () => void {
  document.addEventListener("visibilitychange", changed);
  return () => document.removeEventListener("visibilitychange", changed);
}

/** Shows why a press failed, and why the player could not leave. */
function usePressNotes({ session, deps }: PlayNow): void {
  const speech = useText();
  const currency = useCurrency();
  const note = useLive(session.panel.note);
  const refusal = useLive(session.leaveRefusal);
  useEffect(() => {
    if (note === undefined) return;
    deps.say("info", noteText(note, speech, currency, session.state.getState()), TOAST_MS);
    session.panel.clearNote();
  }, [note, session, deps, speech, currency]);
  useEffect(() => {
    if (refusal !== undefined) {
      deps.say(
        "bad",
        codeText(speech, refusal.code, refusal.params) ?? (refusal.message || speech.t("app.callFailed")),
      );
    }
  }, [refusal, deps, speech]);
}

/** A machine has a highest stake of its own, which is on its own glass. */
function noteText(
  note: PressNote,
  speech: Speech,
  currency: ReturnType<typeof useCurrency>,
  { rules, meters }: PlayState,
): string {
  const { t, language } = speech;
  if (note !== "stakeAbove") return t(`play.${note}`);
  const { stakesLeft } = rules ?? {};
  if (stakesLeft !== undefined && (meters?.bet ?? 0) > stakesLeft.left)
    return withOwner(
      speech,
      t(stakesLeft.of === "loss" ? "play.lossLeft" : "play.stakesLeft", {
        left: moneyText(stakesLeft.left, currency, language),
      }),
      stakesLeft,
    );
  // The agent counts game by game, the page learns it with the next renewal.
  if (stakesLeft !== undefined && (rules?.maxStake ?? Number.POSITIVE_INFINITY) >= (meters?.bet ?? 0))
    return withOwner(speech, t("play.limitLeavesLess"), stakesLeft);
  if (rules?.maxStake === undefined) return t("play.pressRefused");
  return t("play.stakeAbove", { amount: moneyText(rules.maxStake, currency, language, true) });
}

/**
 * Gamepad: A spins, the bumpers change the bet. Nothing is played behind a dialog, nor while another window has the focus: the gamepad is in
 * use there, and a page that is still visible receives its events too.
 */
function useGamepadPlays(play: PlayNow): void {
  const { session } = play;
  const spin = useSpin(play);
  const press = useEffectEvent((button: "spin" | "betDown" | "betUp"): void => {
    if (document.querySelector("[role$=dialog]") !== null || !document.hasFocus()) return;
    if (button === "spin") spin();
    else session.panel.press(button);
  });
  useEffect(
    () =>
      watchGamepads(browserGamepads(), {
        spin: () => press("spin"),
        less: () => press("betDown"),
        more: () => press("betUp"),
      }),
    [],
  );
}

/** These use the space bar themselves; nothing is played behind a drawer or a sheet. */
const FIELDS = "input, textarea, select, [contenteditable], [role$=dialog]";
const CONTROLS = "button, a, [role=slider]";
/** Keys that carry the focus from control to control. */
const WALKING_KEY = /^(Tab|Home|End|Arrow)/;

/**
 * The space bar presses SPIN wherever the focus is, except in fields and on other controls that were reached by keyboard: a button that was
 * clicked keeps an invisible focus, and must not swallow the next game. A held space bar presses once.
 */
function useSpaceSpins(play: PlayNow, enabled: boolean): void {
  const spin = useSpin(play);
  const walked = useWalked();
  useEffect(pressEnterOnce, []);
  useEffect(() => {
    if (!enabled) return;
    let taken = false;
    const down = (event: KeyboardEvent): void => {
      if (event.code !== "Space" || !spins(event.target, walked.current)) return;
      taken = true;
      // Also for a held key, and on a button, which would otherwise click when the key is released.
      event.preventDefault();
      if (!event.repeat) spin();
    };
    const up = (event: KeyboardEvent): void => {
      if (event.code === "Space" && taken) event.preventDefault();
      taken = event.code !== "Space" && taken;
    };
    addEventListener("keydown", down);
    addEventListener("keyup", up);
    return () => {
      removeEventListener("keydown", down);
      removeEventListener("keyup", up);
    };
  }, [enabled, spin, walked]);
}

/**
 * A browser clicks repeatedly while Enter is held, also on the button that has the focus after a sheet was closed with it: a held key would
 * play game after game, or send money twice.
 */
function pressEnterOnce(): () => void {
  const down = (event: KeyboardEvent): void => {
    const writes = event.target instanceof Element && event.target.closest("textarea, [contenteditable]") !== null;
    if (event.key === "Enter" && event.repeat && !writes) event.preventDefault();
  };
  addEventListener("keydown", down);
  return () => removeEventListener("keydown", down);
}

/**
 * Whether the focus was last moved by keyboard. `:focus-visible` does not show it: a browser sets it with the very key that is being judged,
 * also where a mouse left the focus.
 */
function useWalked(): { readonly current: boolean } {
  const walked = useRef(true);
  useEffect(() => {
    const pointed = (): void => {
      walked.current = false;
    };
    const keyed = ({ key }: KeyboardEvent): void => {
      if (WALKING_KEY.test(key)) walked.current = true;
    };
    addEventListener("pointerdown", pointed, true);
    addEventListener("keydown", keyed, true);
    return () => {
      removeEventListener("pointerdown", pointed, true);
      removeEventListener("keydown", keyed, true);
    };
  }, []);
  return walked;
}

function spins(target: EventTarget | null, walked: boolean): boolean {
  if (!(target instanceof Element)) return true;
  if (target.closest(FIELDS) !== null) return false;
  const control = target.closest(CONTROLS);
  return control === null || control.hasAttribute("data-spin") || !walked;
}
