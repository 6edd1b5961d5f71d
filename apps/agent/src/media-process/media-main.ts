import { flushCompileCache } from "node:module";
import { Socket } from "node:net";
import { openMessageStream } from "./message-stream.ts";
import type { CoreMessage, MediaMessage } from "./messages.ts";
import { FROM_CORE_BYTES_MAX } from "./messages.ts";

/*
 * The agent's media process. The core starts it and sends it messages over file descriptor 3. It knows neither the platform nor money nor a
 * machine, and ends when the core does, however the core ends. It sends heartbeats before anything large is imported.
 */

const CORE_FD = 3;
/** The core counts silence from one beat to the next, ms. */
const BEAT_MS = 500;
/** Heartbeats are left out while the core has not read this much, bytes. */
const WAITING_BYTES_MAX = 256 * 1024;

type Host = Awaited<ReturnType<typeof import("./host.ts")["startHost"]>>;

let host: Host | undefined;
/** Messages that arrived while the host was still being imported. */
const early: CoreMessage[] = [];
const core = new Socket({ fd: CORE_FD });
const stream = openMessageStream(core, {
  bytesMax: FROM_CORE_BYTES_MAX,
  message: (message) => receive(message as CoreMessage),
  broken: () => process.exit(1),
});
const send = (message: MediaMessage): void => stream.send(message);

function receive(message: CoreMessage): void {
  if (message.is === "start") void begin(message);
  else if (host === undefined) early.push(message);
  else host.receive(message);
}

async function begin(start: Extract<CoreMessage, { is: "start" }>): Promise<void> {
  const { startHost } = await import("./host.ts");
  host = await startHost(start, send);
  for (const message of early.splice(0)) host.receive(message);
  // It blocks the event loop for some 100 ms a brand, on a busy computer for seconds.
  await host.prepare();
  send({ is: "ready" });
  await host.rehearse();
  void host.tryEncoder();
  // Node stores its compile cache only when a process ends in order; the next process needs it most after a kill.
  flushCompileCache();
}

function beat(): void {
  if (stream.waitingBytes() < WAITING_BYTES_MAX)
    send({ is: "beat", memory: process.memoryUsage.rss(), encoder: host?.encoder(), lanes: host?.lanes() ?? [] });
}

core.once("close", () => process.exit(0));
core.on("error", () => process.exit(0));
core.once("end", () => process.exit(0));
// A signal to the whole process group is meant for the core, which waits for games to end and then closes the pipe.
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => undefined);
process.on("uncaughtException", (error) => {
  process.stderr.write(`The media process ends after an uncaught error: ${error.stack ?? error.message}\n`);
  process.exit(1);
});
setInterval(beat, BEAT_MS);
beat();
