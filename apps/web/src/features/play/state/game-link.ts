import { CLOSE } from "@longarm/contract/envelope";
import type { InitAnswer, InitAsk } from "@longarm/contract/game-socket";
import { gameSocket } from "@longarm/contract/game-socket";
import type { Answer, Refusal } from "@longarm/link/answer";
import type { Peer } from "@longarm/link/peer";
import { createPeer } from "@longarm/link/peer";
import type { FrameSocket, Stop, Timers } from "@longarm/link/socket";
import { stayConnected } from "@longarm/link/stay-connected";
import type { Listeners } from "@longarm/link/types";
import type * as z from "zod/mini";

/** The player waits at a machine: the page takes the seat again soon after the network is back, ms. */
const BACK_OFF_MS_MAX = 2_000;

/** How long an `init` waits after `request.too_many`, s: when the platform names no time, and at most. */
const HELD_SECONDS = 2;
const HELD_SECONDS_MAX = 3_600;

/** Reasons of closes that this page made: the player need not read them. */
const OWN_REASONS: ReadonlySet<string> = new Set(["silent", "stopped", "no offer", "no answer to init"]);

type Contract = typeof gameSocket;
type Requests = Contract["client"]["requests"];
export type GameListeners = Listeners<Contract["server"]["notifications"]>;

export type GameLinkDeps = {
  readonly openSocket: () => Promise<FrameSocket>;
  readonly timers: Timers;
  readonly random: () => number;
  readonly log: (sentence: string, error?: unknown) => void;
};

export type GameEvents = {
  /** What `init` carries, with a fresh offer of the page. */
  init(): Promise<z.input<typeof InitAsk>>;
  readonly listeners: GameListeners;
  /** The seat is ours (again). */
  seated(answer: InitAnswer): void;
  /** The platform refused the seat, and will refuse the same request again. */
  refused(refusal: Refusal): void;
  /** False from the loss of the socket until the seat is ours again; `because`: the platform's reason when it closed the socket. */
  online(online: boolean, because?: string): void;
  /** The platform rate-limits the page: the next `init` goes out after so many seconds, and not before. */
  held(seconds: number): void;
  /** The platform closed for good (4000), with its reason. */
  closed(reason: string): void;
};

/** The game socket of one machine: reconnects by itself, takes the seat again each time, and stops after a final close. */
export class GameLink {
  readonly #deps: GameLinkDeps;
  readonly #events: GameEvents;
  #connection: { stop(): void; retryNow(): void } | undefined;
  #peer: Peer<Contract, "client"> | undefined;
  #seated = false;
  #wasSeated = false;
  /** How long the platform accepts no `init`, s; the next socket is opened after it. */
  #heldSeconds = 0;
  #stopPause: Stop = () => {};

  constructor(deps: GameLinkDeps, events: GameEvents) {
    this.#deps = deps;
    this.#events = events;
  }

  start(): void {
    const { openSocket, timers, random } = this.#deps;
    this.#connection = stayConnected({
      open: () => (this.#heldSeconds === 0 ? openSocket() : this.#pause().then(openSocket)),
      timers,
      random,
      backOffMsMax: BACK_OFF_MS_MAX,
      onState: (state) => {
        if (state.is === "ended" && state.code === CLOSE.final) this.#events.closed(state.reason ?? "");
      },
      session: (socket, lost) => this.#session(socket, lost),
    });
  }

  /** The answer is unknown at once while there is no seat. */
  request<M extends keyof Requests & string>(
    method: M,
    data: z.input<Requests[M]["input"]>,
  ): Promise<Answer<z.output<Requests[M]["output"]>>> {
    if (!this.#seated || this.#peer === undefined) return Promise.resolve({ is: "unknown", cause: "closed" });
    return this.#peer.request(method, data);
  }

  candidate(candidate: z.input<Contract["client"]["notifications"]["candidate"]>): void {
    if (this.#seated) this.#peer?.notify("candidate", candidate);
  }

  /** Reports the delay, for staff. Without a seat, or a platform that knows it, it is lost. */
  delay(report: z.input<Contract["client"]["notifications"]["delay"]>): void {
    if (this.#seated) this.#peer?.notify("delay", report);
  }

  get online(): boolean {
    return this.#seated;
  }

  /** Reconnects at once instead of after the present wait. */
  retryNow(): void {
    this.#connection?.retryNow();
  }

  stop(): void {
    this.#stopPause();
    this.#connection?.stop();
  }

  #pause(): Promise<void> {
    const waitMs = this.#heldSeconds * 1_000;
    this.#heldSeconds = 0;
    return new Promise((over) => {
      this.#stopPause = this.#deps.timers.after(waitMs, over);
    });
  }

  #session(socket: FrameSocket, lost: (code: number, reason: string) => void): void {
    const { timers, log } = this.#deps;
    const peer = createPeer({
      contract: gameSocket,
      end: "client",
      socket,
      timers,
      handlers: {},
      listeners: this.#events.listeners,
      log,
      onClose: (code, reason) => {
        if (this.#peer === peer) this.#gone(code, reason);
        lost(code, reason);
      },
    });
    this.#peer = peer;
    void this.#sit(peer);
  }

  #gone(code: number, reason: string): void {
    this.#peer = undefined;
    this.#seated = false;
    const isForPlayer = reason !== "" && code !== CLOSE.restart && !OWN_REASONS.has(reason);
    if (isForPlayer) this.#events.online(false, reason);
    else this.#events.online(false);
  }

  async #sit(peer: Peer<Contract, "client">): Promise<void> {
    const init = await this.#events.init().catch((error: unknown) => {
      this.#deps.log("The page could not make its offer.", error);
      return undefined;
    });
    if (peer.closed) return;
    if (init === undefined) {
      peer.close(CLOSE.later, "no offer");
      return;
    }
    const answer = await peer.request("init", init);
    if (peer !== this.#peer) return;
    if (answer.is === "done") {
      this.#seated = true;
      this.#wasSeated = true;
      this.#events.online(true);
      this.#events.seated(answer.data);
    } else if (answer.is === "refused" && answer.refusal.name === "request.too_many") {
      this.#heldSeconds = secondsOf(answer.refusal);
      this.#events.held(this.#heldSeconds);
      peer.close(CLOSE.later, "no answer to init");
    } else if (answer.is === "refused" && !this.#mayPass(answer.refusal)) this.#events.refused(answer.refusal);
    else peer.close(CLOSE.later, "no answer to init");
  }

  /** A player who had the seat waits for a machine that is away for a moment; a new player gets the refusal. */
  #mayPass({ name }: Refusal): boolean {
    return this.#wasSeated && (name === "machine.unreachable" || name === "pipeline.failed");
  }
}

/** A refusal without seconds waits a little; no refusal holds the page for longer than our longest rate limit. */
function secondsOf({ params }: Refusal): number {
  const seconds = Number(params?.["seconds"]);
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(Math.ceil(seconds), HELD_SECONDS_MAX) : HELD_SECONDS;
}
