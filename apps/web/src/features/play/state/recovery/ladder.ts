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
 * How long each step may take to bring pictures, ms. A restart is looked for anew all the time, so that a cut link that returns is found
 * at once; a new connection takes some round trips, and the platform lets one through each two seconds.
 */
export const PATIENCE_MS: Readonly<Record<Step, number>> = { keyFrame: 600, restart: 2_500, renew: 4_000, tcp: 4_500 };
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

const AFTER: Readonly<Record<Step, Step>> = { keyFrame: "restart", restart: "renew", renew: "tcp", tcp: "renew" };

export type LadderDeps = {
  readonly now: () => number;
  /** Pictures come, or are missing. */
  readonly live: (live: boolean) => void;
  /** The step under way; undefined: none is needed. */
  readonly step: (step: Step | undefined) => void;
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

export type Ladder = {
  /** A connection was begun: it has its time to bring pictures. */
  begin(): void;
  /** A picture was shown. */
  shown(): void;
  /** Regularly, each `LOOK_MS`; this is what drives the ladder. */
  look(sign: Sign | undefined): void;
  /** The browser gave the connection up. */
  failed(): void;
  /** The network changed, or the computer slept: what is missing is not waited for. */
  hurry(): void;
  /** For how long no picture came, ms; 0 before the first connection. */
  missingMs(): number;
};

/** Notices that no pictures come and mends, step by step, until they do. It gives up never, and asks for no more than it must. */
export function createLadder(deps: LadderDeps): Ladder {
  let begun = false;
  let live = false;
  let step: Step | undefined;
  let grownAt = 0;
  let packetsAt = Number.NEGATIVE_INFINITY;
  let changedAt = Number.NEGATIVE_INFINITY;
  let lookedAt = 0;
  let looksSince = 0;
  let stepAt = Number.NEGATIVE_INFINITY;
  let askedAt = 0;
  let notBefore = 0;
  let badMs = 0;
  let bytes = -1;
  let frames = -1;
  let linkBytes = -1;
  let hidden = false;

  function say(next: boolean): void {
    if (live === next) return;
    live = next;
    deps.live(next);
  }

  function take(next: Step): void {
    stepAt = deps.now();
    askedAt = stepAt;
    notBefore = stepAt + PATIENCE_MS[next];
    if (next === "renew" || next === "tcp") badMs = 0;
    if (next !== step) deps.step(next);
    step = next;
    deps.take(next);
  }

  function grew(now: number): void {
    grownAt = now;
    looksSince = 0;
    notBefore = now;
    if (step !== undefined) deps.step(undefined);
    step = undefined;
    say(true);
  }

  /** News of the counters: a picture, or on a hidden page anything. */
  function read(sign: Sign, now: number): void {
    const morePackets = sign.bytes !== bytes && sign.bytes > 0;
    const morePictures = sign.frames !== frames && sign.frames > 0;
    const more = sign.linkBytes !== linkBytes && sign.linkBytes > 0;
    ({ bytes, frames, linkBytes } = sign);
    if (morePackets) packetsAt = now;
    if (morePictures || (sign.hidden && more)) grew(now);
    if (hidden && !sign.hidden && live) {
      grew(now);
      notBefore = now + SEEN_AGAIN_MS;
    }
    hidden = sign.hidden;
  }

  function climb(now: number): void {
    // Packets come, only pictures do not: the way is good.
    const onlyKeyFrame = step === "keyFrame" && now - packetsAt < NOTICE_MS;
    if (onlyKeyFrame && now - stepAt >= KEY_FRAMES_MS) take("renew");
    else if (now >= notBefore && !onlyKeyFrame) take(nextStep(now));
    else if (step === "keyFrame" && now - askedAt >= KEY_FRAME_EVERY_MS) {
      askedAt = now;
      deps.take("keyFrame");
    }
  }

  function nextStep(now: number): Step {
    if (step !== undefined) return AFTER[step];
    return now - changedAt < CHANGED_MS ? "restart" : "keyFrame";
  }

  /** A way that is bad for most of the time is left, though a picture comes through now and then. */
  function judge(bad: boolean, passedMs: number): void {
    badMs = Math.max(0, badMs + (bad ? passedMs : -passedMs / 2));
    if (bad && badMs >= POOR_MS && step !== "renew" && step !== "tcp") take("tcp");
  }

  return {
    begin() {
      const now = deps.now();
      begun = true;
      if (!live) grownAt = now;
      notBefore = Math.max(notBefore, now + CONNECT_MS);
    },
    shown: () => grew(deps.now()),
    look(sign) {
      const now = deps.now();
      const passedMs = Math.min(now - lookedAt, NOTICE_MS);
      lookedAt = now;
      if (!begun) return;
      looksSince += 1;
      if (sign !== undefined) read(sign, now);
      // A page that was held up itself has missed nothing: it must have looked twice without finding any.
      const missing = looksSince >= 2 && now - grownAt >= (hidden ? HIDDEN_NOTICE_MS : NOTICE_MS);
      if (missing) say(false);
      if (missing && (step !== undefined || now >= notBefore)) climb(now);
      if (sign?.udp === true && !hidden) judge(missing ? step !== undefined : sign.poor, passedMs);
    },
    failed() {
      if (!begun) return;
      say(false);
      take("renew");
    },
    hurry() {
      const now = deps.now();
      changedAt = now;
      if (!begun || now - stepAt < SETTLE_MS || now - grownAt < NOTICE_MS) return;
      take(step === undefined || step === "keyFrame" ? "restart" : step);
    },
    missingMs: () => (begun ? deps.now() - grownAt : 0),
  };
}
