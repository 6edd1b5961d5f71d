import { PRESS_GIVE_UP_MS, PRESS_REPEAT_MS, PressAnswer } from "@longarm/contract/data-channel";
import { CLOSE } from "@longarm/contract/envelope";
import type { InitAnswer } from "@longarm/contract/game-socket";
import { gameSocket } from "@longarm/contract/game-socket";
import type { IceServer } from "@longarm/contract/ice-server";
import type { Meters } from "@longarm/contract/machine";
import type { Answer, Refusal } from "@longarm/link/answer";
import type { Peer } from "@longarm/link/peer";
import { createPeer } from "@longarm/link/peer";
import type { FrameSocket, Timers } from "@longarm/link/socket";
import { stayConnected } from "@longarm/link/stay-connected";
import { dialSocket } from "@longarm/link/ws-socket";
import type * as z from "zod/mini";
import type { ReceiverDeps } from "./receiver/receiver.ts";
import type { Venue } from "./venue.ts";
import { VideoLink } from "./video.ts";

type Contract = typeof gameSocket;
type Requests = Contract["client"]["requests"];

type VisitOptions = {
  readonly venue: Venue;
  readonly token: string;
  readonly machineId: string;
  /** Of the machine's own game socket, where the lobby names one. */
  readonly url?: string | null | undefined;
  readonly role: "player" | "spectator";
  /** False: no WebRTC connection is opened, and presses go over the game socket. */
  readonly video?: boolean;
};

type VisitDeps = {
  readonly timers: Timers;
  /** Ms that never run backwards; since 1970 where presses go over the game socket. */
  readonly now: () => number;
  /** 0 to below 1. */
  readonly random: () => number;
  /** The seat or the place is ours, again too. */
  readonly seated?: (answer: InitAnswer) => void;
  /** The platform refused `init` for good; the visit is over. */
  readonly refused?: (refusal: Refusal) => void;
  /** The platform ended it for good, with its reason. */
  readonly closed?: (reason: string) => void;
  /** The socket is lost and reconnects by itself. `onPurpose`: by `cut`. */
  readonly dropped?: (onPurpose: boolean) => void;
  /** The socket was not even opened. */
  readonly unopened?: (error: unknown) => void;
  /** Another media connection was made because the old one brought no frame. */
  readonly renewed?: () => void;
  readonly meters?: (meters: Meters) => void;
  readonly picture?: ReceiverDeps["picture"];
  readonly roundTrip?: ReceiverDeps["roundTrip"];
};

const HANDSHAKE_MS = 10_000;
const BACK_OFF_MS_MAX = 2_000;

/** A player at a machine: the game socket, the seat or the place to watch, and the video. It reconnects by itself until `end`. */
export class Visit {
  readonly #options: VisitOptions;
  readonly #deps: VisitDeps;
  readonly #connection: { stop(): void };
  readonly #presses: PressSender;
  readonly video: VideoLink;
  #peer: Peer<Contract, "client"> | undefined;
  #seated = false;
  #wasSeated = false;
  #meters: Meters | undefined;
  /** Of the seat, for presses over the game socket. */
  #epoch: number | undefined;
  #sequence = 0;
  #ended = false;
  #isCut = false;

