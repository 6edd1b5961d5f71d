import { expect, test } from "vitest";
import type { NavigationItem } from "../../../shared/navigation/navigation.ts";
import type { Findable } from "./find-items.ts";
import { findItems, pagesOf, splitAtMatch } from "./find-items.ts";

const item = (title: string, label = title): Findable => ({ id: title, title, label, icon: "info" });
const items = [item("Lobby", "Home"), item("Slot Sessions", "Oyun oturumları"), item("Transactions", "İşlemler")];
const found = (text: string) => findItems(items, text).map(({ title }) => title);

test("R-2.10-43: title and label are searched, whatever the case", () => {
  expect(found("TRANS")).toEqual(["Transactions"]);
  expect(found(" home ")).toEqual(["Lobby"]);
  expect(found("lob")).toEqual(["Lobby"]);
  expect(found("slot s")).toEqual(["Slot Sessions"]);
  expect(found("")).toHaveLength(3);
  expect(found("zzz")).toEqual([]);
});

test.each(["işl", "İŞL", "ISL", "ısl", "isl"])("the Turkish letters i are one: %s", (text) => {
  expect(found(text)).toEqual(["Transactions"]);
});

test("Arabic is found without its marks", () => {
  expect(findItems([item("x", "المُعامَلات")], "المعاملات")).toHaveLength(1);
});

test("R-2.10-44, R-9-39: of fifteen that match, ten are suggested", () => {
  const many = Array.from({ length: 15 }, (_, index) => item(`Demo ${index}`));
  expect(findItems(many, "demo")).toHaveLength(10);
});

test.each([
  ["Transactions", "ACT", ["Trans", "act", "ions"]],
  ["İşlemler", "isl", ["", "İşl", "emler"]],
  ["المُعامَلات", "معام", ["ال", "مُعامَ", "لات"]],
  ["Home", "lob", ["Home", "", ""]],
  ["Home", " ", ["Home", "", ""]],
])("in %s what matches %s is set off", (label, text, parts) => {
  const split = splitAtMatch(label, text);
  expect(split.join("")).toBe(label);
  expect(split).toEqual(parts);
});

test("what nobody asks for is suggested only by a text of its name", () => {
  const all = [item("Lobby"), { ...item("Login"), onlyByName: true }];
  expect(findItems(all, " ").map(({ id }) => id)).toEqual(["Lobby"]);
  expect(findItems(all, "lo").map(({ id }) => id)).toEqual(["Lobby", "Login"]);
});

const entry = (id: string, rest: Partial<NavigationItem> = {}): NavigationItem => ({
  ...{ id, type: "item", title: id, url: `/${id}` },
  ...rest,
});

test("the pages of all parts are found, those of a part by its name and picture, and nothing that is no page", () => {
  const pages = pagesOf(
    [
      entry("lobby", { icon: "machine" }),
      {
        ...{ id: "group", type: "group", title: "Group" },
        children: [
          entry("plain"),
          { id: "line", type: "divider", title: "" },
          entry("out", { type: "link", url: "https://example.org" }),
          { ...entry("part", { type: "collapse", icon: "lock" }), children: [entry("inner")] },
        ],
      },
    ],
    (key) => key,
  );
  expect(pages.map(({ label, icon, to, onlyByName }) => [label, icon, to, onlyByName])).toEqual([
    ["lobby", "machine", "/lobby", false],
    ["plain", "info", "/plain", true],
    ["part: inner", "lock", "/inner", true],
  ]);
});
