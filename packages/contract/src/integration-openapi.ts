import type { IntegrationCall } from "./integration.ts";
import {
  ExternalId,
  IdempotencyKey,
  INTEGRATION_ANSWER_DAYS,
  INTEGRATION_BASE,
  INTEGRATION_SCOPES,
  INTEGRATION_VERSION,
  INTEGRATION_WINDOW_S,
  IntegrationProblem,
  integrationCalls,
  integrationProblems,
} from "./integration.ts";
import type { DocumentSchemas, JsonSchema } from "./open-api.ts";
import { documentSchemas, inJson, parametersOf, plainer } from "./open-api.ts";
import { WebhookReport, webhookReports } from "./webhooks.ts";

/** Headers that each request to change something carries beside its signature. */
const changeHeaders = (schemas: DocumentSchemas): JsonSchema[] => [
  {
    name: "idempotency-key",
    in: "header",
    required: true,
    description: `Made by the caller and kept for each repeat, for ${INTEGRATION_ANSWER_DAYS} days.`,
    schema: schemas.of(IdempotencyKey, "input"),
  },
  {
    name: "content-digest",
    in: "header",
    required: true,
    description: "RFC 9530: sha-256 of the body.",
    schema: { type: "string" },
  },
];

function operation(name: string, call: IntegrationCall, schemas: DocumentSchemas): JsonSchema {
  const { path, query, body, answer, scope, about, example, method } = call;
  return {
    operationId: name,
    summary: about,
    "x-scope": scope,
    security: [{ signature: [] }],
    parameters: [
      ...parametersOf(path, query && schemas.of(query, "input"), schemas.of(ExternalId, "input")),
      ...(method === "POST" ? changeHeaders(schemas) : []),
    ],
    ...(body && { requestBody: { required: true, ...inJson(schemas.of(body, "input"), example.body) } }),
    responses: {
      200: { description: "Done", ...inJson(open(schemas.of(answer, "output")), example.answer) },
      default: { $ref: "#/components/responses/Refused" },
    },
  };
}

/** A report that the platform sends: what its receiver reads and answers. */
function report(
  type: string,
  { about, subject, data, example }: Reports[keyof Reports],
  schemas: DocumentSchemas,
): JsonSchema {
  const { properties, ...body } = schemas.of(WebhookReport, "output") as { readonly properties: JsonSchema };
  return {
    summary: about,
    parameters: REPORT_HEADERS.map(([name]) => ({ $ref: `#/components/parameters/${name}` })),
    requestBody: {
      required: true,
      ...inJson(
        open({ ...body, properties: { ...properties, type: { const: type }, data: schemas.of(data, "output") } }),
        { type, timestamp: "2026-11-29T08:00:03.120Z", seq: 412, subject, data: example },
      ),
    },
    responses: {
      "2XX": { description: "Received. The body is not read." },
      410: { description: "Refused for good." },
      default: { description: "Not received: it is sent again." },
    },
  };
}
type Reports = typeof webhookReports;

const REPORT_HEADERS = [
  ["webhook-id", "The same in each repeat."],
  ["webhook-timestamp", "When it is sent, seconds since 1970."],
  ["webhook-signature", "Standard Webhooks 1.0: v1 and HMAC-SHA-256 of id, time and body, one for each secret."],
] as const;

/** Answers may get more fields: a reader must not refuse them. */
function open(value: unknown): JsonSchema {
  const within = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(within);
    if (typeof part !== "object" || part === null) return part;
    const kept = Object.entries(part).filter(([key, one]) => !(key === "additionalProperties" && one === false));
    return Object.fromEntries(kept.map(([key, one]) => [key, within(one)]));
  };
  return within(value) as JsonSchema;
}

const list = (names: Readonly<Record<string, string>>): string =>
  Object.entries(names)
    .map(([name, about]) => `\`${name}\`: ${about}`)
    .join("; ");

/** The OpenAPI document of the integration port. */
export function integrationOpenApi(): JsonSchema {
  const schemas = documentSchemas(undefined, plainer);
  const paths: Record<string, JsonSchema> = {};
  for (const [name, call] of Object.entries<IntegrationCall>(integrationCalls)) {
    const path = `${INTEGRATION_BASE}${call.path}`;
    paths[path] = { ...paths[path], [call.method.toLowerCase()]: operation(name, call, schemas) };
  }
  const reports = Object.entries(webhookReports).map(([type, one]) => [type, { post: report(type, one, schemas) }]);
  const problem = open(schemas.of(IntegrationProblem, "output"));
  const titles = Object.fromEntries(Object.entries(integrationProblems).map(([name, { title }]) => [name, title]));
  return {
    openapi: "3.1.0",
    info: {
      title: "Longarm, the integration port",
      version: String(INTEGRATION_VERSION),
      description: `Calls of the operator's own systems. Amounts are integers in minor units, times ISO 8601. Answers may get more fields. A caller reaches the players that it added or linked. Scopes: ${list(INTEGRATION_SCOPES)}.`,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    paths,
    webhooks: Object.fromEntries(reports) as JsonSchema,
    components: {
      securitySchemes: {
        signature: {
          type: "apiKey",
          in: "header",
          name: "signature",
          description: `RFC 9421 with HMAC-SHA-256: a GET covers @method, @path and @query, a POST content-digest and idempotency-key too. Parameters: created, within ${INTEGRATION_WINDOW_S} s; keyid; nonce, used once.`,
        },
      },
      responses: {
        Refused: {
          description: `Refused, by name. ${list(titles)}.`,
          content: { "application/problem+json": { schema: problem } },
        },
      },
      parameters: Object.fromEntries(
        REPORT_HEADERS.map(([name, description]) => [
          name,
          { name, in: "header", required: true, description, schema: { type: "string" } },
        ]),
      ),
      schemas: open(schemas.named()),
    },
  };
}