  constructor(options: VisitOptions, deps: VisitDeps) {
    this.#options = options;
    this.#deps = deps;
    this.#presses = new PressSender({ timers: deps.timers, send: (frame) => this.video.send("press", frame) });
    this.video = new VideoLink({
      ...{ timers: deps.timers, now: deps.now, loopback: options.venue.loopback, iceServers: options.venue.iceServers },
      sendOffer: (sdp) => this.request("offer", { sdp }),
      pressFrame: (frame) => this.#presses.heard(frame),
      renewed: () => deps.renewed?.(),
      picture: (picture) => deps.picture?.(picture),
      roundTrip: (ms) => deps.roundTrip?.(ms),
    });
    this.#connection = stayConnected({
      ...{ timers: deps.timers, random: deps.random, backOffMsMax: BACK_OFF_MS_MAX },
      open: () => this.#dial(),
      onState: (state) => {
        if (state.is === "waiting" && state.error !== undefined) deps.unopened?.(state.error);
        if (state.is === "ended" && state.code === CLOSE.final) this.#over(() => deps.closed?.(state.reason ?? ""));
      },
      session: (socket, lost) => void this.#session(socket, lost),
    });
  }

  get seated(): boolean {
    return this.#seated;
  }

  get meters(): Meters | undefined {
    return this.#meters;
  }

  /** Unknown at once while there is no seat. */
  request<M extends keyof Requests & string>(
    method: M,
    data: z.input<Requests[M]["input"]>,
  ): Promise<Answer<z.output<Requests[M]["output"]>>> {
    if (!this.#seated || this.#peer === undefined) return Promise.resolve({ is: "unknown", cause: "closed" });
    return this.#peer.request(method, data);
  }

  /** `stake`: with a wager, minor units. */
  async press(button: string, stake?: number): Promise<PressOutcome> {
    if (this.#options.video === false) return await this.#pressOverSocket(button, stake);
    const clock = this.video.clock;
    return clock === undefined ? "unsent" : await this.#presses.press(button, clock.toAgent(this.#deps.now()), stake);
  }

  async #pressOverSocket(button: string, stake?: number): Promise<PressOutcome> {
    if (this.#epoch === undefined) return "unsent";
    this.#sequence += 1;
    const answer = await this.request("press", {
      ...{ epoch: this.#epoch, seq: this.#sequence, button, at: this.#deps.now() },
      ...(stake !== undefined && { stake }),
    });
    if (answer.is === "refused") return "refused";
    return answer.is === "done" ? answer.data.outcome : "unknown";
  }

  /** Closes the socket without a word, as a lost network does; it reconnects by itself. */
  cut(): void {
    if (this.#peer === undefined) return;
    this.#isCut = true;
    this.#peer.close(1000, "cut");
  }

  /** Without `leave` the seat is kept, as for a player who closes the page. */
  async end(): Promise<void> {
    this.#over(() => {});
    await this.video.end();
  }

  #over(report: () => void): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#seated = false;
    this.#connection.stop();
    this.#presses.end();
    report();
  }

  #dial(): Promise<FrameSocket> {
    const { venue, machineId, token, url } = this.#options;
    const address = new URL((url || venue.game).replace(/^http/, "ws"), venue.href.replace(/^http/, "ws"));
    address.searchParams.set("machine", machineId);
    address.searchParams.set("token", token);
    return dialSocket({ url: address.href, frameBytesMax: gameSocket.frameBytesMax, handshakeMs: HANDSHAKE_MS });
  }

  async #session(socket: FrameSocket, lost: (code: number, reason: string) => void): Promise<void> {
    const peer: Peer<Contract, "client"> = createPeer({
      ...{ contract: gameSocket, end: "client" as const, socket, timers: this.#deps.timers, handlers: {} },
      listeners: {
        meters: (meters) => this.#noteMeters(meters),
        candidate: (candidate) => this.video.candidate(candidate),
      },
      log: () => {},
      onClose: (code, reason) => {
        if (this.#peer === peer) this.#gone(code === CLOSE.final);
        lost(code, reason);
      },
    });
    this.#peer = peer;
    const { machineId, role, video = true } = this.#options;
    const offer = video ? await this.video.freshOffer() : undefined;
    if (peer.closed) return;
    if (video && offer === undefined) return peer.close(CLOSE.later, "no offer");
    const answer = await peer.request("init", { machineID: machineId, role, ...(offer !== undefined && { offer }) });
    if (peer !== this.#peer) return;
    if (answer.is === "done") await this.#sit(answer.data);
    else if (answer.is === "refused" && !this.#comesBack(answer.refusal))
      this.#over(() => this.#deps.refused?.(answer.refusal));
    else peer.close(CLOSE.later, "no answer to init");
  }

  async #sit(answer: InitAnswer): Promise<void> {
    this.#seated = true;
    this.#wasSeated = true;
    if (answer.epoch !== undefined) this.#presses.begin(answer.epoch);
    this.#epoch = answer.epoch;
    this.#sequence = 0;
    if (answer.meters !== undefined) this.#noteMeters(answer.meters);
    this.#deps.seated?.(answer);
    if (this.#options.video !== false)
      await this.video.answered(answer.answer, answer.iceServers as readonly IceServer[]);
  }

  #gone(forGood: boolean): void {
    this.#peer = undefined;
    this.#presses.end();
    if (this.#seated && !this.#ended && !forGood) this.#deps.dropped?.(this.#isCut);
    this.#isCut = false;
    this.#seated = false;
  }

  #noteMeters(meters: Meters): void {
    this.#meters = meters;
    this.#deps.meters?.(meters);
  }

  /** As in the page: who sat already waits for a machine that is away for a moment. */
  #comesBack({ name }: Refusal): boolean {
    if (name === "request.too_many") return true;
    return this.#wasSeated && (name === "machine.unreachable" || name === "pipeline.failed");
  }
}

export type PressOutcome = PressAnswer["outcome"] | "unknown" | "unsent";

type PressSenderDeps = {
  readonly timers: Timers;
  /** Sends over the `press` channel; false while it is not open. */
  readonly send: (frame: string) => boolean;
};

type UnderWay = { readonly seq: number; readonly settle: (outcome: PressOutcome) => void };

/** Sends presses to the agent as the page does: one at a time, repeated with its sequence number until it is answered, so that it counts once. */
class PressSender {
  readonly #deps: PressSenderDeps;
  #seq = 0;
  #epoch: number | undefined;
  #underWay: UnderWay | undefined;

  constructor(deps: PressSenderDeps) {
    this.#deps = deps;
  }

  /** The seat was taken (again): sequence numbers begin anew. */
  begin(epoch: number): void {
    this.end();
    this.#epoch = epoch;
    this.#seq = 0;
  }

  /** What is under way becomes unknown, and nothing can be pressed. */
  end(): void {
    this.#epoch = undefined;
    this.#settle("unknown");
  }

  /** `at`: now, ms of the agent's clock; `stake`: with a wager, minor units. */
  press(button: string, at: number, stake?: number): Promise<PressOutcome> {
    const epoch = this.#epoch;
    if (epoch === undefined || this.#underWay !== undefined) return Promise.resolve("unsent");
    this.#seq += 1;
    const seq = this.#seq;
    const frame = JSON.stringify({ epoch, seq, button, at, ...(stake !== undefined && { stake }) });
    return new Promise((settle) => {
      const underWay: UnderWay = { seq, settle };
      this.#underWay = underWay;
      const later = (delayMs: number, run: () => void): void =>
        void this.#deps.timers.after(delayMs, () => {
          if (this.#underWay === underWay) run();
        });
      const isSent = this.#deps.send(frame);
      for (const delayMs of PRESS_REPEAT_MS) later(delayMs, () => void this.#deps.send(frame));
      later(PRESS_GIVE_UP_MS, () => this.#settle(isSent ? "unknown" : "unsent"));
    });
  }

  /** One frame of the `press` channel. */
  heard(frame: string): void {
    const answer = readAnswer(frame);
    if (answer !== undefined && answer.seq === this.#underWay?.seq) this.#settle(answer.outcome);
  }

  #settle(outcome: PressOutcome): void {
    const settled = this.#underWay;
    this.#underWay = undefined;
    settled?.settle(outcome);
  }
}

function readAnswer(frame: string): PressAnswer | undefined {
  try {
    return PressAnswer.safeParse(JSON.parse(frame)).data;
  } catch {
    return undefined;
  }
}
