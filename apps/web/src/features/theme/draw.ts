import { REGIONS } from "@longarm/contract/template/appearance";
import type { Appearance } from "../../shared/appearance/appearance.ts";
import { paletteOf } from "./palettes.ts";
import "./palettes.css";
import "./draw.css";

/** Gives `<html>` the palettes of all regions, and says whether our own motion and scrollbars are wanted. The styles read it there. */
export function drawTheme(root: HTMLElement, { theme, animations, customScrollbars }: Appearance): void {
  const main = paletteOf(theme.main);
  for (const region of REGIONS) root.dataset[region] = paletteOf(theme[region], main);
  root.toggleAttribute("data-still", !animations);
  root.toggleAttribute("data-plain-scrollbars", !customScrollbars);
}
