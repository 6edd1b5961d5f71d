import { readFile } from "node:fs/promises";
import { knownClusterPlace } from "./embedded/cluster-place.ts";
import { addressOf } from "./embedded/create-database.ts";
import { explained } from "./embedded/failure.ts";
import { readPidFile } from "./embedded/pid-file.ts";
import { processBirth } from "./embedded/process-table.ts";

export { EmbeddedPostgresError } from "./embedded/failure.ts";

/**
 * The address, with password, of the server that some other process runs in a data folder now, for programs that work beside it; undefined:
 * none runs there. Starts and changes nothing. It is good until that process ends.
 * @throws EmbeddedPostgresError when the folder may not be read, or its pointer leads nowhere.
 */
export async function findRunningServer(folder: string): Promise<string | undefined> {
  return await explained("data folder", folder, async () => {
    const place = await knownClusterPlace(folder);
    if (place === undefined) return undefined;
    const password = (await readFile(place.password, "utf8")).trim();
    const file = await readPidFile(place.data);
    // A server that was killed leaves the file, and its id may be another process by now: whoever connects finds that out.
    if (!file?.isReady || (await processBirth(file.pid)) === undefined) return undefined;
    return addressOf(file, password);
  });
}
