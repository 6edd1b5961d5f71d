import type { GameLinkDeps } from "./game-link.ts";
import { GameLink } from "./game-link.ts";
import { openTransfers } from "./money/open-transfers.ts";
import type { Transfers } from "./money/transfers.ts";
import { MediaLink } from "./picture/media-link.ts";
import type { MediaEvents } from "./picture/media-link-deps.ts";
import { PictureMeter } from "./picture/picture-meter.ts";
import type { PlaySessionDeps } from "./play-session-deps.ts";
import { ClockAsker } from "./press/clock-asker.ts";
import { ClockMatch } from "./press/clock-match.ts";
import type { PressTold } from "./press/panel.ts";
import { Panel } from "./press/panel.ts";
import { PressSender } from "./press/press-sender.ts";
import { isFair } from "./recovery/fairness.ts";
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
