import type { MachineAbout } from "@longarm/contract/about-machine";
import type { Candidate, InitAnswer } from "@longarm/contract/game-socket";
import type { IceServer } from "@longarm/contract/ice-server";
import type { Meters } from "@longarm/contract/machine";
import { countdownCodeOf } from "@longarm/contract/problems";
import type { Answer } from "@longarm/link/answer";
import type { Stop, Timers } from "@longarm/link/socket";
import * as z from "zod/mini";
import type { StoreApi } from "zustand/vanilla";
import { createStore } from "zustand/vanilla";
import type { LeaveReason } from "../../../shared/play-deps.ts";
import type { Storage } from "../../../shared/storage/storage.ts";
import { STORAGE_KEYS } from "../../../shared/storage/storage.ts";
import { Attendant } from "./attendant.ts";
import { Autoplay } from "./autoplay/autoplay.ts";
import type { LinkReport } from "./connection/link-report.ts";
import { endedBy, reasonOfClose } from "./end-reason.ts";
import { Ending } from "./ending.ts";
import type { GameListeners } from "./game-link.ts";
import { lockupOf } from "./machine/lockup.ts";
import { MachineNews } from "./machine/machine-news.ts";
import type { Direction } from "./money/open-transfer.ts";
import { NetResult } from "./net-result.ts";
import type { Parts, PartsTold } from "./open-parts.ts";
import { openParts } from "./open-parts.ts";
import type { WayTried } from "./picture/trial.ts";
import type { Wanted } from "./picture/wanted.ts";
import type { PlaySessionDeps } from "./play-session-deps.ts";
import type { FrameShown, PlaySession, PlayState, PressNote } from "./play-state.ts";
import { FIRST_STATE } from "./play-state.ts";
import type { Pressed, PressTold } from "./press/panel.ts";
import type { Way } from "./recovery/way.ts";
import type { Scope } from "./scope.ts";

/** Opens the machine: takes the seat and starts the picture. Everything it opens ends with the scope. */
export function createPlaySession(scope: Scope, deps: PlaySessionDeps): PlaySession {
  return new Play(scope, deps);
}

class Play implements PlaySession {
  readonly state = createStore<PlayState>(() => FIRST_STATE);
  readonly note = createStore<PressNote | undefined>(() => undefined);
  readonly leaveRefusal;
  readonly link;
  readonly reels;
  readonly transfer;
  readonly autoplay;
  readonly attendant;
  readonly #net = new NetResult();
  readonly #news: MachineNews;
  readonly #ending: Ending;
  readonly #deps: PlaySessionDeps;
  readonly #parts: Parts;

