import * as z from "zod/mini";
import { Beat } from "./envelope.ts";
import { Candidate, Sdp } from "./game-socket.ts";
import { IceServer } from "./ice-server.ts";
import type { SocketContract } from "./methods.ts";
import { STAFF_BASE } from "./staff-call.ts";

/** Live video of one machine for the console: `wss://…/staff/v1/video?machine=nar-01`, with the sign-in's cookie. */
export const STAFF_VIDEO_PATH = `${STAFF_BASE}video`;

/** Machines that one person watches live at once, on one node of the platform. */
export const STAFF_VIDEOS_MAX = 2;

/**
 * One socket for one machine; its end ends the video. It is closed for good (4000, "not allowed") when the sign-in is locked or over, or no longer has
 * the permission `machine.watch`.
 */
export const staffVideo = {
  client: {
    requests: {
      /** `iceServers`: minted for this person now; empty: none are needed. */
      begin: { input: z.object({}), output: z.object({ iceServers: z.array(IceServer) }), deadlineMs: 5_000 },
      /**
       * Refused with: spectators.yours (this person watches enough), spectators.full (the machine's or its agent's places for staff are taken),
       * machine.unreachable, pipeline.failed (the agent has no video for it), request.too_many.
       */
      offer: { input: z.object({ sdp: Sdp }), output: z.object({ sdp: Sdp }), deadlineMs: 10_000 },
    },
    notifications: { candidate: Candidate },
  },
  server: {
    requests: {},
    notifications: { beat: Beat, candidate: Candidate },
  },
  frameBytesMax: 65_536,
} as const satisfies SocketContract;
