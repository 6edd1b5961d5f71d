import * as z from "zod/mini";
import { OwnId } from "./ids.ts";
import { LOCKUP_REASONS } from "./machine.ts";
import type { StaffCall } from "./staff-call.ts";
import { ActDone, actAnswer, actBody, listOf, PersonRef, Reason, ShortText, STAFF_BASE, When } from "./staff-call.ts";
import { LAMPS, MODES } from "./staff-floor.ts";
import { TASK_KINDS } from "./staff-tasks.ts";

/**
 * What a wall display reads, with its own cookie and nothing else: `GET wall`, and its stills. The cookie's path is this, so a browser sends it nowhere
 * else; no call of `staffCalls` knows it.
 */
export const WALL_PATH = `${STAFF_BASE}wall`;
/** A still for a wall: `image/webp`. `tag` as with `STILL_PATH`. */
export const WALL_STILL_PATH = `${WALL_PATH}/stills/{id}`;
/** The cookie of a display, where the console is reached by https and on loopback by http. */
export const WALL_COOKIE = "__Secure-longarm-wall";
export const WALL_COOKIE_HTTP = "longarm-wall";

/** A machine on a wall: no player, no money. */
export const WallMachine = z.object({
  id: z.string(),
  name: z.string(),
  brand: z.string(),
  group: z.nullable(z.string()),
  lamp: z.enum(LAMPS),
  mode: z.enum(MODES),
  lockup: z.nullable(z.enum(LOCKUP_REASONS)),
  answers: z.boolean(),
  stillTag: z.nullable(z.string()),
  stillAt: z.nullable(When),
  /** A task is open at it. */
  needs: z.boolean(),
});
export type WallMachine = z.infer<typeof WallMachine>;

/** Something that needs a person: where, since when, and whether somebody has it. Not who, for whom, or how much. */
export const WallCall = z.object({
  id: z.string(),
  kind: z.enum(TASK_KINDS),
  /** The machine's or agent's name; null: of the whole venue. */
  where: z.nullable(z.string()),
  since: When,
  target: When,
  taken: z.boolean(),
});
export type WallCall = z.infer<typeof WallCall>;

/** Calls that one answer carries, the most urgent first. */
export const WALL_CALLS_MAX = 40;

export const Wall = z.object({
  display: z.object({ name: z.string(), group: z.nullable(z.string()) }),
  venue: z.object({ name: z.string(), timeZone: z.string() }),
  /** Of the platform: a page of another version loads itself anew. */
  version: z.string(),
  asOf: When,
  machines: z.array(WallMachine),
  calls: z.array(WallCall).check(z.maxLength(WALL_CALLS_MAX)),
  callsTotal: z.int(),
  watching: z.int(),
  /** Emergency stops that hold. */
  stops: z.int(),
});
export type Wall = z.infer<typeof Wall>;

export const WallDisplay = z.object({
  id: OwnId,
  name: z.string(),
  group: z.nullable(z.string()),
  madeBy: PersonRef,
  madeAt: When,
  /** When it last read the wall, and from which address; null: never. */
  seenAt: z.nullable(When),
  seenFrom: z.nullable(z.string()),
  endedAt: z.nullable(When),
});

/** A view that a person keeps. `search` is the part of the page's address behind the `?`. */
export const SavedView = z.object({ id: OwnId, name: z.string(), search: z.string() });
/** Views of one person on one page. */
export const VIEWS_MAX = 20;
const Search = z.string().check(z.maxLength(500), z.regex(/^[^\p{Cc}\p{Cs}]*$/u));

export const wallCalls = {
  displays: { method: "GET", path: "displays", answer: listOf(WallDisplay), for: "wall.admit" },
  /** `token` is shown once; it goes into the address that the screen opens. */
  admitDisplay: {
    method: "POST",
    path: "displays",
    body: actBody({ name: ShortText, group: z.nullable(ShortText), reason: Reason }),
    answer: actAnswer(z.object({ display: OwnId, token: z.string() })),
    for: "wall.admit",
    stepUp: true,
  },
  endDisplay: {
    method: "POST",
    path: "displays/{id}/end",
    body: actBody({ reason: Reason }),
    answer: ActDone,
    for: "wall.admit",
  },
  /** Exchanges the token of a display's address for its cookie. */
  enterWall: {
    method: "POST",
    path: "wall/enter",
    body: z.strictObject({ token: z.string().check(z.regex(/^[A-Za-z0-9_-]{20,100}$/)) }),
    answer: z.object({}),
    for: "open",
  },
  views: { method: "GET", path: "views", answer: listOf(SavedView), for: "own" },
  keepView: {
    method: "POST",
    path: "views",
    body: actBody({ name: ShortText, search: Search }),
    answer: actAnswer(z.object({ view: OwnId })),
    for: "own",
  },
  removeView: { method: "POST", path: "views/{id}/remove", body: actBody({}), answer: ActDone, for: "own" },
} as const satisfies Record<string, StaffCall>;
