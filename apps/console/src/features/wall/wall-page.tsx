import type { Wall, WallCall } from "@longarm/contract/staff-wall";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import type { LampStatus } from "@longarm/ui/lamp.tsx";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { Logo } from "@longarm/ui/logo.tsx";
import { useNow } from "@longarm/ui/time/use-now.ts";
import { useEffect, useState } from "react";
import { useConsole } from "../../shared/console.ts";
import { StillsContext } from "../../shared/floor/still.tsx";
import { createStillLoader, loadImage } from "../../shared/floor/still-loader.ts";
import type { TextKey } from "../../shared/texts.ts";
import { clockText, leftText } from "../../shared/times.ts";
import css from "./wall.module.css";
import type { WallState } from "./wall-feed.ts";
import { followWall, tokenIn } from "./wall-feed.ts";
import { WallFloor } from "./wall-floor.tsx";

/** The unattended wall: it shows and cannot act, needs no person, and says since when it is old. */
export default function WallPage() {
  const state = useFeed();
  const ready = useLanguage();
  useAwake();
  const shift = useShift();
  const idle = usePointerAway();
  if (!ready) return null;
  return (
    <div
      className={css["wall"]}
      data-idle={idle || undefined}
      style={{ paddingBlockStart: shift, paddingInlineStart: shift }}
    >
      {state.is === "on" ? <Shown state={state} /> : <NotShown is={state.is} />}
    </div>
  );
}

function useFeed(): WallState {
  const { clock, timers } = useConsole();
  const [state, setState] = useState<WallState>({ is: "starting" });
  useEffect(() => {
    const feed = followWall({
      fetch: (input, init) => fetch(input, init),
      timers,
      now: () => clock.now(),
      token: tokenIn(location.hash),
      reload: () => location.reload(),
    });
    const end = feed.state.subscribe(setState);
    return () => {
      end();
      feed.stop();
    };
  }, [clock, timers]);
  return state;
}

/** A wall has no menu: its language and palette are in its address. */
function useLanguage(): boolean {
  const { texts, changePalette } = useConsole();
  const [ready, setReady] = useState(false);
  useEffect(() => {
    const wanted = new URLSearchParams(location.search);
    const language = (["tr", "en", "ar"] as const).find((one) => one === wanted.get("language"));
    if (wanted.get("palette") === "daylight") changePalette("daylight");
    const speaks = language === undefined ? Promise.resolve() : texts.speak(language);
    void speaks.then(() => Promise.all([texts.need("wall"), texts.need("floor")])).then(() => setReady(true));
  }, [texts, changePalette]);
  return ready;
}

/** Keeps the screen on, where the browser can; it forgets when the page was hidden. */
function useAwake(): void {
  useEffect(() => {
    const ask = (): void => {
      if (document.visibilityState === "visible") void navigator.wakeLock?.request("screen").catch(() => undefined);
    };
    ask();
    document.addEventListener("visibilitychange", ask);
    return () => document.removeEventListener("visibilitychange", ask);
  }, []);
}

/** Everything moves by 2 px every ten minutes, so that no edge burns into the screen. */
const SHIFT_MS = 600_000;
function useShift(): number {
  const { clock, timers } = useConsole();
  return Math.floor(useNow(clock, timers, SHIFT_MS) / SHIFT_MS) % 2 === 0 ? 0 : 2;
}

/** The pointer hides after this, ms. */
const POINTER_MS = 3_000;
function usePointerAway(): boolean {
  const { timers } = useConsole();
  const [away, setAway] = useState(true);
  useEffect(() => {
    let stop = (): void => {};
    const moved = (): void => {
      stop();
      setAway(false);
      stop = timers.after(POINTER_MS, () => setAway(true));
    };
    addEventListener("pointermove", moved);
    return () => {
      stop();
      removeEventListener("pointermove", moved);
    };
  }, [timers]);
  return away;
}

function NotShown({ is }: { readonly is: "starting" | "notAdmitted" }) {
  const { t } = useText();
  return (
    <main className={css["center"]}>
      <Logo />
      <h1>{t(is === "starting" ? "wall.starting" : "wall.notAdmitted")}</h1>
      <p>{t(is === "starting" ? "wall.startingAbout" : "wall.notAdmittedAbout")}</p>
    </main>
  );
}

/** Nothing new for so long, ms: then the wall says so. */
const OLD_MS = 6_000;

