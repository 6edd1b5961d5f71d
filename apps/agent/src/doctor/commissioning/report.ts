import { createHash } from "node:crypto";
import type { EndedStep } from "./commissioning.ts";
import { FAULTS } from "./faults.ts";

/** The commissioning report of one machine, as its JSON file has it. Times are ISO 8601 in UTC. */
export interface CommissioningReport {
  readonly version: 1;
  readonly machine: {
    readonly id: string;
    readonly name: string;
    readonly brand: string;
    readonly driver: string;
    readonly simulated: boolean;
  };
  /** Version of the agent's program. */
  readonly agent: string;
  readonly startedAt: string;
  readonly endedAt: string;
  /** No step failed, and every button and the picture were looked at. */
  readonly verdict: "ready" | "incomplete" | "faulty";
  /** Who ran it, as given on the command line; absent: not given. */
  readonly by?: string;
  readonly steps: readonly ReportedStep[];
}

/** A step as the report has it, with its advice. */
export type ReportedStep = EndedStep & { readonly advice?: string };

export type ReportHead = Pick<CommissioningReport, "machine" | "agent" | "by"> & {
  readonly startedMs: number;
  readonly endedMs: number;
};

export function reportOf(
  { startedMs, endedMs, by, ...head }: ReportHead,
  steps: readonly EndedStep[],
): CommissioningReport {
  const has = (wanted: EndedStep["outcome"]): boolean => steps.some(({ outcome }) => outcome === wanted);
  const whole = has("skipped") ? "incomplete" : "ready";
  return {
    version: 1,
    ...head,
    startedAt: new Date(startedMs).toISOString(),
    endedAt: new Date(endedMs).toISOString(),
    verdict: has("failed") ? "faulty" : whole,
    ...(by !== undefined && { by }),
    steps: steps.map((step) => (step.outcome === "failed" ? { ...step, advice: FAULTS[step.fault] } : step)),
  };
}

/** The text of the JSON file, and its SHA-256 in hex, which the signed page carries. */
export function reportFile(report: CommissioningReport): { readonly json: string; readonly digest: string } {
  const json = `${JSON.stringify(report, undefined, 2)}\n`;
  return { json, digest: createHash("sha256").update(json).digest("hex") };
}

/** A verdict for people. */
export const VERDICTS = {
  ready: "Ready: nothing is wrong.",
  incomplete: "Nothing is wrong, and not everything was looked at.",
  faulty: "Not ready: something is wrong.",
} as const satisfies Record<CommissioningReport["verdict"], string>;

/** What machines and devices call themselves is a stranger's text. */
const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/\p{C}/gu, "\uFFFD")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");

