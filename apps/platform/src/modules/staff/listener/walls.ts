import { OwnId } from "@longarm/contract/ids";
import type { Wall, WallCall } from "@longarm/contract/staff-wall";
import {
  WALL_CALLS_MAX,
  WALL_COOKIE,
  WALL_COOKIE_HTTP,
  WALL_PATH,
  WALL_STILL_PATH,
  Wall as WallSchema,
} from "@longarm/contract/staff-wall";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import * as z from "zod/mini";
import type { Clock } from "../../../clock.ts";
import type { DeskMachine } from "../../play/desk/index.ts";
import type { Play } from "../../play/index.ts";
import { openAudit } from "../../records/audit/index.ts";
import {
  admitDisplay,
  endDisplay,
  findDisplay,
  keepView,
  listDisplays,
  listStops,
  listViews,
  removeView,
} from "../desk/index.ts";
import { doAct, Refused } from "../sign-in/index.ts";
import type { DeskDeps } from "./desk.ts";
import { idIn } from "./floor.ts";
import { sendStaffProblem } from "./guard.ts";
import { listed } from "./people.ts";
import type { Handlers } from "./routes.ts";
import { sendStill } from "./routes.ts";

/** What is read once serves every wall for so long, ms. */
const SHARED_MS = 1_000;
/** Browsers keep no cookie longer. */
const COOKIE_SECONDS = 400 * 86_400;

export type WallDeps = DeskDeps & {
  readonly clock: Clock;
  readonly origin: () => string;
  readonly venue: { readonly name: string; readonly timeZone: string; readonly version: string };
  readonly agents: Pick<Play["agents"], "still" | "lobbyOpened">;
};

/** Wall displays as staff admits and ends them, and views that people keep. */
export function wallHandlers(deps: WallDeps): Handlers {
  const { db, random } = deps;
  return {
    displays: async () =>
      await listed(
        db,
        (await listDisplays(db)).map((row) => ({
          id: row.id,
          name: row.name,
          group: row.shows_group,
          madeBy: { id: row.staffId, name: row.staffName },
          madeAt: row.made_at.toISOString(),
          seenAt: row.seen_at?.toISOString() ?? null,
          seenFrom: row.seen_from,
          endedAt: row.ended_at?.toISOString() ?? null,
        })),
      ),
    admitDisplay: ({ act, caller, body }) =>
      doAct(deps, act(), (trx) => admitDisplay(trx, random, { ...body, by: caller().staffId }), { secret: true }),
    endDisplay: ({ act, caller, params }) =>
      doAct(deps, act(), async (trx) => {
        await endDisplay(trx, idIn(params, "display"), caller().staffId);
        return {};
      }),
    enterWall: async ({ body, reply, whence }) => {
      const display = await findDisplay(db, body.token, whence.address);
      if (display === undefined) throw new Refused("signIn.wrong");
      const entry = { actor: `display:${display.id}`, subject: `display:${display.id}`, address: whence.address };
      await openAudit(db, deps.node).write({ type: "staff.displayOpened", ...entry });
      const secure = deps.origin().startsWith("https:") ? "; Secure" : "";
      void reply.header(
        "set-cookie",
        `${cookieName(deps)}=${body.token}; Path=${WALL_PATH}; Max-Age=${COOKIE_SECONDS}; HttpOnly; SameSite=Strict${secure}`,
      );
      return {};
    },
    views: async ({ caller }) => await listed(db, await listViews(db, caller().staffId)),
    keepView: ({ act, caller, body }) =>
      doAct(deps, act(), (trx) => keepView(trx, random, { ...body, staffId: caller().staffId })),
    removeView: ({ act, caller, params }) =>
      doAct(deps, act(), async (trx) => {
        await removeView(trx, caller().staffId, idIn(params, "view"));
        return {};
      }),
  };
}

const cookieName = ({ origin }: Pick<WallDeps, "origin">): string =>
  origin().startsWith("https:") ? WALL_COOKIE : WALL_COOKIE_HTTP;

