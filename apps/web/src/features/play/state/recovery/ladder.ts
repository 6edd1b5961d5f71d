/** What is being done about missing pictures, from the cheapest: a key frame, another way, another connection, one without UDP. */
export type Step = "keyFrame" | "restart" | "renew" | "tcp";

/** The ladder is looked at so often, ms. */
export const LOOK_MS = 100;
/** Pictures that stay away so long are missing, ms: with `LOOK_MS` it is noticed within 500. Thirty a second leave twelve out by then. */
export const NOTICE_MS = 400;
/** On a hidden page nobody waits, and little may come, ms. */
export const HIDDEN_NOTICE_MS = 5_000;
/** A page that is seen again has its picture switched on first, ms. */
const SEEN_AGAIN_MS = 1_500;
/** A connection that was just begun has longer: its keys are made first, ms. */
export const CONNECT_MS = 3_000;
/**
 * How long each step may take to bring pictures, ms. A cut link that returns within the first brings them by itself, over the pair of
 * addresses that stood. A restart gives that pair up, and a browser looks for another only twice a second as long as it believes in it
 * (measured: up to two seconds); a new connection looks twenty times a second and stands 0.4 s after the link is back.
 */
export const PATIENCE_MS: Readonly<Record<Step, number>> = { keyFrame: 900, restart: 1_000, renew: 4_000, tcp: 4_500 };
/** Packets that come without pictures need a key frame and no other way: asked for so long, ms. */
export const KEY_FRAMES_MS = 3_000;
const KEY_FRAME_EVERY_MS = 300;
/** Loss over UDP with which nothing can be watched: every picture is some ten packets. */
export const POOR_LOSS = 0.25;
/** Bad for so long in the last while: UDP is let through in drops only, ms. Good time wears it off at half the speed. */
export const POOR_MS = 5_000;
/** After a change of the network a step that began earlier than this is begun anew, ms. */
const SETTLE_MS = 500;
/** Pictures that stop so soon after a change of the network stopped because of it, ms. */
const CHANGED_MS = 3_000;

/** A new connection that does not even come about has tried TCP as well: so many are made before one without UDP. */
export const RENEWALS = 3;

const AFTER: Readonly<Record<Step, Step>> = { keyFrame: "restart", restart: "renew", renew: "tcp", tcp: "renew" };

export type LadderDeps = {
  readonly now: () => number;
  /** Pictures come, or are missing. */
  readonly live: (live: boolean) => void;
  /** The step under way; undefined: none is needed. */
  readonly step: (step: Step | undefined) => void;
  /** The connection stands, though no pictures come over it. */
  readonly stands: () => boolean;
  /** Does it. A key frame is asked for again and again; the others begin anew each time. */
  readonly take: (step: Step) => void;
};

/** What is known at a look. Counters only grow, but from zero again with a new connection. */
export type Sign = {
  /** Of the video. */
  readonly bytes: number;
  readonly frames: number;
  /** Of everything that came over the connection. */
  readonly linkBytes: number;
  /** Nothing is drawn on a hidden page, and its picture may be switched off: whatever comes shows that the connection stands. */
  readonly hidden: boolean;
  /** The pictures come over UDP, and with more loss than they can be watched with. */
  readonly poor: boolean;
  /** Not yet without UDP: a poor way may be left for TCP. */
  readonly udp: boolean;
};

/** Notices that no pictures come and mends, step by step, until they do. It gives up never, and asks for no more than it must. */
export class Ladder {
  readonly #deps: LadderDeps;
  #begun = false;
  #live = false;
  #step: Step | undefined;
  #last: Sign = { bytes: -1, frames: -1, linkBytes: -1, hidden: false, poor: false, udp: false };
  #grownAt = 0;
  /** The last picture; a connection that begins brings none yet. */
  #seenAt: number | undefined;
  #packetsAt = Number.NEGATIVE_INFINITY;
  #changedAt = Number.NEGATIVE_INFINITY;
  #lookedAt = 0;
  #looksSince = 0;
  #stepAt = Number.NEGATIVE_INFINITY;
  #askedAt = 0;
  #notBefore = 0;
  #badMs = 0;
  #renewals = 0;

  constructor(deps: LadderDeps) {
    this.#deps = deps;
  }

