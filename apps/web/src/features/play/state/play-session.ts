import type { MachineAbout } from "@longarm/contract/about-machine";
import type { InitAnswer } from "@longarm/contract/game-socket";
import { DELAY_EVERY_MS, DELAY_MS_MAX } from "@longarm/contract/game-socket";
import type { Meters } from "@longarm/contract/machine";
import type { CheckMinutes } from "@longarm/contract/player-protection";
import type { SeatTurn } from "@longarm/contract/player-queue";
import { countdownCodeOf } from "@longarm/contract/problems";
import type { Answer } from "@longarm/link/answer";
import type { FrameSocket, Stop, Timers } from "@longarm/link/socket";
import type { Live } from "@longarm/ui/live.ts";
import * as z from "zod/mini";
import { createStore } from "zustand/vanilla";
import type { LeaveReason, MachineRef, PlayDeps } from "../../../shared/play-deps.ts";
import type { Storage } from "../../../shared/storage/storage.ts";
import { STORAGE_KEYS } from "../../../shared/storage/storage.ts";
import { AttendantCalls } from "./attendant.ts";
import { Autoplay } from "./autoplay.ts";
import { Ending, endedBy, reasonOfClose } from "./ending.ts";
import type { GameEvents } from "./game-link.ts";
import { GameLink } from "./game-link.ts";
import { MachineNews, NetResult } from "./game-results.ts";
import type { Crowd } from "./media/crowd.ts";
import type { FrameShown, LinkNow } from "./media/link-meter.ts";
import { LinkMeter } from "./media/link-meter.ts";
import type { MediaEvents } from "./media/media-link.ts";
import { MediaLink } from "./media/media-link.ts";
import { isPlayable } from "./media/readout.ts";
import type { OpenRtc } from "./media/rtc-port.ts";
import type { Pressed, PressOutcome, Reels } from "./panel.ts";
import { Panel } from "./panel.ts";
import type { LeaveRefusal, PlayState } from "./play-state.ts";
import { FIRST_STATE } from "./play-state.ts";
import { PressSender } from "./press-sender.ts";
import type { Scope } from "./scope.ts";
import type { Direction, TransferState } from "./transfers.ts";
import { Transfers } from "./transfers.ts";

export type PlaySessionDeps = {
  readonly machineId: string;
  /** `spectator`: a place to watch, without a seat, presses and money. */
  readonly role: "player" | "spectator";
  readonly play: Pick<
    PlayDeps,
    "settings" | "token" | "leave" | "events" | "storage" | "clock" | "random" | "newId" | "log"
  >;
  /** Opens the game socket of the machine. */
  readonly openSocket: () => Promise<FrameSocket>;
  readonly openRtc: OpenRtc;
  /** Watches at a media server, by the address of its WHEP. Rejects when its code cannot be loaded. */
  readonly openCrowd: (whep: string) => Promise<Crowd>;
  readonly timers: Timers;
  /** Ms since 1970 by a clock that never goes back: that of the page's frames and presses. */
  readonly now: () => number;
  /** The page is not on the screen: nothing of it is drawn. */
  readonly hidden: () => boolean;
};

/** Whether the seat is held: until when, ms since 1970, and what was taken for it, minor units. */
export type HeldSeat =
  | { readonly is: "held"; readonly untilMs: number; readonly price: number }
  | { readonly is: "refused" | "unknown" };

/** One play session at one machine: takes the seat, starts the video, and holds all state of the screen. Everything it opens ends with the scope. */
export class PlaySession {
  readonly state: Live<PlayState>;
  readonly leaveRefusal: Live<LeaveRefusal | undefined>;
  readonly link: Live<LinkNow>;
  readonly panel: Panel;
  readonly reels: Live<Reels>;
  readonly transfer: Live<TransferState>;
  readonly autoplay: Autoplay;
  readonly attendant: AttendantCalls;
  readonly media: MediaLink;
  readonly meter: LinkMeter;
  readonly #store = createStore<PlayState>(() => FIRST_STATE);
  readonly #deps: PlaySessionDeps;
  readonly #game: GameLink;
  readonly #sender: PressSender;
  readonly #transfers: Transfers;
  #holdId: string | undefined;
  readonly #ending: Ending;
  readonly #news: MachineNews;
  readonly #net = new NetResult();
  /** When the delay is reported next, ms of the page's clock. */
  #reportsAt = Number.POSITIVE_INFINITY;

