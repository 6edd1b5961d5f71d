import { CLOSE } from "@longarm/contract/envelope";
import { OwnId } from "@longarm/contract/ids";
import type { STAFF_PARTS } from "@longarm/contract/staff";
import { STAFF_SOCKET_PATH, staffSocket } from "@longarm/contract/staff";
import type { FloorMachine } from "@longarm/contract/staff-floor";
import type { Permission } from "@longarm/contract/staff-rights";
import type { Task } from "@longarm/contract/staff-tasks";
import type { Peer } from "@longarm/link/peer";
import { createPeer } from "@longarm/link/peer";
import { fromWs } from "@longarm/link/ws-socket";
import { sql } from "kysely";
import * as z from "zod/mini";
import type { Bus, Topic } from "../../../bus/index.ts";
import type { Clock, Stop } from "../../../clock.ts";
import type { GuardedSocket } from "../../../plugins/guarded-socket.ts";
import type { SocketRoutes } from "../../../plugins/sockets.ts";
import { paymentMark } from "../../payments/book/index.ts";
import { deskEventsSince, deskMarks } from "../../play/desk/index.ts";
import { campaignMarks } from "../../players/promotions/index.ts";
import { newestVersion } from "../../records/settings/index.ts";
import { outboxMarks } from "../../talk/outbox/index.ts";
import type { StaffDb } from "../accounts/index.ts";
import type { StaffCaller } from "../sign-in/index.ts";
import { endingOf, findCaller } from "../sign-in/index.ts";
import type { TasksNow } from "../tasks/index.ts";
import type { DeskDeps } from "./desk.ts";
import { floorRow } from "./floor.ts";
import { cookieOf } from "./guard.ts";

/** The database is looked at this often while a console is open, ms; a hint of the bus makes it at once. */
const LOOK_MS = 400;
/** Shortest time from one look to the next, ms: on a busy floor what changed meanwhile is read once and pushed together. */
const LOOK_MS_MIN = 300;
/** Consoles that one person may have open, on one node. */
export const CONSOLES_PER_PERSON_MAX = 10;
const MESSAGES_PER_SECOND_MAX = 10;
/** Rows of one push, so that a frame stays below what pages accept. */
const ROWS_AT_ONCE = 40;

/** Hints that something of the floor changed. */
const HINTS = [
  "machine.changed",
  "seat.changed",
  "call.changed",
  "agent.linked",
  "transfer.decided",
] as const satisfies Topic[];

type Part = (typeof STAFF_PARTS)[number];
/** Who may know that a part changed, by one of several rights; null: everybody. */
const SEES: Readonly<Record<Part, Permission | readonly Permission[] | null>> = {
  approvals: null,
  handPays: "handPay.see",
  payments: ["wallet.move", "shift.see"],
  unresolved: "transfer.see",
  discrepancies: "discrepancy.see",
  campaigns: "promotion.see",
  shifts: "shift.see",
  stops: "floor.see",
  agents: "agent.see",
  staff: "staff.see",
  signIns: "staff.see",
  notices: null,
  deliveries: "settings.see",
  settings: "settings.see",
  me: null,
};

export type PushDeps = DeskDeps & {
  readonly idleMs: number;
  readonly origin: () => string;
  readonly clock: Clock;
  /** While a console is open, stills are taken as for a lobby. */
  readonly stills: { lobbyOpened(): void };
  readonly bus: Pick<Bus, "publish" | "subscribe">;
};

type Console = {
  readonly secret: string;
  readonly signInId: string;
  readonly staffId: string;
  readonly peer: Peer<typeof staffSocket, "server">;
  readonly floor: Map<string, string>;
  readonly tasks: Map<string, string>;
  readonly marks: Map<Part, string>;
  locked: boolean;
  follows: { readonly machine: string; seq: number | null } | null;
};

/** What every console is compared with, read once for all of them. */
type Now = {
  readonly tasks: TasksNow;
  readonly marks: Readonly<Partial<Record<Part, string>>>;
};

