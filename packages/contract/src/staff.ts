import * as z from "zod/mini";
import { Beat } from "./envelope.ts";
import { WireId } from "./ids.ts";
import type { SocketContract } from "./methods.ts";
import type { StaffCall } from "./staff-call.ts";
import { STAFF_BASE } from "./staff-call.ts";
import { campaignCalls } from "./staff-campaigns.ts";
import { careCalls } from "./staff-care.ts";
import { disputeDeskCalls } from "./staff-disputes.ts";
import { fleetCalls } from "./staff-fleet.ts";
import { FloorMachine, floorCalls, MachineEventRow } from "./staff-floor.ts";
import { proofCalls } from "./staff-identity.ts";
import { marketCalls } from "./staff-markets.ts";
import { moneyCalls } from "./staff-money.ts";
import { staffPaymentCalls } from "./staff-payments.ts";
import { accountCalls, peopleCalls } from "./staff-people.ts";
import { recordCalls } from "./staff-records.ts";
import { reportCalls } from "./staff-reports.ts";
import { settingsCalls } from "./staff-settings.ts";
import { directoryCalls, signInCalls } from "./staff-sign-in.ts";
import { deliveryCalls, noticeCalls, Task, taskCalls } from "./staff-tasks.ts";
import { termsCalls } from "./staff-terms.ts";
import { wallCalls } from "./staff-wall.ts";

/** Every HTTP call of the staff's side, on the staff's own listener and origin. The OpenAPI document of the platform is made of it. */
export const staffCalls = {
  ...signInCalls,
  ...accountCalls,
  ...directoryCalls,
  ...peopleCalls,
  ...taskCalls,
  ...noticeCalls,
  ...deliveryCalls,
  ...floorCalls,
  ...moneyCalls,
  ...staffPaymentCalls,
  ...proofCalls,
  ...careCalls,
  ...disputeDeskCalls,
  ...campaignCalls,
  ...recordCalls,
  ...fleetCalls,
  ...wallCalls,
  ...reportCalls,
  ...settingsCalls,
  ...marketCalls,
  ...termsCalls,
} as const satisfies Record<string, StaffCall>;
export type StaffCallName = keyof typeof staffCalls;

/** Where the staff socket is: `wss://…/staff/v1/socket`, with the sign-in's cookie. */
export const STAFF_SOCKET_PATH = `${STAFF_BASE}socket`;

/** What a page's tables are made of; after a push of `changed` it reads them again. */
export const STAFF_PARTS = [
  "approvals",
  "handPays",
  "payments",
  "unresolved",
  "discrepancies",
  "campaigns",
  "shifts",
  "stops",
  "agents",
  "staff",
  "signIns",
  "notices",
  "deliveries",
  "settings",
  "me",
] as const;

/**
 * One socket per page, opened with the sign-in's cookie. Pushes reach every console within a second of the change, on whichever node it happened, and
 * only what the person may see. The first ones are everything; after a reconnect too.
 */
export const staffSocket = {
  client: {
    requests: {},
    notifications: {
      /** Which machine's events the page shows: at most one. */
      follow: z.object({ machine: z.nullable(WireId) }),
    },
  },
  server: {
    requests: {},
    notifications: {
      beat: Beat,
      /** Rows that changed, whole, and the ids of machines that are gone. */
      floor: z.object({ rows: z.array(FloorMachine), gone: z.array(z.string()) }),
      /** Tasks that are new or changed, whole, and the ids of those that are over. */
      tasks: z.object({ rows: z.array(Task), over: z.array(z.string()) }),
      events: z.object({ machine: z.string(), rows: z.array(MachineEventRow) }),
      changed: z.object({ parts: z.array(z.enum(STAFF_PARTS)) }),
      /** The sign-in was locked: the page clears what it shows. Pushes begin again when it is unlocked. */
      locked: z.object({}),
      ended: z.object({ reason: z.string() }),
    },
  },
  frameBytesMax: 65_536,
} as const satisfies SocketContract;
