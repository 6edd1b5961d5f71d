import { timingSafeEqual } from "node:crypto";
import type { StaffCall } from "@longarm/contract/staff-call";
import {
  CSRF_HEADER,
  DIRECTORY_COOKIE,
  DIRECTORY_COOKIE_HTTP,
  STAFF_COOKIE,
  STAFF_COOKIE_HTTP,
} from "@longarm/contract/staff-call";
import type { StaffProblem } from "@longarm/contract/staff-problems";
import { staffProblems } from "@longarm/contract/staff-problems";
import type { Permission } from "@longarm/contract/staff-rights";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { StaffDb } from "../accounts/index.ts";
import type { StaffCaller } from "../sign-in/index.ts";
import { findCaller, touchSignIn } from "../sign-in/index.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Set by the staff listener's guard. */
    staff: StaffCaller | null;
  }
}

/** The failure body of the staff's side. `detail` is for the log and never sent. */
export function sendStaffProblem(reply: FastifyReply, { name, params = {}, detail }: StaffProblem): FastifyReply {
  const { httpStatus, text } = staffProblems[name];
  if (detail !== undefined) reply.log.info({ problem: name, detail }, "refused");
  if (name === "request.tooMany") void reply.header("retry-after", String(params["seconds"] ?? 1));
  return reply
    .code(httpStatus)
    .header("cache-control", "no-store")
    .send({
      problem: name,
      params,
      text: text.replaceAll(/\{(\w+)\}/g, (whole, key: string) => String(params[key] ?? whole)),
      request: String(reply.request.id),
    });
}

/** The name of the cookie: browsers hold `__Host-` to this very host, whole and by https. */
const cookieName = (origin: string): string => (origin.startsWith("https:") ? STAFF_COOKIE : STAFF_COOKIE_HTTP);

export const setCookie = (reply: FastifyReply, origin: string, secret: string | null): void =>
  setNamed(reply, origin, cookieName(origin), secret);

function setNamed(reply: FastifyReply, origin: string, name: string, secret: string | null): void {
  const secure = origin.startsWith("https:") ? "; Secure" : "";
  const end = secret === null ? "; Max-Age=0" : "";
  void reply.header("set-cookie", `${name}=${secret ?? ""}; Path=/; HttpOnly; SameSite=Strict${secure}${end}`);
}

/** The cookie's secret. */
export const cookieOf = (header: string | undefined, origin: string): string | undefined =>
  namedIn(header, cookieName(origin));

/** Of two cookies of the name, one was planted by somebody else: neither is used. */
function namedIn(header: string | undefined, cookie: string): string | undefined {
  const name = `${cookie}=`;
  const found = (header ?? "").split(/; ?/).filter((one) => one.startsWith(name));
  return found.length === 1 ? found[0]?.slice(name.length) : undefined;
}

/**
 * The cookie of an attempt at the directory. Strict too: what the directory sends a browser back to is a page, and that page's own call brings the
 * cookie.
 */
const attemptName = (origin: string): string =>
  origin.startsWith("https:") ? DIRECTORY_COOKIE : DIRECTORY_COOKIE_HTTP;
export const setAttemptCookie = (reply: FastifyReply, origin: string, secret: string | null): void =>
  setNamed(reply, origin, attemptName(origin), secret);
export const attemptCookieOf = (header: string | undefined, origin: string): string | undefined =>
  namedIn(header, attemptName(origin));

export type GuardDeps = {
  readonly db: StaffDb;
  readonly idleMs: number;
  /** The console's origin. */
  readonly origin: () => string;
};

/** Another site's page cannot send our origin, nor read what `me` answers. */
function isForged({ method, headers }: FastifyRequest, origin: string, caller: StaffCaller | undefined): boolean {
  if (method === "GET" || method === "HEAD") return false;
  if (headers.origin !== undefined && headers.origin !== origin) return true;
  if (headers["sec-fetch-site"] !== undefined && headers["sec-fetch-site"] !== "same-origin") return true;
  if (caller === undefined) return false;
  const given = Buffer.from(String(headers[CSRF_HEADER] ?? ""));
  const right = Buffer.from(caller.csrf);
  return given.length !== right.length || !timingSafeEqual(given, right);
}

/** Whether the caller has the permission of a call, or one of several. */
function missing(call: StaffCall, permissions: ReadonlySet<Permission>): Permission | undefined {
  if (call.for === "open" || call.for === "locked" || call.for === "own") return undefined;
  const any = typeof call.for === "string" ? [call.for] : call.for;
  return any.some((one) => permissions.has(one)) ? undefined : any[0];
}

/**
 * An `onRequest` hook of one call, before its body is read: sign-in, forgery, lock, permission, in this order. What the person does counts as
 * input; what the page reads does not.
 */
export function guardOf({ db, idleMs, origin }: GuardDeps, call: StaffCall) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    if (call.for === "open")
      return isForged(request, origin(), undefined) ? sendStaffProblem(reply, { name: "csrf.wrong" }) : undefined;
    const secret = cookieOf(request.headers.cookie, origin());
    const caller = secret === undefined ? undefined : await findCaller(db, secret, idleMs);
    if (caller === undefined) return sendStaffProblem(reply, { name: "signIn.needed" });
    if (isForged(request, origin(), caller)) return sendStaffProblem(reply, { name: "csrf.wrong" });
    request.staff = caller;
    if (caller.signIn.locked && call.for !== "locked") return sendStaffProblem(reply, { name: "signIn.locked" });
    const permission = missing(call, caller.permissions);
    if (permission !== undefined)
      return sendStaffProblem(reply, { name: "permission.missing", params: { permission } });
    if (request.method !== "GET" && !caller.signIn.locked) await touchSignIn(db, caller.signIn.id);
    return undefined;
  };
}
