import type { Button } from "@longarm/contract/machine";
import { expect, test } from "vitest";
import { panelKeys } from "./panel-keys.ts";

const BANDS = [
  { id: "20", name: "0,20", Order: 2 },
  { id: "10", name: "0,10", Order: 1 },
];
const key = (id: string, kind: Button["kind"]): Button => ({ id, label: id.toUpperCase(), kind, minGapMs: 0 });
const ids = (buttons: readonly Button[]): string[] => buttons.map(({ id }) => id);

test("a full cabinet: every key has its place", () => {
  const selects = ["betDown", "betUp", "maxBet", "band:20", "band:10"].map((id) => key(id, "select"));
  const keys = panelKeys([key("spin", "wager"), ...selects, key("attendant", "service")], BANDS);
  expect([keys.wager?.id, keys.less?.id, keys.more?.id, keys.max?.id]).toEqual(["spin", "betDown", "betUp", "maxBet"]);
  expect([...keys.bands]).toEqual([
    ["20", selects[3]],
    ["10", selects[4]],
  ]);
  expect([ids(keys.others), ids(keys.services)]).toEqual([[], ["attendant"]]);
});

test("a cabinet with lines, a gamble, a collect and a stop, and without bands: they are drawn as told, in its order", () => {
  const keys = panelKeys(
    [
      key("lines", "select"),
      key("start", "wager"),
      key("collect", "collect"),
      key("gamble", "select"),
      key("stop", "select"),
    ],
    [],
  );
  expect(keys.wager?.id).toBe("start");
  expect(keys.more).toBeUndefined();
  expect(ids(keys.others)).toEqual(["lines", "collect", "gamble", "stop"]);
});

test("a cabinet with one key for each stake: the first is SPIN, the others stand beside it; a band without a key has none", () => {
  const keys = panelKeys([key("bet5", "wager"), key("bet10", "wager"), key("betUp", "service")], BANDS);
  expect([keys.wager?.id, ids(keys.others), ids(keys.services), keys.bands.size]).toEqual([
    "bet5",
    ["bet10"],
    ["betUp"],
    0,
  ]);
  expect(panelKeys([], []).wager).toBeUndefined();
});
