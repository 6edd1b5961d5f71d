import { readFileSync, writeFileSync } from "node:fs";
import * as z from "zod/mini";
import { staffCalls } from "../src/staff.ts";
import type { StaffCall } from "../src/staff-call.ts";
import * as call from "../src/staff-call.ts";
import * as floor from "../src/staff-floor.ts";
import * as money from "../src/staff-money.ts";
import * as people from "../src/staff-people.ts";
import { staffProblems } from "../src/staff-problems.ts";
import * as records from "../src/staff-records.ts";
import * as tasks from "../src/staff-tasks.ts";
import * as wall from "../src/staff-wall.ts";

/** The OpenAPI document of the staff's side: `--write` renews it, `--check` fails when the committed one is old. */
const file = new URL("../staff-openapi.snapshot.json", import.meta.url);

/** Schemas that several calls share, under the name by which the contract exports them. */
const named = z.registry<{ id: string }>();
for (const [id, schema] of Object.entries({ ...call, ...floor, ...money, ...people, ...records, ...tasks, ...wall }))
  if (schema instanceof z.core.$ZodObject && /^[A-Z]/.test(id)) named.add(schema, { id });

const schemas: Record<string, unknown> = {};

type JsonSchema = Record<string, unknown>;

function jsonSchema(schema: z.ZodMiniType, io: "input" | "output"): JsonSchema {
  const {
    $schema: _,
    $defs,
    ...made
  } = z.toJSONSchema(schema, { io, metadata: named, unrepresentable: "any" }) as JsonSchema;
  for (const [id, part] of Object.entries(($defs ?? {}) as JsonSchema)) schemas[id] = withReferences(part);
  const id = made["id"];
  if (typeof id !== "string") return withReferences(made) as JsonSchema;
  schemas[id] = withReferences(made);
  return { $ref: `#/components/schemas/${id}` };
}

/** Names the components of the document where the schema names definitions of its own. */
function withReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withReferences);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, part]) => key !== "id" || typeof part === "object")
      .map(([key, part]) => [
        key,
        key === "$ref" ? String(part).replace("#/$defs/", "#/components/schemas/") : withReferences(part),
      ]),
  );
}

const json = (schema: JsonSchema) => ({ content: { "application/json": { schema } } });

function operation(name: string, { path, query, body, answer, for: permission, stepUp }: StaffCall): JsonSchema {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, field]) => ({
    name: field,
    in: "path",
    required: true,
    schema: { type: "string", maxLength: 200 },
  }));
  const inQuery =
    query === undefined ? {} : (jsonSchema(query, "input") as { properties?: JsonSchema; required?: string[] });
  return {
    operationId: name,
    ...(permission !== "open" && { security: [{ cookie: [], csrf: [] }, { token: [] }] }),
    "x-permission": permission,
    ...(stepUp && { "x-step-up": true }),
    parameters: [
      ...inPath,
      ...Object.entries(inQuery.properties ?? {}).map(([field, schema]) => ({
        name: field,
        in: "query",
        required: inQuery.required?.includes(field) ?? false,
        schema,
      })),
    ],
    ...(body && { requestBody: { required: true, ...json(jsonSchema(body, "input")) } }),
    responses: {
      200: { description: "Done", ...json(jsonSchema(answer, "output")) },
      default: { $ref: "#/components/responses/Refused" },
    },
  };
}

/** The document, as text. */
export function staffOpenApi(): string {
  const paths: Record<string, JsonSchema> = {};
  for (const [name, one] of Object.entries(staffCalls)) {
    const path = `${call.STAFF_BASE}${one.path}`;
    paths[path] = { ...paths[path], [one.method.toLowerCase()]: operation(name, one) };
  }
  const failure = jsonSchema(call.StaffFailure, "output");
  const document = {
    openapi: "3.1.0",
    info: {
      title: "Longarm, the staff's side",
      version: "1",
      description: `Every refusal carries a problem: ${Object.keys(staffProblems).join(", ")}.`,
    },
    paths,
    components: {
      securitySchemes: {
        cookie: { type: "apiKey", in: "cookie", name: call.STAFF_COOKIE },
        csrf: { type: "apiKey", in: "header", name: call.CSRF_HEADER },
        token: { type: "http", scheme: "bearer" },
      },
      responses: { Refused: { description: "Refused, with a problem's name", ...json(failure) } },
      schemas: Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))),
    },
  };
  return `${JSON.stringify(document, null, "\t")}\n`;
}

function committed(): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

if (process.argv.includes("--write")) writeFileSync(file, staffOpenApi());
if (process.argv.includes("--check") && committed() !== staffOpenApi()) {
  process.stderr.write("The staff's calls changed without their document.\n");
  process.exitCode = 1;
}
