import { ClockAnswer } from "@longarm/contract/data-channel";
import type { Stop, Timers } from "@longarm/link/socket";
import type { GameLinkDeps } from "./game-link.ts";
import { GameLink } from "./game-link.ts";
import { Transfers } from "./money/transfers.ts";
import { MediaLink } from "./picture/media-link.ts";
import type { MediaEvents } from "./picture/media-link-deps.ts";
import { PictureMeter } from "./picture/picture-meter.ts";
import { CONTROL_SILENT_MS } from "./picture/readout.ts";
import type { PlaySessionDeps } from "./play-session-deps.ts";
import { ClockMatch } from "./press/clock-match.ts";
import type { PressTold } from "./press/panel.ts";
import { Panel } from "./press/panel.ts";
import { PressSender } from "./press/press-sender.ts";
import type { Scope } from "./scope.ts";

/** The objects a play session is made of. Each knows its own matter; the session tells one what another said. */
export type Parts = {
  /** The agent's clock beside the page's. */
  readonly clock: ClockMatch;
  readonly asker: ClockAsker;
  readonly sender: PressSender;
  readonly panel: Panel;
  readonly transfers: Transfers;
  readonly meter: PictureMeter;
  readonly media: MediaLink;
  readonly game: GameLink;
};

/** What the parts tell the session. */
export type PartsTold = Pick<GameLinkDeps, "listeners" | "seated" | "refused" | "online" | "held" | "closed"> &
  Pick<MediaEvents, "streams" | "live" | "recovery"> & {
    readonly pressTold: (press: PressTold) => void;
    /** Whether the link is good enough to play; told at every look. */
    readonly fair: (fair: boolean) => void;
  };

/** Opens every part; each ends with the scope, in the opposite order. Nothing is told before this returns. */
export function openParts(scope: Scope, deps: PlaySessionDeps, told: PartsTold): Parts {
  const { timers, now, play } = deps;
  const clock = new ClockMatch();
  const meter = new PictureMeter(clock, now, play.settings.framesPerSecond);
  const media = openMedia(deps, told, () => parts);
  scope.onEnd(() => media.end());
  const asker = new ClockAsker({ match: clock, timers, now, send: (frame) => media.send("clock", frame) });
  scope.onEnd(() => asker.end());
  const sender = new PressSender({
    timers,
    toAgent: (at) => clock.toAgent(at),
    channel: (frame) => media.send("press", frame),
    socket: (press) => parts.game.request("press", press),
  });
  scope.onEnd(() => sender.end());
  const panel = new Panel({
    timers,
    now,
    send: (wish) => sender.press(wish),
    throttleMs: play.settings.throttleMs,
    told: told.pressTold,
  });
  scope.onEnd(() => panel.forget());
  const transfers = openTransfers(deps, () => parts.game);
  const game = openGame(deps, told, media);
  scope.onEnd(() => game.stop());
  const parts: Parts = { clock, asker, sender, panel, transfers, meter, media, game };
  return parts;
}

function openMedia(
  { openRtc, play, timers, now, hidden }: PlaySessionDeps,
  told: PartsTold,
  parts: () => Parts,
): MediaLink {
  const { framesPerSecond, iceServers } = play.settings;
  return new MediaLink({
    ...{ openRtc, iceServers, timers, now, hidden, log: play.log },
    online: () => parts().game.online,
    sendOffer: (sdp) => parts().game.request("offer", { sdp, framesPerSecond }),
    sendCandidate: (candidate) => parts().game.candidate(candidate),
    events: {
      streams: told.streams,
      channelOpen: (name) => name === "clock" && parts().asker.start(),
      channelFrame: (name, frame) => (name === "clock" ? parts().asker : parts().sender).heard(frame),
      stats: (stats) => parts().meter.stats(stats),
      live: told.live,
      recovery: (step) => {
        parts().meter.recovery(step);
        told.recovery(step);
      },
      keyFrame: () => parts().asker.wantKeyFrame(),
      looked: (missingMs) => {
        const { meter, game } = parts();
        if (hidden()) meter.unseen();
        const { controlMs } = meter;
        const { delayMs } = meter.link.getState().readout;
        told.fair(isFair({ missingMs, delayMs, controlMs, online: game.online }));
      },
    },
  });
}

