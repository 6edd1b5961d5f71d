import type { Candidate, InitAnswer } from "@longarm/contract/game-socket";
import type { Meters } from "@longarm/contract/machine";
import { createStore } from "zustand/vanilla";
import type { LeaveReason } from "../../../shared/play-deps.ts";
import { endsGame, reasonOfClose } from "./end-reason.ts";
import { Ending } from "./ending.ts";
import type { GameListeners } from "./game-link.ts";
import { GameLink } from "./game-link.ts";
import type { Direction } from "./money/open-transfer.ts";
import { openTransfers } from "./money/open-transfers.ts";
import type { Transfers } from "./money/transfers.ts";
import { MediaLink } from "./picture/media-link.ts";
import { PictureMeter } from "./picture/picture-meter.ts";
import type { PlaySessionDeps } from "./play-session-deps.ts";
import type { FrameShown, PlaySession, PlayState, PressNote } from "./play-state.ts";
import { FIRST_STATE } from "./play-state.ts";
import { ClockAsker } from "./press/clock-asker.ts";
import { ClockMatch } from "./press/clock-match.ts";
import type { Pressed, PressTold } from "./press/panel.ts";
import { Panel } from "./press/panel.ts";
import { noteOf } from "./press/press-note.ts";
import { PressSender } from "./press/press-sender.ts";
import type { Scope } from "./scope.ts";
import { seatState } from "./seat-state.ts";

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
  readonly #ending: Ending;
  readonly #deps: PlaySessionDeps;
  readonly #clock = new ClockMatch();
  readonly #asker: ClockAsker;
  readonly #sender: PressSender;
  readonly #panel: Panel;
  readonly #transfers: Transfers;
  readonly #meter: PictureMeter;
  readonly #media: MediaLink;
  readonly #game: GameLink;

  constructor(scope: Scope, deps: PlaySessionDeps) {
    this.#deps = deps;
    this.#ending = new Ending({
      state: this.state,
      scope,
      leave: () => this.#game.request("leave", {}),
      gone: deps.play.leave,
    });
    this.leaveRefusal = this.#ending.refusal;
    const { timers, now } = deps;
    this.#meter = new PictureMeter(this.#clock, now);
    this.#media = this.#openMedia();
    scope.onEnd(() => this.#media.end());
    this.#asker = new ClockAsker({
      match: this.#clock,
      timers,
      now,
      send: (frame) => this.#media.send("clock", frame),
    });
    scope.onEnd(() => this.#asker.end());
    this.#sender = new PressSender({
      timers,
      toAgent: (at) => this.#clock.toAgent(at),
      channel: (frame) => this.#media.send("press", frame),
      socket: (press) => this.#game.request("press", press),
    });
    scope.onEnd(() => this.#sender.end());
    this.#panel = new Panel({
      timers,
      now,
      send: (wish) => this.#sender.press(wish),
      throttleMs: deps.play.settings.throttleMs,
      told: (press) => this.#pressTold(press),
    });
    scope.onEnd(() => this.#panel.forget());
    this.#transfers = openTransfers(deps, () => this.#game);
    this.#game = this.#openGame();
    scope.onEnd(() => this.#game.stop());
    scope.onEnd(deps.play.events.on("machine", (told) => this.#machineTold(told)));
    this.link = this.#meter.link;
    this.reels = this.#panel.reels;
    this.transfer = this.#transfers.state;
  }

  spin(): Pressed {
    return this.#mayPress() ? this.#panel.spin() : "idle";
  }

  press(button: string): Pressed {
    return this.#mayPress() ? this.#panel.press(button) : "idle";
  }

  transferMoney(direction: Direction, amount: number | null): boolean {
    return this.state.getState().phase === "playing" && this.#transfers.start(direction, amount);
  }

  clearTransfer(): void {
    this.#transfers.clear();
  }

  clearNote(): void {
    this.note.setState(undefined, true);
  }

  goOn(): void {
    void this.#game.request("continue", {});
  }

  leave(): void {
    void this.#ending.leave();
  }

  leaveNow(): void {
    this.#finish({ is: "left" });
  }

  frameShown(frame: FrameShown): void {
    this.#meter.frame(frame);
    if (!this.state.getState().started) this.state.setState({ started: true });
  }

  wake(): void {
    this.#game.retryNow();
  }

  #finish(reason: LeaveReason): void {
    this.#ending.finish(reason);
  }

  #mayPress(): boolean {
    const { phase, online } = this.state.getState();
    return phase === "playing" && online;
  }

  #openMedia(): MediaLink {
    const { openRtc, play, timers, now } = this.#deps;
    return new MediaLink({
      openRtc,
      iceServers: play.settings.iceServers,
      timers,
      now,
      log: play.log,
      online: () => this.#game.online,
      sendOffer: (sdp) => this.#game.request("offer", { sdp, framesPerSecond: play.settings.framesPerSecond }),
      sendCandidate: (candidate) => this.#game.candidate(candidate),
      events: {
        streams: (streams) => this.state.setState({ streams }),
        channelOpen: (name) => name === "clock" && this.#asker.start(),
        channelFrame: (name, frame) => (name === "clock" ? this.#asker : this.#sender).heard(frame),
        stats: (stats) => this.#meter.stats(stats),
        live: (live) => {
          this.#meter.live(live);
          this.state.setState({ live });
        },
      },
    });
  }

  #openGame(): GameLink {
    const { machineId, openSocket, play, timers } = this.#deps;
    return new GameLink({
      open: openSocket,
      timers,
      random: play.random,
      log: play.log,
      init: async () => ({
        machineID: machineId,
        token: play.token() ?? "",
        offer: await this.#media.freshOffer(),
        framesPerSecond: play.settings.framesPerSecond,
      }),
      listeners: this.#listeners(),
      seated: (answer) => this.#seated(answer),
      refused: ({ code, params, reason }) => this.#finish({ is: "refused", code, params, message: reason }),
      online: (online) => this.#online(online),
      closed: (reason) => this.#finish(reasonOfClose(reason)),
    });
  }

  #listeners(): GameListeners {
    return {
      meters: (meters) => this.#meters(meters),
      countdown: (countdown) => this.state.setState({ countdown: countdown.count > 0 ? countdown : undefined }),
      ended: ({ code }) => this.#finish({ is: "ended", code }),
      candidate: (candidate: Candidate) => this.#media.candidate(candidate),
      transfer: (transfer) => this.#transfers.decided(transfer),
      agent: ({ connected }) => this.#agent(connected),
    };
  }

  #seated(answer: InitAnswer): void {
    const { playSession, meters, epoch } = answer;
    this.#panel.begin(answer.buttons, answer.limits);
    if (epoch !== undefined) this.#sender.begin(epoch);
    if (this.state.getState().phase === "opening") this.state.setState({ phase: "playing" });
    this.state.setState(seatState(answer, this.#deps.play.storage));
    if (meters !== undefined) this.#meters(meters);
    if (playSession !== undefined) this.#transfers.begin(playSession.id);
    void this.#media.answered(answer.answer, answer.iceServers);
  }

  /** An agent that comes back may be another process, with another clock and without our connection. */
  #agent(connected: boolean): void {
    const { agentAway, live } = this.state.getState();
    this.state.setState({ agentAway: !connected });
    if (!connected || !agentAway) return;
    this.#clock.reset();
    if (!live) this.#media.renew();
  }

  #meters(meters: Meters): void {
    this.state.setState({ meters });
    this.#panel.heard(meters);
  }

  #online(online: boolean): void {
    this.state.setState({ online, ...(!online && { countdown: undefined }) });
    if (online) return;
    this.#sender.end();
    this.#panel.forget();
  }

  #pressTold(press: PressTold): void {
    this.#meter.press(press);
    const note = noteOf(press);
    if (note !== undefined) this.note.setState(note, true);
  }

  #machineTold(told: { id: string; status: number }): void {
    const { phase, online } = this.state.getState();
    const seated = phase !== "opening" && phase !== "gone";
    const { machineId, play } = this.#deps;
    if (endsGame(told, { machineId, seated, online, settings: play.settings })) this.#finish({ is: "status" });
  }
}
