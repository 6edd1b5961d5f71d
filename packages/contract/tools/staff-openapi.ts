import { readFileSync, writeFileSync } from "node:fs";
import * as z from "zod/mini";
import type { JsonSchema } from "../src/open-api.ts";
import { documentSchemas, inJson, parametersOf } from "../src/open-api.ts";
import { staffCalls } from "../src/staff.ts";
import type { StaffCall } from "../src/staff-call.ts";
import * as call from "../src/staff-call.ts";
import * as floor from "../src/staff-floor.ts";
import * as money from "../src/staff-money.ts";
import * as people from "../src/staff-people.ts";
import { staffProblems } from "../src/staff-problems.ts";
import * as records from "../src/staff-records.ts";
import * as signIn from "../src/staff-sign-in.ts";
import * as tasks from "../src/staff-tasks.ts";
import * as wall from "../src/staff-wall.ts";

/** The OpenAPI document of the staff's side: `--write` renews it, `--check` fails when the committed one is old. */
const file = new URL("../staff-openapi.snapshot.json", import.meta.url);

/** Schemas that several calls share, under the name by which the contract exports them. */
const named = z.registry<{ id: string }>();
for (const [id, schema] of Object.entries({
  ...call,
  ...floor,
  ...money,
  ...people,
  ...records,
  ...signIn,
  ...tasks,
  ...wall,
}))
  if (schema instanceof z.core.$ZodObject && /^[A-Z]/.test(id)) named.add(schema, { id });

const schemas = documentSchemas(named);

function operation(name: string, { path, query, body, answer, for: permission, stepUp }: StaffCall): JsonSchema {
  return {
    operationId: name,
    ...(permission !== "open" && { security: [{ cookie: [], csrf: [] }, { token: [] }] }),
    "x-permission": permission,
    ...(stepUp && { "x-step-up": true }),
    parameters: parametersOf(path, query && schemas.of(query, "input")),
    ...(body && { requestBody: { required: true, ...inJson(schemas.of(body, "input")) } }),
    responses: {
      200: { description: "Done", ...inJson(schemas.of(answer, "output")) },
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
  const failure = schemas.of(call.StaffFailure, "output");
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
      responses: { Refused: { description: "Refused, with a problem's name", ...inJson(failure) } },
      schemas: schemas.named(),
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
