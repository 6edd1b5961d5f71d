import { expect, test } from "vitest";
import type { Entry } from "./find.ts";
import { findEntries } from "./find.ts";

const entry = (label: string, group: Entry["group"], words = ""): Entry => ({
  id: label,
  group,
  label,
  words,
  run: () => {},
});
const entries = [
  entry("Floor", "pages"),
  entry("Nar 03", "machines", "nar-03"),
  entry("Nar 30", "machines", "nar-30"),
  entry("Drain Nar 03", "acts", "empty boşalt"),
  entry("Close Nar 03", "acts", "kapat"),
  ...Array.from({ length: 20 }, (_, at) => entry(`Pera ${at}`, "machines")),
];
const labels = (question: string) => findEntries(entries, question).map(({ label }) => label);

test("a machine is found by its number without zeros, the closest first, and acts by their verbs in several languages", () => {
  expect(labels("nar 3")).toEqual(["Nar 03", "Nar 30", "Drain Nar 03", "Close Nar 03"]);
  expect(labels("nar 3 bosalt")).toEqual(["Drain Nar 03"]);
  expect(labels("kapat 03")).toEqual(["Close Nar 03"]);
});

test("every word must fit, and a group is cut", () => {
  expect(labels("nar 4")).toEqual([]);
  expect(labels("pera")).toHaveLength(8);
  expect(labels("FLO")).toEqual(["Floor"]);
});
