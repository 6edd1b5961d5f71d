import { AppearanceChoice } from "@longarm/contract/template/appearance";
import { tolerantOf } from "../api/client.ts";

const Saved = tolerantOf(AppearanceChoice);

/** The appearance as a platform kept it: a part of another shape counts as never chosen. */
export function readSaved(kept: unknown): AppearanceChoice {
  const read = Saved.safeParse(kept);
  if (!read.success) return {};
  return Object.fromEntries(Object.entries(read.data).filter(([, part]) => part !== undefined));
}
