import type { StaffCallName, staffCalls } from "@longarm/contract/staff";
import type { StaffCall } from "@longarm/contract/staff-call";
import { CSRF_HEADER, STAFF_BASE, StaffFailure } from "@longarm/contract/staff-call";
import type { StaffProblemName } from "@longarm/contract/staff-problems";
import { directoryCalls, signInCalls } from "@longarm/contract/staff-sign-in";
import * as z from "zod/mini";

type Calls = typeof staffCalls;
type Read<Schema> = Schema extends z.ZodMiniType ? z.output<Schema> : undefined;
export type AnswerOf<Name extends StaffCallName> = Read<Calls[Name]["answer"]>;
type InputOf<Name extends StaffCallName, Key extends "query" | "body"> = Calls[Name] extends {
  readonly [K in Key]: infer Schema extends z.ZodMiniType;
}
  ? z.input<Schema>
  : undefined;
export type BodyOf<Name extends StaffCallName> = InputOf<Name, "body">;

export type Given<Name extends StaffCallName> = {
  /** The `{param}` parts of the call's path. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: InputOf<Name, "query">;
  readonly body?: BodyOf<Name>;
};

/** Why a call gave nothing: a refusal of the platform by its name; `network`: it was not reached; `unreadable`: its answer makes no sense. */
export type ProblemName = StaffProblemName | "network" | "unreadable";

export class CallProblem extends Error {
  readonly problem: ProblemName;
  readonly params: Readonly<Record<string, string | number>>;
  /** The number of the request, for a technician. */
  readonly request: string | undefined;
  constructor(problem: ProblemName, { params = {}, request, text }: Partial<StaffFailure> = {}) {
    super(text ?? problem);
    this.problem = problem;
    this.params = params;
    this.request = request;
  }
}

/** How long an answer may take, ms: a proof of the audit log reads all of it. */
const ANSWER_MS_MAX = 30_000;

export type Api = {
  /** @throws CallProblem. */
  call<Name extends StaffCallName>(name: Name, given?: Given<Name>): Promise<AnswerOf<Name>>;
  /** What is at a path of the contract that answers no JSON, as one file of a recording. @throws CallProblem. */
  file(path: string, params: Readonly<Record<string, string>>): Promise<ArrayBuffer>;
};

/** The calls of the pages before a sign-in. */
const FIRST: Readonly<Partial<Record<StaffCallName, StaffCall>>> = { ...signInCalls, ...directoryCalls };

/** A call of the contract. Those of a person who is signed in come with that person's pages. @throws CallProblem. */
export async function callOf(name: StaffCallName): Promise<StaffCall> {
  const first = FIRST[name];
  if (first !== undefined) return first;
  const table = await import("@longarm/contract/staff").catch(() => {
    throw new CallProblem("network");
  });
  return table.staffCalls[name];
}

/**
 * The staff API. `csrf` goes with each change; `observe` sees how each call ended, also those whose answer no page awaits.
 */
export function createApi(deps: {
  readonly fetch: typeof fetch;
  readonly csrf: () => string | undefined;
  readonly observe: (problem: CallProblem | undefined) => void;
}): Api {
  async function send(name: StaffCallName, given: Given<StaffCallName>): Promise<unknown> {
    const call = await callOf(name);
    const csrf = deps.csrf();
    const reply = await deps
      .fetch(addressOf(call, given), {
        method: call.method,
        credentials: "same-origin",
        cache: "no-store",
        redirect: "error",
        signal: AbortSignal.timeout(ANSWER_MS_MAX),
        headers: {
          ...(call.method === "POST" && { "content-type": "application/json" }),
          ...(call.method === "POST" && csrf !== undefined && { [CSRF_HEADER]: csrf }),
        },
        ...(call.method === "POST" && { body: JSON.stringify(given.body ?? {}) }),
      })
      .catch(() => {
        throw new CallProblem("network");
      });
    const content: unknown = await reply.json().catch(() => undefined);
    if (!reply.ok) throw failureOf(reply, content);
    const read = z.safeParse(call.answer, content);
    if (!read.success) throw new CallProblem("unreadable");
    return read.data;
  }

  return {
    async file(path, params) {
      const reply = await deps
        .fetch(addressOf({ path }, { params }), {
          credentials: "same-origin",
          cache: "no-store",
          redirect: "error",
          signal: AbortSignal.timeout(ANSWER_MS_MAX),
        })
        .catch(() => {
          throw new CallProblem("network");
        });
      if (!reply.ok) throw failureOf(reply, await reply.json().catch(() => undefined));
      return await reply.arrayBuffer();
    },
    async call(name, given = {}) {
      try {
        const answer = await send(name, given as Given<StaffCallName>);
        deps.observe(undefined);
        return answer as AnswerOf<typeof name>;
      } catch (error) {
        if (error instanceof CallProblem) deps.observe(error);
        throw error;
      }
    },
  };
}

function failureOf(reply: Response, content: unknown): CallProblem {
  const read = z.safeParse(StaffFailure, content);
  // A proxy before the platform answers in its own words: the platform was not reached.
  if (!read.success) return new CallProblem(reply.status >= 500 ? "network" : "unreadable");
  return new CallProblem(read.data.problem as StaffProblemName, read.data);
}

function addressOf({ path }: Pick<StaffCall, "path">, { params = {}, query }: Given<StaffCallName>): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries((query ?? {}) as Record<string, unknown>))
    if (value !== undefined && value !== "") search.set(name, String(value));
  return `${STAFF_BASE}${filled}${search.size === 0 ? "" : `?${search}`}`;
}
