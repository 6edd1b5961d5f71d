import { OwnId } from "@longarm/contract/ids";
import type { StaffCallName } from "@longarm/contract/staff";
import { staffCalls } from "@longarm/contract/staff";
import type { StaffCall } from "@longarm/contract/staff-call";
import { STAFF_BASE } from "@longarm/contract/staff-call";
import { STILL_PATH } from "@longarm/contract/staff-floor";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import * as z from "zod/mini";
import type { CallLimit } from "../../../plugins/limits.ts";
import type { Act, ActBody, StaffCaller, Whence } from "../sign-in/index.ts";
import { Refused } from "../sign-in/index.ts";
import type { GuardDeps } from "./guard.ts";
import { guardOf } from "./guard.ts";

type Calls = typeof staffCalls;
type Output<Schema> = Schema extends z.ZodMiniType ? z.output<Schema> : undefined;
type Part<Name extends StaffCallName, Key extends "query" | "body"> = Calls[Name] extends {
  readonly [K in Key]: infer S;
}
  ? Output<S>
  : undefined;

/** A call whose caller, query and body were checked. */
export type Incoming<Name extends StaffCallName> = {
  readonly whence: Whence;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Part<Name, "query">;
  readonly body: Part<Name, "body">;
  readonly reply: FastifyReply;
  /** The request's cookies, as they came. */
  readonly cookies: string | undefined;
  /** Who is signed in. @throws Error in an open call. */
  caller(): StaffCaller;
  /** The same as one act. @throws Error where the body is none of an act. */
  act(): Act;
};

/** What answers each call; a call without an entry is not served. */
export type Handlers = {
  readonly [Name in StaffCallName]?: (incoming: Incoming<Name>) => Promise<z.input<Calls[Name]["answer"]>>;
};

type AnyHandler = (incoming: Incoming<never>) => Promise<unknown>;

/** Something of the address: a name, a number or an id. */
const Param = z.string().check(z.minLength(1), z.maxLength(200), z.regex(/^[^\p{Cc}\p{Cs}]+$/u));

/** What came in, as the schema reads it. @throws Refused `request.invalid`. */
export function parsed(schema: z.ZodMiniType | undefined, value: unknown): unknown {
  if (schema === undefined) return undefined;
  const read = z.safeParse(schema, value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new Refused(
    "request.invalid",
    { where: (issue?.path ?? []).join(".").slice(0, 100) || "the whole" },
    issue?.message,
  );
}

const deviceOf = ({ headers }: FastifyRequest): string => String(headers["user-agent"] ?? "unknown").slice(0, 200);

/** Adds a route for each handler: guard, limit, schemas of what comes in and of what goes out. */
export function addRoutes(
  app: FastifyInstance,
  guard: GuardDeps,
  limits: { readonly open: CallLimit },
  handlers: Handlers,
): void {
  for (const [name, handler] of Object.entries(handlers) as [StaffCallName, AnyHandler][]) {
    const call: StaffCall = staffCalls[name];
    app.route({
      method: call.method,
      url: STAFF_BASE + call.path.replaceAll(/\{(\w+)\}/g, ":$1"),
      exposeHeadRoute: false,
      onRequest: [...(call.for === "open" ? [limits.open] : []), guardOf(guard, call)],
      async handler(request, reply) {
        const params = Object.fromEntries(
          Object.entries(request.params as Record<string, string>).map(([key, value]) => [
            key,
            String(parsed(Param, value)),
          ]),
        );
        const body = parsed(call.body, request.body);
        const incoming = {
          whence: { address: request.clientAddress, device: deviceOf(request) },
          params,
          query: parsed(call.query, request.query),
          body,
          reply,
          cookies: request.headers.cookie,
          caller: () => callerOf(request),
          act: () => ({ name, call, caller: callerOf(request), params, body: body as ActBody }),
        };
        const answer = await handler(incoming as unknown as Incoming<never>);
        return await reply.header("cache-control", "no-store").send(z.parse(call.answer, answer));
      },
    });
  }
}

const STILL = { method: "GET", path: STILL_PATH, answer: z.unknown(), for: "floor.see" } as const satisfies StaffCall;
/** A still that the address names by its tag never changes. */
const HOUR = "private, max-age=3600, immutable";
const SHORTLY = "private, max-age=8";

/** GET stills/{id}: the newest still of a machine, with the cookie. */
export function stillRoute(
  app: FastifyInstance,
  guard: GuardDeps,
  stills: { still(machineId: string): Promise<{ readonly tag: string; readonly webp: Buffer } | undefined> },
): void {
  const url = STAFF_BASE + STILL.path.replace("{id}", ":id");
  app.get(url, { onRequest: guardOf(guard, STILL), exposeHeadRoute: false }, async (request, reply) => {
    const id = z.safeParse(OwnId, (request.params as Record<string, string>)["id"]);
    return await sendStill(request, reply, id.success ? await stills.still(id.data) : undefined);
  });
}

/** Answers a still, which a browser keeps for as long as its address names it. @throws Refused: there is none. */
export async function sendStill(
  request: FastifyRequest,
  reply: FastifyReply,
  found: { readonly tag: string; readonly webp: Buffer } | undefined,
): Promise<FastifyReply> {
  if (found === undefined) throw new Refused("thing.unknown", { kind: "still" });
  const { tag } = request.query as { readonly tag?: string };
  const etag = `"${found.tag}"`;
  void reply.header("cache-control", tag === found.tag ? HOUR : SHORTLY).header("etag", etag);
  if (request.headers["if-none-match"] === etag) return await reply.code(304).send();
  return await reply.type("image/webp").send(found.webp);
}

/** Who is signed in. @throws Error in an open call. */
export function callerOf({ staff }: FastifyRequest): StaffCaller {
  if (staff === null) throw new Error("This call is open to visitors: it has no caller");
  return staff;
}
