/** What is being done about missing video, cheapest first: a key frame, an ICE restart, another connection, one without UDP. */
export type RecoveryStep = "keyFrame" | "restart" | "renew" | "tcp";

/** How often `look` is called, ms. */
export const LOOK_MS = 100;
/** Video is missing after so long without a frame, ms: with `LOOK_MS` it is noticed within 500. That is twelve frames of thirty a second. */
export const NOTICE_MS = 400;
/** The same on a hidden page: the player does not wait there, and little may arrive, ms. */
export const HIDDEN_NOTICE_MS = 5_000;
/** A page that becomes visible has its video switched on first, ms. */
const SEEN_AGAIN_MS = 1_500;
/** A new connection has longer: it agrees on keys first, ms. */
export const CONNECT_MS = 3_000;
/**
 * How long each step may take to bring video back, ms. A cut link that returns within the first brings it back by itself, over the same
 * candidate pair. A restart gives that pair up, and a browser checks others only twice a second while it trusts the old one (measured: up
 * to two seconds); a new connection checks twenty times a second and is connected 0.4 s after the link is back. It counts from the answer to
 * the step's offer: one that is replaced while a busy agent still answers it has no use, and costs that agent as much again.
 */
export const PATIENCE_MS: Readonly<Record<RecoveryStep, number>> = {
  keyFrame: 900,
  restart: 1_000,
  renew: 4_000,
  tcp: 4_500,
};
/** Packets without frames need a key frame and no other connection: requested for so long, ms. */
export const KEY_FRAMES_MS = 3_000;
const KEY_FRAME_EVERY_MS = 300;
/** Loss over UDP that makes video unwatchable: every frame is some ten packets. */
export const POOR_LOSS = 0.25;
/** UDP is given up after so much bad time, ms. Good time reduces it at half the speed. */
export const POOR_MS = 5_000;
/** After a change of the network a step older than this is started again, ms. */
const SETTLE_MS = 500;
/** Video that stops so soon after a change of the network stopped because of it, ms. */
const CHANGED_MS = 3_000;

/** A new connection that does not connect has tried TCP as well: so many are made before one without UDP. */
export const RENEWALS = 3;

const AFTER: Readonly<Record<RecoveryStep, RecoveryStep>> = {
  keyFrame: "restart",
  restart: "renew",
  renew: "tcp",
  tcp: "renew",
};

/** What the recovery acts on. */
export type RecoveryTarget = {
  /** Video arrives, or is missing. */
  live(live: boolean): void;
  /** The step under way; undefined: none is needed. */
  step(step: RecoveryStep | undefined): void;
  /** Runs the step. A key frame is requested again and again; the other steps begin anew each time. */
  run(step: RecoveryStep): void;
  /** The connection is connected, though no video arrives over it. */
  isConnected(): boolean;
  /** An offer waits for its answer. It ends by itself: with the answer, with the game socket, or when the request is given up. */
  isAsking(): boolean;
  /** The game socket is open, and no offer waits for its answer. */
  isAnswered(): boolean;
};

/** What is known at a look. Counters only grow, and begin at zero again with a new connection. */
export type VideoSign = {
  /** Of the video. */
  readonly bytes: number;
  readonly frames: number;
  /** Of everything received over the connection. */
  readonly linkBytes: number;
  /** Nothing is drawn on a hidden page, and its video may be switched off: any traffic shows that the connection works. */
  readonly hidden: boolean;
  /** The video arrives over UDP, and with too much loss to be watched. */
  readonly poor: boolean;
  /** The connection uses UDP: a poor one may be given up for TCP. */
  readonly udp: boolean;
};

/** Notices that video is missing and escalates, step by step, until it is back. It never gives up, and does no more than it must. */
export class Recovery {
  readonly #now: () => number;
  readonly #target: RecoveryTarget;
  #begun = false;
  #live = false;
  #step: RecoveryStep | undefined;
  #last: VideoSign = { bytes: -1, frames: -1, linkBytes: -1, hidden: false, poor: false, udp: false };
  #grownAt = 0;
  /** When the last frame was shown; undefined before the first one. */
  #seenAt: number | undefined;
  #packetsAt = Number.NEGATIVE_INFINITY;
  #changedAt = Number.NEGATIVE_INFINITY;
  #lookedAt = 0;
  #looksSince = 0;
  #stepAt = Number.NEGATIVE_INFINITY;
  #requestedAt = 0;
  #notBefore = 0;
  #badMs = 0;
  #renewals = 0;

