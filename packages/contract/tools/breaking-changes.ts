import { isDeepStrictEqual } from "node:util";

/*
 * What a new OpenAPI document takes from callers of the old one. It knows what is harmless, and takes everything else for a breach: a new call, a new
 * optional field of a request, a new field of an answer, a request that may be more, an answer that is less, another text for people.
 */

type Json = Readonly<Record<string, unknown>>;
type Operation = {
  readonly parameters?: readonly Json[];
  readonly requestBody?: Json;
  readonly responses: Readonly<Record<string, unknown>>;
};
/** A request must still be accepted; an answer must still be understood. */
type Side = "request" | "answer";

const METHODS = ["get", "put", "post", "delete", "patch"] as const;
/** For people. */
const TEXTS: ReadonlySet<string> = new Set(["description", "title", "example", "examples", "default", "summary"]);
/** Bounds: which way is wider. */
const BOUNDS = {
  ...{ minimum: -1, exclusiveMinimum: -1, minLength: -1, minItems: -1 },
  ...{ maximum: 1, exclusiveMaximum: 1, maxLength: 1, maxItems: 1 },
} as const;

/** What has a rule of its own. */
const COMPARED: ReadonlySet<string> = new Set([
  ...Object.keys(BOUNDS),
  ...["type", "enum", "const", "anyOf", "items", "properties", "required", "additionalProperties", "pattern", "format"],
]);

const object = (value: unknown): Json => (typeof value === "object" && value !== null ? (value as Json) : {});
const texts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

/** Each breach as a sentence that names the place; none: every old caller continues to work. */
export function breakingChanges(before: Json, after: Json): string[] {
  const found: string[] = [];
  for (const [path, methods] of Object.entries(object(before["paths"]))) {
    for (const method of METHODS) {
      const old = object(methods)[method] as Operation | undefined;
      if (old === undefined) continue;
      const name = `${method.toUpperCase()} ${path}`;
      const now = object(object(after["paths"])[path])[method] as Operation | undefined;
      if (now === undefined) found.push(`${name} is gone`);
      else found.push(...inOperation(new Comparison(before, after), old, now).map((what) => `${name}: ${what}`));
    }
  }
  for (const [type, { post: old }] of Object.entries(before["webhooks"] ?? {})) {
    const now = object(object(object(after["webhooks"])[type])["post"]);
    const report = new Comparison(before, after);
    if (now["requestBody"] === undefined) report.say("it", "is gone");
    // The receiver reads it, as an answer.
    else report.contents("answer", object(old)["requestBody"], now["requestBody"], "body");
    found.push(...report.found.map((what) => `report ${type}: ${what}`));
  }
  const signing = (document: Json) => object(object(object(document["components"])["securitySchemes"])["signature"]);
  const comparison = new Comparison(before, after);
  comparison.others(signing(before), signing(after), "the signature");
  return [...found, ...comparison.found];
}

function inOperation(comparison: Comparison, old: Operation, now: Operation): string[] {
  const [oldOnes, nowOnes] = [old, now].map(
    ({ parameters = [] }) => new Map(parameters.map((one) => [`${one["in"]} parameter ${one["name"]}`, one])),
  ) as [Map<string, Json>, Map<string, Json>];
  for (const [name, one] of nowOnes)
    if (one["required"] === true && oldOnes.get(name)?.["required"] !== true) comparison.say(name, "is required now");
  for (const [name, one] of oldOnes) {
    const present = nowOnes.get(name);
    if (present === undefined) comparison.say(name, "is gone");
    else comparison.compare("request", one["schema"], present["schema"], name);
  }
  comparison.contents("request", old.requestBody, now.requestBody, "request");
  for (const status of Object.keys(old.responses))
    comparison.contents("answer", old.responses[status], now.responses[status], `answer ${status}`);
  const rest = ({ parameters: _p, requestBody: _b, responses: _r, ...other }: Operation & Json) => other;
  comparison.others(rest(old as Operation & Json), rest(now as Operation & Json), "the call");
  return comparison.found;
}

class Comparison {
  readonly found: string[] = [];
  readonly #before: Json;
  readonly #after: Json;
  constructor(before: Json, after: Json) {
    this.#before = before;
    this.#after = after;
  }

  say(where: string, what: string): void {
    this.found.push(`${where} ${what}`);
  }

