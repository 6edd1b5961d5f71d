import * as z from "zod/mini";
import { OwnId } from "./ids.ts";
import type { Permission } from "./staff-rights.ts";

/** One HTTP call of the staff's side. Builds of pages leave out what the platform alone reads: `query`, `body`, `for`, `personal`. */
export type StaffCall = {
  readonly method: "GET" | "POST";
  /** Relative to `STAFF_BASE`, with `{param}` parts. */
  readonly path: string;
  readonly query?: z.ZodMiniType;
  readonly body?: z.ZodMiniType;
  readonly answer: z.ZodMiniType;
  /**
   * `open`: without a sign-in. `locked`: also while the sign-in is locked. `own`: any member of staff. Else the permission that the caller's roles
   * give, or one of several.
   */
  readonly for: "open" | "locked" | "own" | Permission | readonly Permission[];
  /** It needs a step-up: `stepUp` of its body names one that was made for this very body. */
  readonly stepUp?: true;
  /**
   * Fields of the body that are personal data. They are in no hash that is kept for ever: a step-up does not confirm them, and a repeat is found by
   * its id and its other fields.
   */
  readonly personal?: readonly string[];
};

/** Where the staff's calls begin, on the staff's own origin. */
export const STAFF_BASE = "/staff/v1/";
/** The header of each call that changes something and comes with the cookie: the `csrf` of `me`. */
export const CSRF_HEADER = "x-longarm-csrf";
/** The cookie of a sign-in, where the console is reached by https and on loopback by http. */
export const STAFF_COOKIE = "__Host-longarm-staff";
export const STAFF_COOKIE_HTTP = "longarm-staff";
/** The same of a browser that was sent to the directory to sign in. */
export const DIRECTORY_COOKIE = "__Host-longarm-directory";
export const DIRECTORY_COOKIE_HTTP = "longarm-directory";

/** The id of an act, made by the first sender and kept for each repeat: the same id with the same body is done once. */
export const ActId = z.string().check(z.regex(/^[A-Za-z0-9][A-Za-z0-9_.:-]{7,63}$/));
/** One line that a database keeps: no control character and no half of a surrogate pair. */
export const lineOf = (most: number) =>
  z.string().check(z.minLength(1), z.maxLength(most), z.regex(/^[^\p{Cc}\p{Cs}]+$/u));
/** Why; kept for ever. */
export const Reason = lineOf(200).check(z.regex(/^\S(?:.*\S)?$/u));
export const ShortText = lineOf(100);
/** Text of several lines. */
export const NoteText = z.string().check(z.minLength(1), z.maxLength(1_000), z.regex(/^(?:[^\p{Cc}\p{Cs}]|\n)+$/u));
/** An instant, ISO 8601 in UTC. */
export const When = z.iso.datetime({ offset: true }).check(z.maxLength(40));
/** A day of the venue, `2026-11-26`. */
export const Day = z.iso.date();
/** Who acted or owns something: a member of staff. */
export const PersonRef = z.object({ id: OwnId, name: z.string() });
export type PersonRef = z.infer<typeof PersonRef>;
/** A player beside something else. */
export const PlayerRef = z.object({ id: OwnId, username: z.string() });
export const MachineRef = z.object({ id: z.string(), name: z.string() });

/** What every act carries beside its own fields. */
const act = {
  id: ActId,
  /** Checks everything and changes nothing. */
  dryRun: z.optional(z.boolean()),
  /** A step-up for this very body (without this field). */
  stepUp: z.optional(OwnId),
};

/** The body of an act with these fields. */
export const actBody = <Shape extends z.core.$ZodLooseShape>(shape: Shape) => z.strictObject({ ...act, ...shape });

/**
 * What an act did. `done`: now, or (`repeated`) before, with the same id. `dryRun`: what it would do, and whether a second person would sign.
 * `waiting`: nothing was done, a second person must sign. `unknown`: the platform does not know whether it was done.
 */
export const actAnswer = <Result extends z.ZodMiniType>(result: Result) =>
  z.discriminatedUnion("is", [
    z.object({ is: z.literal("done"), result, repeated: z.boolean() }),
    z.object({ is: z.literal("dryRun"), result, needsApproval: z.boolean() }),
    z.object({ is: z.literal("waiting"), approval: OwnId, expiresAt: When }),
    z.object({ is: z.literal("unknown"), sentence: z.string() }),
  ]);
/** The answer of an act that returns nothing of its own. */
export const ActDone = actAnswer(z.object({}));

/** Query texts become numbers. `after` is the `next` of an answer with the same filters. */
export const page = {
  after: z.optional(ShortText),
  limit: z._default(z.coerce.number().check(z.multipleOf(1), z.gte(1), z.lte(500)), 50),
};
export const PageQuery = z.strictObject(page);
/** A list: `asOf` says when it was read, `next` goes into `after` (null: that is all). */
export const listOf = <Row extends z.ZodMiniType>(row: Row) =>
  z.object({ rows: z.array(row), next: z.nullable(z.string()), asOf: When });

/** The answer of every refusal: not 2xx. */
export const StaffFailure = z.object({
  problem: z.string(),
  params: z.record(z.string(), z.union([z.string(), z.number()])),
  text: z.string(),
  /** To be named to a technician. */
  request: z.string(),
});
export type StaffFailure = z.infer<typeof StaffFailure>;