  constructor(now: () => number, target: RecoveryTarget) {
    this.#now = now;
    this.#target = target;
  }

  /** A connection was begun: it has its time to bring video. */
  begin(): void {
    const now = this.#now();
    this.#begun = true;
    // Counts as a step: a change of the network that is reported just after it leaves it alone.
    this.#stepAt = now;
    if (!this.#live) this.#grownAt = now;
    this.#notBefore = Math.max(this.#notBefore, now + CONNECT_MS);
  }

  /** A frame was shown. */
  frameShown(): void {
    this.#grew(this.#now());
  }

  /** To be called every `LOOK_MS`: drives the recovery. */
  look(sign: VideoSign | undefined): void {
    const now = this.#now();
    const passedMs = Math.min(now - this.#lookedAt, NOTICE_MS);
    this.#lookedAt = now;
    if (!this.#begun) return;
    this.#looksSince += 1;
    if (sign !== undefined) this.#read(sign, now);
    const { hidden } = this.#last;
    // A page that was held up itself has missed nothing: it must have looked twice without finding a frame.
    const missing = this.#looksSince >= 2 && now - this.#grownAt >= (hidden ? HIDDEN_NOTICE_MS : NOTICE_MS);
    if (missing) this.#setLive(false);
    if (missing && (this.#step !== undefined || now >= this.#notBefore)) this.#escalate(now);
    if (sign?.udp === true && !hidden) this.#judge(missing ? this.#step !== undefined : sign.poor, passedMs);
  }

  /** The browser gave up on the connection. */
  failed(): void {
    if (!this.#begun) return;
    this.#setLive(false);
    this.#run("renew");
  }

  /** The network changed, or the computer slept: acts at once on missing video. */
  hurry(): void {
    const now = this.#now();
    this.#changedAt = now;
    if (!this.#begun || now - this.#grownAt < NOTICE_MS) return;
    this.#renewals = 0;
    // Unlike a restart it leaves the old candidate pair alone, which may work again, and UDP, which may have been missing with everything else, gets
    // another chance.
    if (this.#step !== "renew" || now - this.#stepAt >= SETTLE_MS) this.#run("renew");
  }

  /** For how long no frame was shown, ms: since the connection began while there was none, and 0 before the first connection. */
  missingMs(): number {
    return this.#begun ? this.#now() - (this.#seenAt ?? this.#grownAt) : 0;
  }

  #setLive(next: boolean): void {
    if (this.#live === next) return;
    this.#live = next;
    this.#target.live(next);
  }

  #run(next: RecoveryStep): void {
    this.#stepAt = this.#now();
    this.#requestedAt = this.#stepAt;
    this.#notBefore = this.#stepAt + PATIENCE_MS[next];
    if (next === "renew" || next === "tcp") this.#badMs = 0;
    this.#renewals = next === "renew" ? this.#renewals + 1 : 0;
    if (next !== this.#step) this.#target.step(next);
    this.#step = next;
    this.#target.run(next);
  }

  #grew(now: number): void {
    this.#grownAt = now;
    this.#seenAt = now;
    this.#looksSince = 0;
    this.#notBefore = now;
    if (this.#step !== undefined) this.#target.step(undefined);
    this.#step = undefined;
    this.#setLive(true);
  }

  /** Reads the counters for a new frame, or on a hidden page for any traffic. */
  #read(sign: VideoSign, now: number): void {
    const last = this.#last;
    this.#last = sign;
    if (sign.bytes !== last.bytes && sign.bytes > 0) this.#packetsAt = now;
    const moreFrames = sign.frames !== last.frames && sign.frames > 0;
    const more = sign.linkBytes !== last.linkBytes && sign.linkBytes > 0;
    if (moreFrames || (sign.hidden && more)) this.#grew(now);
    if (last.hidden && !sign.hidden && this.#live) {
      this.#grew(now);
      this.#notBefore = now + SEEN_AGAIN_MS;
    }
  }

  #escalate(now: number): void {
    if (this.#step !== undefined && this.#target.isAsking()) this.#notBefore = now + PATIENCE_MS[this.#step];
    // Packets arrive, only frames do not: the connection is good.
    const onlyKeyFrame = this.#step === "keyFrame" && now - this.#packetsAt < NOTICE_MS;
    if (onlyKeyFrame && now - this.#stepAt >= KEY_FRAMES_MS) this.#run("renew");
    else if (now >= this.#notBefore && !onlyKeyFrame) this.#run(this.#next(now));
    else if (this.#step === "keyFrame" && now - this.#requestedAt >= KEY_FRAME_EVERY_MS) {
      this.#requestedAt = now;
      this.#target.run("keyFrame");
    }
  }

  #next(now: number): RecoveryStep {
    if (this.#step === "renew" && this.#renewals < RENEWALS && !this.#target.isConnected()) return "renew";
    if (this.#step !== undefined) return AFTER[this.#step];
    return now - this.#changedAt < CHANGED_MS ? "renew" : "keyFrame";
  }

  /** Gives UDP up once it is bad for most of the time, though a frame arrives now and then. A link that is cut altogether says nothing of UDP. */
  #judge(bad: boolean, passedMs: number): void {
    if (bad && !this.#target.isAnswered()) return;
    this.#badMs = Math.max(0, this.#badMs + (bad ? passedMs : -passedMs / 2));
    const isUnderWay = this.#step === "renew" || this.#step === "tcp";
    if (bad && this.#badMs >= POOR_MS && !isUnderWay) this.#run("tcp");
  }
}

/** A connection without UDP tries it again after so long, ms; a try that did not hold doubles it up to the maximum. */
export const RETURN_MS = 30_000;
export const RETURN_MS_MAX = 300_000;
/** UDP that holds so long counts as working again, ms. */
export const HELD_MS = 60_000;
/** A try has ended by then, ms. */
export const TRIED_MS = 10_000;

/**
 * When a connection that had to give UDP up tries it again: by an ICE restart of the same connection with every candidate, which costs a
 * moment and falls back to TCP by itself where UDP is still closed.
 */
export class UdpReturn {
  readonly #now: () => number;
  #waitMs = RETURN_MS;
  #dueAt = Number.POSITIVE_INFINITY;
  #triedAt: number | undefined;
  #wasUdp = false;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** UDP had to be given up (again). */
  left(): void {
    this.#wait(this.#triedAt !== undefined && this.#now() - this.#triedAt < HELD_MS);
  }

  /** True once, when it is time to try. */
  isDue(): boolean {
    if (this.#now() < this.#dueAt) return false;
    this.#triedAt = this.#now();
    this.#dueAt = Number.POSITIVE_INFINITY;
    return true;
  }

  /** What the connection uses now: ICE may have left UDP by itself, and a try that ended without UDP is repeated later. */
  uses(udp: boolean): void {
    const tried = this.#triedAt !== undefined && this.#now() - this.#triedAt >= TRIED_MS;
    const lost = this.#wasUdp && this.#triedAt === undefined && !Number.isFinite(this.#dueAt);
    if (!udp && (tried || lost)) this.#wait(tried);
    this.#wasUdp = udp;
  }

  /** The network changed: what was closed may be open. */
  trySoon(): void {
    if (Number.isFinite(this.#dueAt)) this.#dueAt = this.#now();
  }

  /** The connection in use may use every candidate. */
  cancel(): void {
    this.#dueAt = Number.POSITIVE_INFINITY;
  }

  #wait(longer: boolean): void {
    this.#waitMs = longer ? Math.min(RETURN_MS_MAX, this.#waitMs * 2) : RETURN_MS;
    this.#dueAt = this.#now() + this.#waitMs;
    this.#triedAt = undefined;
  }
}
