/* The reference of the integration port: drawn from its OpenAPI document, with its webhooks, and able to sign and send a call. Text alone goes into the page, never markup. */

const DOCUMENT = "/integration/v1/openapi.json";
const byId = (id) => document.getElementById(id);

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}
const pre = (value) => element("pre", { tabindex: "0" }, JSON.stringify(value, null, 2));
/** Text in which backticks mark code. */
const rich = (text) =>
  text.split("`").map((part, at) => (at % 2 === 1 ? element("code", {}, part) : document.createTextNode(part)));
/** A path, that may break after each part of it. */
const breaking = (path) => path.split(/(?<=[/.])/).flatMap((part) => [part, element("wbr")]);

function show(api) {
  const [about, scopes = ""] = api.info.description.split(" Scopes: ");
  byId("about").replaceChildren(...rich(about));
  if (scopes !== "") {
    const rows = scopes.replace(/\.$/, "").split("; ");
    byId("scopes").append(element("ul", {}, ...rows.map((one) => element("li", {}, ...rich(one)))));
    byId("scopes").hidden = false;
  }
  const calls = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, call]) => callOf(api, method.toUpperCase(), path, call)),
  );
  const webhooks = Object.entries(api.webhooks).map(([type, { post }]) => webhookOf(api, type, post));
  const [first] = Object.values(api.webhooks);
  byId("calls").replaceChildren(...calls);
  byId("webhooks").replaceChildren(...webhooks);
  byId("headers").replaceChildren(table(first.post.parameters.map((one) => rowOf(api, one))));
  byId("answers").replaceChildren(
    table(
      Object.entries(first.post.responses).map(([status, { description }]) => row(status, true, "status", description)),
    ),
  );
  const links = [...linkAll("to-calls", calls), ...linkAll("to-webhooks", webhooks)];
  byId("find").addEventListener("input", ({ target }) => find([...calls, ...webhooks], links, target.value));
  byId("key").addEventListener("submit", (event) => event.preventDefault());
  addEventListener("hashchange", openNamed);
  openNamed();
}

/** The entries of a list of contents, in the order of what they lead to. */
function linkAll(list, all) {
  const entries = all.map((one) =>
    element("li", {}, element("a", { href: `#${one.id}` }, ...breaking(one.dataset.name))),
  );
  byId(list).replaceChildren(...entries);
  return entries;
}

function find(all, links, text) {
  const wanted = text.trim().toLowerCase();
  for (const [at, one] of all.entries()) {
    one.hidden = !one.textContent.toLowerCase().includes(wanted);
    links[at].hidden = one.hidden;
  }
  byId("none").textContent = all.every((one) => one.hidden) ? "Nothing has this text." : "";
}

/** Opens what the address names. */
function openNamed() {
  const named = byId(decodeURIComponent(location.hash.slice(1)));
  if (named?.tagName !== "DETAILS") return;
  named.open = true;
  named.scrollIntoView();
}

const summary = (method, name, about) =>
  element(
    "summary",
    {},
    element("span", { class: "method", "data-is": method }, method),
    element("code", {}, ...breaking(name)),
    element("span", { class: "about" }, ...rich(about)),
  );

function callOf(api, method, path, call) {
  const { parameters = [], requestBody, responses } = call;
  const body = requestBody?.content["application/json"];
  const answer = responses["200"].content["application/json"];
  return element(
    "details",
    { id: call.operationId, "data-name": call.operationId },
    summary(method, path, call.summary),
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

function webhookOf(api, type, { summary: about, requestBody }) {
  const { schema, example } = requestBody.content["application/json"];
  return element(
    "details",
    { id: `webhook-${type}`, "data-name": type },
    summary("HOOK", type, about),
    element("h3", {}, "Body"),
    table(fieldsOf(api, schema)),
    pre(example),
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
    element(
      "td",
      {},
      element("code", {}, ...breaking(name)),
      ...(required ? [] : [" ", element("span", { class: "absent" }, "may be absent")]),
    ),
    element("td", {}, type),
    element("td", {}, ...rich(about)),
  );

/** Sentences and rules, one after the other. */
const joined = (parts) =>
  parts
    .filter(Boolean)
    .map((part) => (/[.!?]$/.test(part) ? part : `${part}.`))
    .join(" ");

function rowOf(api, given) {
  const { name, in: where, required, schema, description = "" } = resolved(api, given);
  return row(name, required, typeOf(api, schema), joined([`In the ${where}`, description, rulesOf(schema)]));
}

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
    return [
      row(path, required.includes(name), typeOf(api, field), joined([field.description, rulesOf(field)])),
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
  const { type, anyOf, items, enum: values, const: only, format } = resolved(api, given);
  if (only !== undefined) return JSON.stringify(only);
  if (values) return values.map((one) => JSON.stringify(one)).join(" | ");
  if (anyOf) return anyOf.map((one) => typeOf(api, one)).join(" | ");
  if (items) return `list of ${typeOf(api, items)}`;
  return format ?? [type ?? "any"].flat().join(" | ");
}

/** What a value has to be, in words. */
function rulesOf({ minimum, maximum, minLength, maxLength, pattern, default: absent }) {
  const number = (value) => value.toLocaleString("en");
  const range = (from, to, unit) => {
    if (from === undefined && to === undefined) return "";
    if (from === undefined) return `At most ${number(to)}${unit}`;
    return to === undefined ? `At least ${number(from)}${unit}` : `${number(from)} to ${number(to)}${unit}`;
  };
  return joined([
    range(minimum, maximum, ""),
    range(minLength, maxLength, " characters"),
    pattern === undefined ? "" : `Like \`${pattern}\``,
    absent === undefined ? "" : `If it is absent: ${absent}`,
  ]);
}

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