function Shown({ state: { wall, at, oldSince } }: { readonly state: Extract<WallState, { is: "on" }> }) {
  const { t } = useText();
  const { clock, timers } = useConsole();
  const now = useNow(clock, timers, 1_000);
  const skewMs = Date.parse(wall.asOf) - at;
  const isOld = oldSince !== null && now - oldSince > OLD_MS;
  const [loader] = useState(() => createStillLoader({ timers, load: loadImage }));
  const { name, timeZone } = wall.venue;
  return (
    <StillsContext value={{ base: "/staff/v1/wall/stills/", loader, timeZone, skewMs }}>
      <header className={css["head"]}>
        <Logo />
        <h1>{wall.display.group === null ? name : `${name}, ${wall.display.group}`}</h1>
        <Lamps wall={wall} />
        <time className="num" dateTime={new Date(now + skewMs).toISOString()}>
          {clockText(now + skewMs, timeZone)}
        </time>
      </header>
      {wall.stops > 0 && (
        <p className={css["stopped"]} role="alert">
          {t("wall.stopped", { count: wall.stops })}
        </p>
      )}
      {isOld && (
        <p className={css["old"]} role="status">
          {t("wall.old", { time: clockText(at + skewMs, timeZone) })}
        </p>
      )}
      <main className={css["floor"]} data-old={isOld || undefined}>
        <WallFloor machines={wall.machines} />
      </main>
      <Calls wall={wall} now={now + skewMs} />
      <footer className={css["foot"]}>
        <span>
          <b className="num">{wall.machines.filter(({ lamp }) => lamp === "playing").length}</b> {t("wall.playing")}
        </span>
        <span>
          <b className="num">{wall.watching}</b> {t("wall.watching")}
        </span>
        <span>
          <b className="num">{wall.machines.length}</b> {t("wall.machines")}
        </span>
        <Lamp status={isOld ? "waiting" : "available"} className={css["live"] ?? ""}>
          {t(isOld ? "wall.notLive" : "wall.live")}
        </Lamp>
        <span className="soft">{t("wall.onlyShows", { name: wall.display.name })}</span>
      </footer>
    </StillsContext>
  );
}

const LAMPS: readonly (readonly [lamp: Wall["machines"][number]["lamp"], status: LampStatus])[] = [
  ["playing", "playing"],
  ["available", "available"],
  ["waiting", "waiting"],
  ["reserved", "reserved"],
  ["notAvailable", "off"],
];

function Lamps({ wall: { machines } }: { readonly wall: Wall }) {
  const { t } = useText();
  return (
    <div className={css["lamps"]}>
      {LAMPS.map(([lamp, status]) => (
        <Lamp key={lamp} status={status}>
          <b className="num">{machines.filter((one) => one.lamp === lamp).length}</b>{" "}
          {t(`wall.lamp_${lamp}` as TextKey)}
        </Lamp>
      ))}
    </div>
  );
}

/** Calls on one page of the column; more turn the page. */
const CALLS_AT_ONCE = 8;
const TURN_MS = 12_000;

function Calls({ wall: { calls, callsTotal }, now }: { readonly wall: Wall; readonly now: number }) {
  const { t } = useText();
  const pages = Math.max(1, Math.ceil(calls.length / CALLS_AT_ONCE));
  const page = Math.floor(now / TURN_MS) % pages;
  const shown = calls.slice(page * CALLS_AT_ONCE, (page + 1) * CALLS_AT_ONCE);
  return (
    <aside className={css["calls"]} aria-label={t("wall.calls")}>
      <h2>
        {t("wall.calls")}{" "}
        <small className="num">
          {pages > 1 ? t("wall.callsOf", { shown: shown.length, count: callsTotal }) : callsTotal}
        </small>
      </h2>
      {calls.length === 0 && <p className="soft">{t("wall.noCalls")}</p>}
      <ul>
        {shown.map((call) => (
          <Call key={call.id} call={call} now={now} />
        ))}
      </ul>
    </aside>
  );
}

function Call({ call: { kind, where, since, target, taken }, now }: { readonly call: WallCall; readonly now: number }) {
  const { t } = useText();
  const isLate = now > Date.parse(target);
  return (
    <li data-late={isLate || undefined}>
      <b>{where ?? t("wall.venue")}</b>
      <span className="num">{leftText(now - Date.parse(since))}</span>
      <span>{t(`floor.need_${kind}`)}</span>
      <span className="soft">{t(taken ? "wall.taken" : "wall.free")}</span>
    </li>
  );
}
