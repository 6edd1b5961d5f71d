import { expect, test } from "vitest";
import { createAppearance } from "../../shared/appearance/appearance.ts";
import { drawTheme } from "./draw.ts";
import { paletteOf } from "./palettes.ts";

test("a palette that nobody knows is night; a bar may follow the main palette in its dark or light kind", () => {
  expect([paletteOf("pine"), paletteOf("deepOcean"), paletteOf("")]).toEqual(["pine", "night", "night"]);
  expect([paletteOf("mainDark", "pine"), paletteOf("mainLight", "pine")]).toEqual(["pine", "sage"]);
  expect([paletteOf("mainDark", "rose"), paletteOf("mainLight", "rose")]).toEqual(["velvet", "rose"]);
});

test("the page names the palette of each region, and what is switched off", () => {
  const appearance = createAppearance({ layout: "layout3", theme: { main: "rose", navbar: "mainDark", footer: "?" } });
  appearance.change({ theme: { toolbar: "mainLight" }, animations: false });
  const root = document.createElement("html");
  drawTheme(root, appearance.current.getState());
  expect({ ...root.dataset }).toEqual({ main: "rose", navbar: "velvet", toolbar: "rose", footer: "night", still: "" });
  appearance.change({ animations: true, customScrollbars: false });
  drawTheme(root, appearance.current.getState());
  expect([root.hasAttribute("data-still"), root.hasAttribute("data-plain-scrollbars")]).toEqual([false, true]);
});
