import * as z from "zod/mini";
import { AMOUNT_MINOR_MAX } from "./money.ts";

/* What the OpenAPI documents of the staff's side and of the integration port share. */

export type JsonSchema = Record<string, unknown>;

/** The schemas of one document. */
export type DocumentSchemas = {
  /** A schema as the document has it: one with a name is a reference. */
  of(schema: z.ZodMiniType, io: "input" | "output"): JsonSchema;
  /** Those with a name, in order. */
  named(): JsonSchema;
};

/** `names`: of shared schemas; absent: they carry their own. */
export function documentSchemas(
  names: z.core.$ZodRegistry<{ id: string }> | undefined,
  override: (part: JsonSchema) => void = () => {},
): DocumentSchemas {
  const schemas: JsonSchema = {};
  return {
    of(schema, io) {
      const {
        $schema: _,
        $defs,
        ...made
      } = z.toJSONSchema(schema, {
        ...(names && { metadata: names }),
        ...{ io, unrepresentable: "any", override: ({ jsonSchema }) => override(jsonSchema as JsonSchema) },
      }) as JsonSchema;
      for (const [id, part] of Object.entries(($defs ?? {}) as JsonSchema)) schemas[id] = withReferences(part);
      const id = made["id"];
      if (typeof id !== "string") return withReferences(made) as JsonSchema;
      schemas[id] = withReferences(made);
      return { $ref: `#/components/schemas/${id}` };
    },
    named: () => Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))),
  };
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

/** Parameters of an operation: those in its path, and the fields of its query. */
export function parametersOf(
  path: string,
  query: JsonSchema | undefined,
  inPath: JsonSchema = { type: "string", maxLength: 200 },
): JsonSchema[] {
  const { properties = {}, required } = (query ?? {}) as { properties?: JsonSchema; required?: string[] };
  return [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
      name,
      in: "path",
      required: true,
      schema: inPath,
    })),
    ...Object.entries(properties).map(([name, schema]) => ({
      name,
      in: "query",
      required: required?.includes(name) ?? false,
      schema,
    })),
  ];
}

export const inJson = (schema: JsonSchema, example?: object): JsonSchema => ({
  content: { "application/json": { schema, ...(example && { example }) } },
});

/** Amounts are integers, each integer is a safe one, and a format says more to a reader than the pattern that enforces it. */
export function plainer(part: JsonSchema): void {
  if (part["maximum"] === AMOUNT_MINOR_MAX || part["multipleOf"] === 1) {
    part["type"] = "integer";
    delete part["multipleOf"];
  }
  if (part["minimum"] === Number.MIN_SAFE_INTEGER) delete part["minimum"];
  if (part["maximum"] === Number.MAX_SAFE_INTEGER) delete part["maximum"];
  if (part["format"] !== undefined) delete part["pattern"];
}
