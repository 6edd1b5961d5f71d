import type { EvidenceContent, EvidenceReport } from "@longarm/contract/evidence/verify";
import { verifyExport } from "@longarm/contract/evidence/verify";
import type { Child } from "./elements.ts";
import { make, section } from "./elements.ts";
import { playerOf } from "./player.ts";
import { language, texts } from "./texts.ts";

/* The page inside an export (record 0224): opened from a disk, without network. It verifies the file that it is given, and plays it. */

const table = (rows: readonly (readonly Child[])[]): HTMLTableElement =>
  make("table", {}, ...rows.map((row) => make("tr", {}, ...row.map((cell) => make("td", { dir: "auto" }, cell)))));

function findingsOf({ findings, whole, fingerprint }: EvidenceReport): HTMLElement {
  const rows = findings.map(({ check, is, why }) => {
    const reasons = make("ul", { dir: "ltr", lang: "en" }, ...why.map((one) => make("li", {}, one)));
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
    ...(fingerprint === null ? [] : [make("p", {}, make("code", {}, fingerprint))]),
  );
}

function contentOf(content: EvidenceContent): HTMLElement[] {
  const { "question.json": question, "game.json": game, "ledger.json": ledger } = content;
  const pairs = (of: object): string[][] =>
    Object.entries(of).flatMap(([name, value]) => (value === null ? [] : [[name, String(value)]]));
  return [
    playerOf(content),
    make("p", {}, texts.amounts),
    ...(game === null ? [] : [section(texts.game, table(pairs(game)))]),
    ...(ledger === null
      ? []
      : [
          section(
            texts.booked,
            table(ledger.booked.map((one) => [one.at, one.kind, `${one.from} → ${one.to}`, String(one.amount)])),
          ),
        ]),
    ...(question === null
      ? []
      : [
          section(
            texts.said,
            table(
              question.steps.map(({ at, kind, sentence, text }) => [
                at,
                kind,
                [sentence, text].filter(Boolean).join(" · "),
              ]),
            ),
            table(pairs({ verdict: question.verdict, amount: question.amount, transfer: question.transfer })),
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
