import { longarm } from "@longarm/platform/testing/longarm";
import type { TestVenue } from "./test-venue.ts";

export type Ran = { readonly code: number; readonly said: readonly string[]; readonly complained: readonly string[] };

/** Runs staff's command line beside a running venue. */
export async function runLongarm(
  { databaseUrl }: Pick<TestVenue, "databaseUrl">,
  args: readonly string[],
): Promise<Ran> {
  const { code, said, complained } = await longarm(args, { environment: { DATABASE_URL: databaseUrl } });
  return { code, said: said === "" ? [] : said.split("\n"), complained: complained === "" ? [] : [complained] };
}
