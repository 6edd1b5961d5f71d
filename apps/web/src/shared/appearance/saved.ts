import { AppearanceChoice } from "@longarm/contract/template/appearance";
import { tolerantOf } from "../api/tolerant.ts";

const Saved = tolerantOf(AppearanceChoice);

/** What somebody's platform kept of the appearance: a part that is of another shape is as good as never chosen. */
export function readSaved(kept: unknown): AppearanceChoice {
  const read = Saved.safeParse(kept);
  if (!read.success) return {};
  return Object.fromEntries(Object.entries(read.data).filter(([, part]) => part !== undefined));
}
