import { flushCompileCache } from "node:module";
import { Socket } from "node:net";
import { openFrames } from "./frames.ts";
import type { CoreMessage, MediaMessage } from "./messages.ts";
import { FROM_CORE_BYTES_MAX } from "./messages.ts";

/*
 * The agent's media process: the core starts it, and says everything over file descriptor 3. It knows neither the platform nor money nor a
 * machine, and ends when the core does, however that ended. It beats before anything large is imported.
 */

const CORE_FD = 3;
/** The core counts silence from one beat to the next, ms. */
const BEAT_MS = 500;
/** While so much waits for a core that stands still, beats are left out, bytes. */
const WAITING_BYTES_MAX = 256 * 1024;

type Host = Awaited<ReturnType<typeof import("./host.ts")["startHost"]>>;

let host: Host | undefined;
/** Messages that came while the host was still being imported. */
const early: CoreMessage[] = [];
const core = new Socket({ fd: CORE_FD });
const frames = openFrames(core, {
  bytesMax: FROM_CORE_BYTES_MAX,
  message: (message) => receive(message as CoreMessage),
  broken: () => process.exit(1),
});
const say = (message: MediaMessage): void => frames.send(message);

function receive(message: CoreMessage): void {
  if (message.is === "start") void begin(message);
  else if (host === undefined) early.push(message);
  else host.receive(message);
}

async function begin(start: Extract<CoreMessage, { is: "start" }>): Promise<void> {
  const { startHost } = await import("./host.ts");
  host = await startHost(start, say);
  for (const message of early.splice(0)) host.receive(message);
  // It holds the event loop for some 100 ms a brand, and a busy computer makes seconds of them.
  await host.prepare();
  say({ is: "ready" });
  // Node keeps what it has compiled when a process ends in order; the next one needs it most when this one was killed.
  flushCompileCache();
}

function beat(): void {
  if (frames.waitingBytes() < WAITING_BYTES_MAX)
    say({ is: "beat", memory: process.memoryUsage.rss(), lanes: host?.lanes() ?? [] });
}

core.once("close", () => process.exit(0));
core.on("error", () => process.exit(0));
core.once("end", () => process.exit(0));
// A signal to the whole group is meant for the core, which lets games end first and then closes the pipe.
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => undefined);
process.on("uncaughtException", (error) => {
  process.stderr.write(`The media process ends, because nothing caught this: ${error.stack ?? error.message}\n`);
  process.exit(1);
});
setInterval(beat, BEAT_MS);
beat();
