import { CABINET_HELP } from "./help.ts";
import { MemoryDamaged } from "./machine/memory.ts";
import { OptionProblem, readOptions } from "./options.ts";
import { startCabinet } from "./program.ts";
import type { Clock } from "./sas/link-layer.ts";

/*
 * `npm run cabinet`: one simulated machine that speaks SAS. A parent that started it with an IPC channel is sent `{ kind: "ready", pid, ports, pty }` and
 * beats; the end of that channel ends it.
 */

/** How often a parent is sent a beat, which shows that the event loop runs, ms. */
const BEAT_MS = 2_000;

function beat(): void {
  // The channel may be closing.
  if (process.connected) process.send?.({ kind: "beat" }, () => undefined);
}

const systemClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};

const say = (text: string): void => void process.stdout.write(`${text}\n`);

async function run(args: readonly string[]): Promise<void> {
  const options = readOptions(args);
  if (options === "help") {
    process.stdout.write(CABINET_HELP);
    return;
  }
  const cabinet = await startCabinet(options, systemClock, say);
  const { ports, pty } = cabinet;
  const { host, model } = options;
  say(
    `SAS        ${pty ?? `${host}:${ports.sas}`}, framed nine-bit, address ${model.address}, asset ${model.assetNumber}`,
  );
  say(`buttons    ${host}:${ports.buttons}, Modbus TCP, unit 1`);
  say(`control    http://${host}:${ports.control}/`);
  if (ports.screen !== undefined) say(`screen     rtsp://${host}:${ports.screen}/screen`);
  process.send?.({ kind: "ready", pid: process.pid, ports, pty });
  if (process.send !== undefined) setInterval(beat, BEAT_MS).unref();
  let ending = false;
  const end = (): void => {
    if (ending) return;
    ending = true;
    void cabinet.close().then(() => process.exit(0));
  };
  process.on("SIGTERM", end).on("SIGINT", end).on("disconnect", end);
}

try {
  await run(process.argv.slice(2));
} catch (error) {
  const expected = error instanceof OptionProblem || error instanceof MemoryDamaged;
  const text = error instanceof Error && !expected ? (error.stack ?? error.message) : String((error as Error).message);
  process.stderr.write(`${text}\n`);
  process.exit(expected ? 2 : 1);
}
