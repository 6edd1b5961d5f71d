import type { MachineFacts } from "@longarm/contract/machine";
import type { CSSProperties } from "react";
import type * as z from "zod/mini";

type Cut = z.infer<typeof MachineFacts>["cutScreen"];

/** Shares of the picture as percentages for the style sheet: how much larger it is drawn, and how far it is moved. */
export function cutStyle(cut: Cut): CSSProperties | undefined {
  if (cut === undefined) return undefined;
  const { x, y, width, height } = cut;
  return {
    "--cut-ratio": String((16 * width) / (9 * height)),
    "--cut-width": `${100 / width}%`,
    "--cut-height": `${100 / height}%`,
    "--cut-x": `${(-100 * x) / width}%`,
    "--cut-y": `${(-100 * y) / height}%`,
  } as CSSProperties;
}
