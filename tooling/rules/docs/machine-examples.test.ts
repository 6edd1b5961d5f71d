import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readMachines } from "@longarm/agent/config/machines";
import { expect, test } from "vitest";

const page = (path: string): string => readFileSync(join(import.meta.dirname, "../../../docs", path), "utf8");
/** The blocks of a page that have this text, without their fences. */
const blocksWith = (path: string, text: string): string[] =>
  [...page(path).matchAll(/^```\w*\n([\s\S]*?)^```$/gm)]
    .map(([, block = ""]) => block)
    .filter((block) => block.includes(text));

test("the machine of docs/hardware.md is an entry of the list of machines, with its buttons too", () => {
  const [entry = ""] = blocksWith("hardware.md", '"driver": "sas"');
  expect(readMachines(`[${entry}]`).complaints).toEqual([]);
  const [buttons = ""] = blocksWith("hardware.md", '"buttons": {');
  const wired = { ...(JSON.parse(entry) as object), ...(JSON.parse(`{${buttons}}`) as object) };
  expect(readMachines(JSON.stringify([wired])).complaints).toEqual([]);
});

test("the list of docs/operating/real-picture.md is a list of machines", () => {
  const [list = ""] = blocksWith("operating/real-picture.md", '"driver"');
  expect(readMachines(list).complaints).toEqual([]);
});
