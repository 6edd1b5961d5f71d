import { CLOSE } from "@longarm/contract/envelope";
import { OwnId } from "@longarm/contract/ids";
import { STAFF_VIDEO_PATH, STAFF_VIDEOS_MAX, staffVideo } from "@longarm/contract/staff-video";
import type { Handled } from "@longarm/link/answer";
import { done, refused } from "@longarm/link/answer";
import type { Peer } from "@longarm/link/peer";
import { createPeer } from "@longarm/link/peer";
import { fromWs } from "@longarm/link/ws-socket";
import * as z from "zod/mini";
import type { Bus } from "../../../bus/index.ts";
import type { Clock } from "../../../clock.ts";
import type { GuardedSocket } from "../../../plugins/guarded-socket.ts";
import type { SocketRoutes } from "../../../plugins/sockets.ts";
import { newId } from "../../../random.ts";
import type { Play } from "../../play/index.ts";
import type { TurnServers } from "../../play/session/index.ts";
import { CandidateCount, createOfferLimit, mintIceServers } from "../../play/session/index.ts";
import { openAudit } from "../../records/audit/index.ts";
import type { ActDeps, StaffCaller } from "../sign-in/index.ts";
import { actorOf, findCaller } from "../sign-in/index.ts";
import { cookieOf } from "./guard.ts";

/** Whether the person may still watch is looked up this often, ms. */
const LOOK_MS = 1_000;
/** Candidates at the beginning, an offer now and then. */
const MESSAGES_PER_SECOND_MAX = 40;
/** Sockets of one person: those that have ended may still be closing. */
const SOCKETS_PER_PERSON_MAX = 3 * STAFF_VIDEOS_MAX;

export type VideoDeps = ActDeps & {
  readonly idleMs: number;
  readonly origin: () => string;
  readonly clock: Clock;
  readonly bus: Pick<Bus, "subscribe">;
  readonly turn: TurnServers;
  readonly agents: Pick<Play["agents"], "request" | "candidate">;
};

/** One open video of a member of staff. */
type Video = {
  readonly secret: string;
  readonly staffId: string;
  readonly viewerId: string;
  readonly peer: Peer<typeof staffVideo, "server">;
  /** It has a place: an offer of it was answered, or is being answered. */
  watches: boolean;
};

/**
 * Live video of machines for the console, over the agents' way of spectators, with places of its own: it takes none of a spectator, and nothing is
 * encoded for it that a player would notice (record 0180). Adds the video socket.
 */
export function createVideos(deps: VideoDeps, sockets: SocketRoutes): { close(): void } {
  const videos = new Map<string, Video>();
  const of = (staffId: string) => [...videos.values()].filter((one) => one.staffId === staffId);

  async function mayWatch(secret: string | undefined): Promise<StaffCaller | undefined> {
    const caller = secret === undefined ? undefined : await findCaller(deps.db, secret, deps.idleMs);
    return caller?.permissions.has("machine.watch") === true && !caller.signIn.locked ? caller : undefined;
  }

  /** What is taken away from a person ends within a second, on every node. */
  async function look(): Promise<void> {
    for (const secret of new Set([...videos.values()].map((one) => one.secret))) {
      if ((await mayWatch(secret)) !== undefined) continue;
      for (const { peer } of [...videos.values()].filter((one) => one.secret === secret))
        peer.close(CLOSE.final, "not allowed");
    }
  }
  let looking = false;
  const stops = [
    deps.clock.every(LOOK_MS, () => {
      if (looking || videos.size === 0) return;
      looking = true;
      void look()
        .catch((error: unknown) => deps.log.warn({ err: error }, "who may watch could not be read"))
        .finally(() => {
          looking = false;
        });
    }),
    deps.bus.subscribe("rtc.candidate", ({ viewerId, candidate, sdpMid }) =>
      videos.get(viewerId)?.peer.notify("candidate", { candidate, ...(sdpMid !== undefined && { sdpMid }) }),
    ),
  ];

  sockets.add({
    path: STAFF_VIDEO_PATH,
    caller: "page",
    frameBytesMax: staffVideo.frameBytesMax,
    messagesPerSecondMax: MESSAGES_PER_SECOND_MAX,
    async admit({ headers, query }) {
      const secret = cookieOf(headers.cookie, deps.origin());
      const caller = await mayWatch(secret);
      if (secret === undefined || caller === undefined)
        return { is: "refused", status: 403, sentence: "This needs a sign-in that may watch machines" };
      const machine = z.safeParse(OwnId, query.get("machine"));
      if (!machine.success) return { is: "refused", status: 400, sentence: "Name the machine: ?machine={id}" };
      if (of(caller.staffId).length >= SOCKETS_PER_PERSON_MAX)
        return { is: "refused", status: 429, sentence: "Too many videos of one person: close one first" };
      return { is: "admitted", context: { secret, caller, machineId: machine.data } };
    },
    accept(socket, { address }, context: Context) {
      const video = open(deps, socket, { ...context, address }, videos);
      videos.set(video.viewerId, video);
    },
  });

  return {
    close() {
      for (const stop of stops) stop();
    },
  };
}

