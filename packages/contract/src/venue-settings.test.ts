import { expect, test } from "vitest";
import { defaultSettings, settingFields } from "./settings.ts";
import {
  fieldOf,
  limitFields,
  readChanges,
  readSetting,
  readVersion,
  SERVER_KEYS,
  SETTING_UNITS,
  TWO_PERSON_KEYS,
  VENUE_KEYS,
} from "./venue-settings.ts";

test("every key is the venue's or the server's, once", () => {
  const all = [...Object.keys(settingFields), ...Object.keys(limitFields)].toSorted();
  expect([...VENUE_KEYS, ...SERVER_KEYS].toSorted()).toEqual(all);
});

test("every default is a value that its own setting takes", () => {
  for (const key of VENUE_KEYS) expect([key, readSetting(key, fieldOf(key).fallback).is]).toEqual([key, "taken"]);
});

test("units and second persons are of settings that there are", () => {
  const known: readonly string[] = VENUE_KEYS;
  expect([...TWO_PERSON_KEYS, ...Object.keys(SETTING_UNITS)].filter((key) => !known.includes(key))).toEqual([]);
});

test("a wrong value says which rule it breaks", () => {
  const rule = (key: "volume" | "layout" | "header" | "currency" | "infoText" | "idleMs", value: unknown) => {
    const read = readSetting(key, value);
    return read.is === "wrong" && read.rule;
  };
  expect(rule("volume", 2)).toEqual({ name: "atMost", bound: "1" });
  expect(rule("idleMs", 5)).toEqual({ name: "atLeast", bound: "1000" });
  expect(rule("layout", "layout9")).toEqual({ name: "oneOf", bound: "layout1, layout2, layout3" });
  expect(rule("header", "yes")).toEqual({ name: "kind", bound: "boolean" });
  expect(rule("currency", "try")).toEqual({ name: "form", bound: "" });
  expect(rule("infoText", "a\u0007")).toEqual({ name: "kept", bound: "" });
});

test("changes of anything but the venue's settings are problems, whatever their names", () => {
  const hostile = JSON.parse('{"__proto__":{"x":1},"constructor":1,"apiUrl":"/","":1}') as Record<string, unknown>;
  expect(readChanges(hostile)).toMatchObject({ taken: {}, problems: [{}, {}, {}, {}] });
});

test.each([[null], ["text"], [[]], [7]])("a version that holds %j is none", (content) => {
  expect(readVersion(content)).toMatchObject({ settings: {}, problems: [{ key: "" }] });
});

test("a version keeps what it knows, and leaves keys of a newer program out", () => {
  const { settings, problems } = readVersion({ volume: 0.3, later: { x: 1 } });
  expect({ settings, problems }).toEqual({ settings: { volume: 0.3 }, problems: [] });
  expect(readVersion(defaultSettings()).problems).toEqual([]);
});
