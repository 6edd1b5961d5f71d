import { ROOT } from "../../launcher/house.ts";
import { buildWeb } from "../../launcher/web-build.ts";

/** Builds the web before any house starts: two that start together would build into one folder at the same time. */
export default async function setup(): Promise<void> {
  await buildWeb(ROOT, () => {});
}