type Context = { readonly secret: string; readonly caller: StaffCaller; readonly machineId: string };

function open(
  deps: VideoDeps,
  socket: GuardedSocket,
  { secret, caller, machineId, address }: Context & { readonly address: string },
  videos: Map<string, Video>,
): Video {
  const { staffId } = caller;
  const viewerId = newId(deps.random, "v");
  const candidates = new CandidateCount();
  const waitMs = createOfferLimit(deps.clock);
  const iceServers = () => mintIceServers(deps.turn, staffId, deps.clock.now());
  let isNoted = false;

  async function offer(sdp: string): Promise<Handled<{ sdp: string }>> {
    const seconds = Math.ceil(waitMs() / 1_000);
    if (seconds > 0) return refused("request.too_many", { params: { seconds } });
    const others = [...videos.values()].filter((one) => one.staffId === staffId && one.watches && one !== video);
    if (others.length >= STAFF_VIDEOS_MAX) return refused("spectators.yours");
    const watchedBefore = video.watches;
    video.watches = true;
    candidates.begin();
    const given = { machineId, viewerId, role: "staff", sdp, iceServers: iceServers() } as const;
    const answer = await deps.agents.request("rtc.offer", given);
    if (answer.is === "done") {
      await note();
      return done(answer.data);
    }
    video.watches = watchedBefore;
    if (answer.is !== "refused") return refused("machine.unreachable");
    const isFull = answer.refusal.name === "spectators.full";
    return refused(isFull ? "spectators.full" : "pipeline.failed", { detail: answer.refusal.reason });
  }

  /** Once for each socket: who watched which machine, and from where. */
  async function note(): Promise<void> {
    if (isNoted) return;
    isNoted = true;
    const subject = `machine:${machineId}`;
    await openAudit(deps.db, deps.node).write({ type: "staff.watched", actor: actorOf(caller), subject, address });
  }

  const video: Video = {
    secret,
    staffId,
    viewerId,
    watches: false,
    peer: createPeer({
      contract: staffVideo,
      end: "server",
      socket: fromWs(socket),
      timers: deps.clock,
      openMax: 4,
      handlers: { begin: async () => done({ iceServers: iceServers() }), offer: ({ sdp }) => offer(sdp) },
      listeners: {
        candidate(candidate) {
          if (video.watches && candidates.take()) void deps.agents.candidate({ ...candidate, machineId, viewerId });
        },
      },
      onClose() {
        videos.delete(viewerId);
        if (video.watches) void deps.agents.request("rtc.close", { machineId, viewerId });
      },
      log: (text, facts) => deps.log.info({ err: facts, machineId }, text),
    }),
  };
  return video;
}
