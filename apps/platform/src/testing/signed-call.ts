import { randomBytes } from "node:crypto";
import type { IntegrationScope } from "@longarm/contract/integration";
import { INTEGRATION_BASE, INTEGRATION_SCOPES } from "@longarm/contract/integration";
import type { IntegrationClient, IntegrationKey } from "@longarm/link/integration-client";
import { createIntegrationClient, signedHeaders } from "@longarm/link/integration-client";
import { portOf } from "../http-server.ts";
import { addIntegration } from "../modules/integrations/keys/index.ts";
import { systemRandom } from "../random.ts";
import type { TestVenue } from "./test-venue.ts";

export const EVERY_SCOPE = Object.keys(INTEGRATION_SCOPES) as IntegrationScope[];
export const nonce = (): string => randomBytes(12).toString("hex");

/** Admits a system to the integration port of a venue. */
export async function addSystem(
  { db }: Pick<TestVenue, "db">,
  name: string,
  scopes: readonly IntegrationScope[] = EVERY_SCOPE,
): Promise<IntegrationKey> {
  const made = await addIntegration(db.kysely, systemRandom, { name, scopes, by: "ece" });
  if (made === undefined) throw new Error("the name is taken");
  return made;
}

const listenerOf = ({ platform }: Pick<TestVenue, "platform">) => {
  if (platform.integrations === undefined) throw new Error("this venue has no integration port");
  return platform.integrations;
};

/** The address of the integration port, which listens from now on. */
export async function openPort(venue: Pick<TestVenue, "platform">): Promise<{ href: string; portNumber: number }> {
  const { app, listen } = listenerOf(venue);
  if (!app.server.listening) await listen();
  const portNumber = portOf(app) ?? 0;
  return { href: `http://127.0.0.1:${portNumber}`, portNumber };
}

/** The client that operators have, at the venue's own port. */
export async function systemClient(
  venue: Pick<TestVenue, "platform">,
  key: IntegrationKey,
): Promise<IntegrationClient> {
  const { href } = await openPort(venue);
  return createIntegrationClient({ ...key, href }, { fetch, nowMs: Date.now, nonce });
}

export type Over = {
  readonly nonce?: string;
  /** Seconds since 1970. */
  readonly created?: number;
  readonly idempotencyKey?: string;
  /** Another body than the one that was signed. */
  readonly sent?: string;
  /** Added to the signed headers, or in place of them. */
  readonly headers?: Readonly<Record<string, string>>;
};

/** A call as a caller may make it who does not use the client: right, but for what `over` says. */
export async function signedCall(
  venue: Pick<TestVenue, "platform">,
  key: IntegrationKey,
  [path, body]: readonly [path: string, body: object | undefined],
  over: Over = {},
) {
  const method = body === undefined ? "GET" : "POST";
  const text = body === undefined ? "" : JSON.stringify(body);
  const target = INTEGRATION_BASE + path;
  const own = { created: Math.floor(Date.now() / 1_000), nonce: nonce(), idempotencyKey: `k-${nonce()}`, ...over };
  const reply = await listenerOf(venue).app.inject({
    method,
    url: target,
    headers: {
      host: "127.0.0.1",
      ...signedHeaders(key, { method, target, body: text, ...own }),
      ...over.headers,
    },
    ...(method === "POST" && { payload: over.sent ?? text }),
  });
  return { status: reply.statusCode, headers: reply.headers, body: reply.json() as Record<string, unknown> };
}