  constructor(scope: Scope, deps: PlaySessionDeps) {
    this.#deps = deps;
    const { play } = deps;
    this.#ending = new Ending({
      ...{ timers: deps.timers, state: this.state, scope },
      leave: () => this.#parts.game.request("leave", {}),
      gone: play.leave,
    });
    this.leaveRefusal = this.#ending.refusal;
    this.#news = new MachineNews(deps.timers, (news) => this.state.setState(news));
    scope.onEnd(() => this.#news.end());
    this.#parts = openParts(scope, deps, this.#told());
    this.link = this.#parts.meter.link;
    this.reels = this.#parts.panel.reels;
    this.transfer = this.#parts.transfers.state;
    this.autoplay = new Autoplay({
      timers: deps.timers,
      state: this.state,
      reels: this.reels,
      spin: () => (this.#mayPress() ? this.#parts.panel.spin() : "idle"),
      readyInMs: () => this.#parts.panel.readyInMs(),
    });
    scope.onEnd(() => this.autoplay.end());
    this.attendant = new Attendant({
      ask: () => this.#parts.game.request("callAttendant", {}),
      lamp: () => void this.#parts.panel.press("attendant"),
    });
    scope.onEnd(() => this.#parts.transfers.end());
    scope.onEnd(watchSleep(deps.timers, deps.play.clock.now, () => this.wake()));
    // Who only watches is told by the platform when it is over.
    if (deps.role !== "spectator") scope.onEnd(play.events.on("machine", (told) => this.#machineTold(told)));
  }

  spin(): Pressed {
    if (this.autoplay.state.getState().on) {
      this.autoplay.stop("player");
      return "stopped";
    }
    if (saysLocked(this.state.getState(), this.note)) return "locked";
    return this.#mayPress() ? this.#parts.panel.spin() : "idle";
  }

  press(button: string): Pressed {
    if (saysLocked(this.state.getState(), this.note, button)) return "locked";
    return this.#mayPress() ? this.#parts.panel.press(button) : "idle";
  }

  transferMoney(direction: Direction, amount: number | null): boolean {
    this.autoplay.stop("transfer");
    this.#parts.panel.unqueue();
    return this.state.getState().phase === "playing" && this.#parts.transfers.start(direction, amount);
  }

  clearTransfer(): void {
    this.#parts.transfers.clear();
  }

  clearNote(): void {
    this.note.setState(undefined, true);
  }

  goOn(): void {
    void this.#parts.game.request("continue", {});
  }

  leave(): void {
    this.#parts.panel.unqueue();
    if (this.#deps.role === "spectator") this.leaveNow();
    else void this.#ending.leave();
  }

  leaveNow(): void {
    this.#finish({ is: "left" });
  }

  frameShown(frame: FrameShown): void {
    this.#parts.meter.frame(frame);
    this.#parts.media.shown();
    if (!this.state.getState().started) this.state.setState({ started: true });
  }

  linkReport(): LinkReport {
    return this.#parts.meter.report;
  }

  tryWay(way: Way): Promise<WayTried> {
    return this.#parts.media.tryWay(way);
  }

  iceServers(): Promise<readonly IceServer[]> {
    return this.#parts.media.servers();
  }

  about(): Promise<Answer<MachineAbout>> {
    return this.#parts.game.request("about", {});
  }

  want(wanted: Partial<Wanted>): void {
    this.#parts.media.want(wanted);
  }

  wake(newNetwork = false): void {
    this.#parts.game.retryNow();
    this.#parts.media.hurry(newNetwork);
    this.#parts.asker.wantKeyFrame();
  }

  #finish(reason: LeaveReason): void {
    this.#ending.finish(reason);
  }

  /** Presses do not pass through the platform: while it is away they go on beside the picture. */
  #mayPress(): boolean {
    const { phase, online, live, fair } = this.state.getState();
    return phase === "playing" && (online || live) && fair;
  }

  #told(): PartsTold {
    return {
      listeners: this.#listeners(),
      seated: (answer) => this.#seated(answer),
      refused: ({ code, params, reason }) => this.#finish({ is: "refused", code, params, message: reason }),
      online: (online, because) => this.#online(online, because),
      held: (seconds) => this.state.setState({ heldUntil: this.#deps.play.clock.now() + seconds * 1_000 }),
      closed: (reason) => this.#finish(reasonOfClose(reason)),
      streams: (streams) => this.state.setState({ streams }),
      live: (live) => this.#live(live),
      recovery: (recovery) => this.state.setState({ recovery }),
      fair: (fair) => this.#fair(fair),
      pressTold: (press) => this.#pressTold(press),
    };
  }

  #listeners(): GameListeners {
    return {
      meters: (meters) => this.#meters(meters),
      countdown: ({ code, count }) =>
        this.state.setState({ countdown: count > 0 ? { code: countdownCodeOf(code), count } : undefined }),
      ended: ({ code }) => this.#finish({ is: "ended", code: String(code) }),
      candidate: (candidate: Candidate) => this.#parts.media.candidate(candidate),
      transfer: (transfer) => this.#parts.transfers.decided(transfer),
      agent: ({ connected }) => this.#agent(connected),
      spectators: ({ count }) => this.state.setState({ spectators: count }),
      event: (event) => this.#news.event(event),
      call: (call) => this.attendant.heard(call),
    };
  }

  #seated(answer: InitAnswer): void {
    const { playSession, meters, epoch } = answer;
    this.state.setState({ heldUntil: undefined });
    this.#parts.panel.begin(answer.buttons, answer.limits);
    if (epoch !== undefined) this.#parts.sender.begin(epoch);
    if (this.state.getState().phase === "opening") this.state.setState({ phase: "playing" });
    this.state.setState(seatState(answer, this.#deps.play.storage));
    if (this.#deps.role !== "spectator") this.attendant.begin(answer.call);
    this.#net.begin(playSession?.netMinor);
    if (meters !== undefined) this.#meters(meters);
    if (playSession !== undefined) this.#parts.transfers.begin(playSession.id);
    void this.#parts.media.answered(answer.answer, answer.iceServers);
  }

  /** An agent that comes back may be another process, with another clock and without our connection. */
  #agent(connected: boolean): void {
    const { agentAway, live } = this.state.getState();
    this.state.setState({ agentAway: !connected });
    if (!connected || !agentAway) return;
    this.#parts.clock.reset();
    if (!live) this.#parts.media.renew();
  }

  #fair(fair: boolean): void {
    if (fair === this.state.getState().fair) return;
    this.state.setState({ fair });
    if (!fair) this.#parts.panel.unqueue();
  }

  #live(live: boolean): void {
    this.#parts.meter.live(live);
    this.state.setState({ live });
    if (!live && !this.state.getState().online) this.#parts.panel.forget();
  }

  #meters(meters: Meters): void {
    this.state.setState({ meters, netMinor: this.#net.heard(meters) });
    this.#news.meters(meters);
    this.#parts.panel.heard(meters);
  }

  #online(online: boolean, closedBecause?: string): void {
    this.#parts.meter.online(online);
    this.state.setState({ online, closedBecause, ...(!online && { countdown: undefined }) });
    if (online || this.state.getState().live) return;
    this.#parts.sender.end();
    this.#parts.panel.forget();
  }

  #pressTold(press: PressTold): void {
    this.#parts.meter.press(press);
    // Autoplay that ends says why: one sentence is enough.
    const wrong = !["started", "done", "unknown"].includes(press.outcome);
    if (wrong && this.autoplay.refused(press.outcome === "changed")) return;
    const note = noteOf(press);
    if (note !== undefined) this.note.setState(note, true);
  }

  #machineTold(told: { id: string; status: number }): void {
    const { phase, online } = this.state.getState();
    const seated = phase !== "opening" && phase !== "gone";
    const { machineId, play } = this.#deps;
    const state = endedBy(told, { machineId, seated, online, settings: play.settings });
    if (state !== undefined) this.#finish({ is: "status", state });
  }
}

