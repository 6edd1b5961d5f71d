import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runbookOf, TASK_KINDS } from "@longarm/contract/staff-tasks";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";

const root = join(import.meta.dirname, "../../..");
const folder = join(root, "docs/runbooks");
const pages = readdirSync(folder).filter((file) => file.endsWith(".md") && file !== "README.md");
const text = (file: string): string => readFileSync(join(folder, file), "utf8");

type Rules = { groups: { rules: { alert: string; annotations: { runbook_url?: string } }[] }[] };
const alerts = (parse(readFileSync(join(root, "deploy/prometheus/alerts.yml"), "utf8")) as Rules).groups.flatMap(
  ({ rules }) => rules,
);
const ofAlerts = new Set(alerts.map(({ annotations }) => annotations.runbook_url?.replace("docs/runbooks/", "") ?? ""));

const PARTS = ["What it means", "What the player sees", "What to check", "What to do", "When to escalate"];

describe("the runbooks", () => {
  test("have a page for each kind of task, and each page has a kind or an alert", () => {
    const kinds = new Set(TASK_KINDS.map((kind) => `${runbookOf(kind)}.md`));
    expect([...kinds].filter((page) => !pages.includes(page))).toEqual([]);
    expect(pages.filter((page) => !kinds.has(page) && !ofAlerts.has(page))).toEqual([]);
  });

  test("are named by every alert of Prometheus", () => {
    expect(alerts.length).toBeGreaterThan(20);
    expect([...ofAlerts].filter((page) => !pages.includes(page) && page !== "README.md")).toEqual([]);
  });

  test.each(pages)("%s has the parts of a runbook in their order, each with text", (page) => {
    const parts = text(page).split(/^## /m).slice(1);
    expect(parts.map((part) => part.split("\n")[0])).toEqual(PARTS);
    for (const part of parts) expect(part.split("\n").slice(1).join("").trim().length, part).toBeGreaterThan(5);
  });

  // The console draws these alone (`runbook-page.tsx`).
  test.each(pages)("%s has only headings, paragraphs, lists, bold and code", (page) => {
    expect(text(page)).not.toMatch(/^(```|\||>|!\[|<|### )/m);
  });
});
