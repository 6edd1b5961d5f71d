/**
 * A program for tests that kill it: starts the embedded server of the folder given as its argument, prints one line of
 * JSON, and lives until it is killed.
 */
import { systemClock } from "../clock.ts";
import { startEmbeddedPostgres } from "../embedded-server.ts";
import { silentLog } from "../log.ts";

const [, , folder = "", systemFolder = ""] = process.argv;
const server = await startEmbeddedPostgres({ folder, systemFolder, log: silentLog, clock: systemClock, fast: true });
process.stdout.write(`${JSON.stringify({ url: server.url, serverPid: server.pid() })}\n`);