type SeatState = Pick<
  PlayState,
  "machine" | "webcam" | "bands" | "buttons" | "limits" | "playSession" | "gamesBefore" | "agentAway"
>;

/** What the screen shows of a seat that was just taken (again). Bands are ordered by `Order`, descending. */
function seatState(answer: InitAnswer, storage: Storage): SeatState {
  const { machine, webcam, bandSelects, buttons, limits, playSession, meters } = answer;
  return {
    ...{ machine, webcam, buttons, limits, playSession },
    bands: [...bandSelects].sort((a, b) => b.Order - a.Order),
    gamesBefore: meters && playSession && gamesBefore(storage, playSession.id, meters.gamesPlayed),
    agentAway: false,
  };
}

const LOOK_MS = 1_000;
/** Time that passed without the page, beyond what a busy or hidden one loses, ms. */
const SLEPT_MS = 5_000;

/** Tells when the computer, or the page, has slept: the day's clock went on and the page's timers did not. */
function watchSleep(timers: Timers, wallNow: () => number, woke: () => void): Stop {
  let stop: Stop = () => {};
  let lookedAt = wallNow();
  const next = (): void => {
    stop = timers.after(LOOK_MS, () => {
      const now = wallNow();
      if (now - lookedAt >= LOOK_MS + SLEPT_MS) woke();
      lookedAt = now;
      next();
    });
  };
  next();
  return () => stop();
}

const Kept = z.object({ playSessionId: z.string(), games: z.int().check(z.gte(0)) });

/** The machine's game counter when this play session began, kept so that a reload counts on. */
function gamesBefore(storage: Storage, playSessionId: string, gamesNow: number): number {
  const kept = readKept(storage.read(STORAGE_KEYS.gamesBefore));
  if (kept?.playSessionId === playSessionId && kept.games <= gamesNow) return kept.games;
  storage.write(STORAGE_KEYS.gamesBefore, JSON.stringify({ playSessionId, games: gamesNow }));
  return gamesNow;
}

function readKept(text: string | null): z.infer<typeof Kept> | undefined {
  if (text === null) return undefined;
  try {
    const kept = z.safeParse(Kept, JSON.parse(text));
    return kept.success ? kept.data : undefined;
  } catch {
    return undefined;
  }
}

/** Refusals that the next look at the screen explains by itself. */
const QUIET: ReadonlySet<string> = new Set(["too soon", "tooSoon", "inGame", "not sent", "too many presses"]);
const LOCKED: ReadonlySet<string> = new Set(["doorOpen", "tilt", "handPay", "disabled", "locked"]);

/** What to tell the player of a press; undefined when the machine's picture says it. */
function noteOf({ outcome, reason = "" }: PressTold): PressNote | undefined {
  if (outcome === "started" || outcome === "done" || outcome === "ignored") return undefined;
  if (outcome === "unknown") return "pressUnknown";
  if (outcome === "changed" || reason === "stakeChanged") return "stakeChanged";
  if (QUIET.has(reason)) return undefined;
  if (LOCKED.has(reason)) return "locked";
  return reason === "noCredit" ? "noCredit" : "pressRefused";
}

/** Whether the machine is locked, which is then said. It takes no game and no choice of stake; what calls for somebody (`service`) it does. */
function saysLocked(
  { meters, buttons }: PlayState,
  note: Pick<StoreApi<PressNote | undefined>, "setState">,
  key?: string,
): boolean {
  const calls = key !== undefined && buttons.some(({ id, kind }) => id === key && kind === "service");
  if (calls || meters === undefined || lockupOf(meters) === undefined) return false;
  note.setState("locked", true);
  return true;
}
