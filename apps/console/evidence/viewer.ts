import type { EvidenceReason } from "@longarm/contract/evidence/sentences";
import type { EvidenceContent, EvidenceReport } from "@longarm/contract/evidence/verify";
import { verifyExport } from "@longarm/contract/evidence/verify";
import type { Child } from "./elements.ts";
import { filled, instant, isolated, make, section } from "./elements.ts";
import { playerOf } from "./player.ts";
import { language, texts, wordFor } from "./texts.ts";

/* The page inside an export (record 0224): opened from a disk, without network. It verifies the file that it is given, and plays it. */

/** A table that a narrow window stacks: each cell under the one before, with the name of its column. The roles are those that stacking takes away. */
function table(columns: readonly string[], rows: readonly (readonly Child[])[]): HTMLTableElement {
  const names = columns.map((one) => wordFor("field", one));
  const head = names.map((name) => make("th", { role: "columnheader", scope: "col" }, name));
  const cells = (row: readonly Child[]) =>
    row.map((cell, n) => make("td", { role: "cell", "data-name": names[n] ?? "" }, make("div", {}, cell)));
  return make(
    "table",
    { role: "table", class: "rows" },
    make("thead", { role: "rowgroup" }, make("tr", { role: "row" }, ...head)),
    make("tbody", { role: "rowgroup" }, ...rows.map((row) => make("tr", { role: "row" }, ...cells(row)))),
  );
}

/** Each field that has a value, by its name. */
const fields = (of: Readonly<Record<string, Child | number | boolean | null>>): HTMLTableElement =>
  make(
    "table",
    {},
    ...Object.entries(of).flatMap(([name, value]) => {
      if (value === null) return [];
      const said = typeof value === "object" ? value : isolated(wordFor("value", String(value)));
      return [make("tr", {}, make("th", { scope: "row" }, wordFor("field", name)), make("td", {}, said))];
    }),
  );

/** An account of the ledger, whose id is behind a colon. */
function partyOf(address: string): HTMLElement {
  const [kind = "", ...id] = address.split(":");
  const name = wordFor("party", kind);
  return make("span", {}, name, ...(id.length === 0 ? [] : [" ", isolated(id.join(":"))]));
}

/** A sentence of the verifier. What a figure itself is called has the reader's words too. */
function reasonOf({ says, figures }: EvidenceReason): Child[] {
  const said = Object.entries(figures).map(([name, value]) => {
    const written = String(value);
    if (name === "figure") return [name, wordFor("field", written)];
    return [name, name === "reason" ? wordFor("clip", written) : written];
  });
  return filled(texts.sentence[says], Object.fromEntries(said));
}

function findingsOf({ findings, whole, fingerprint }: EvidenceReport): HTMLElement {
  const rows = findings.map(({ check, is, why }) => {
    const reasons = make("ul", {}, ...why.map((one) => make("li", {}, ...reasonOf(one))));
    const row = make("tr", { "data-check": check, "data-is": is });
    row.append(
      make("th", { scope: "row" }, texts.check[check]),
      make("td", {}, make("b", {}, texts.state[is]), ...(why.length > 0 ? [reasons] : [])),
    );
    return row;
  });
  const notWrong = findings.every(({ is }) => is === "proved") ? "proved" : "whole";
  return make(
    "section",
    { "data-whole": String(whole) },
    make("h2", {}, make("span", { role: "status" }, texts.verdict[whole ? notWrong : "wrong"])),
    make("table", {}, ...rows),
    ...(fingerprint === null
      ? []
      : [make("p", {}, `${texts.ownFingerprint} `, make("code", { dir: "ltr" }, fingerprint))]),
  );
}

function contentOf(content: EvidenceContent): HTMLElement[] {
  const { "question.json": question, "game.json": game, "ledger.json": ledger } = content;
  return [
    playerOf(content),
    make("p", {}, texts.amounts),
    ...(game === null
      ? []
      : [section(texts.game, fields({ ...game, start: instant(game.start), end: instant(game.end) }))]),
    ...(ledger === null
      ? []
      : [
          section(
            texts.booked,
            table(
              ["at", "kind", "from", "to", "amount"],
              ledger.booked.map(({ at, kind, from, to, amount }) => [
                ...[instant(at), isolated(wordFor("booked", kind)), partyOf(from), partyOf(to)],
                isolated(String(amount)),
              ]),
            ),
          ),
        ]),
    ...(question === null
      ? []
      : [
          section(
            texts.said,
            table(
              ["at", "kind", "text"],
              question.steps.map(({ at, kind, sentence, text }) => [
                ...[instant(at), wordFor("step", kind)],
                isolated([sentence, text].filter(Boolean).join(" · ")),
              ]),
            ),
            fields({
              verdict: question.verdict && wordFor("verdict", question.verdict),
              ...{ amount: question.amount, transfer: question.transfer },
            }),
          ),
        ]),
  ];
}

const result = make("div");
const file = make("input", { type: "file", accept: ".zip" });
const known = make("input", { type: "text", size: "64", spellcheck: "false", dir: "ltr" });

async function verify(): Promise<void> {
  const [chosen] = file.files ?? [];
  if (chosen === undefined) return;
  if (!isSecureContext) {
    result.replaceChildren(make("p", { role: "status" }, texts.tooOld));
    return;
  }
  result.replaceChildren(make("p", { role: "status" }, texts.reading));
  const zip = new Uint8Array(await chosen.arrayBuffer());
  const report = await verifyExport(zip, known.value.trim() === "" ? undefined : known.value);
  const { content } = report;
  result.replaceChildren(
    findingsOf(report),
    section(texts.proves, make("ul", {}, ...texts.limits.map((one) => make("li", {}, one)))),
    // What is wrong is not shown as if it were evidence.
    ...(content !== null && report.whole ? contentOf(content) : []),
  );
}

file.addEventListener("change", () => void verify());
known.addEventListener("change", () => void verify());
document.documentElement.lang = language;
document.documentElement.dir = language === "ar" ? "rtl" : "ltr";
document.title = texts.title;
document.body.append(
  make(
    "main",
    {},
    make("h1", {}, texts.title),
    make("p", {}, texts.about),
    make("p", {}, make("label", {}, `${texts.choose} `, file)),
    make("p", {}, make("label", {}, `${texts.fingerprint} `, known)),
    result,
  ),
);