  constructor(scope: Scope, deps: PlaySessionDeps) {
    const { machineId, play, openRtc, openSocket, timers, now, hidden } = deps;
    const { settings, random, log } = play;
    this.#deps = deps;
    this.state = this.#store;
    this.#news = new MachineNews(timers, (news) => this.#store.setState(news));
    scope.onEnd(() => this.#news.end());
    this.#game = new GameLink({ openSocket, timers, random, log }, this.#gameEvents());
    this.#ending = new Ending(scope, timers, this.#store, this.#game, play.leave);
    this.leaveRefusal = this.#ending.refusal;
    const { iceServers, framesPerSecond } = settings;
    this.media = new MediaLink(
      { openRtc, iceServers, framesPerSecond, timers, now, hidden, log },
      this.#game,
      this.#mediaEvents(),
    );
    scope.onEnd(() => this.media.end());
    this.meter = new LinkMeter(this.media.clock, now, framesPerSecond);
    this.link = this.meter.link;
    this.#sender = new PressSender(timers, this.media, this.#game);
    scope.onEnd(() => this.#sender.end());
    const { throttleMs } = settings;
    this.panel = new Panel({ timers, now, throttleMs }, this.state, this.#sender, (press) => this.#pressSettled(press));
    scope.onEnd(() => this.panel.forget());
    this.reels = this.panel.reels;
    this.#game.start();
    this.media.prepare();
    scope.onEnd(() => this.#game.stop());
    this.autoplay = new Autoplay(timers, this.state, this.panel);
    scope.onEnd(() => this.autoplay.end());
    this.attendant = new AttendantCalls(this.#game, this.panel);
    const { storage, newId, clock } = play;
    this.#transfers = new Transfers({ machineId, storage, newId, clock, timers }, this.#game);
    scope.onEnd(() => this.#transfers.end());
    this.transfer = this.#transfers.state;
    scope.onEnd(watchSleep(timers, clock.now, () => this.wake()));
    // For a spectator the platform itself ends the watching.
    if (deps.role !== "spectator") scope.onEnd(play.events.on("machine", (machine) => this.#machineChanged(machine)));
  }

  /** Presses SPIN; while autoplay is on it stops that instead. */
  spin(): Pressed {
    if (this.autoplay.state.getState().on) {
      this.autoplay.stop("player");
      return "stopped";
    }
    return this.panel.spin();
  }

  /** Moves money to the machine or back; `amount` null: all of it (cash-out). False when a transfer is under way. */
  transferMoney(direction: Direction, amount: number | null): boolean {
    this.autoplay.stop("transfer");
    this.panel.unqueue();
    return this.state.getState().phase === "playing" && this.#transfers.start(direction, amount);
  }

  /** The player has seen the outcome of the last transfer. */
  clearTransfer(): void {
    this.#transfers.clear();
  }

  /** Answers the countdown that asks whether the player goes on. */
  goOn(): void {
    void this.#game.request("continue", {});
  }

  /** Plays on after the reality check. False: it could not be answered, and is still there. */
  async keepPlaying(): Promise<boolean> {
    const { check } = this.state.getState().check;
    if (check === undefined) return true;
    const answer = await this.#game.request("keepPlaying", { id: check.id });
    if (answer.is === "done") this.#store.setState({ check: { state: "none" } });
    return answer.is === "done";
  }

  /** How often the player wants a reality check, minutes; null: never. False: it stayed as it was. */
  async chooseCheck(minutes: CheckMinutes | null): Promise<boolean> {
    return (await this.#game.request("checkEvery", { minutes })).is === "done";
  }

  /** Leaves the machine and keeps the seat with its credits, for the price that was shown at most. Unless it is held the player sits on. */
  async holdSeat(price: number): Promise<HeldSeat> {
    const { newId, clock } = this.#deps.play;
    this.panel.unqueue();
    // While it is not known what became of it, another try is a repeat: nothing is paid twice.
    this.#holdId ??= newId();
    const answer = await this.#game.request("hold", { id: this.#holdId, price });
    if (answer.is !== "unknown") this.#holdId = undefined;
    if (answer.is !== "done") return { is: answer.is };
    this.leaveNow();
    return { is: "held", untilMs: clock.now() + answer.data.leftMs, price: answer.data.price };
  }

  /** Leaves the machine: all credits go back, then the lobby comes, or the machine `to`. */
  leave(to?: MachineRef): void {
    this.panel.unqueue();
    if (this.#deps.role === "spectator") this.leaveNow();
    else void this.#ending.leave(to);
  }

  /** Goes to the lobby without waiting any longer: the platform returns the credits. */
  leaveNow(): void {
    this.#finish({ is: "left" });
  }

  frameShown(frame: FrameShown): void {
    this.meter.frame(frame);
    this.media.frameShown();
    if (!this.state.getState().started) this.#store.setState({ started: true });
  }

  /** What the machine states of its game. */
  about(): Promise<Answer<MachineAbout>> {
    return this.#game.request("about", {});
  }

  /** The network came back or changed, or the page became visible. */
  wake(newNetwork = false): void {
    this.#game.retryNow();
    this.media.hurry(newNetwork);
  }

  #finish(reason: LeaveReason): void {
    this.#ending.finish(reason);
  }

  #gameEvents(): GameEvents {
    return {
      init: async () => {
        const { machineId, role, play } = this.#deps;
        return {
          machineID: machineId,
          token: play.token() ?? "",
          offer: await this.media.firstOffer(),
          framesPerSecond: play.settings.framesPerSecond,
          ...(role === "spectator" && { role }),
        };
      },
      seated: (answer) => this.#seated(answer),
      refused: ({ code, params, reason }) => this.#finish({ is: "refused", code, params, message: reason }),
      online: (online, because) => this.#online(online, because),
      held: (seconds) => this.#store.setState({ heldUntil: this.#deps.play.clock.now() + seconds * 1_000 }),
      closed: (reason) => this.#finish(reasonOfClose(reason)),
      listeners: {
        meters: (meters) => this.#meters(meters),
        countdown: ({ code, count }) =>
          this.#store.setState({ countdown: count > 0 ? { code: countdownCodeOf(code), count } : undefined }),
        ended: ({ code, why }) => this.#finish({ is: "ended", code: String(code), ...(why !== undefined && { why }) }),
        candidate: (candidate) => this.media.addCandidate(candidate),
        transfer: (transfer) => this.#transfers.decided(transfer),
        agent: ({ connected }) => this.#agent(connected),
        spectators: ({ count }) => this.#store.setState({ spectators: count }),
        event: (event) => this.#news.event(event),
        call: (call) => this.attendant.update(call),
        rules: (rules) => this.#store.setState({ rules }),
        check: (check) => this.#store.setState({ check }),
        turn: (turn) => this.#store.setState({ turn: turnOf(turn, this.#deps.play.clock.now()) }),
        played: (played) => this.#store.setState({ played }),
      },
    };
  }

  #mediaEvents(): MediaEvents {
    return {
      streams: (streams) => this.#store.setState({ streams }),
      pressFrame: (frame) => this.#sender.receive(frame),
      stats: (stats) => this.meter.stats(stats),
      live: (live) => this.#live(live),
      recovery: (recovery) => {
        this.meter.recovery(recovery);
        this.#store.setState({ recovery });
      },
      looked: (missingMs) => this.#looked(missingMs),
    };
  }

  #seated(answer: InitAnswer): void {
    const { playSession, meters, epoch, machine } = answer;
    this.#store.setState({ heldUntil: undefined });
    this.meter.sourceDelayMs = machine.sourceDelayMs;
    this.panel.forget();
    if (epoch !== undefined) this.#sender.begin(epoch);
    this.#reportsAt = this.#deps.now() + DELAY_EVERY_MS;
    if (this.state.getState().phase === "opening") this.#store.setState({ phase: "playing" });
    this.#store.setState(seatState(answer, this.#deps.play.storage, this.#deps.play.clock.now()));
    if (this.#deps.role !== "spectator") this.attendant.begin(answer.call);
    this.#net.begin(playSession?.netMinor);
    if (meters !== undefined) this.#meters(meters);
    if (playSession !== undefined) this.#transfers.begin(playSession.id);
    // Each `init` says anew where a spectator watches.
    this.media.watchAt(undefined);
    if (answer.crowd === undefined) void this.media.answered(answer.answer, answer.iceServers);
    else void this.#joinCrowd(answer.crowd.whep, answer.iceServers);
  }

  async #joinCrowd(whep: string, iceServers: InitAnswer["iceServers"]): Promise<void> {
    try {
      this.media.watchAt(await this.#deps.openCrowd(whep));
    } catch (error) {
      // An offer then goes to the agent, which may have a place again.
      this.#deps.play.log("The page could not load what watches at a media server.", error);
    }
    await this.media.answered(undefined, iceServers);
  }

  /** An agent that comes back may be another process, with another clock and without our connection. */
  #agent(connected: boolean): void {
    const { agentAway, live } = this.state.getState();
    this.#store.setState({ agentAway: !connected });
    if (!connected || !agentAway) return;
    this.media.clock.reset();
    if (!live) this.media.renew();
  }

  #looked(missingMs: number): void {
    if (this.#deps.hidden()) this.meter.hidden();
    this.#reportDelay();
    const { controlMs } = this.meter;
    const { delayMs } = this.link.getState().readout;
    const playable = isPlayable({ missingMs, delayMs, controlMs, online: this.#game.online });
    if (playable === this.state.getState().playable) return;
    this.#store.setState({ playable });
    if (!playable) this.panel.unqueue();
  }

  /**
   * Staff sees the delay that a player has, and what froze. A delay that is only estimated is not reported: the venue's figures are measured ones.
   */
  #reportDelay(): void {
    const { delayMs, estimated } = this.link.getState().readout;
    const now = this.#deps.now();
    if (this.#deps.role === "spectator" || now < this.#reportsAt || !this.#game.online) return;
    const ms = delayMs === undefined || estimated ? undefined : Math.min(delayMs, DELAY_MS_MAX);
    const freezes = this.meter.takeFreezes();
    if (ms === undefined && freezes.length === 0) return;
    this.#reportsAt = now + DELAY_EVERY_MS;
    this.#game.delay({ ...(ms !== undefined && { ms }), ...(freezes.length > 0 && { freezes }) });
  }

  #live(live: boolean): void {
    this.meter.live(live);
    this.#store.setState({ live });
    if (!live && !this.state.getState().online) this.panel.forget();
  }

  /** One write for everything on the screen that follows the meters. */
  #meters(meters: Meters): void {
    this.#store.setState({ meters, netMinor: this.#net.update(meters), ...this.#news.update(meters) });
    this.panel.metersChanged();
  }

  #online(online: boolean, closedBecause?: string): void {
    this.meter.online(online);
    this.#store.setState({ online, closedBecause, ...(!online && { countdown: undefined }) });
    if (online || this.state.getState().live) return;
    this.#sender.end();
    this.panel.forget();
  }

  #pressSettled(press: PressOutcome): void {
    this.meter.press(press);
    // Autoplay that ends shows why: one sentence is enough.
    const failed = !["started", "done", "unknown", "unconfirmed"].includes(press.outcome);
    if (failed && this.autoplay.refused(press.outcome === "changed")) return;
    this.panel.explain(press);
  }

  #machineChanged(machine: { id: string; status: number }): void {
    const { phase, online } = this.state.getState();
    const seated = phase !== "opening" && phase !== "gone";
    const { machineId, play } = this.#deps;
    const state = endedBy(machine, { machineId, seated, online, settings: play.settings });
    if (state !== undefined) this.#finish({ is: "status", state });
  }
}

type SeatState = Pick<
  PlayState,
  | "machine"
  | "webcam"
  | "bands"
  | "buttons"
  | "limits"
  | "rules"
  | "check"
  | "turn"
  | "hold"
  | "playSession"
  | "played"
  | "gamesBefore"
  | "agentAway"
>;

/** What the screen shows of a seat that was just taken (again). Bands are ordered by `Order`, descending. */
function seatState(answer: InitAnswer, storage: Storage, now: number): SeatState {
  const { machine, webcam, bandSelects, buttons, limits, rules, check, turn, hold, playSession, meters } = answer;
  return {
    machine,
    webcam,
    buttons,
    limits,
    rules,
    check: check ?? { state: "none" },
    turn: turn && turnOf(turn, now),
    hold,
    playSession,
    played: playSession?.played,
    bands: [...bandSelects].sort((a, b) => b.Order - a.Order),
    gamesBefore: meters && playSession && gamesBefore(storage, playSession.id, meters.gamesPlayed),
    agentAway: false,
  };
}

function turnOf({ limitMin, leftMs }: SeatTurn, now: number): PlayState["turn"] {
  return limitMin === null ? undefined : { limitMin, until: leftMs === null ? undefined : now + leftMs };
}

const LOOK_MS = 1_000;
/** Time that passed while the page did not run, beyond what a busy or hidden page loses, ms. */
const SLEPT_MS = 5_000;

/** Calls `woke` after the computer, or the page, has slept: the wall clock went on and the page's timers did not. */
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
