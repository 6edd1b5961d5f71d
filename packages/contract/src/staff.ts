import * as z from "zod/mini";
import { Beat } from "./envelope.ts";
import { Candidate, Sdp } from "./game-socket.ts";
import { IceServer } from "./ice-server.ts";
import { OwnId, WireId } from "./ids.ts";
import type { SocketContract } from "./methods.ts";
import type { StaffCall } from "./staff-call.ts";
import { STAFF_BASE } from "./staff-call.ts";
import { FloorMachine, floorCalls, MachineEventRow, Pulse, Stop, Task } from "./staff-floor.ts";
import { moneyCalls } from "./staff-money.ts";
import { Approval, peopleCalls, signInCalls } from "./staff-people.ts";
import { recordCalls } from "./staff-records.ts";

/** Every HTTP call of the staff's side, on the staff's own listener and origin. The OpenAPI document of the platform is made of it. */
export const staffCalls = {
  ...signInCalls,
  ...peopleCalls,
  ...floorCalls,
  ...moneyCalls,
  ...recordCalls,
} as const satisfies Record<string, StaffCall>;
export type StaffCallName = keyof typeof staffCalls;

/** Where the staff socket is: `wss://…/staff/v1/socket`, with the sign-in's cookie or token. */
export const STAFF_SOCKET_PATH = `${STAFF_BASE}socket`;

/** What a page's tables are made of; after a push of `changed` it reads them again. */
const PARTS = [
  "approvals",
  "handPays",
  "unresolved",
  "discrepancies",
  "shifts",
  "campaigns",
  "agents",
  "settings",
  "staff",
  "roles",
  "signIns",
  "me",
] as const;

/** One socket per page. Pushes reach every console within a second of the change, on whichever node it happened. */
export const staffSocket = {
  client: {
    requests: {
      /** Live video of a machine as a staff viewer: counted apart from spectators, on the lower layer. Needs `machine.watch`. */
      watch: {
        input: z.object({ machine: WireId, offer: Sdp }),
        output: z.object({ viewer: OwnId, sdp: Sdp, iceServers: z.array(IceServer) }),
        deadlineMs: 10_000,
      },
      unwatch: { input: z.object({ viewer: OwnId }), output: z.object({}), deadlineMs: 10_000 },
    },
    notifications: {
      candidate: z.object({ viewer: OwnId, candidate: Candidate }),
      /** Which machines' events the page shows: at most one. */
      follow: z.object({ machine: z.nullable(WireId) }),
    },
  },
  server: {
    requests: {},
    notifications: {
      beat: Beat,
      /** Rows that changed, whole. */
      floor: z.object({ rows: z.array(FloorMachine) }),
      /** Tasks that are new or changed, whole, and the ids of those that are over. */
      tasks: z.object({ rows: z.array(Task), over: z.array(z.string()) }),
      pulse: Pulse,
      stop: Stop,
      approval: Approval,
      events: z.object({ machine: z.string(), rows: z.array(MachineEventRow) }),
      changed: z.object({ parts: z.array(z.enum(PARTS)) }),
      candidate: z.object({ viewer: OwnId, candidate: Candidate }),
      /** The sign-in was locked, or its end: the page clears what it shows. */
      locked: z.object({}),
      ended: z.object({ reason: z.enum(["signedOut", "ended", "expired", "accountEnded"]) }),
    },
  },
  frameBytesMax: 65_536,
} as const satisfies SocketContract;