/** The token of the cookie. Of two, one was planted: neither is used. */
function tokenOf(deps: WallDeps, { headers }: FastifyRequest): string {
  const name = `${cookieName(deps)}=`;
  const found = (headers.cookie ?? "").split(/; ?/).filter((one) => one.startsWith(name));
  return found.length === 1 ? (found[0]?.slice(name.length) ?? "") : "";
}

/**
 * Adds what a wall display reads: the wall and its stills, each with the display's own cookie. A sign-in of staff does not open them, and the display's
 * token opens no other address.
 */
export function wallRoutes(app: FastifyInstance, deps: WallDeps): void {
  const readShared = sharedWalls(deps);
  const displayOf = (request: FastifyRequest) => findDisplay(deps.db, tokenOf(deps, request), request.clientAddress);
  const refuse = (reply: FastifyReply) => sendStaffProblem(reply, { name: "signIn.needed" });

  app.get(WALL_PATH, { exposeHeadRoute: false }, async (request, reply) => {
    const display = await displayOf(request);
    if (display === undefined) return refuse(reply);
    deps.agents.lobbyOpened();
    const wall = wallFor(deps, display, await readShared());
    return await reply.header("cache-control", "no-store").send(z.parse(WallSchema, wall));
  });
  app.get(WALL_STILL_PATH.replace("{id}", ":id"), { exposeHeadRoute: false }, async (request, reply) => {
    const display = await displayOf(request);
    if (display === undefined) return refuse(reply);
    const id = z.safeParse(OwnId, (request.params as Record<string, string>)["id"]);
    const shown = (await readShared()).floor.some(
      (one) => one.id === id.data && (display.group === null || one.group === display.group),
    );
    return await sendStill(request, reply, shown && id.success ? await deps.agents.still(id.data) : undefined);
  });
}

type Read = {
  readonly floor: readonly DeskMachine[];
  readonly calls: readonly (WallCall & { readonly machineId: string | null })[];
  readonly stops: number;
  readonly asOf: string;
};

/** The floor and its tasks, read once for all walls that ask within a second. */
function sharedWalls({ db, tasks, clock }: WallDeps): () => Promise<Read> {
  let kept: { readonly at: number; readonly read: Promise<Read> } | undefined;
  async function read(): Promise<Read> {
    const now = await tasks.look();
    const { floor } = now;
    const calls = now.forWall();
    const stops = (await listStops(db, floor)).filter(({ releasedAt }) => releasedAt === null).length;
    return { floor, calls, stops, asOf: (await listed(db, [])).asOf };
  }
  return () => {
    const now = clock.now();
    if (kept !== undefined && now - kept.at < SHARED_MS) return kept.read;
    kept = { at: now, read: read() };
    // What failed is read anew by the next one.
    kept.read.catch(() => {
      kept = undefined;
    });
    return kept.read;
  };
}

function wallFor(
  { venue }: WallDeps,
  { name, group }: { readonly name: string; readonly group: string | null },
  { floor, calls, stops, asOf }: Read,
): Wall {
  const machines = floor.filter((machine) => group === null || machine.group === group);
  const ids = new Set(machines.map(({ id }) => id));
  const own = calls.filter(({ machineId }) => group === null || (machineId !== null && ids.has(machineId)));
  const needing = new Set(own.map(({ machineId }) => machineId));
  return {
    display: { name, group },
    venue: { name: venue.name, timeZone: venue.timeZone },
    version: venue.version,
    asOf,
    machines: machines.map((one) => ({
      id: one.id,
      name: one.name,
      brand: one.brand,
      group: one.group,
      lamp: one.lamp,
      mode: one.mode,
      lockup: one.lockup,
      answers: one.answers,
      stillTag: one.stillTag,
      stillAt: one.stillAt,
      needs: needing.has(one.id),
    })),
    calls: own.slice(0, WALL_CALLS_MAX).map(({ machineId: _, ...call }) => call),
    callsTotal: own.length,
    watching: machines.reduce((sum, { watchers }) => sum + watchers, 0),
    stops,
  };
}