/** Pushes what changed to the consoles that are open on this node. Adds the staff socket. */
export function createPushes(deps: PushDeps, sockets: SocketRoutes): { close(): void } {
  const consoles = new Set<Console>();
  let looking: Promise<void> | undefined;
  let again = false;
  let endPause: Stop = () => {};

  async function look(): Promise<void> {
    if (consoles.size === 0) return;
    deps.stills.lobbyOpened();
    const now = await readNow(deps);
    // One after the other: many consoles must not take every connection from money.
    for (const one of [...consoles]) await push(deps, one, now);
  }

  /** One look at a time, and a while between two; what changes meanwhile is seen by the next one. */
  function request(): void {
    if (looking !== undefined) {
      again = true;
      return;
    }
    again = false;
    looking = look()
      .catch((error: unknown) => deps.log.warn({ err: error }, "what changed could not be read for the consoles"))
      .then(
        () =>
          new Promise<void>((over) => {
            endPause = deps.clock.after(LOOK_MS_MIN, over);
          }),
      )
      .finally(() => {
        looking = undefined;
        if (again) request();
      });
  }

  sockets.add({
    path: STAFF_SOCKET_PATH,
    caller: "page",
    frameBytesMax: staffSocket.frameBytesMax,
    messagesPerSecondMax: MESSAGES_PER_SECOND_MAX,
    async admit({ headers }) {
      const secret = cookieOf(headers.cookie, deps.origin());
      const caller = secret === undefined ? undefined : await findCaller(deps.db, secret, deps.idleMs);
      if (secret === undefined || caller === undefined)
        return { is: "refused", status: 401, sentence: "Sign in first" };
      const own = [...consoles].filter(({ staffId }) => staffId === caller.staffId).length;
      if (own >= CONSOLES_PER_PERSON_MAX)
        return { is: "refused", status: 429, sentence: "Too many consoles of one person: close one first" };
      return { is: "admitted", context: { secret, caller } };
    },
    accept(socket, _facts, { secret, caller }: { secret: string; caller: StaffCaller }) {
      const one = open(deps, socket, secret, caller, () => consoles.delete(one));
      consoles.add(one);
      request();
    },
  });

  const stops = [deps.clock.every(LOOK_MS, request), ...HINTS.map((topic) => deps.bus.subscribe(topic, request))];
  return {
    close() {
      for (const stop of [...stops, endPause]) stop();
    },
  };
}

function open(
  deps: PushDeps,
  socket: GuardedSocket,
  secret: string,
  { signIn, staffId }: StaffCaller,
  closed: () => void,
): Console {
  const one: Console = {
    secret,
    signInId: signIn.id,
    staffId,
    floor: new Map(),
    tasks: new Map(),
    marks: new Map(),
    locked: false,
    follows: null,
    peer: createPeer({
      contract: staffSocket,
      end: "server",
      socket: fromWs(socket),
      timers: deps.clock,
      handlers: {},
      listeners: {
        follow({ machine }) {
          const isId = machine !== null && z.safeParse(OwnId, machine).success;
          one.follows = isId ? { machine, seq: null } : null;
        },
      },
      onClose: closed,
      log: (text, facts) => deps.log.info(facts, text),
    }),
  };
  return one;
}

async function readNow({ db, source, tasks: { look } }: PushDeps): Promise<Now> {
  const tasks = await look();
  const ofPlay = await deskMarks(source);
  const ofStaff = await staffMarks(db);
  const ofOutbox = await outboxMarks(source);
  return {
    tasks,
    marks: {
      ...ofPlay,
      ...ofStaff,
      handPays: ofPlay.handPays + ofStaff.slips,
      notices: `${ofOutbox.facts} ${ofStaff.notices}`,
      deliveries: ofOutbox.deliveries,
      campaigns: await campaignMarks(source),
      payments: await paymentMark(source),
      settings: String((await newestVersion(source))?.number ?? 0),
    },
  };
}

