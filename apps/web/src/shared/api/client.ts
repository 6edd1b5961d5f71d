import type { Call } from "@longarm/contract/call";
import type { CallName } from "@longarm/contract/http";
import { calls } from "@longarm/contract/http";
import type { problems } from "@longarm/contract/problems";
import * as z from "zod/mini";
import type { ApiFailure } from "./failure.ts";
import { ApiError, isFailure, networkFailure, readFailure } from "./failure.ts";

type Calls = typeof calls;
type BodyOf<C extends Call> = C extends { body: infer B extends z.ZodMiniType } ? { body: z.input<B> } : object;
export type InputOf<C extends Call> = BodyOf<C> & {
  /** Values of the `{…}` parts of the path. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  /** Where it goes instead of the contract's path, for a call that the settings may move. */
  readonly at?: URL;
  readonly signal?: AbortSignal;
  /** How long it may take, ms, where the answer is large. */
  readonly withinMs?: number;
};
type CallInput<N extends CallName> = InputOf<Calls[N]>;
type AnswerOf<N extends CallName> = z.output<Calls[N]["answer"]>;
export type ApiAnswer<T> =
  | { readonly ok: true; readonly data: T }
  | { readonly ok: false; readonly failure: ApiFailure };

export interface ApiClient {
  /** Makes one call of the contract and never rejects: every outcome is in the answer. */
  call<N extends CallName>(name: N, input?: CallInput<N>): Promise<ApiAnswer<AnswerOf<N>>>;
  /** The same of a call that is in another table of the contract: its page alone loads it. */
  make<C extends Call>(call: C, input?: InputOf<C>): Promise<ApiAnswer<z.output<C["answer"]>>>;
  /** The same, for an answer that is read more tolerantly than the contract says: by `schema`. */
  read<N extends CallName, T>(name: N, input: CallInput<N>, schema: z.ZodMiniType<T>): Promise<ApiAnswer<T>>;
}

/** What a call is made with, whichever it is. */
export type Given = CallInput<CallName> & { readonly body?: unknown };
/** Makes one call and reads its answer by `schema`; never rejects. */
type MakeCall = <T>(call: Call, given: Given, schema: z.ZodMiniType<T>) => Promise<ApiAnswer<T>>;

type ApiDeps = {
  /** The API base, ending in a slash. */
  readonly base: URL;
  readonly token: () => string | null;
  readonly fetch: typeof fetch;
  /** A signed-in call was answered 401, or that the player is banned: the auth session is over. */
  readonly onUnauthorised: (failure: ApiFailure) => void;
  /** Resolves once a failure can be put into words. */
  readonly words?: (() => Promise<void>) | undefined;
  /** A call was answered 423: the platform remembers that this sign-in is locked. */
  readonly onLocked?: (() => void) | undefined;
};

/** How long a call may take before it counts as unanswered, ms. */
const CALL_MS_MAX = 15_000;
const LOCKED: (typeof problems)["session.locked"]["httpStatus"] = 423;
const BANNED: (typeof problems)["auth.banned"]["code"] = 10704;

/** Every call of every table passes here: token, failures, and the end of the sign-in. */
export function createCaller(deps: ApiDeps): MakeCall {
  return async (call, given, schema) => {
    const token = call.open ? null : deps.token();
    const answered = await send(deps, call, given, token);
    if (answered === undefined) return { ok: false, failure: networkFailure };
    const { httpStatus, body } = answered;
    if (isFailure(httpStatus, body)) await deps.words?.();
    const failure = readFailure("unauthorised", httpStatus, body);
    if ((httpStatus === 401 || failure.code === BANNED) && !call.open) {
      // A late answer to a token that was replaced meanwhile says nothing about the new one.
      if (token === deps.token()) deps.onUnauthorised(failure);
      return { ok: false, failure };
    }
    if (httpStatus === LOCKED && token === deps.token()) deps.onLocked?.();
    if (isFailure(httpStatus, body)) return { ok: false, failure: readFailure("refused", httpStatus, body) };
    const data = z.safeParse(schema, body);
    if (!data.success) return { ok: false, failure: readFailure("malformed", httpStatus, body) };
    return { ok: true, data: data.data };
  };
}

export function createApiClient(deps: ApiDeps): ApiClient {
  const read = createCaller(deps);
  return {
    call: <N extends CallName>(name: N, input?: CallInput<N>) =>
      read(calls[name], (input ?? {}) as Given, calls[name].answer as unknown as z.ZodMiniType<AnswerOf<N>>),
    make: <C extends Call>(call: C, input?: InputOf<C>) =>
      read(call, (input ?? {}) as Given, call.answer as unknown as z.ZodMiniType<z.output<C["answer"]>>),
    read: (name, input, schema) => read(calls[name], input as Given, schema),
  };
}

/** The data of an answer; a failure becomes an `ApiError`. */
export function dataOf<T>(answer: ApiAnswer<T>): T {
  if (answer.ok) return answer.data;
  throw new ApiError(answer.failure);
}

async function send(
  deps: ApiDeps,
  call: Call,
  { path, query, body, at, signal, withinMs = CALL_MS_MAX }: Given,
  token: string | null,
): Promise<{ httpStatus: number; body: unknown } | undefined> {
  const limit = AbortSignal.timeout(withinMs);
  try {
    const response = await deps.fetch(addressOf(at ?? pathIn(deps.base, call.path, path), query), {
      method: call.method,
      headers: {
        accept: "application/json",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      },
      cache: "no-store",
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    });
    const isVideo = response.headers.get("content-type") === "video/mp4";
    return {
      httpStatus: response.status,
      body: isVideo ? await response.arrayBuffer() : parseJson(await response.text()),
    };
  } catch {
    return undefined;
  }
}

function pathIn(base: URL, pattern: string, parts: Readonly<Record<string, string>> = {}): URL {
  return new URL(
    pattern.replace(/\{(\w+)\}/g, (_, part: string) => encodeURIComponent(parts[part] ?? "")),
    base,
  );
}

function addressOf(path: URL, query: Readonly<Record<string, string | number | undefined>> = {}): URL {
  const url = new URL(path);
  for (const [key, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(key, String(value));
  return url;
}

function parseJson(text: string): unknown {
  if (text === "") return {};
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * The same object, read so that a field of a wrong type is as good as absent, except `required` ones. For answers that the page can
 * do without: somebody else's platform must not lock its players out by the type of a field that is only shown.
 */
export function tolerantOf<Shape extends z.core.$ZodShape>(
  schema: z.ZodMiniObject<Shape>,
  ...required: (keyof Shape & string)[]
): z.ZodMiniType<z.output<z.ZodMiniObject<Shape>>> {
  const fields = Object.entries(schema.shape).map(([name, field]) =>
    required.includes(name) ? [name, field] : [name, z.catch(field as z.ZodMiniType, undefined)],
  );
  return z.object(Object.fromEntries(fields)) as unknown as z.ZodMiniType<z.output<z.ZodMiniObject<Shape>>>;
}