  contents(side: Side, oldGiven: unknown, nowGiven: unknown, where: string): void {
    const [old, now] = [resolved(this.#before, oldGiven), resolved(this.#after, nowGiven)];
    const [oldContent, nowContent] = [object(old["content"]), object(now["content"])];
    for (const [type, body] of Object.entries(oldContent)) {
      if (nowContent[type] === undefined) this.say(where, `has no ${type} any more`);
      else this.compare(side, object(body)["schema"], object(nowContent[type])["schema"], where);
    }
    const isNewlyNeeded = side === "request" && now["required"] === true && old["required"] !== true;
    if (isNewlyNeeded) this.say(where, "is required now");
  }

  /** Adds what a value of one side can no longer be, or can be now. */
  compare(side: Side, oldGiven: unknown, nowGiven: unknown, where: string): void {
    const [old, now] = [resolved(this.#before, oldGiven), resolved(this.#after, nowGiven)];
    // The one that must lie within the other: what old callers send, what new answers say.
    const [inner, outer] = side === "request" ? [old, now] : [now, old];
    this.#kinds(side, old, now, where);
    for (const [name, wider] of Object.entries(BOUNDS)) {
      const [within, limit] = [inner[name], outer[name]];
      const fits = limit === undefined || (typeof within === "number" && (Number(limit) - within) * wider >= 0);
      if (!fits) this.say(where, `has another ${name}: ${String(old[name])}, now ${String(now[name])}`);
    }
    for (const name of ["pattern", "format"])
      if (outer[name] !== undefined && inner[name] !== outer[name])
        this.say(where, `has another ${name}: ${String(old[name])}, now ${String(now[name])}`);
    if (old["items"] !== undefined) this.compare(side, old["items"], now["items"], `${where}[]`);
    this.#fields(side, old, now, where);
    this.others(old, now, where);
  }

  /** Types, lists of values, and choices between schemas. */
  #kinds(side: Side, old: Json, now: Json, where: string): void {
    const grown = (name: string, inner: readonly string[], outer: readonly string[]) => {
      const beyond = inner.filter((one) => !outer.includes(one));
      if (beyond.length > 0)
        this.say(where, side === "request" ? `may no longer be ${name} ${beyond}` : `may be ${name} ${beyond} now`);
    };
    const values = (schema: Json) =>
      schema["const"] === undefined ? texts(schema["enum"]) : [String(schema["const"])];
    const types = (schema: Json) => {
      const own = Array.isArray(schema["type"]) ? texts(schema["type"]) : [String(schema["type"] ?? "any")];
      return own.includes("number") ? [...own, "integer"] : own;
    };
    const [inner, outer] = side === "request" ? [old, now] : [now, old];
    if (!types(outer).includes("any")) grown("of type", types(inner), types(outer));
    if (values(outer).length > 0) {
      if (values(inner).length === 0) this.say(where, "is another list of values");
      else grown("the value", values(inner), values(outer));
    }
    const [oldOnes, nowOnes] = [old["anyOf"], now["anyOf"]] as (readonly unknown[] | undefined)[];
    if (oldOnes === undefined || nowOnes?.length !== oldOnes.length) {
      if (oldOnes !== nowOnes) this.say(where, "has other choices");
      return;
    }
    for (const [at, one] of oldOnes.entries()) this.compare(side, one, nowOnes[at], where);
  }

  #fields(side: Side, old: Json, now: Json, where: string): void {
    const [oldFields, nowFields] = [object(old["properties"]), object(now["properties"])];
    const [oldNeeded, nowNeeded] = [texts(old["required"]), texts(now["required"])];
    for (const [name, field] of Object.entries(oldFields)) {
      if (nowFields[name] === undefined) this.say(`${where}.${name}`, "is gone");
      else this.compare(side, field, nowFields[name], `${where}.${name}`);
    }
    if (side === "request") {
      for (const name of nowNeeded) if (!oldNeeded.includes(name)) this.say(`${where}.${name}`, "is required now");
    } else {
      for (const name of oldNeeded)
        if (!nowNeeded.includes(name) && nowFields[name] !== undefined)
          this.say(`${where}.${name}`, "may be absent now");
    }
    const [oldOthers, nowOthers] = [old["additionalProperties"] ?? true, now["additionalProperties"] ?? true];
    const isOpened = side === "request" ? oldOthers === false : nowOthers === false;
    if (!isOpened && !isDeepStrictEqual(oldOthers, nowOthers)) this.say(where, "has another rule for other fields");
  }

  /** Everything that no rule above knows must be as it was. */
  others(old: Json, now: Json, where: string): void {
    for (const name of new Set([...Object.keys(old), ...Object.keys(now)])) {
      if (COMPARED.has(name) || TEXTS.has(name)) continue;
      if (!isDeepStrictEqual(old[name], now[name])) this.say(where, `has another ${name}`);
    }
  }
}

/** A schema or an answer where it is defined. */
function resolved(document: Json, given: unknown): Json {
  const { $ref } = object(given);
  if (typeof $ref !== "string") return object(given);
  return $ref
    .split("/")
    .slice(1)
    .reduce((within: Json, part) => object(within[part]), document);
}