function openGame(
  { machineId, role, openSocket, play, timers }: PlaySessionDeps,
  told: PartsTold,
  media: MediaLink,
): GameLink {
  const { listeners, seated, refused, online, held, closed } = told;
  return new GameLink({
    open: openSocket,
    timers,
    random: play.random,
    log: play.log,
    init: async () => ({
      machineID: machineId,
      token: play.token() ?? "",
      offer: await media.freshOffer(),
      framesPerSecond: play.settings.framesPerSecond,
      ...(role === "spectator" && { role }),
    }),
    ...{ listeners, seated, refused, online, held, closed },
  });
}

/** The transfers of a play session, asked over its game socket. */
function openTransfers({ machineId, play, timers }: PlaySessionDeps, game: () => GameLink): Transfers {
  return new Transfers({
    machineId,
    storage: play.storage,
    newId: play.newId,
    clock: play.clock,
    timers,
    cashIn: (id, amount) => game().request("cashIn", { id, amount }),
    cashOut: (id, amount) => game().request("cashOut", { id, ...(amount !== null && { amount }) }),
  });
}

/**
 * A link that is too poor to play fairly, by what the player can see. Without a picture for a second nobody sees what a press did; and a
 * picture that is a second old shows another game than the one pressed for, while a press that travels half of that is refused as stale.
 */
const FAIR_GAP_MS_MAX = 1_000;
/** Glass to glass, median of two seconds, ms. */
const FAIR_DELAY_MS_MAX = 1_000;

export type FairFacts = {
  /** Since the last picture, ms. */
  readonly missingMs: number;
  /** Unknown before the first pictures and where nothing tells it. */
  readonly delayMs: number | undefined;
  /** Since the agent answered last beside the picture, ms; undefined: it was never asked, and presses go by the platform. */
  readonly controlMs: number | undefined;
  readonly online: boolean;
};

export function isFair({ missingMs, delayMs, controlMs, online }: FairFacts): boolean {
  const isHeard = controlMs === undefined ? online : controlMs < CONTROL_SILENT_MS;
  return isHeard && missingMs < FAIR_GAP_MS_MAX && (delayMs === undefined || delayMs < FAIR_DELAY_MS_MAX);
}

const PERIOD_MS = 1_000;
/** The first few come quickly, so that the first press has a clock. */
const FIRST_PERIOD_MS = 100;
const FIRST_COUNT = 5;
/** Questions that may still be answered; an answer to anything else is not ours. */
const OPEN_MAX = 16;

type ClockAskerDeps = {
  readonly match: ClockMatch;
  readonly timers: Timers;
  /** Ms; the clock of the page's own events and frames. */
  readonly now: () => number;
  /** Sends over the `clock` channel; false while it is not open. */
  readonly send: (frame: string) => boolean;
};

/** Asks the agent for its time over the `clock` channel and feeds the match. */
export class ClockAsker {
  readonly #deps: ClockAskerDeps;
  #open: number[] = [];
  #asked = 0;
  #stop: Stop = () => {};

  constructor(deps: ClockAskerDeps) {
    this.#deps = deps;
  }

  /** Begins anew, for a channel that has just opened. */
  start(): void {
    this.end();
    this.#asked = 0;
    this.#ask();
  }

  end(): void {
    this.#stop();
    this.#open = [];
  }

  /** Asks at once, and for a picture that needs none before it. */
  wantKeyFrame(): void {
    this.#send({ keyFrame: true });
  }

  /** One frame of the channel; what is not an answer to an open question is dropped. */
  heard(frame: string): void {
    const t3 = this.#deps.now();
    const answer = readAnswer(frame);
    if (answer === undefined || !this.#open.includes(answer.t0)) return;
    this.#open = this.#open.filter((t0) => t0 !== answer.t0);
    this.#deps.match.add({ t0: answer.t0, t1: answer.t1, t2: answer.t2, t3 });
    if (answer.rtp !== null && answer.capturedAt !== null) this.#deps.match.addPicture(answer.rtp, answer.capturedAt);
  }

  #send(more: { keyFrame?: true }): void {
    const t0 = this.#deps.now();
    if (!this.#deps.send(JSON.stringify({ t0, ...more }))) return;
    this.#open = [...this.#open, t0].slice(-OPEN_MAX);
    this.#asked += 1;
  }

  #ask(): void {
    this.#send({});
    this.#stop = this.#deps.timers.after(this.#asked < FIRST_COUNT ? FIRST_PERIOD_MS : PERIOD_MS, () => this.#ask());
  }
}

function readAnswer(frame: string): ClockAnswer | undefined {
  try {
    const parsed = ClockAnswer.safeParse(JSON.parse(frame));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}