/** One page to print and to sign, without scripts and without anything from elsewhere. `digest`: of the JSON file. */
export function reportPage(report: CommissioningReport, digest: string): string {
  const { machine, agent, startedAt, endedAt, verdict, by, steps } = report;
  const facts: readonly (readonly [string, string])[] = [
    ["Machine", `${machine.name} (${machine.id}), ${machine.brand}`],
    ["Driver", machine.simulated ? `${machine.driver}: simulated, it drives no real machine` : machine.driver],
    ["Agent", agent],
    ["Time", `${secondOf(startedAt)} to ${secondOf(endedAt)} UTC`],
    ["SHA-256 of the JSON file", digest],
  ];
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(`Commissioning of ${machine.id}`)}</title>
<style>
body { font: 15px/1.45 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1b1b1b; background: #fff }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; overflow-wrap: anywhere }
dt { color: #555 } dd { margin: 0 }
table { border-collapse: collapse; width: 100% }
th, td { text-align: start; vertical-align: top; padding: .5rem .5rem .5rem 0; border-top: 1px solid #ccc }
td p { margin: 0 0 .25rem } figure { position: relative; margin: .25rem 0; width: fit-content; max-width: 100% }
figure img { display: block; max-width: 100%; height: auto } figure svg { position: absolute; inset: 0; width: 100%; height: 100% }
figure rect { fill: none; stroke: #ffd400; stroke-width: 3; vector-effect: non-scaling-stroke; paint-order: stroke } small { color: #555; overflow-wrap: anywhere }
tr { break-inside: avoid } a { color: inherit }
.result { padding: .75rem 1rem; border-inline-start: 4px solid #777; background: #f4f4f4 } .result p { margin: 0; font-weight: 650 }
.result[data-verdict=faulty] { border-color: #a40000 } .result[data-verdict=ready] { border-color: #1a6b2b } .result ul { margin: .5rem 0 0; padding-inline-start: 1.25rem }
[data-outcome=failed] td:first-child { color: #a40000; font-weight: 650 }
[data-outcome=passed] td:first-child { color: #1a6b2b }
.sign { display: grid; grid-template-columns: 1fr 1fr 1fr; gap: 2rem; margin-block: 4rem 1rem; break-inside: avoid }
.sign div { border-top: 1px solid #1b1b1b; padding-top: .25rem; color: #555 }
.sign div b { display: block; margin-top: -2rem; min-height: 1.75rem; color: #1b1b1b; font-weight: 450 }
@media (max-width: 40rem) {
  body { margin: 1rem auto } h1 { font-size: 1.5rem }
  dl, .sign { grid-template-columns: 1fr } dl { gap: 0 } dd { margin-bottom: .5rem } .sign { gap: 4rem }
  thead { display: none } table, tbody, tr, td { display: block } td { border: 0; padding: 0 } td:nth-child(2) { font-weight: 650 }
  tr { border-top: 1px solid #ccc; padding: .5rem 0 }
}
</style>
<h1>Commissioning report</h1>
<div class="result" data-verdict="${verdict}"><p>${VERDICTS[verdict]}</p>${failuresOf(steps)}</div>
<dl>
${facts.map(([name, value]) => `<dt>${name}</dt><dd>${escaped(value)}</dd>`).join("\n")}
</dl>
<table>
<thead><tr><th>Outcome</th><th>Step</th><th>Seen</th></tr></thead>
<tbody>
${steps.map(rowOf).join("\n")}
</tbody>
</table>
<div class="sign"><div><b>${escaped(by ?? "")}</b>Name</div><div><b></b>Date</div><div><b></b>Signature</div></div>
</html>
`;
}

/** A time of the report, to the second. */
const secondOf = (iso: string): string => iso.slice(0, 19).replace("T", " ");

/** What is wrong, before everything else: each with a link to its row. */
function failuresOf(steps: readonly ReportedStep[]): string {
  const failures = steps.filter(({ outcome }) => outcome === "failed");
  const items = failures.map(
    ({ id, title, says }) => `<li><a href="#${escaped(id)}">${escaped(title)}</a>: ${escaped(says)}</li>`,
  );
  return items.length === 0 ? "" : `<ul>${items.join("")}</ul>`;
}

/** The picture of a step, with a box around what changed. */
function figureOf({ title, picture }: ReportedStep): string {
  if (picture === undefined) return "";
  const { webp, mark } = picture;
  const box = mark && `<rect x="${mark.x}" y="${mark.y}" width="${mark.width}" height="${mark.height}"/>`;
  const svg = box === undefined ? "" : `<svg viewBox="0 0 1 1" preserveAspectRatio="none">${box}</svg>`;
  return `<figure><img src="data:image/webp;base64,${escaped(webp)}" alt="${escaped(title)}">${svg}</figure>`;
}

function rowOf(step: ReportedStep): string {
  const { outcome, title, says, evidence = {}, advice, tookMs } = step;
  const fault = step.outcome === "failed" ? [`fault: ${step.fault}`] : [];
  const read = Object.entries(evidence).map(([name, value]) => `${name}: ${value}`);
  const small = [...fault, ...read, `${tookMs} ms`].join(" · ");
  const check = advice === undefined ? "" : `<p><b>Check:</b> ${escaped(advice)}.</p>`;
  return `<tr id="${escaped(step.id)}" data-outcome="${outcome}"><td>${outcome}</td><td>${escaped(title)}</td><td><p>${escaped(says)}</p>${check}${figureOf(step)}<small>${escaped(small)}</small></td></tr>`;
}