async function staffMarks(db: StaffDb) {
  const { rows } = await sql<
    Record<"approvals" | "shifts" | "stops" | "staff" | "signIns" | "slips" | "notices", string>
  >`
    select (select concat(count(*), count(decided_at), count(*) filter (where expires_at > clock_timestamp())) from approval) as approvals,
      (select concat(count(*), count(closed_at), (select max(number) from receipt)) from cashier_shift) as shifts,
      (select concat(count(*), count(released_at), count(reason)) from emergency_stop) as stops,
      (select md5(concat((select string_agg(concat(id, name, ended_at, password is null), ',' order by id) from staff),
        (select string_agg(staff_id || role, ',' order by staff_id, role) from staff_has_role),
        (select string_agg(concat(role, permissions, limits), ',' order by role) from staff_role),
        (select count(*) from staff_passkey), ' ',
        (select string_agg(staff_id || name, ',' order by staff_id) from staff_directory_link)))) as staff,
      (select concat(count(*), count(ended_at), count(locked_at)) from staff_sign_in where created_at > clock_timestamp() - interval '2 days') as "signIns",
      (select string_agg(staff_id || seq, ',' order by staff_id) from staff_notice_read) as notices,
      (select concat(count(*), count(voided_at)) from slip) as slips`.execute(db);
  const [marks] = rows;
  if (marks === undefined) throw new Error("a statement without a table answers one row");
  return marks;
}

/** Sends one console what differs from what it has, by what its person may see at this very look. */
async function push(deps: PushDeps, one: Console, now: Now): Promise<void> {
  const caller = await findCaller(deps.db, one.secret, deps.idleMs);
  if (caller === undefined) {
    one.peer.notify("ended", { reason: await endingOf(deps.db, one.signInId) });
    one.peer.close(CLOSE.final, "signed out");
    return;
  }
  if (caller.signIn.locked) {
    if (!one.locked) one.peer.notify("locked", {});
    one.locked = true;
    return;
  }
  if (one.locked) for (const kept of [one.floor, one.tasks, one.marks]) kept.clear();
  one.locked = false;
  const tasks = now.tasks.of(caller);
  const seesFloor = caller.permissions.has("floor.see");
  pushRows(one, seesFloor ? now.tasks.floor.map((machine) => floorRow(machine, tasks)) : [], tasks);
  pushParts(one, caller, now);
  if (seesFloor) await pushEvents(deps, one);
}

function pushRows(
  { peer, floor, tasks: known }: Console,
  machines: readonly FloorMachine[],
  tasks: readonly Task[],
): void {
  const rows = changedIn(floor, machines);
  for (let from = 0; from < rows.changed.length || (from === 0 && rows.gone.length > 0); from += ROWS_AT_ONCE)
    peer.notify("floor", {
      rows: rows.changed.slice(from, from + ROWS_AT_ONCE),
      gone: from === 0 ? rows.gone : [],
    });
  const due = changedIn(known, tasks);
  for (let from = 0; from < due.changed.length || (from === 0 && due.gone.length > 0); from += ROWS_AT_ONCE)
    peer.notify("tasks", { rows: due.changed.slice(from, from + ROWS_AT_ONCE), over: from === 0 ? due.gone : [] });
}

/** Rows that are new or changed since the last time, and ids that are gone; notes what is sent. */
function changedIn<Row extends { readonly id: string }>(known: Map<string, string>, rows: readonly Row[]) {
  const ids = new Set(rows.map(({ id }) => id));
  const gone = [...known.keys()].filter((id) => !ids.has(id));
  for (const id of gone) known.delete(id);
  const changed = rows.filter((row) => {
    const text = JSON.stringify(row);
    if (known.get(row.id) === text) return false;
    known.set(row.id, text);
    return true;
  });
  return { changed, gone };
}

function pushParts({ peer, marks }: Console, caller: StaffCaller, now: Now): void {
  const { permissions, limits, roles } = caller;
  const mine = { ...now.marks, me: JSON.stringify([[...permissions], limits, roles]) };
  const isFirst = marks.size === 0;
  const parts = (Object.keys(SEES) as Part[]).filter((part) => {
    const mark = mine[part] ?? "";
    if (marks.get(part) === mark) return false;
    marks.set(part, mark);
    const sees = SEES[part];
    return sees === null || [sees].flat().some((one) => permissions.has(one));
  });
  // A page that opens reads everything anyway.
  if (!isFirst && parts.length > 0) peer.notify("changed", { parts });
}

async function pushEvents({ source }: PushDeps, one: Console): Promise<void> {
  const { follows } = one;
  if (follows === null) return;
  const { rows, seq } = await deskEventsSince(source, follows.machine, follows.seq);
  follows.seq = seq;
  if (rows.length > 0 && one.follows === follows) one.peer.notify("events", { machine: follows.machine, rows });
}
