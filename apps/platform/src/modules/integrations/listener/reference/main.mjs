/* The reference of the integration port: drawn from its OpenAPI document, and able to sign and send a call. Text alone goes into the page, never markup. */

const DOCUMENT = "/integration/v1/openapi.json";
const byId = (id) => document.getElementById(id);

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}
const pre = (value) => element("pre", { tabindex: "0" }, JSON.stringify(value, null, 2));

function show(api) {
  byId("about").textContent = api.info.description.replaceAll("`", "");
  const calls = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, call]) => callOf(api, method.toUpperCase(), path, call)),
  );
  byId("calls").replaceChildren(...calls);
  byId("find").addEventListener("input", ({ target }) => {
    const wanted = target.value.toLowerCase();
    for (const one of calls) one.hidden = !one.textContent.toLowerCase().includes(wanted);
  });
  byId("key").addEventListener("submit", (event) => event.preventDefault());
}

function callOf(api, method, path, call) {
  const { parameters = [], requestBody, responses } = call;
  const body = requestBody?.content["application/json"];
  const answer = responses["200"].content["application/json"];
  return element(
    "details",
    { id: call.operationId },
    element("summary", {}, element("code", {}, `${method} ${path}`), ` ${call.summary.replaceAll("`", "")}`),
    element("p", {}, "Scope: ", element("code", {}, call["x-scope"])),
    ...(parameters.length > 0
      ? [element("h3", {}, "Parameters"), table(parameters.map((one) => rowOf(api, one)))]
      : []),
    ...(body ? [element("h3", {}, "Body"), table(fieldsOf(api, body.schema)), pre(body.example)] : []),
    element("h3", {}, "Answer"),
    table(fieldsOf(api, answer.schema)),
    pre(answer.example),
    sender(method, path, parameters, body?.example),
  );
}

const table = (rows) =>
  element(
    "table",
    {},
    element(
      "thead",
      {},
      element("tr", {}, ...["Name", "Type", "About"].map((name) => element("th", { scope: "col" }, name))),
    ),
    element("tbody", {}, ...rows),
  );

const row = (name, required, type, about) =>
  element(
    "tr",
    {},
    element("td", {}, element("code", {}, name), required ? "" : " (may be absent)"),
    element("td", {}, type),
    element("td", {}, about),
  );

const rowOf = (api, { name, in: where, required, schema, description = "" }) =>
  row(name, required, typeOf(api, schema), [where, description, rulesOf(schema)].filter(Boolean).join("; "));

const resolved = (api, schema = {}) =>
  schema.$ref === undefined
    ? schema
    : schema.$ref
        .split("/")
        .slice(1)
        .reduce((within, part) => within[part], api);

/** Rows of an object's fields, and of those within them. */
function fieldsOf(api, given, prefix = "") {
  const schema = resolved(api, given);
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).flatMap(([name, part]) => {
    const field = resolved(api, part);
    const path = `${prefix}${name}`;
    const inner = within(api, field);
    const about = [field.description, rulesOf(field)].filter(Boolean).join("; ");
    return [
      row(path, required.includes(name), typeOf(api, field), about),
      ...fieldsOf(api, inner.schema, `${path}${inner.mark}.`),
    ];
  });
}

/** The object in a list, or beside null. */
function within(api, field) {
  if (field.items) return { schema: field.items, mark: "[]" };
  return { schema: field.anyOf?.map((one) => resolved(api, one)).find((one) => one.properties) ?? field, mark: "" };
}

function typeOf(api, given) {
  const { type, anyOf, items, enum: values, format } = resolved(api, given);
  if (values) return values.map((one) => JSON.stringify(one)).join(" | ");
  if (anyOf) return anyOf.map((one) => typeOf(api, one)).join(" | ");
  if (items) return `list of ${typeOf(api, items)}`;
  return format ?? [type ?? "any"].flat().join(" | ");
}

const RULES = ["minimum", "maximum", "minLength", "maxLength", "pattern", "default"];
const rulesOf = (schema) =>
  RULES.filter((name) => schema[name] !== undefined)
    .map((name) => `${name} ${schema[name]}`)
    .join(", ");

function sender(method, path, parameters, example) {
  const inputs = parameters.filter(({ in: where }) => where !== "header");
  const output = element("output", { "aria-live": "polite" });
  const form = element(
    "form",
    {},
    element("h3", {}, "Send"),
    ...inputs.map(({ name }) => element("label", {}, name, element("input", { name, spellcheck: "false" }))),
    ...(method === "POST"
      ? [
          element("label", {}, "idempotency-key", element("input", { name: "once", value: newId() })),
          element(
            "label",
            {},
            "Body",
            element("textarea", { name: "body", rows: "6" }, JSON.stringify(example, null, 2)),
          ),
        ]
      : []),
    element("button", {}, "Sign and send"),
    output,
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const given = Object.fromEntries(new FormData(form));
    output.replaceChildren("Sending…");
    const sent = await send(method, targetOf(path, inputs, given), given).catch((error) =>
      String(error.message ?? error),
    );
    output.replaceChildren(
      typeof sent === "string" ? sent : pre(sent.body),
      sent.status ? `Status ${sent.status}` : "",
    );
  });
  return form;
}

function targetOf(path, inputs, given) {
  const inPath = path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(given[name] ?? ""));
  const query = new URLSearchParams(
    inputs.filter(({ name, in: where }) => where === "query" && given[name]).map(({ name }) => [name, given[name]]),
  );
  return query.size > 0 ? `${inPath}?${query}` : inPath;
}

/** `randomUUID` is not there on http. */
const newId = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (one) => one.toString(16).padStart(2, "0")).join("");

const utf8 = (text) => new TextEncoder().encode(text);
const base64 = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes)));

/** RFC 9421 with HMAC-SHA-256, as docs/integrating.md says. */
async function send(method, target, { body = "", once = "" }) {
  if (crypto.subtle === undefined) throw new Error("Browsers sign only on https and on localhost.");
  const { keyId, secret } = Object.fromEntries(new FormData(byId("key")));
  if (!keyId || !secret) throw new Error("Give a key first.");
  const [path, query = ""] = target.split("?");
  const digest = `sha-256=:${base64(await crypto.subtle.digest("SHA-256", utf8(body)))}:`;
  const covered = [
    ["@method", method],
    ["@path", path],
    ["@query", `?${query}`],
    ...(method === "POST"
      ? [
          ["content-digest", digest],
          ["idempotency-key", once],
        ]
      : []),
  ];
  const list = covered.map(([name]) => `"${name}"`).join(" ");
  const nonce = newId();
  const params = `(${list});created=${Math.floor(Date.now() / 1000)};keyid="${keyId}";nonce="${nonce}"`;
  const base = [...covered.map(([name, value]) => `"${name}": ${value}`), `"@signature-params": ${params}`].join("\n");
  const bytes = Uint8Array.from(atob(secret.trim()), (one) => one.charCodeAt(0));
  const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const reply = await fetch(target, {
    method,
    headers: {
      "signature-input": `sig=${params}`,
      signature: `sig=:${base64(await crypto.subtle.sign("HMAC", key, utf8(base)))}:`,
      ...(method === "POST" && {
        "content-type": "application/json",
        "content-digest": digest,
        "idempotency-key": once,
      }),
    },
    ...(method === "POST" && { body }),
    credentials: "omit",
    cache: "no-store",
  });
  return { status: reply.status, body: await reply.json() };
}

show(await (await fetch(DOCUMENT)).json());