  /** A connection was begun: it has its time to bring pictures. */
  begin(): void {
    const now = this.#deps.now();
    this.#begun = true;
    // A step of its own: a change of the network that is told just behind it leaves it alone.
    this.#stepAt = now;
    if (!this.#live) this.#grownAt = now;
    this.#notBefore = Math.max(this.#notBefore, now + CONNECT_MS);
  }

  /** A picture was shown. */
  shown(): void {
    this.#grew(this.#deps.now());
  }

  /** Regularly, each `LOOK_MS`; this is what drives the ladder. */
  look(sign: Sign | undefined): void {
    const now = this.#deps.now();
    const passedMs = Math.min(now - this.#lookedAt, NOTICE_MS);
    this.#lookedAt = now;
    if (!this.#begun) return;
    this.#looksSince += 1;
    if (sign !== undefined) this.#read(sign, now);
    const { hidden } = this.#last;
    // A page that was held up itself has missed nothing: it must have looked twice without finding any.
    const missing = this.#looksSince >= 2 && now - this.#grownAt >= (hidden ? HIDDEN_NOTICE_MS : NOTICE_MS);
    if (missing) this.#say(false);
    if (missing && (this.#step !== undefined || now >= this.#notBefore)) this.#climb(now);
    if (sign?.udp === true && !hidden) this.#judge(missing ? this.#step !== undefined : sign.poor, passedMs);
  }

  /** The browser gave the connection up. */
  failed(): void {
    if (!this.#begun) return;
    this.#say(false);
    this.#take("renew");
  }

  /** The network changed, or the computer slept: what is missing is not waited for. */
  hurry(): void {
    const now = this.#deps.now();
    this.#changedAt = now;
    if (!this.#begun || now - this.#grownAt < NOTICE_MS) return;
    this.#renewals = 0;
    if (this.#step === undefined || this.#step === "keyFrame") this.#take("restart");
    // UDP may have been missing with everything else: it is left out no more.
    else if (this.#step === "tcp") this.#take("renew");
    else if (now - this.#stepAt >= SETTLE_MS) this.#take(this.#step);
  }

  /** For how long no picture came, ms; 0 before the first connection, and without a picture so far since it began. */
  missingMs(): number {
    return this.#begun ? this.#deps.now() - (this.#seenAt ?? this.#grownAt) : 0;
  }

  #say(next: boolean): void {
    if (this.#live === next) return;
    this.#live = next;
    this.#deps.live(next);
  }

  #take(next: Step): void {
    this.#stepAt = this.#deps.now();
    this.#askedAt = this.#stepAt;
    this.#notBefore = this.#stepAt + PATIENCE_MS[next];
    if (next === "renew" || next === "tcp") this.#badMs = 0;
    this.#renewals = next === "renew" ? this.#renewals + 1 : 0;
    if (next !== this.#step) this.#deps.step(next);
    this.#step = next;
    this.#deps.take(next);
  }

  #grew(now: number): void {
    this.#grownAt = now;
    this.#seenAt = now;
    this.#looksSince = 0;
    this.#notBefore = now;
    if (this.#step !== undefined) this.#deps.step(undefined);
    this.#step = undefined;
    this.#say(true);
  }

  /** News of the counters: a picture, or on a hidden page anything. */
  #read(sign: Sign, now: number): void {
    const last = this.#last;
    this.#last = sign;
    if (sign.bytes !== last.bytes && sign.bytes > 0) this.#packetsAt = now;
    const morePictures = sign.frames !== last.frames && sign.frames > 0;
    const more = sign.linkBytes !== last.linkBytes && sign.linkBytes > 0;
    if (morePictures || (sign.hidden && more)) this.#grew(now);
    if (last.hidden && !sign.hidden && this.#live) {
      this.#grew(now);
      this.#notBefore = now + SEEN_AGAIN_MS;
    }
  }

  #climb(now: number): void {
    // Packets come, only pictures do not: the way is good.
    const onlyKeyFrame = this.#step === "keyFrame" && now - this.#packetsAt < NOTICE_MS;
    if (onlyKeyFrame && now - this.#stepAt >= KEY_FRAMES_MS) this.#take("renew");
    else if (now >= this.#notBefore && !onlyKeyFrame) this.#take(this.#next(now));
    else if (this.#step === "keyFrame" && now - this.#askedAt >= KEY_FRAME_EVERY_MS) {
      this.#askedAt = now;
      this.#deps.take("keyFrame");
    }
  }

  #next(now: number): Step {
    if (this.#step === "renew" && this.#renewals < RENEWALS && !this.#deps.stands()) return "renew";
    if (this.#step !== undefined) return AFTER[this.#step];
    return now - this.#changedAt < CHANGED_MS ? "restart" : "keyFrame";
  }

  /** A way that is bad for most of the time is left, though a picture comes through now and then. */
  #judge(bad: boolean, passedMs: number): void {
    this.#badMs = Math.max(0, this.#badMs + (bad ? passedMs : -passedMs / 2));
    if (bad && this.#badMs >= POOR_MS && this.#step !== "renew" && this.#step !== "tcp") this.#take("tcp");
  }
}
