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

/** A player waits at a machine: the seat is taken up again soon after the network is back, ms. */
const BACK_OFF_MS_MAX = 2_000;

/** How long an `init` waits that was refused as one too many, s: without a word of the platform, and at most. */
const HELD_SECONDS = 2;
const HELD_SECONDS_MAX = 3_600;

/** Reasons of closes that came from this page: nothing for the player. */
const OURS: ReadonlySet<string> = new Set(["silent", "stopped", "no offer", "no answer to init"]);

type Contract = typeof gameSocket;
type Requests = Contract["client"]["requests"];
export type GameListeners = Listeners<Contract["server"]["notifications"]>;

export type GameLinkDeps = {
  readonly open: () => Promise<FrameSocket>;
  readonly timers: Timers;
  readonly random: () => number;
  readonly log: (sentence: string, error?: unknown) => void;
  /** What `init` carries, with a fresh offer of the page. */
  readonly init: () => Promise<z.input<typeof InitAsk>>;
  readonly listeners: GameListeners;
  /** The seat is ours (again). */
  readonly seated: (answer: InitAnswer) => void;
  /** The platform said no, and will not say yes to the same question. */
  readonly refused: (refusal: Refusal) => void;
  /** False from the loss of the socket until the seat is ours again; `because`: what the platform said when it closed. */
  readonly online: (online: boolean, because?: string) => void;
  /** The platform answered that the page asks too often: it asks again after so many seconds, and not before. */
  readonly held: (seconds: number) => void;
  /** The platform closed for good (4000), with its reason. */
  readonly closed: (reason: string) => void;
};

/** The game socket of one machine: comes back by itself, takes the seat again each time, and never after a final close. */
export class GameLink {
  readonly #deps: GameLinkDeps;
  readonly #connection: { stop(): void; retryNow(): void };
  #peer: Peer<Contract, "client"> | undefined;
  #seated = false;
  #wasSeated = false;
  /** How long the platform wants no `init`, s; waited for before the next socket is opened. */
  #heldSeconds = 0;
  #stopPause: Stop = () => {};

  constructor(deps: GameLinkDeps) {
    this.#deps = deps;
    this.#connection = stayConnected({
      open: () => (this.#heldSeconds === 0 ? deps.open() : this.#pause().then(deps.open)),
      timers: deps.timers,
      random: deps.random,
      backOffMsMax: BACK_OFF_MS_MAX,
      onState: (state) => {
        if (state.is === "ended" && state.code === CLOSE.final) deps.closed(state.reason ?? "");
      },
      session: (socket, lost) => this.#session(socket, lost),
    });
  }

  /** Unknown at once while there is no seat. */
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

  get online(): boolean {
    return this.#seated;
  }

  /** Skips the present wait. */
  retryNow(): void {
    this.#connection.retryNow();
  }

  stop(): void {
    this.#stopPause();
    this.#connection.stop();
  }

  #pause(): Promise<void> {
    const waitMs = this.#heldSeconds * 1_000;
    this.#heldSeconds = 0;
    return new Promise((over) => {
      this.#stopPause = this.#deps.timers.after(waitMs, over);
    });
  }

  #session(socket: FrameSocket, lost: (code: number, reason: string) => void): void {
    const { timers, log, listeners } = this.#deps;
    const peer = createPeer({
      contract: gameSocket,
      end: "client",
      socket,
      timers,
      handlers: {},
      listeners,
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
    const said = reason !== "" && code !== CLOSE.restart && !OURS.has(reason);
    if (said) this.#deps.online(false, reason);
    else this.#deps.online(false);
  }

  async #sit(peer: Peer<Contract, "client">): Promise<void> {
    const ask = await this.#deps.init().catch((error: unknown) => {
      this.#deps.log("The page could not make its offer.", error);
      return undefined;
    });
    if (peer.closed) return;
    if (ask === undefined) {
      peer.close(CLOSE.later, "no offer");
      return;
    }
    const answer = await peer.request("init", ask);
    if (peer !== this.#peer) return;
    if (answer.is === "done") {
      this.#seated = true;
      this.#wasSeated = true;
      this.#deps.online(true);
      this.#deps.seated(answer.data);
    } else if (answer.is === "refused" && answer.refusal.name === "request.too_many") {
      this.#heldSeconds = secondsOf(answer.refusal);
      this.#deps.held(this.#heldSeconds);
      peer.close(CLOSE.later, "no answer to init");
    } else if (answer.is === "refused" && !this.#comesBack(answer.refusal)) this.#deps.refused(answer.refusal);
    else peer.close(CLOSE.later, "no answer to init");
  }

  /** Somebody who sat already waits for a machine that is away for a moment; a newcomer is told. */
  #comesBack({ name }: Refusal): boolean {
    return this.#wasSeated && (name === "machine.unreachable" || name === "pipeline.failed");
  }
}

/** A refusal without its seconds is waited for a little; none holds a seat's page for longer than the longest limit of ours. */
function secondsOf({ params }: Refusal): number {
  const seconds = Number(params?.["seconds"]);
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(Math.ceil(seconds), HELD_SECONDS_MAX) : HELD_SECONDS;
}
