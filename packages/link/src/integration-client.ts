import { createHash, createHmac } from "node:crypto";
import type { IntegrationCall, IntegrationCallName, integrationCalls } from "@longarm/contract/integration";
import { integrationCalls as calls, INTEGRATION_BASE, IntegrationProblem } from "@longarm/contract/integration";
import * as z from "zod/mini";

/* A client of the integration port, typed by the schemas that the platform serves (docs/integrating.md), and the signature that both sides make. */

/** What a signature covers: of each request, and of one that changes something. */
export const COVERED = {
  GET: ["@method", "@path", "@query"],
  POST: ["@method", "@path", "@query", "content-digest", "idempotency-key"],
} as const;

/** The text that is signed (RFC 9421). `values`: of each covered component. */
export function signatureBase(
  covered: readonly string[],
  values: Readonly<Record<string, string>>,
  params: string,
): string {
  return [...covered.map((name) => `"${name}": ${values[name] ?? ""}`), `"@signature-params": ${params}`].join("\n");
}

export const macOf = (secret: Buffer, base: string): Buffer => createHmac("sha256", secret).update(base).digest();

/** `Content-Digest` of a body (RFC 9530). */
export const digestOf = (body: Buffer): string => `sha-256=:${createHash("sha256").update(body).digest("base64")}:`;

export type IntegrationKey = {
  readonly keyId: string;
  /** Base64, as `longarm integrations` prints it. */
  readonly secret: string;
};

export type ToSign = {
  readonly method: "GET" | "POST";
  /** Path and query. */
  readonly target: string;
  /** Of a POST. */
  readonly body: string;
  readonly idempotencyKey: string;
  /** Seconds since 1970. */
  readonly created: number;
  readonly nonce: string;
};

/** The headers of a signed request. */
export function signedHeaders(key: IntegrationKey, request: ToSign): Record<string, string> {
  const { method, target, body, idempotencyKey, created, nonce } = request;
  const at = target.indexOf("?");
  const ofChange = { "content-digest": digestOf(Buffer.from(body)), "idempotency-key": idempotencyKey };
  const values = {
    "@method": method,
    "@path": at < 0 ? target : target.slice(0, at),
    "@query": at < 0 ? "?" : target.slice(at),
    ...ofChange,
  };
  const list = COVERED[method].map((name) => `"${name}"`).join(" ");
  const params = `(${list});created=${created};keyid="${key.keyId}";nonce="${nonce}"`;
  const mac = macOf(Buffer.from(key.secret, "base64"), signatureBase(COVERED[method], values, params));
  return {
    "signature-input": `sig=${params}`,
    signature: `sig=:${mac.toString("base64")}:`,
    ...(method === "POST" && { "content-type": "application/json", ...ofChange }),
  };
}

type Calls = typeof integrationCalls;
type Of<Name extends IntegrationCallName, Part extends "query" | "body" | "answer"> =
  Calls[Name] extends Readonly<Record<Part, infer Schema extends z.ZodMiniType>> ? Schema : never;

/** What a call needs: only the parts that it has. */
export type Given<Name extends IntegrationCallName> = (Calls[Name]["path"] extends `${string}{externalId}${string}`
  ? { readonly externalId: string }
  : unknown) &
  (Calls[Name] extends { readonly query: z.ZodMiniType } ? { readonly query: z.input<Of<Name, "query">> } : unknown) &
  (Calls[Name] extends { readonly body: z.ZodMiniType }
    ? { readonly body: z.input<Of<Name, "body">>; readonly key: string }
    : unknown);

/** A repeat with the same key and the same body has the same answer. */
export type Answer<Name extends IntegrationCallName> =
  | { readonly is: "done"; readonly answer: z.output<Of<Name, "answer">>; readonly isRepeat: boolean }
  | { readonly is: "refused"; readonly problem: z.output<typeof IntegrationProblem> };

export type IntegrationClient = {
  /** @throws when no answer came: repeat it with the same key, never with a new one. */
  call<Name extends IntegrationCallName>(name: Name, given: Given<Name>): Promise<Answer<Name>>;
};

/** A request must be answered within this, ms. */
const ANSWER_MS_MAX = 30_000;

/** `fetch`: Node's own or another one. `nonce`: 16 to 64 letters and digits, another one each time. */
export function createIntegrationClient(
  key: IntegrationKey & { readonly href: string },
  { fetch, nowMs, nonce }: { readonly fetch: typeof globalThis.fetch; nowMs(): number; nonce(): string },
): IntegrationClient {
  return {
    async call(name, given) {
      const { method, path, answer } = calls[name] as IntegrationCall;
      const { externalId = "", query, body, key: idempotencyKey = "" } = given as Partial<Record<string, unknown>>;
      const search = new URLSearchParams();
      for (const [field, value] of Object.entries(query ?? {}))
        if (value !== undefined) search.set(field, String(value));
      const inPath = path.replace("{externalId}", encodeURIComponent(String(externalId)));
      const target = `${INTEGRATION_BASE}${inPath}${search.size > 0 ? `?${search}` : ""}`;
      const text = method === "POST" ? JSON.stringify(body) : "";
      const created = Math.floor(nowMs() / 1_000);
      const signed = { method, target, body: text, idempotencyKey: String(idempotencyKey), created, nonce: nonce() };
      const reply = await fetch(new URL(target, key.href), {
        method,
        headers: signedHeaders(key, signed),
        ...(method === "POST" && { body: text }),
        redirect: "error",
        signal: AbortSignal.timeout(ANSWER_MS_MAX),
      });
      const sent = (await reply.json()) as unknown;
      if (!reply.ok) return { is: "refused", problem: z.parse(IntegrationProblem, sent) };
      const isRepeat = reply.headers.get("idempotency-replayed") === "true";
      return { is: "done", answer: z.parse(answer, sent) as never, isRepeat };
    },
  };
}
